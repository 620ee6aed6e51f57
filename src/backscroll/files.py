"""The only code that opens a file of a store, and the writer of our own files.

Opening is read-only, never follows a link in the last place and never waits: a FIFO, a device or a
socket is refused.  Writing replaces a file whole or not at all, and only inside a directory of ours.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from backscroll.errors import RefusedError
from backscroll.lazy import lazily

if TYPE_CHECKING:
    import shutil
    import tempfile
else:  # 5 ms that only a copy costs
    shutil = lazily("shutil")
    tempfile = lazily("tempfile")

_BUFFER = 1 << 20
_LEFT_BEHIND = 3600
"""Seconds after which nobody reads a copy any more."""

_READ = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
"""Makes a file that was not there before, and nothing else."""

_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
_REASONS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOENT: "vanished: no such file",
    errno.ENOTDIR: "not a directory",
    errno.ELOOP: "loop of symbolic links",
    errno.ENAMETOOLONG: "name too long",
    errno.EIO: "input/output error",
}


class NotRegularError(OSError):
    """The path names something that is not a regular file."""


def reason_of(error: OSError) -> str:
    """Return in plain words why a file could not be read."""
    if isinstance(error, NotRegularError) or error.errno is None:
        return str(error)
    return _REASONS.get(error.errno) or (error.strerror or str(error)).lower()


def not_regular(mode: int) -> str:
    """Return in plain words what a thing of this mode is, if it is not a regular file."""
    return f"not a regular file ({_KINDS.get(stat.S_IFMT(mode), 'unknown kind')})"


def open_readonly(path: str | os.PathLike[str], *, buffering: int = _BUFFER) -> BinaryIO:
    """Open a regular file for reading, or raise OSError; never wait, never follow a link."""
    _require_regular(_look(path).st_mode)
    descriptor = os.open(path, _READ)
    try:
        _require_regular(os.fstat(descriptor).st_mode)
        return open(descriptor, "rb", buffering=buffering)
    except BaseException:
        os.close(descriptor)
        raise


def read_small(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return a whole file of at most `limit` bytes; a larger one is an OSError."""
    with open_readonly(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit:,} bytes", os.fspath(path))
    return data


def make_private_directory(path: Path) -> None:
    """Make `path` and what is missing above it, each readable by its owner alone; keep what exists."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)


def write_atomically(path: Path, data: bytes, *, inside: Path, durable: bool = True) -> None:
    """Replace `path` by `data`: after a crash it holds the old bytes or the new ones, never a part.

    What can be made again at any time need not be `durable`: then the disk is not waited for.
    """
    directory = path.parent.resolve()
    if path.name in ("", "..") or not directory.is_relative_to(inside.resolve()):
        raise RefusedError("refused to write outside our own directory", str(path))
    temporary = directory / f".{os.urandom(8).hex()}.tmp"
    try:
        _write_new(temporary, data, durable)
        os.replace(temporary, directory / path.name)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync_directory(directory)


def create_file(path: Path, data: bytes) -> None:
    """Write a new file where the user asked for one; what is there already is never overwritten."""
    if os.path.lexists(path):
        raise RefusedError("there is a file of this name already", str(path), "Name another, or remove it yourself.")
    try:
        _write_new(path, data, durable=False)
    except FileExistsError:  # made by somebody else just now
        raise RefusedError("there is a file of this name already", str(path)) from None
    except OSError as error:
        raise RefusedError(f"cannot write here: {reason_of(error)}", str(path)) from error


@contextmanager
def private_copies(paths: Mapping[str, str], own: Path | None) -> Iterator[str]:
    """Copy files under names into a new directory, below `own` where that can be; it is gone with the context.

    The copies are made to be written to: SQLite does so when it opens a database.
    """
    with tempfile.TemporaryDirectory(prefix="copy-", dir=_place_for_copies(own), ignore_cleanup_errors=True) as place:
        for name, path in paths.items():
            with open_readonly(path) as file, _created(Path(place, name)) as copy:
                shutil.copyfileobj(file, copy, _BUFFER)
        yield place


def _place_for_copies(own: Path | None) -> Path | None:
    """Return the directory of ours that copies are made in; None, for the system's own, where it cannot be written."""
    if own is None:
        return None
    place = own / "copies"
    try:
        make_private_directory(place)
        for left in place.iterdir():  # by a run that was killed
            if time.time() - left.stat().st_mtime > _LEFT_BEHIND:
                shutil.rmtree(left, ignore_errors=True)
    except OSError:
        return None
    return place if os.access(place, os.W_OK) else None


def _look(path: str | os.PathLike[str]) -> os.stat_result:
    try:
        return os.lstat(path)
    except ValueError:  # a NUL or a lone surrogate: no file system can hold such a name
        raise NotRegularError("not a possible file name") from None


def _require_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegularError(not_regular(mode))


def _write_new(path: Path, data: bytes, durable: bool) -> None:
    with _created(path) as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def _created(path: Path) -> BinaryIO:
    return open(os.open(path, CREATE, 0o600), "wb")


def _sync_directory(directory: Path) -> None:
    if os.name != "posix":  # Windows cannot open a directory; its rename is journalled
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
