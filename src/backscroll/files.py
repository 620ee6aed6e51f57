"""Open files of a store, and write our own files; no other code does either.

Opening is read-only, never follows a link in the last part of a path and never blocks: it refuses FIFOs, devices and
sockets.  Writing replaces a whole file or nothing, and only inside a directory of ours.
"""

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader, UnsupportedOperation
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from backscroll.errors import RefusedError
from backscroll.lazy import lazily

if TYPE_CHECKING:
    import shutil
    import tempfile
else:  # the import takes 5 ms, and only a copy needs it
    shutil = lazily("shutil")
    tempfile = lazily("tempfile")

_BUFFER = 1 << 20
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LEFT_BEHIND = 3600
"""Copies older than this many seconds are left over from a dead process."""

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
"""Create a file; fail if it exists."""

_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
DENIED = "permission denied"
_REASONS = {
    errno.EACCES: DENIED,
    errno.EPERM: DENIED,
    errno.ENOENT: "vanished: no such file",
    errno.ENOTDIR: "not a directory",
    errno.ELOOP: "loop of symbolic links",
    errno.ENAMETOOLONG: "name too long",
    errno.EIO: "input/output error",
}


class NotRegularError(OSError):
    """The path names something that is not a regular file."""


def reason_of(error: OSError) -> str:
    """Return a plain sentence that explains why a file could not be read."""
    if isinstance(error, NotRegularError) or error.errno is None:
        return str(error)
    return _REASONS.get(error.errno) or (error.strerror or str(error)).lower()


def reason_at_named(error: OSError) -> str:
    """Return the reason for a path that the user named: it need not have been there before."""
    return "no such file or directory" if error.errno == errno.ENOENT else reason_of(error)


def not_regular(mode: int) -> str:
    """Return a plain description of a file that is not regular."""
    return f"not a regular file ({_KINDS.get(stat.S_IFMT(mode), 'unknown kind')})"


def open_readonly(path: str | os.PathLike[str], *, buffering: int = _BUFFER) -> BinaryIO:
    """Open a regular file for reading, or raise OSError; never block, never follow a link."""
    _require_regular(_look(path).st_mode)
    descriptor = os.open(path, _READ)
    try:
        _require_regular(os.fstat(descriptor).st_mode)
        return open(descriptor, "rb", buffering=buffering)
    except BaseException:
        os.close(descriptor)
        raise


def read_small(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return a whole file of at most `limit` bytes; raise OSError for a larger one."""
    with open_readonly(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > limit else file.read(limit + 1)
    if size > limit or len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit:,} bytes", os.fspath(path))
    return data


def read_at(file: BinaryIO, offset: int, length: int) -> bytes:
    """Return the bytes at an offset, fewer if the file is shorter; do not move the position of a scan."""
    if isinstance(file, BufferedReader) and hasattr(os, "pread"):
        with suppress(UnsupportedOperation):  # a reader of bytes in memory has no descriptor
            return os.pread(file.fileno(), length, offset)
    before = file.tell()
    file.seek(offset)
    data = file.read(length)
    file.seek(before)
    return data


def make_private_directory(path: Path) -> None:
    """Create `path` and its missing parents, readable by their owner alone; keep existing ones."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)


def is_private(path: str | os.PathLike[str]) -> bool:
    """Return True if no other user may write to a path: we own it, or it does not exist."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return True
    return not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE)


def write_atomically(path: Path, data: bytes, *, inside: Path, durable: bool = True) -> None:
    """Replace the content of `path` by `data`; after a crash it holds the old bytes or the new ones.

    With `durable=False` it does not wait for the disk; use that for files that can be rebuilt.
    """
    directory = path.parent.resolve()
    if path.name in ("", "..") or not directory.is_relative_to(inside.resolve()):
        raise RefusedError("refused to write outside backscroll's own directory", str(path))
    temporary = directory / f".{os.urandom(8).hex()}.tmp"
    try:
        _write_new(temporary, data, durable)
        os.replace(temporary, directory / path.name)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync_directory(directory)


def _require_free(path: Path) -> None:
    """Refuse a path that the user chose for a new file, if it is taken or its directory is missing."""
    if path.is_dir():
        raise RefusedError("this is a directory", str(path), "Name a new file in it.")
    if os.path.lexists(path):
        raise RefusedError("a file of this name exists already", str(path), "Choose another name, or remove the file.")
    if not path.parent.exists():
        raise RefusedError("cannot write here: no such directory", str(path.parent), "Make it first.")


def create_file(path: Path, data: bytes) -> None:
    """Write a new file at a path that the user chose; never overwrite one."""
    _require_free(path)
    try:
        _write_new(path, data, durable=False)
    except FileExistsError:  # another process made it just now
        raise RefusedError("a file of this name exists already", str(path)) from None
    except OSError as error:
        raise RefusedError(f"cannot write here: {reason_of(error)}", str(path)) from error


def create_from_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a new file piece by piece; it gets its name when it is whole, and never replaces another."""
    _require_free(path)
    temporary = path.parent / f".{os.urandom(8).hex()}.tmp"
    try:
        write_pieces(temporary, pieces)
        name_new_file(temporary, path)
    except FileExistsError:  # another process made it just now
        raise RefusedError("a file of this name exists already", str(path)) from None
    except OSError as error:
        raise RefusedError(f"cannot write here: {reason_of(error)}", str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a new file piece by piece, for its owner alone; raise OSError on failure."""
    with _created(path) as file:
        file.writelines(pieces)


def name_new_file(temporary: Path, path: Path) -> None:
    """Give a whole file its name; raise FileExistsError if the name is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        _created(path).close()
        os.replace(temporary, path)


@contextmanager
def private_copies(paths: Mapping[str, str], own: Path | None) -> Iterator[str]:
    """Copy files into a new directory below `own`, and delete it when the context ends.

    Callers may write to the copies: SQLite does so when it opens a database.
    """
    with tempfile.TemporaryDirectory(prefix="copy-", dir=_place_for_copies(own), ignore_cleanup_errors=True) as place:
        for name, path in paths.items():
            with open_readonly(path) as file, _created(Path(place, name)) as copy:
                shutil.copyfileobj(file, copy, _BUFFER)
        yield place


def _place_for_copies(own: Path | None) -> Path | None:
    """Return our directory for copies, or None if it cannot be written and the system's must do."""
    if own is None:
        return None
    place = own / "copies"
    try:
        make_private_directory(place)
        for left in place.iterdir():  # a killed run left them
            if time.time() - left.stat().st_mtime > _LEFT_BEHIND:
                shutil.rmtree(left, ignore_errors=True)
    except OSError:
        return None
    return place if os.access(place, os.W_OK) else None


def _look(path: str | os.PathLike[str]) -> os.stat_result:
    try:
        return os.lstat(path)
    except ValueError:  # a NUL or a lone surrogate: no file system can hold such a name
        raise NotRegularError("not a valid file name") from None


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
