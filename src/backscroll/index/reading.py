"""Read changed units into the index, in worker processes where that pays, batch by batch.

Each batch of digests is one transaction together with the list of sessions that it touches, so that
an interrupted update goes on where it was.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from backscroll.index.extracts import EXTRACTS, Row
from backscroll.index.progress import Progress, Report
from backscroll.index.units import Changes, Unit, storable
from backscroll.lazy import lazily
from backscroll.sessions.conversation import read_conversation
from backscroll.sessions.digest import make_digest

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from backscroll.index import entries
    from backscroll.index import workers as processes
    from backscroll.index.entries import Entries
    from backscroll.index.texting import Along
else:
    entries = lazily("backscroll.index.entries")
    processes = lazily("backscroll.index.workers")

BATCH_BYTES = 32 << 20
BATCH_UNITS = 500
WORTH_PROCESSES = 24 << 20
"""From this many changed bytes on, starting worker processes pays."""
MANY = 200
"""From this many changed units on, every session's row is made anew instead of looking for neighbours."""


def take_in(
    database: sqlite3.Connection,
    changes: Changes,
    report: Report,
    on_progress: Callable[[Progress], None] | None,
    along: "Along | None" = None,
) -> None:
    """Forget what is gone and read what changed; mark the sessions whose rows must be made anew.

    `along` takes in the words of what is read.
    """
    _forget(database, changes.gone)
    is_bulk = len(changes.changed) > MANY
    if is_bulk:
        database.execute("INSERT OR REPLACE INTO meta VALUES ('every session is dirty', 'yes')")
    starts = along.starts if along else {}
    for batch in _batches(_read_all(changes.changed, starts, on_progress)):
        _write(database, batch, changes.merged, report, is_bulk=is_bulk)
        for unit, reading in batch if along else ():
            if reading.entries is not None and along is not None:
                along.take(unit, _session_of(unit, reading, changes.merged), reading.entries)
        batch.clear()  # before the next one is gathered


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


Starts = dict[bytes, list[int] | None]
"""The units whose words are wanted, and from which byte on each of their files is new."""


def read_unit(
    paths: list[str], agent: str | None, *, with_words: bool = False, start: list[int] | None = None
) -> Reading:
    """Read the files of one unit; what cannot be read is damage in the digest."""
    with read_conversation(paths, is_agent=agent is not None) as conversation:
        digest = make_digest(conversation, agent)
        return Reading(
            msgspec.msgpack.encode(digest),
            [[tuple(row) for row in extract.rows(conversation, digest)] for extract in EXTRACTS],
            digest.born,
            next(iter(digest.session_ids), None),
            digest.records,
            len(digest.damage),
            entries.of_open(conversation, agent, start) if with_words else None,
        )


def _read_all(
    units: list[Unit], starts: Starts, on_progress: Callable[[Progress], None] | None
) -> Iterator[tuple[Unit, Reading]]:
    """Read all units, in worker processes where that pays, and tell how far it is."""
    total, done = sum(unit.size for unit in units), 0
    for number, (unit, reading) in enumerate(zip(units, _readings(units, starts, total), strict=True), 1):
        done += unit.size
        if on_progress is not None:
            on_progress(Progress(done, total, done, f"reading {number} of {len(units)} transcripts"))
        yield unit, reading


def _readings(units: list[Unit], starts: Starts, total: int) -> Iterator[Reading]:
    workers = min(os.cpu_count() or 1, len(units))
    if total < WORTH_PROCESSES or workers < 2:
        yield from (read_unit(unit.paths, unit.agent, **_words(unit, starts)) for unit in units)
        return
    with processes.worker_pool(workers) as pool:
        yield from _windowed(pool, units, starts, 4 * workers)


def _words(unit: Unit, starts: Starts) -> dict[str, Any]:
    """Return what of the words of a unit is wanted."""
    return {"with_words": unit.key in starts, "start": starts.get(unit.key)}


def _windowed(pool: "ProcessPoolExecutor", units: list[Unit], starts: Starts, width: int) -> Iterator[Reading]:
    """Keep a bounded number of units in work, so that memory does not grow with their number."""
    pending = []
    for unit in units:
        pending.append(pool.submit(read_unit, unit.paths, unit.agent, **_words(unit, starts)))
        if len(pending) >= width:
            yield pending.pop(0).result()
    for future in pending:
        yield future.result()


def _batches(readings: Iterable[tuple[Unit, Reading]]) -> Iterator[list[tuple[Unit, Reading]]]:
    batch: list[tuple[Unit, Reading]] = []
    size = 0
    for unit, reading in readings:
        batch.append((unit, reading))
        size += unit.size
        if size >= BATCH_BYTES or len(batch) >= BATCH_UNITS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _write(
    database: sqlite3.Connection,
    batch: list[tuple[Unit, Reading]],
    merged: dict[str, str],
    report: Report,
    *,
    is_bulk: bool,
) -> None:
    database.execute("BEGIN IMMEDIATE")
    try:
        for unit, reading in batch:
            _write_unit(database, unit, reading, _session_of(unit, reading, merged), is_bulk=is_bulk)
            report.read += len(unit.files)
            report.bytes += unit.size
            report.records += reading.records
            report.damage += reading.damage
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


def _session_of(unit: Unit, reading: Reading, merged: dict[str, str]) -> str:
    """Return the session that a unit belongs to: by its name, its records, and the rows of Desktop that join it."""
    told = unit.session or reading.session or "(unknown)"
    return merged.get(told, told)


def _write_unit(database: sqlite3.Connection, unit: Unit, reading: Reading, session: str, *, is_bulk: bool) -> None:
    _remove_unit(database, unit.key, is_bulk=is_bulk)
    cursor = database.execute(
        "INSERT INTO unit (key, session, agent, kind, store, config, project_key, fingerprint, mtime, born, paths,"
        " side, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            unit.key,
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
        ),
    )
    number = cursor.lastrowid
    for extract, rows in zip(EXTRACTS, reading.extracts, strict=True):
        database.executemany(extract.insert, ((number, *row) for row in rows))
    database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
    if not is_bulk:
        _mark_neighbours(database, number)


def _forget(database: sqlite3.Connection, keys: list[bytes]) -> None:
    if not keys:
        return
    database.execute("BEGIN IMMEDIATE")
    for key in keys:
        _remove_unit(database, key, is_bulk=False)
    database.execute("COMMIT")


def _remove_unit(database: sqlite3.Connection, key: bytes, *, is_bulk: bool) -> None:
    row = database.execute("SELECT id, session FROM unit WHERE key = ?", (key,)).fetchone()
    if row is None:
        return
    number, session = row
    database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
    if not is_bulk:
        _mark_neighbours(database, number)
    for extract in EXTRACTS:
        database.execute(extract.delete, (number,))
    database.execute("DELETE FROM unit WHERE id = ?", (number,))


def _mark_neighbours(database: sqlite3.Connection, number: int | None) -> None:
    """Mark the sessions that share messages, usage or a summary with a unit."""
    database.execute(
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM said AS mine"
        " JOIN said AS theirs ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ?",
        (number,),
    )
    database.execute(
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM spend AS mine"
        " JOIN spend AS theirs ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ?",
        (number,),
    )
    database.execute(
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM call AS mine"
        " JOIN call AS theirs ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ?",
        (number,),
    )
    database.execute(
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM summary"
        " JOIN said ON said.last = summary.leaf JOIN unit ON unit.id = said.unit WHERE summary.unit = ?",
        (number,),
    )
