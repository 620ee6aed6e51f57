"""Write what was read of units into the catalogue, and mark the sessions whose rows must be made anew."""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from backscroll.index.schema import COLUMNS, INSERT
from backscroll.index.update.files import State, checks_of, state_of
from backscroll.index.update.read import UNIT_TABLES, Reading, failed
from backscroll.index.update.units import Unit, storable
from backscroll.sessions.file_changes import storable as storable_text
from backscroll.stores.base import Opener

SHARED_TABLES = ("usage", "call", "message")
"""The tables whose keys tell which sessions share something."""
_MARK = {
    table: f"INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM {table} AS mine JOIN {table} AS theirs"
    " ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ? AND mine.rowid > ?"
    for table in SHARED_TABLES
}
_DELETE = [f"DELETE FROM {table} WHERE unit = ?" for table in UNIT_TABLES]
_FILE = (
    "INSERT INTO file (path, kind, config, session) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, config = excluded.config, session = excluded.session"
)
_DETACH = "UPDATE file SET unit = NULL, number = NULL, kind = iif(number IS NULL, kind, 'gone') WHERE unit = ?"
"""A transcript that no unit has any more is met as a new file by the next walk, and its words are taken out."""
_ATTACH = (
    "UPDATE file SET unit = ?, number = ?, kind = ?, end = ?, checks = ?, words = iif(?, words, NULL) WHERE path = ?"
)
_STATE = "UPDATE file SET size = ?, mtime = ?, ctime = ?, inode = ?, device = ?, looked = ? WHERE path = ?"
_UNIT = f"INSERT OR REPLACE INTO unit VALUES ({', '.join(map(':{}'.format, COLUMNS['unit']))})"


def enter_files(database: sqlite3.Connection, units: Iterable[Unit]) -> dict[str, int]:
    """Enter the files of units that are going to be read, and return their numbers."""
    files = [file for unit in units for file in (*unit.files, *unit.side_files)]
    database.execute("BEGIN IMMEDIATE")
    database.executemany(
        _FILE, ((os.fsencode(file.path), file.kind, storable(file.config), storable(file.session)) for file in files)
    )
    database.execute("COMMIT")
    asked = "SELECT id FROM file WHERE path = ?"
    return {file.path: database.execute(asked, (os.fsencode(file.path),)).fetchone()[0] for file in files}


class UnitWriter:
    """Writes units, each as a whole, within a transaction of the caller's."""

    def __init__(
        self, database: sqlite3.Connection, merged: Mapping[str, str], looked: int, open_file: Opener, *, is_bulk: bool
    ) -> None:
        self._database = database
        self._merged = merged
        self._looked = looked
        self._open_file = open_file
        self._is_bulk = is_bulk
        """Every session is made anew: nobody need look for those that share something."""

    def write(self, unit: Unit, reading: Reading, *, keeps_words: bool = False) -> str:
        """Write a unit, and return the session that it belongs to; where its rows do not fit, as damage.

        `keeps_words` says that its file only grew: the words that were taken in still hold.
        """
        self._database.execute("SAVEPOINT unit")
        try:
            session = self._write(unit, reading, keeps_words=keeps_words)
        except sqlite3.Error:
            raise
        except UnicodeEncodeError:
            self._database.execute("ROLLBACK TO unit")
            session = self._write(unit, _storable(reading), keeps_words=keeps_words)
        except Exception as error:  # noqa: BLE001 - one unit's fault must not cost another
            self._database.execute("ROLLBACK TO unit")
            session = self._write(unit, failed(unit.paths, error), keeps_words=False)
        self._database.execute("RELEASE unit")
        return session

    def _write(self, unit: Unit, reading: Reading, *, keeps_words: bool) -> str:
        database = self._database
        told = unit.session or reading.columns["named_session"] or "(unknown)"
        session = self._merged.get(told, told)
        known = database.execute("SELECT id, session FROM unit WHERE key = ?", (unit.key,))
        number, *before = known.fetchone() or (None, None)
        if number is not None:
            database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (before[0],))
            self._mark_sharing(number)
            _delete_rows(database, number)
        cursor = database.execute(_UNIT, _unit_values(unit, reading, session, number))
        number = number or int(cursor.lastrowid or 0)
        for table, rows in reading.rows.items():
            if rows:
                database.executemany(INSERT[table], map((number,).__add__, rows))
        self._mark_sharing(number)
        self.write_files(unit, number, reading.ends, keeps_words=keeps_words and before[0] == session)
        database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
        return session

    def write_files(self, unit: Unit, number: int, ends: Iterable[int], *, keeps_words: bool = True) -> None:
        """Write down in which state the files of a unit were taken in."""
        database, looked = self._database, self._looked
        database.execute(_DETACH, (number,))
        for place, (file, end) in enumerate(zip(unit.transcripts, ends, strict=True)):
            checks = checks_of(file.path, end, self._open_file)
            path = os.fsencode(file.path)
            database.execute(_ATTACH, (number, place, file.kind, end, checks, keeps_words, path))
            database.execute(_STATE, (*state_of(file), looked, path))
        for file in unit.side_files:
            database.execute("UPDATE file SET unit = ?, words = 0 WHERE path = ?", (number, os.fsencode(file.path)))
            database.execute(_STATE, (*state_of(file), looked, os.fsencode(file.path)))

    def _mark_sharing(self, number: int, *, behind: Mapping[str, int] | None = None) -> None:
        """Mark the sessions that share rows of a unit; with `behind` only rows behind these of each table."""
        if not self._is_bulk:
            mark_sharing(self._database, number, behind or {})


def mark_sharing(database: sqlite3.Connection, number: int, behind: Mapping[str, int]) -> None:
    """Mark the sessions that share rows of a unit; of the tables in `behind` only those of rows after one."""
    for table, statement in _MARK.items():
        database.execute(statement, (number, behind.get(table, 0)))
    database.execute(
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM summary JOIN message ON message.last ="
        " summary.leaf JOIN unit ON unit.id = message.unit WHERE summary.unit = ? AND summary.rowid > ?",
        (number, behind.get("summary", 0)),
    )


def forget_units(database: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Forget units that are gone, within a transaction of the caller's."""
    for key in keys:
        for number, session in database.execute("SELECT id, session FROM unit WHERE key = ?", (key,)).fetchall():
            database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
            mark_sharing(database, number, {})
            _delete_rows(database, number)
            database.execute(_DETACH, (number,))
            database.execute("DELETE FROM unit WHERE id = ?", (number,))


def write_states(database: sqlite3.Connection, states: Iterable[tuple[str, State]], looked: int) -> None:
    """Write down in which state files were taken in, within a transaction of the caller's."""
    database.executemany(_STATE, ((*state, looked, os.fsencode(path)) for path, state in states))


def _delete_rows(database: sqlite3.Connection, number: int) -> None:
    for statement in _DELETE:
        database.execute(statement, (number,))


def _unit_values(unit: Unit, reading: Reading, session: str, number: int | None) -> dict[str, Any]:
    return {
        **reading.columns,
        "id": number,
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


def _storable(reading: Reading) -> Reading:
    """Return a reading whose texts every database can hold."""
    columns = {name: _clean(value) for name, value in reading.columns.items()}
    rows = {table: [tuple(map(_clean, row)) for row in rows] for table, rows in reading.rows.items()}
    return Reading(columns, rows, reading.ends)


def _clean(value: Any) -> Any:
    return storable_text(value) if isinstance(value, str) else value
