"""Read changed units into the index, in worker processes where that pays, batch by batch.

Each batch of digests is one transaction together with the list of sessions that it touches, so that
an interrupted update goes on where it was.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from backscroll.index import writing
from backscroll.index.extracts import EXTRACTS, TRACES, Read, Row
from backscroll.index.progress import Progress, Report
from backscroll.index.units import Changes, Unit
from backscroll.index.writing import Reading
from backscroll.lazy import lazily
from backscroll.sessions.conversation import read_conversation, standing_of
from backscroll.sessions.digest import make_digest
from backscroll.sessions.traces import Trace
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index import entries
    from backscroll.index import workers as processes
    from backscroll.index.texting import Along
else:
    entries = lazily("backscroll.index.entries")
    processes = lazily("backscroll.index.workers")

BATCH_BYTES = 8 << 20
BATCH_UNITS = 500
WORTH_PROCESSES = 24 << 20
"""From this many changed bytes on, starting worker processes pays."""
WORTH_STANDING = 1 << 20
"""From this size on, what was read of a unit is kept, so that only what is appended to it is read."""
RENEWED = 64
"""What is kept is renewed when a unit has grown by this part of its size; until then the rest is read again."""
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
    writing.forget(database, changes.gone)
    is_bulk = len(changes.changed) > MANY
    if is_bulk:
        database.execute("INSERT OR REPLACE INTO meta VALUES ('every session is dirty', 'yes')")
    starts = along.starts if along else {}
    for batch in _batches(_read_all(database, changes.changed, starts, on_progress)):
        sessions = [_session_of(unit, reading, changes.merged) for unit, reading in batch]
        writing.write(database, [(*item, name) for item, name in zip(batch, sessions, strict=True)], is_bulk=is_bulk)
        for (unit, reading), session in zip(batch, sessions, strict=True):
            report.read += len(unit.files)
            report.bytes += unit.size
            report.records += reading.records
            report.damage += reading.damage
            if reading.entries is not None and along is not None:
                along.take(unit, session, reading.entries)
        batch.clear()  # before the next one is gathered


Starts = dict[bytes, list[int] | None]
"""The units whose words are wanted, and from which byte on each of their files is new."""


class Task(NamedTuple):
    """What is to be read, and what is known of it; plain values, so that another process can do it."""

    paths: list[str]
    agent: str | None
    size: int = 0
    with_words: bool = False
    start: list[int] | None = None
    """From which byte on the words of each file are new."""
    standing: bytes | None = None
    traces: tuple[Row, ...] = ()
    """What an earlier reading found, for a unit that may only have grown."""


def _task(database: sqlite3.Connection, unit: Unit, starts: Starts) -> Task:
    """Return the task of reading a unit, with what an earlier reading left for it."""
    task = Task(unit.paths, unit.agent, unit.size, unit.key in starts, starts.get(unit.key))
    known = database.execute(
        "SELECT unit.id, standing.body FROM unit JOIN standing ON standing.unit = unit.id WHERE key = ?", (unit.key,)
    ).fetchone()
    if known is None:
        return task
    number, standing = known
    held = database.execute(TRACES.held, (number,))
    return task._replace(standing=standing, traces=tuple(row[2:] for row in held))


def read_unit(task: Task) -> Reading:
    """Read the files of one unit; what cannot be read is damage in the digest."""
    with read_conversation(task.paths, is_agent=task.agent is not None, kept=task.standing) as conversation:
        digest, known = make_digest(conversation, task.agent), conversation.known
        read = Read(conversation, digest, map(Trace._make, task.traces) if known else ())
        is_kept = bool(known) and digest.size - sum(known) < digest.size // RENEWED
        return Reading(
            msgspec.msgpack.encode(digest),
            [[tuple(row) for row in extract.rows(read)] for extract in EXTRACTS],
            digest.born,
            next(iter(digest.session_ids), None),
            digest.records,
            len(digest.damage),
            entries.of_open(conversation, task.agent, task.start) if task.with_words else None,
            standing_of(conversation) if task.size >= WORTH_STANDING and not is_kept else None,
            is_kept,
        )


def _read_all(
    database: sqlite3.Connection, units: list[Unit], starts: Starts, on_progress: Callable[[Progress], None] | None
) -> Iterator[tuple[Unit, Reading]]:
    """Read all units, in worker processes where that pays, and tell how far it is."""
    kept = {key for (key,) in database.execute("SELECT key FROM unit JOIN standing ON standing.unit = unit.id")}
    tasks = (_task(database, unit, starts) for unit in units)
    readings = _readings(tasks, len(units), sum(unit.size for unit in units if unit.key not in kept))
    total, done = sum(unit.size for unit in units), 0
    for number, (unit, reading) in enumerate(zip(units, readings, strict=True), 1):
        done += unit.size
        if on_progress is not None:
            on_progress(Progress(done, total, done, f"reading {number} of {len(units)} transcripts"))
        yield unit, reading


def _readings(tasks: Iterable[Task], number: int, size: int) -> Iterator[Reading]:
    workers = min(os.cpu_count() or 1, number)
    if size < WORTH_PROCESSES or workers < 2:
        yield from map(read_unit, tasks)
        return
    asked = ((task.paths, processes.apart_if_large(task.size, partial(read_unit, task))) for task in tasks)
    for _, reading in processes.answers(workers, asked):
        yield reading


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


def _session_of(unit: Unit, reading: Reading, merged: dict[str, str]) -> str:
    """Return the session that a unit belongs to: by its name, its records, and the rows of Desktop that join it."""
    told = unit.session or reading.session or "(unknown)"
    return merged.get(told, told)
