"""Write the rows of units into the catalogue, and mark the sessions whose rows must be made again."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from backscroll.index.schema import COLUMNS, INSERT, UNIT_TABLES
from backscroll.index.update.extract import TableRow
from backscroll.index.update.files import State, state_of
from backscroll.index.update.read import FileEnd, Reading, failed
from backscroll.index.update.units import Unit, storable
from backscroll.sessions.file_changes.change import storable as storable_text

SHARED_TABLES = ("usage", "call", "message")
"""The tables whose keys show which sessions share rows."""
_MARK = {
    table: f"INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM {table} JOIN unit ON unit.id = {table}.unit"
    f" WHERE {table}.key IN (SELECT key FROM {table} WHERE unit = ? AND rowid > ?)"
    for table in SHARED_TABLES
}
_KNOWN = "SELECT key, id, session FROM unit WHERE key IN"
_DELETE = [f"DELETE FROM {table} WHERE unit = ?" for table in UNIT_TABLES]
_FILE = (
    "INSERT INTO file (path, kind, config, session) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, config = excluded.config, session = excluded.session"
)
_DETACH = "UPDATE file SET unit = NULL, number = NULL, kind = iif(number IS NULL, kind, 'gone') WHERE unit = ?"
"""The next walk sees a transcript without a unit as a new file, and its words are removed."""
_ATTACH = (
    "UPDATE file SET unit = ?, number = ?, kind = ?, end = ?, checks = ?, words = iif(?, words, NULL),"
    " size = ?, mtime = ?, ctime = ?, inode = ?, device = ?, looked = ? WHERE path = ?"
)
_ATTACH_SIDE = (
    "UPDATE file SET unit = ?, words = 0, size = ?, mtime = ?, ctime = ?, inode = ?, device = ?, looked = ?"
    " WHERE path = ?"
)
_STATE = "UPDATE file SET size = ?, mtime = ?, ctime = ?, inode = ?, device = ?, looked = ? WHERE path = ?"
_UNIT = INSERT["unit"].replace("INSERT", "INSERT OR REPLACE", 1)
_in_order = itemgetter(*COLUMNS["unit"])
_DIRTY = "INSERT OR IGNORE INTO dirty VALUES (?)"
_AT_ONCE = 500
"""The most values to look up with one statement."""


def enter_files(database: sqlite3.Connection, units: Iterable[Unit]) -> dict[str, int]:
    """Insert the files of units before they are read, and return their numbers."""
    files = {os.fsencode(file.path): file for unit in units for file in (*unit.files, *unit.side_files)}
    rows = ((path, file.kind, storable(file.config), storable(file.session)) for path, file in files.items())
    database.execute("BEGIN IMMEDIATE")
    database.executemany(_FILE, rows)
    database.execute("COMMIT")
    found = look_up(database, "SELECT path, id FROM file WHERE path IN", list(files))
    return {os.fsdecode(path): number for path, number in found}


def look_up(database: sqlite3.Connection, question: str, values: Sequence[Any]) -> Iterator[TableRow]:
    """Yield the rows of a query that ends in `IN`, for some values."""
    for start in range(0, len(values), _AT_ONCE):
        asked = values[start : start + _AT_ONCE]
        statement = f"{question} ({', '.join('?' * len(asked))})"
        yield from database.execute(statement, asked)


class ReadUnit(NamedTuple):
    """A unit and its new rows."""

    unit: Unit
    reading: Reading
    keeps_words: bool = False
    """True if its file only grew: the search index still has its earlier messages."""


def _as_it_is(reading: Reading) -> Reading:
    return reading


class UnitWriter:
    """Writes units within the caller's transaction."""

    def __init__(self, database: sqlite3.Connection, merged: Mapping[str, str], looked: int, *, is_bulk: bool) -> None:
        self._database = database
        self._merged = merged
        self._looked = looked
        self._is_bulk = is_bulk
        """True if every session row is made again: then no search for sessions that share rows is needed."""

    def write(self, batch: Sequence[ReadUnit]) -> None:
        """Write units together; if that fails, one by one, and a unit with unfit values as damage."""
        if not self._is_written(batch):
            for item in batch:
                self._write_alone(item)

    def _write_alone(self, item: ReadUnit) -> None:
        if self._is_written([item]) or self._is_written([item], _storable):
            return
        self._write([item._replace(reading=failed(item.unit.paths, self._fault), keeps_words=False)])

    def _is_written(self, batch: Sequence[ReadUnit], change: Callable[[Reading], Reading] = _as_it_is) -> bool:
        """Write units; return False, with nothing written, if a value does not fit into the tables."""
        self._database.execute("SAVEPOINT units")
        try:
            self._write([item._replace(reading=change(item.reading)) for item in batch])
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one unit must not affect another
            self._fault = error
            self._database.execute("ROLLBACK TO units")
            return False
        finally:
            self._database.execute("RELEASE units")
        return True

    def _write(self, batch: Sequence[ReadUnit]) -> None:
        database = self._database
        keys = [item.unit.key for item in batch]
        known = {key: (number, name) for key, number, name in look_up(database, _KNOWN, keys)}
        (last,) = database.execute("SELECT coalesce(max(id), 0) FROM unit").fetchone()
        numbers = {key: known[key][0] if key in known else last + place for place, key in enumerate(keys, 1)}
        sessions = {item.unit.key: self._session_of(item) for item in batch}
        for number, name in known.values():
            self._forget_rows(number, name)
        database.executemany(_UNIT, (_unit_values(item, sessions[item.unit.key], numbers) for item in batch))
        for table in UNIT_TABLES:
            found = ((numbers[item.unit.key], item.reading.rows[table]) for item in batch)
            database.executemany(INSERT[table], ((number, *row) for number, rows in found for row in rows))
        attached: list[tuple[Unit, int, Sequence[FileEnd], bool]] = []
        for item in batch:
            key = item.unit.key
            self._mark_sharing(numbers[key])
            keeps_words = item.keeps_words and known.get(key, (None, None))[1] == sessions[key]
            attached.append((item.unit, numbers[key], item.reading.ends, keeps_words))
        self._attach_files(attached)
        database.executemany(_DIRTY, ((name,) for name in sessions.values()))

    def _session_of(self, item: ReadUnit) -> str:
        told = item.unit.session or item.reading.columns["named_session"] or "(unknown)"
        return self._merged.get(told, told)

    def _forget_rows(self, number: int, session: str) -> None:
        """Delete the rows of a unit before it is written again."""
        self._database.execute(_DIRTY, (session,))
        self._mark_sharing(number)
        _delete_rows(self._database, number)
        self._database.execute(_DETACH, (number,))

    def write_files(self, unit: Unit, number: int, ends: Sequence[FileEnd]) -> None:
        """Write the state of the files of a unit that only grew."""
        self._database.execute(_DETACH, (number,))
        self._attach_files([(unit, number, ends, True)])

    def _attach_files(self, attached: Sequence[tuple[Unit, int, Sequence[FileEnd], bool]]) -> None:
        """Write the state of the files of units at the time of reading; the flag is True if their words are kept."""
        looked = self._looked
        rows = (
            (number, place, file.kind, *end, keeps_words, *state_of(file), looked, os.fsencode(file.path))
            for unit, number, ends, keeps_words in attached
            for place, (file, end) in enumerate(zip(unit.transcripts, ends, strict=True))
        )
        side = (
            (number, *state_of(file), looked, os.fsencode(file.path))
            for unit, number, _, _ in attached
            for file in unit.side_files
        )
        self._database.executemany(_ATTACH, rows)
        self._database.executemany(_ATTACH_SIDE, side)

    def _mark_sharing(self, number: int) -> None:
        """Mark the sessions that share rows with a unit."""
        if not self._is_bulk:
            mark_sharing(self._database, number, {})


def mark_sharing(database: sqlite3.Connection, number: int, behind: Mapping[str, int]) -> None:
    """Mark the sessions that share rows with a unit; for tables in `behind` only rows after a given one."""
    for table, statement in _MARK.items():
        database.execute(statement, (number, behind.get(table, 0)))
    database.execute(
        "INSERT OR IGNORE INTO changed_leaf SELECT leaf FROM summary WHERE unit = ? AND rowid > ?",
        (number, behind.get("summary", 0)),
    )


def forget_units(database: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Delete units that are gone, within the caller's transaction."""
    for key in keys:
        for number, session in database.execute("SELECT id, session FROM unit WHERE key = ?", (key,)).fetchall():
            database.execute(_DIRTY, (session,))
            mark_sharing(database, number, {})
            _delete_rows(database, number)
            database.execute(_DETACH, (number,))
            database.execute("DELETE FROM unit WHERE id = ?", (number,))


def write_states(database: sqlite3.Connection, states: Iterable[tuple[str, State]], looked: int) -> None:
    """Write the state of files at the time of reading, within the caller's transaction."""
    database.executemany(_STATE, ((*state, looked, os.fsencode(path)) for path, state in states))


def _delete_rows(database: sqlite3.Connection, number: int) -> None:
    for statement in _DELETE:
        database.execute(statement, (number,))


def _unit_values(item: ReadUnit, session: str, numbers: Mapping[bytes, int]) -> TableRow:
    unit = item.unit
    values = {
        **item.reading.columns,
        "id": numbers[unit.key],
        "key": unit.key,
        "session": session,
        "agent": unit.agent,
        "kind": unit.kind,
        "store": unit.store,
        "config": storable(unit.config),
        "project_key": storable(unit.project_key),
        "side": unit.side_facts(),
        "mtime": unit.mtime,
    }
    row: TableRow = _in_order(values)
    return row


def _storable(reading: Reading) -> Reading:
    """Return a reading whose texts every database can hold."""
    columns = {name: _clean(value) for name, value in reading.columns.items()}
    rows = {table: [tuple(map(_clean, row)) for row in rows] for table, rows in reading.rows.items()}
    return Reading(columns, rows, reading.ends)


def _clean(value: Any) -> Any:
    return storable_text(value) if isinstance(value, str) else value
