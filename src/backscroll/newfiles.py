"""New files below a directory that the user named: nothing outside it, nothing overwritten.

Each directory on the way is opened by its name inside the one before, never by its whole path, and links are not
followed.  So whoever swaps a directory for a link while we write gains nothing: we still hold the directory itself.
Where the system has no such calls (Windows), each step is looked at before it is taken.
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
from backscroll.files import CREATE, reason_of

_DIRECTORY = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
HAS_OPENAT = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700


class NewTree:
    """A new or empty directory, held open, that files are written into."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        make_empty(directory)
        self._top = os.open(directory, _DIRECTORY) if HAS_OPENAT else -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._top >= 0:
            os.close(self._top)
            self._top = -1

    def write(self, parts: Sequence[str], data: bytes) -> None:
        """Write a new file; `parts` are the names that lead to it. OSError where that is not possible."""
        if not parts or not all(_is_name(part) for part in parts):
            raise OSError(errno.EINVAL, "not a possible file name")
        if HAS_OPENAT:
            self._write_at(parts, data)
        else:
            self._write_by_path(parts, data)

    def _write_at(self, parts: Sequence[str], data: bytes) -> None:
        held = os.dup(self._top)
        try:
            for name in parts[:-1]:
                inner = _enter(name, held)
                os.close(held)
                held = inner
            _write_new(os.open(parts[-1], CREATE, FILE_MODE, dir_fd=held), data)
        finally:
            os.close(held)

    def _write_by_path(self, parts: Sequence[str], data: bytes) -> None:
        path = self.directory
        for name in parts[:-1]:
            path /= name
            path.mkdir(DIRECTORY_MODE, exist_ok=True)
            if not stat.S_ISDIR(os.lstat(path).st_mode) or _is_junction(path):
                raise OSError(errno.ENOTDIR, "not a directory")
        _write_new(os.open(path / parts[-1], CREATE, FILE_MODE), data)


def make_empty(directory: Path) -> None:
    """Make a directory, or accept one that is there and empty; a link in its place is refused."""
    try:
        directory.parent.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
        directory.mkdir(DIRECTORY_MODE, exist_ok=True)
        if directory.is_symlink():
            raise RefusedError("this is a symbolic link, not a directory", str(directory), "Name a new directory.")
        with os.scandir(directory) as entries:
            is_empty = next(entries, None) is None
        if not is_empty:
            remedy = "Recovered files go into a new or empty directory, so that nothing is overwritten."
            raise RefusedError("the directory is not empty", str(directory), remedy)
    except OSError as error:
        raise RefusedError(f"cannot write here: {reason_of(error)}", str(directory)) from error


def replace_keeping(path: Path, data: bytes, kept: str) -> bool:
    """Write a file in its place; what was there stays beside it under the name `kept`. Return whether there was one.

    No directory on the way may be a link.
    """
    held = _walk(path.parent)
    try:
        temporary = f".{os.urandom(8).hex()}.tmp"
        _write_new(os.open(temporary, CREATE, FILE_MODE, dir_fd=held), data)
        try:
            was_there = _keep(path.name, kept, held)
            if was_there:
                mode = os.stat(kept, dir_fd=held, follow_symlinks=False).st_mode
                os.chmod(temporary, mode & 0o666, dir_fd=held)  # who may read it stays; nothing becomes a program
                os.replace(temporary, path.name, src_dir_fd=held, dst_dir_fd=held)
            else:
                os.link(temporary, path.name, src_dir_fd=held, dst_dir_fd=held)  # unlike replace, fails if one came up
                os.unlink(temporary, dir_fd=held)
        except BaseException:
            os.unlink(temporary, dir_fd=held)
            raise
    finally:
        os.close(held)
    return was_there


def _walk(directory: Path) -> int:
    """Open a directory step by step from the root, making what is missing."""
    if not HAS_OPENAT:
        raise RefusedError("writing in place needs a system that opens files by directory", str(directory))
    held = os.open(directory.anchor, _DIRECTORY)
    for name in directory.parts[1:]:
        try:
            inner = _enter(name, held)
        finally:
            os.close(held)
        held = inner
    return held


def _enter(name: str, held: int) -> int:
    """Open a directory inside one that is held open, making it where there is none."""
    try:
        return os.open(name, _DIRECTORY, dir_fd=held)
    except FileNotFoundError:
        with suppress(FileExistsError):  # made by somebody else just now: only a directory can be opened next
            os.mkdir(name, DIRECTORY_MODE, dir_fd=held)
        return os.open(name, _DIRECTORY, dir_fd=held)


def _keep(name: str, kept: str, held: int) -> bool:
    """Give a file a second name, one that nothing has yet; a link or a directory is not touched."""
    try:
        mode = os.stat(name, dir_fd=held, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise OSError(errno.EEXIST, "what is there is not a regular file")
    os.link(name, kept, src_dir_fd=held, dst_dir_fd=held, follow_symlinks=False)
    return True


def _write_new(descriptor: int, data: bytes) -> None:
    with open(descriptor, "wb") as file:
        file.write(data)


def _is_junction(path: Path) -> bool:
    reparse = getattr(os.lstat(path), "st_file_attributes", 0) & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0)
    return bool(reparse)


def _is_name(name: str) -> bool:
    return bool(name) and name not in (".", "..") and "/" not in name and "\0" not in name and os.sep not in name
