"""Open the index's database; create it, or rebuild it if it is damaged or of another version.

One file per set of roots that a command reads together, below our own directory, mode 0600.
If that directory cannot be written, the index lives in memory for one run.
"""

import errno
import os
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll.errors import BackscrollError, BusyError, CorruptError, IndexWarning, RefusedError
from backscroll.files import is_private, make_private_directory
from backscroll.index import file_state
from backscroll.index.schema import DROP_INDEXES, INDEXES, MAKE_INDEXES, SCHEMA, VERSION
from backscroll.lazy import lazily
from backscroll.sessions.transcript.fingerprint import fingerprint

if TYPE_CHECKING:
    from backscroll.index import integrity as soundness
else:
    soundness = lazily("backscroll.index.integrity")

Connection = sqlite3.Connection
"""An open index."""
DatabaseError = sqlite3.Error
"""Raised for everything that SQLite cannot do."""
OperationError = sqlite3.OperationalError
"""Raised if the disk is full, or if another process holds the lock for too long."""

BUSY_SECONDS = 30
"""A command waits this long for the lock of another process."""
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
NO_ROOM_REMEDY = "Free some disk space, then run the command again: it continues from here."
BUSY_REMEDY = "Wait until it has finished, then run the same command again."
REBUILD_REMEDY = "Run the command again to rebuild it. Nothing is lost."
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SUFFIXES = ("", "-wal", "-shm", file_state.SUFFIX)
_SET_VERSION = f"PRAGMA user_version = {VERSION}"
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16000",
    "PRAGMA cell_size_check = ON",
)


def path_for(directory: Path, *roots: Path | None) -> Path:
    """Return the index file for roots that are read together; without a root, for this user's own home."""
    named = [root for root in roots if root is not None]
    if not named:
        return directory / "home.db"
    path = b"\0".join(os.fsencode(root.absolute()) for root in named)
    return directory / f"root-{fingerprint(path, 16).hex()}.db"


def open_index(path: Path, *, rebuild: bool = False) -> sqlite3.Connection:
    """Open the index at `path`, or create it; in memory if it cannot be written."""
    try:
        if rebuild:
            remove_index(path)
        return _open_or_remake(path)
    except (OSError, sqlite3.OperationalError) as error:
        return open_instead(path, error)


def open_instead(path: Path, error: Exception) -> sqlite3.Connection:
    """Open an index in memory because the one at `path` cannot be written, and warn about that."""
    reason = error.strerror if isinstance(error, OSError) else error
    remedy = "Free some disk space, or set BACKSCROLL_HOME" if is_full(error) else "Set BACKSCROLL_HOME"
    text = f"the index is not saved after this run: {path}: {reason}\n  {remedy} to a writable directory."
    warnings.warn(text, IndexWarning, stacklevel=2)
    return open_in_memory()


def open_in_memory() -> sqlite3.Connection:
    """Open an index in memory, for one run."""
    return _made(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))


def _open_or_remake(path: Path) -> sqlite3.Connection:
    make_private_directory(path.parent)
    try:
        _require_private(path)
        return _opened(path)
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # even the message about a schema may be unreadable
        remove_index(path)
        database = _opened(path)
        reason = error if isinstance(error, sqlite3.DatabaseError) else "it is damaged"
        warnings.warn(f"the index is rebuilt: {reason}", IndexWarning, stacklevel=2)
        return database


def _require_private(path: Path) -> None:
    """Raise an error if other users can write to the index, or could; make our directory private again."""
    if not is_private(path.parent):
        if path.parent.stat().st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "its directory belongs to another user")
        path.parent.chmod(0o700)
        raise sqlite3.DatabaseError("other users can write to its directory")
    if not all(is_private(f"{path}{suffix}") for suffix in _SUFFIXES):
        raise sqlite3.DatabaseError("other users can write to its files")


def _opened(path: Path) -> sqlite3.Connection:
    if file_state.is_foreign(path):
        raise sqlite3.DatabaseError("another program wrote to it")
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
    raise sqlite3.DatabaseError("another version of backscroll made it")


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
    """Drop the indexes of an empty catalogue before its first update."""
    database.execute("BEGIN IMMEDIATE")
    for statement in DROP_INDEXES:
        database.execute(statement)
    database.execute("COMMIT")


def make_indexes(database: sqlite3.Connection) -> None:
    """Create the missing indexes."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
    if not {statement.split()[2] for statement in INDEXES} <= {name for (name,) in rows}:
        database.execute("BEGIN IMMEDIATE")
        for statement in MAKE_INDEXES:
            database.execute(statement)
        database.execute("COMMIT")


def close_index(database: sqlite3.Connection, path: Path) -> None:
    """Close the index, and note the state of its file."""
    database.close()
    file_state.note(path)


@contextmanager
def in_use(database: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Delete a damaged index, so that the next command rebuilds it."""
    try:
        yield
    except Exception as error:
        code = _code(error)
        if is_locked(error):
            raise BusyError("another process holds the lock of the index", str(path), BUSY_REMEDY) from error
        if code not in _DAMAGED and not is_damaged(database, error):
            if code in _NO_ROOM:
                raise RefusedError(f"the index cannot be written: {error}", str(path), NO_ROOM_REMEDY) from error
            raise
        database.close()
        remove_index(path)
        raise CorruptError("the index was damaged and is now deleted", str(path), REBUILD_REMEDY) from error


def is_damaged(database: sqlite3.Connection, error: Exception) -> bool:
    """Return True if damage to the index caused an error, and not the request or a bug of ours."""
    if isinstance(error, CorruptError):
        return error.where is None  # a place means that the error concerns something else
    if isinstance(error, (BackscrollError, OSError)) or _code(error) in (*_LOCKED, *_NO_ROOM):
        return False
    with closing(open_in_memory()) as fresh:
        return not soundness.is_sound(database, fresh)


def is_locked(error: Exception) -> bool:
    """Return True if another process held the lock for too long."""
    return _code(error) in _LOCKED


def warn_of_lock() -> None:
    """Warn that the answer comes from an index that another process keeps from being updated."""
    text = f"the answer may be old: another process holds the lock of the index\n  {BUSY_REMEDY}"
    warnings.warn(text, IndexWarning, stacklevel=2)


def is_full(error: Exception) -> bool:
    """Return True if our own directory has no room left; tantivy has that only in the text of a ValueError."""
    if isinstance(error, RefusedError) and isinstance(error.__cause__, Exception):
        return is_full(error.__cause__)
    if isinstance(error, OSError):
        return error.errno in _FULL
    if isinstance(error, ValueError):
        return any(f"os error {number}" in str(error) or f"code: {number}," in str(error) for number in _FULL)
    return _code(error) in _NO_ROOM


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def words_beside(database: sqlite3.Connection) -> Path | None:
    """Return the directory of an index's full-text index; None for one in memory."""
    _, _, path = database.execute("PRAGMA database_list").fetchone()
    return Path(path).with_suffix(".words") if path else None


def remove_index(path: Path) -> None:
    """Delete an index; this loses nothing."""
    for suffix in _SUFFIXES:
        Path(f"{path}{suffix}").unlink(missing_ok=True)
