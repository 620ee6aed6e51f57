"""The index's database: opened, made, or made anew where it is damaged or of another version.

One file per set of roots that are read together, below our own directory, mode 0600.
Where that directory cannot be written, the index lives in memory for one run.
"""

import os
import sqlite3
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll.errors import BackscrollError, CorruptError, IndexWarning, RefusedError
from backscroll.files import make_private_directory
from backscroll.index.schema import DROP_INDEXES, INDEXES, MAKE_INDEXES, SCHEMA, VERSION
from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.index import soundness
else:
    soundness = lazily("backscroll.index.soundness")

Connection = sqlite3.Connection
"""An open index."""

BUSY_SECONDS = 30
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
NO_ROOM_REMEDY = "Make room on the disk; the same command goes on where this one ended."
ANEW_REMEDY = "The same command makes it anew; nothing is lost."
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SET_VERSION = f"PRAGMA user_version = {VERSION}"
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16000",
)


def path_for(directory: Path, root: Path | None) -> Path:
    """Return the index file for one root; without a root, for this user's own home."""
    if root is None:
        return directory / "home.db"
    path = os.fsencode(root.absolute())
    return directory / f"root-{zlib.crc32(path):08x}{zlib.adler32(path):08x}.db"  # hashlib would cost 3 ms to import


def open_index(path: Path, *, rebuild: bool = False) -> sqlite3.Connection:
    """Open the index at `path`, making it where there is none; in memory where it cannot be written."""
    try:
        if rebuild:
            remove_index(path)
        return _open_or_remake(path)
    except (OSError, sqlite3.OperationalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        remedy = "Set BACKSCROLL_HOME to a directory that may be written."
        warnings.warn(f"the index is kept for this run only: {path}: {reason}\n  {remedy}", IndexWarning, stacklevel=2)
        return open_in_memory()


def open_in_memory() -> sqlite3.Connection:
    """Make an index for one run."""
    return _made(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))


def _open_or_remake(path: Path) -> sqlite3.Connection:
    make_private_directory(path.parent)
    try:
        return _opened(path)
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # even the complaint about a schema may be unreadable
        remove_index(path)
        return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    is_new = not path.exists()
    if is_new:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        return _checked(database)
    except BaseException:
        database.close()
        raise


def _checked(database: sqlite3.Connection) -> sqlite3.Connection:
    for pragma in _PRAGMAS:
        database.execute(pragma)
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return database
    if version == 0 and not database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        return _made(database)
    raise sqlite3.DatabaseError("another version of the index")


def _made(database: sqlite3.Connection) -> sqlite3.Connection:
    database.execute("BEGIN IMMEDIATE")
    if not database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        for statement in SCHEMA.split(";\n"):
            database.execute(statement)
        _set_version(database)
    database.execute("COMMIT")
    return database


def _set_version(database: sqlite3.Connection) -> None:
    database.execute(_SET_VERSION)


def drop_indexes(database: sqlite3.Connection) -> None:
    """Drop the indexes of an empty catalogue that is going to be filled at once."""
    database.execute("BEGIN IMMEDIATE")
    for statement in DROP_INDEXES:
        database.execute(statement)
    database.execute("COMMIT")


def make_indexes(database: sqlite3.Connection) -> None:
    """Make the indexes that are not there."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
    if not {statement.split()[2] for statement in INDEXES} <= {name for (name,) in rows}:
        database.execute("BEGIN IMMEDIATE")
        for statement in MAKE_INDEXES:
            database.execute(statement)
        database.execute("COMMIT")


@contextmanager
def in_use(database: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Delete an index that turns out to be damaged, so that it is made anew next time."""
    try:
        yield
    except Exception as error:
        code = _code(error)
        if code not in _DAMAGED and not is_damaged(database, error):
            if code in _NO_ROOM:
                raise RefusedError(f"the index cannot be written: {error}", str(path), NO_ROOM_REMEDY) from error
            raise
        database.close()
        remove_index(path)
        raise CorruptError("the index was damaged and is deleted", str(path), ANEW_REMEDY) from error


def is_damaged(database: sqlite3.Connection, error: Exception) -> bool:
    """Say whether an error comes from damage to the index, and not from what was asked or from a fault of ours."""
    if isinstance(error, CorruptError):
        return error.where is None  # with a place it speaks of something else
    if isinstance(error, (BackscrollError, OSError)):
        return False
    return not soundness.is_sound(database)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def words_beside(database: sqlite3.Connection) -> Path | None:
    """Return the directory of the full-text index that belongs to an index; None for one in memory."""
    _, _, path = database.execute("PRAGMA database_list").fetchone()
    return Path(path).with_suffix(".words") if path else None


def remove_index(path: Path) -> None:
    """Delete an index; nothing is lost by that."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
