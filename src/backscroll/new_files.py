"""Write new files below a directory that the user named: nothing outside it, nothing overwritten or incomplete.

Each directory on the path is opened by its name inside its parent, and no link is followed.  If a program replaces a
directory with a link while we write, we still hold the directory itself.
Each file is written under a temporary name beside its place, synced to the disk, and then gets its name.  If that
fails, the temporary file is removed.
On systems without such calls (Windows) each step is checked before it is taken.
"""

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from backscroll.errors import RefusedError
from backscroll.files import CREATE, make_private_directory, reason_at_named

_DIRECTORY = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_ON_THE_WAY = _DIRECTORY | getattr(os, "O_PATH", 0)
"""Opens a directory only to pass through: that needs no right to list it."""
_WITHOUT_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
"""The errors of file systems that have no hard links."""
HAS_OPENAT = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700


class NewTree:
    """A new or empty directory, held open, to write files into."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._top = _open_empty(directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._top >= 0:
            os.close(self._top)
            self._top = -1

    def write(self, parts: Sequence[str], data: bytes) -> None:
        """Write a new file, whole or not at all; `parts` are the names that lead to it. Raise OSError on failure."""
        if not parts or not all(_is_name(part) for part in parts):
            raise OSError(errno.EINVAL, "not a valid file name")
        if HAS_OPENAT:
            self._write_at(parts, data)
        else:
            self._write_by_path(parts, data)

    def _write_at(self, parts: Sequence[str], data: bytes) -> None:
        held = _walk_from(os.dup(self._top), parts[:-1], _DIRECTORY)
        try:
            temporary = _write_beside(data, held)
            try:
                _give_name(temporary, parts[-1], held)
            except BaseException:
                _remove(temporary, held)
                raise
        finally:
            os.close(held)

    def _write_by_path(self, parts: Sequence[str], data: bytes) -> None:
        path = self.directory
        for name in parts[:-1]:
            path /= name
            path.mkdir(DIRECTORY_MODE, exist_ok=True)
            if not stat.S_ISDIR(os.lstat(path).st_mode) or _is_junction(path):
                raise OSError(errno.ENOTDIR, "not a directory")
        if os.path.lexists(path / parts[-1]):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        temporary = path / _temporary_name()
        try:
            _fill(os.open(temporary, CREATE, FILE_MODE), data)
            os.rename(temporary, path / parts[-1])  # on Windows this fails if a file of that name came up
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _open_empty(directory: Path) -> int:
    """Make a directory with its parents, or take an empty one, and hold it open; refuse a link in its place."""
    try:
        if directory.is_symlink():
            raise RefusedError("this is a symbolic link, not a directory", str(directory), "Name a new directory.")
        held = _open_with_parents(directory)
        try:
            is_empty = not os.listdir(held if held >= 0 else directory)
        except BaseException:
            _close(held)
            raise
    except OSError as error:
        raise RefusedError(f"cannot write here: {reason_at_named(error)}", str(directory)) from error
    if not is_empty:
        _close(held)
        remedy = "Recovered files go into a new or empty directory, so that nothing is overwritten."
        raise RefusedError("the directory is not empty", str(directory), remedy)
    return held


def _open_with_parents(directory: Path) -> int:
    """Open a directory, making it and its missing parents for the owner alone; -1 on systems without openat."""
    if not HAS_OPENAT:
        make_private_directory(directory)
        return -1
    absolute = Path(os.path.realpath(directory.parent), directory.name)
    return _walk(absolute)


def replace_keeping(path: Path, data: bytes, kept: str) -> bool:
    """Write a file in its place, and keep the file that was there under the name `kept`. Return True if there was one.

    No directory on the way may be a link.  On failure the old file stays in its place.
    """
    held = _walk(path.parent)
    try:
        temporary = _write_beside(data, held)
        try:
            was_there = _keep(path.name, kept, held)
            if was_there:
                _replace(temporary, path.name, kept, held)
            else:
                _give_name(temporary, path.name, held)
        except BaseException:
            _remove(temporary, held)
            raise
    finally:
        os.close(held)
    return was_there


def _replace(temporary: str, name: str, kept: str, held: int) -> None:
    """Put a temporary file in the place of one that has a second name already; remove that name on failure."""
    try:
        mode = os.stat(kept, dir_fd=held, follow_symlinks=False).st_mode
        os.chmod(temporary, mode & 0o666, dir_fd=held)  # keeps who may read it, but makes nothing a program
        os.replace(temporary, name, src_dir_fd=held, dst_dir_fd=held)
    except BaseException:
        _remove(kept, held)
        raise


def _walk(directory: Path) -> int:
    """Open a directory step by step from the root, making missing ones."""
    if not HAS_OPENAT:
        raise RefusedError(
            "this system cannot open files relative to a directory, so nothing is written in place", str(directory)
        )
    held = _walk_from(os.open(directory.anchor, _ON_THE_WAY), directory.parts[1:], _ON_THE_WAY)
    try:
        return os.open(".", _DIRECTORY, dir_fd=held)
    finally:
        os.close(held)


def _walk_from(held: int, names: Sequence[str], flags: int) -> int:
    """Go from a directory that is held open into the ones below it; close all but the last."""
    for name in names:
        try:
            inner = _enter(name, held, flags)
        finally:
            os.close(held)
        held = inner
    return held


def _enter(name: str, held: int, flags: int) -> int:
    """Open a directory inside one that is held open, making it if there is none."""
    try:
        return os.open(name, flags, dir_fd=held)
    except FileNotFoundError:
        with suppress(FileExistsError):  # somebody else made it just now; only a directory can be opened next
            os.mkdir(name, DIRECTORY_MODE, dir_fd=held)
        return os.open(name, flags, dir_fd=held)


def _write_beside(data: bytes, held: int) -> str:
    """Write a temporary file into a directory, sync it, and return its name; leave nothing behind on failure."""
    name = _temporary_name()
    descriptor = os.open(name, CREATE, FILE_MODE, dir_fd=held)
    try:
        _fill(descriptor, data)
    except BaseException:
        _remove(name, held)
        raise
    return name


def _fill(descriptor: int, data: bytes) -> None:
    """Write all bytes and sync them; close the file in any case."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _give_name(temporary: str, name: str, held: int) -> None:
    """Give a temporary file its name; unlike a rename, fail if something has that name."""
    try:
        os.link(temporary, name, src_dir_fd=held, dst_dir_fd=held)
    except OSError as error:
        if error.errno not in _WITHOUT_LINKS:
            raise
        os.close(os.open(name, CREATE, FILE_MODE, dir_fd=held))  # reserves the name
        os.replace(temporary, name, src_dir_fd=held, dst_dir_fd=held)
    else:
        os.unlink(temporary, dir_fd=held)


def _keep(name: str, kept: str, held: int) -> bool:
    """Give a file a second name that nothing has yet; leave links and directories alone."""
    try:
        mode = os.stat(name, dir_fd=held, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise OSError(errno.EEXIST, "something that is not a regular file is in its place")
    os.link(name, kept, src_dir_fd=held, dst_dir_fd=held, follow_symlinks=False)
    return True


def _remove(name: str, held: int) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=held)


def _close(held: int) -> None:
    if held >= 0:
        os.close(held)


def _temporary_name() -> str:
    return f".{os.urandom(8).hex()}.tmp"


def _is_junction(path: Path) -> bool:
    reparse = getattr(os.lstat(path), "st_file_attributes", 0) & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0)
    return bool(reparse)


def _is_name(name: str) -> bool:
    return bool(name) and name not in (".", "..") and "/" not in name and "\0" not in name and os.sep not in name
