"""Write what was read of units into the index: of a unit that grew no more than what is new.

Each batch is one transaction together with the list of sessions that it touches.
"""

import json
import sqlite3
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from backscroll.index.extracts import EXTRACTS, Extract, Row
from backscroll.index.units import Unit, storable
from backscroll.sessions.digest import OLD_COPY_VERSIONS, Digest
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index.entries import Entries

START = 0
"""No row has this number: all of a unit's rows lie behind it."""


class Reading(NamedTuple):
    """What reading one unit gave; plain values, so that another process can send them."""

    digest: bytes
    extracts: list[list[Row]]
    born: str | None
    session: str | None
    records: int
    damage: int
    entries: "Entries | None" = None
    """Its words, where they were asked for."""
    standing: bytes | None = None
    """What is kept to read on from here."""
    is_standing_kept: bool = False
    """Whether what was kept before still serves."""


class Marking(Enum):
    """Of which rows the sessions that share them are marked to be made anew."""

    NONE = "none"
    """In bulk, where every session is."""
    CHANGED = "changed"
    ALL = "all"


def write(database: sqlite3.Connection, batch: Iterable[tuple[Unit, Reading, str]], *, is_bulk: bool) -> None:
    """Write units, each with what reading it gave and the session that it belongs to."""
    database.execute("BEGIN IMMEDIATE")
    try:
        for unit, reading, session in batch:
            _write_unit(database, unit, reading, session, is_bulk=is_bulk)
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


def _write_unit(database: sqlite3.Connection, unit: Unit, reading: Reading, session: str, *, is_bulk: bool) -> None:
    values = (
        session,
        unit.agent,
        unit.kind,
        unit.store,
        storable(unit.config),
        storable(unit.project_key),
        unit.fingerprint(),
        unit.mtime,
        reading.born,
        json.dumps(unit.paths),
        unit.side_facts(),
        reading.digest,
        unit.key,
    )
    known = database.execute("SELECT id, session, digest FROM unit WHERE key = ?", (unit.key,)).fetchone()
    if known is None:
        number = database.execute(
            "INSERT INTO unit (session, agent, kind, store, config, project_key, fingerprint, mtime, born, paths,"
            " side, digest, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        ).lastrowid
        for extract, rows in zip(EXTRACTS, reading.extracts, strict=True):
            database.executemany(extract.insert, ((number, *row) for row in rows))
            if not is_bulk:
                _mark(database, extract, number, START)
    else:
        number, before, digest = known
        is_the_same = (before, *_kinship(digest)) == (session, *_kinship(reading.digest))
        marking = Marking.NONE if is_bulk else Marking.CHANGED if is_the_same else Marking.ALL
        database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (before,))
        for extract, rows in zip(EXTRACTS, reading.extracts, strict=True):
            _rewrite(database, extract, number, rows, marking)
        database.execute(
            "UPDATE unit SET session = ?, agent = ?, kind = ?, store = ?, config = ?, project_key = ?,"
            " fingerprint = ?, mtime = ?, born = ?, paths = ?, side = ?, digest = ? WHERE key = ?",
            values,
        )
    if not reading.is_standing_kept:
        _keep_standing(database, number, reading.standing)
    database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))


def _kinship(digest: bytes) -> tuple[object, ...]:
    """Return what of a digest tells others how they are related to it."""
    known = msgspec.msgpack.decode(digest, type=Digest)
    return known.born, known.forked_from, (known.version or "").startswith(OLD_COPY_VERSIONS)


def _rewrite(database: sqlite3.Connection, extract: Extract, number: int, rows: list[Row], marking: Marking) -> None:
    """Write the rows of a unit that differ from those that it has; of a transcript that grew they are the last."""
    held = database.execute(extract.held, (number,)).fetchall()
    same = 0
    while same < len(held) and same < len(rows) and held[same][2:] == rows[same]:
        same += 1
    last = held[same - 1][0] if same else START
    marked = last if marking is Marking.CHANGED else START
    if marking is not Marking.NONE:
        _mark(database, extract, number, marked)
    database.execute(extract.delete, (number, last))
    database.executemany(extract.insert, ((number, *row) for row in rows[same:]))
    if marking is not Marking.NONE:
        _mark(database, extract, number, marked)


def _mark(database: sqlite3.Connection, extract: Extract, number: int | None, last: int) -> None:
    """Mark the sessions that share rows of a unit behind one of them."""
    if extract.mark is not None:
        database.execute(extract.mark, (number, last))


def _keep_standing(database: sqlite3.Connection, number: int | None, standing: bytes | None) -> None:
    database.execute("DELETE FROM standing WHERE unit = ?", (number,))
    if standing is not None:
        database.execute("INSERT INTO standing VALUES (?, ?)", (number, standing))


def forget(database: sqlite3.Connection, keys: list[bytes]) -> None:
    """Forget units that are gone."""
    if not keys:
        return
    database.execute("BEGIN IMMEDIATE")
    for key in keys:
        _remove_unit(database, key)
    database.execute("COMMIT")


def _remove_unit(database: sqlite3.Connection, key: bytes) -> None:
    row = database.execute("SELECT id, session FROM unit WHERE key = ?", (key,)).fetchone()
    if row is None:
        return
    number, session = row
    database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
    for extract in EXTRACTS:
        _mark(database, extract, number, START)
    for extract in EXTRACTS:
        database.execute(extract.delete, (number, START))
    _keep_standing(database, number, None)
    database.execute("DELETE FROM unit WHERE id = ?", (number,))
