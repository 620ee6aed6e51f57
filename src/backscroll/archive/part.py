"""One part of the archive, open for writing: its lock, its segments and its catalogue.

The catalogue is committed after the segments are synced to the disk.  During a batch the catalogue has a mark; if the
next start finds the mark, it rebuilds the catalogue from the headers of all segments.  The next start also adds
segments that the catalogue does not list, such as those of an undone prune.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shlex import quote
from typing import NoReturn

from backscroll.archive.headers import numbered, rows_in, segments_in
from backscroll.errors import BusyError, CorruptError, RefusedError
from backscroll.files import make_private_directory, reason_of
from backscroll.formats.archive import FORMAT, PACK_BYTES, pack_name, pack_of
from backscroll.stores.archived import ALL_VERSIONS, CATALOGUE, COLUMNS, SEGMENTS, KeptFile, ends_of, rows_of

if sys.platform != "win32":
    import fcntl

_APPEND = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_ENTER = f"INSERT OR REPLACE INTO file VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - marks only
_FORGET = "DELETE FROM file WHERE path = ? AND version = ?"
_PACKED = "SELECT * FROM file WHERE segment LIKE 'pack-%'"
_TEMPORARY = ".tmp"
BIN = "bin"
BIN_DAYS = 30
"""Days after which a pruned segment is deleted for good."""
_SCHEMA = (
    f"CREATE TABLE file ({', '.join(COLUMNS)}, PRIMARY KEY (path, version))",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value)",
    f"INSERT INTO meta VALUES ('format', {FORMAT})",  # noqa: S608 - a number of ours
)


@contextmanager
def opened_part(path: Path, *, is_own: bool = True) -> Iterator["OpenPart"]:
    """Lock one part of the archive for writing; raise BusyError if another process has the lock.

    The disk of a mirror may have no file owners: `is_own=False`.
    """
    try:
        with _held_part(path, is_own=is_own) as part:
            yield part
    except OSError as error:
        _refuse_to_write(path, reason_of(error), error)
    except sqlite3.OperationalError as error:
        _refuse_to_write(path, str(error), error)


def _refuse_to_write(path: Path, reason: str, error: Exception) -> NoReturn:
    remedy = "Everything reported before is safe. Correct this, then run the command again."
    raise RefusedError(f"cannot write to the archive: {reason}", str(path), remedy) from error


@contextmanager
def _held_part(path: Path, *, is_own: bool) -> Iterator["OpenPart"]:
    make_private_directory(path / SEGMENTS)
    if is_own:
        require_ours(path)
    lock = os.open(path / "lock", _APPEND, 0o600)
    try:
        if sys.platform != "win32":
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                remedy = "Wait until it has finished, then run the same command again."
                raise BusyError("another process writes to the archive", str(path), remedy) from None
        part = OpenPart(path)
        try:
            yield part
        finally:
            part.close()
    finally:
        os.close(lock)


def require_ours(path: Path) -> None:
    """Refuse an archive that other users own or may write to."""
    for place in (path, path / SEGMENTS):
        try:
            status = place.stat()
        except OSError:
            continue  # there is nothing that somebody could have changed
        if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
            raise RefusedError("the archive belongs to another user", str(place))
        if os.name == "posix" and status.st_mode & 0o022:
            raise RefusedError("others may write to the archive", str(place), f"Run: chmod 700 {quote(str(place))}")


class OpenPart:
    """The segments and the catalogue of one root."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = self._catalogue()
        self._written: dict[str, int] = {}
        """The segments of the batch that is under way, and their descriptors."""
        self._pack: tuple[str, int] | None = None
        """The pack that grows, and its size."""
        self._is_marked = False
        self._rows: list[KeptFile] = []
        self._gone: list[tuple[bytes, int]] = []
        for name in os.listdir(path / SEGMENTS):  # noqa: PTH208 - fast
            if name.endswith(_TEMPORARY):  # of a run that was killed
                (path / SEGMENTS / name).unlink()

    def close(self) -> None:
        """Close the catalogue; an unfinished batch stays marked."""
        self._close_written()
        self._database.close()

    def _close_written(self) -> None:
        while self._written:
            os.close(self._written.popitem()[1])

    def versions(self) -> dict[bytes, list[KeptFile]]:
        """Return all versions of each source file, the current one last."""
        found: dict[bytes, list[KeptFile]] = {}
        for row in self._database.execute(ALL_VERSIONS):
            found.setdefault(row[0], []).append(KeptFile(*row))
        return found

    def has(self, segment: str) -> bool:
        """Return True if there is a segment of this name."""
        return (self.path / SEGMENTS / segment).exists()

    def begin(self) -> None:
        """Mark the catalogue at the start of a batch."""
        if not self._is_marked:
            self._database.execute("INSERT OR REPLACE INTO meta VALUES ('batch', 1)")
            self._is_marked = True

    def append(self, segment: str, stored: int, pieces: Iterator[bytes]) -> int:
        """Cut a segment after its `stored` bytes, append frames, and return its new size."""
        self.begin()
        if segment not in self._written:
            self._written[segment] = os.open(self.path / SEGMENTS / segment, _APPEND, 0o600)
        descriptor = self._written[segment]
        os.ftruncate(descriptor, stored)
        os.lseek(descriptor, stored, os.SEEK_SET)
        for piece in pieces:
            _write_all(descriptor, piece)
            stored += len(piece)
        return stored

    def add_to_pack(self, make: Callable[[str], bytes]) -> tuple[str, int, int]:
        """Write one frame into a pack, made for the pack's id; return its segment, offset and size."""
        name, start = self._pack or self._growing_pack()
        if start >= PACK_BYTES:
            name, start = _new_pack()
        pack, _ = pack_of(name) or ("", 0)
        end = self.append(name, start, iter([make(pack)]))
        self._pack = (name, end)
        return name, start, end - start

    def _growing_pack(self) -> tuple[str, int]:
        """Return the largest pack that may grow; a pack with a torn last frame stays unchanged."""
        ends = ends_of(KeptFile(*row) for row in self._database.execute(_PACKED))
        places = {name: self.path / SEGMENTS / name for name in ends}
        open_ends = [(end, name) for name, end in ends.items() if end < PACK_BYTES and _size(places[name]) == end]
        return (max(open_ends)[1], max(open_ends)[0]) if open_ends else _new_pack()

    def rewrite(self, segment: str, pieces: Iterator[bytes], is_right: Callable[[], bool]) -> int | None:
        """Write a segment to a new file, sync it, and replace the old one if it is valid; return its size."""
        self.begin()
        place = self.path / SEGMENTS / segment
        temporary = place.with_suffix(_TEMPORARY)
        descriptor = os.open(temporary, _APPEND | os.O_TRUNC, 0o600)
        stored = 0
        try:
            for piece in pieces:
                _write_all(descriptor, piece)
                stored += len(piece)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if not is_right():
            temporary.unlink()
            return None
        os.replace(temporary, place)  # noqa: PTH105 - as tests/os_calls.py watches it
        _sync_directory(place.parent)
        return stored

    def forget(self, rows: Iterable[KeptFile]) -> None:
        """Remove versions from the catalogue at the next commit."""
        self._gone += [(row.path, row.version) for row in rows]

    def rebuild(self) -> None:
        """Rebuild the catalogue from the headers."""
        self._database.close()
        self._database = self._made_again(self.path / CATALOGUE)
        self._is_marked = False

    def empty_bin(self, now: float | None = None) -> None:
        """Delete the segments that were pruned more than 30 days ago."""
        limit = (time.time() if now is None else now) - BIN_DAYS * 86400
        directory = self.path / BIN
        for day in sorted(directory.iterdir()) if directory.is_dir() else ():
            if day.is_dir() and not day.is_symlink() and day_of(day.name) < limit:
                for segment in day.iterdir():
                    segment.unlink()
                day.rmdir()

    def note(self, row: KeptFile) -> None:
        """Add a version to the catalogue at the next commit."""
        self._rows.append(row)

    @property
    def pending(self) -> int:
        """The number of versions in the batch."""
        return len(self._rows)

    def commit(self, synced: int | None = None) -> None:
        """Sync all segments of the batch to the disk, then write the catalogue."""
        for descriptor in self._written.values():
            os.fsync(descriptor)
        if self._written:
            _sync_directory(self.path / SEGMENTS)
        self._close_written()
        self._database.execute("BEGIN")
        self._database.executemany(_ENTER, self._rows)
        self._database.executemany(_FORGET, self._gone)
        self._database.execute("DELETE FROM meta WHERE name = 'batch'")
        if synced is not None:
            self._database.execute("INSERT OR REPLACE INTO meta VALUES ('synced', ?)", (synced,))
        self._database.execute("COMMIT")
        self._is_marked = False
        self._rows.clear()
        self._gone.clear()

    def _catalogue(self) -> sqlite3.Connection:
        """Open the catalogue; rebuild it from the headers if it is missing, damaged or marked."""
        place = self.path / CATALOGUE
        if place.exists():
            database = sqlite3.connect(place, isolation_level=None)
            try:
                values = dict(database.execute("SELECT name, value FROM meta"))
                version = int(values.get("format", 0))
                self._require_known(version)
                if "batch" not in values and version == FORMAT:
                    self._enter_unknown(database)
                    return database
            except sqlite3.DatabaseError:
                pass
            except BaseException:
                database.close()
                raise
            database.close()
        return self._made_again(place)

    def _enter_unknown(self, database: sqlite3.Connection) -> None:
        """Add the segments that the catalogue does not list."""
        known = {name for (name,) in database.execute("SELECT DISTINCT segment FROM file")}
        names = [name for name in os.listdir(self.path / SEGMENTS) if name.endswith(".zst")]  # noqa: PTH208 - fast
        if unknown := sorted(set(names) - known):
            rows = {row[:2]: KeptFile(*row) for row in database.execute(ALL_VERSIONS)}
            paths = [self.path / SEGMENTS / name for name in unknown]
            database.executemany(_ENTER, list(numbered(rows_in(paths), rows)))

    def _require_known(self, version: int) -> None:
        if version > FORMAT:
            raise RefusedError("a newer backscroll wrote this archive", str(self.path), "Update backscroll.")

    def _made_again(self, place: Path) -> sqlite3.Connection:
        rows = list(numbered(rows_in(segments_in(self.path / SEGMENTS))))
        draft = place.with_suffix(".new")
        for left in (draft, _journal_of(draft), _journal_of(place)):  # a journal fits only its own catalogue
            left.unlink(missing_ok=True)
        os.close(os.open(draft, _APPEND, 0o600))
        with closing(sqlite3.connect(draft, isolation_level=None)) as database:
            database.execute("BEGIN")
            for statement in _SCHEMA:
                database.execute(statement)
            database.executemany(_ENTER, rows)
            database.execute("COMMIT")
        os.replace(draft, place)  # noqa: PTH105 - as tests/os_calls.py watches it
        return sqlite3.connect(place, isolation_level=None)


def _journal_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-journal")


def known_rows(path: Path) -> list[KeptFile]:
    """Return every version in one part of the archive; raise CorruptError if the catalogue is damaged."""
    try:
        return rows_of(path)
    except sqlite3.Error as error:
        remedy = "Run: backscroll archive repair --apply"
        raise CorruptError("the catalogue of the archive cannot be read", str(path / CATALOGUE), remedy) from error


def _new_pack() -> tuple[str, int]:
    return pack_name(os.urandom(8).hex(), 1), 0


def _size(place: Path) -> int | None:
    try:
        return place.stat().st_size
    except OSError:
        return None


def day_of(name: str) -> float:
    """Return the day of a directory in the bin; a name that is not a day never counts as old."""
    try:
        return time.mktime(time.strptime(name, "%Y-%m-%d"))
    except ValueError:
        return float("inf")


def _write_all(descriptor: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_directory(directory: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
