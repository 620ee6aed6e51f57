"""Bring the index up to date: look what changed, and have it read.

Unchanged files and directories cost a stat, and while all are unchanged nothing else is looked at.
The code that reads transcripts is not even imported unless one changed.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from backscroll.errors import CorruptError
from backscroll.index.db import ANEW_REMEDY, is_damaged
from backscroll.index.glance import (
    Glance,
    Met,
    Remembered,
    files_in_step,
    glance,
    keep,
    keep_trail,
    second_look,
    version_of,
)
from backscroll.index.progress import Progress, Report
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.stores import FoundFile, Store, side
from backscroll.stores.base import Entry
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index import assemble, desktop, few, hints, marking, reading, units
    from backscroll.index import workers as processes
    from backscroll.index.few import Few
    from backscroll.index.texting import Words
    from backscroll.index.units import Found
else:
    assemble = lazily("backscroll.index.assemble")
    desktop = lazily("backscroll.index.desktop")
    few = lazily("backscroll.index.few")
    hints = lazily("backscroll.index.hints")
    marking = lazily("backscroll.index.marking")
    units = lazily("backscroll.index.units")
    processes = lazily("backscroll.index.workers")
    reading = lazily("backscroll.index.reading")


TRANSCRIPT = ".jsonl"
Total = tuple[str, str, int, int, int, str]
"""What was found in a store: kind, path, files, bytes, sessions, damage."""


def update(
    database: sqlite3.Connection,
    stores: list[Store],
    on_progress: Callable[[Progress], None] | None = None,
    words: "Words | None" = None,
) -> Report:
    """Bring the index in step with the stores; CorruptError where the index is damaged inside.

    `words` brings the full-text index in step too.
    """
    begun = time.monotonic()
    try:
        report = _update(database, stores, on_progress, words)
    except Exception as error:
        if not is_damaged(database, error):
            raise
        raise CorruptError("the index is damaged", remedy=ANEW_REMEDY) from error
    report.seconds = time.monotonic() - begun
    return report


def _update(
    database: sqlite3.Connection,
    stores: list[Store],
    on_progress: Callable[[Progress], None] | None,
    words: "Words | None",
) -> Report:
    number = second_look(database, stores)
    if number is not None and (report := _unchanged(database, words, number)):
        return report
    with ExitStack() as stack:
        seen = glance(stores, partial(_starting_workers, stack) if _is_new(database) else iter)
        keep_trail(database, seen)
        if report := _unchanged(database, words, seen.number):
            return report
        version = version_of(database)  # before the catalogue is asked what it knows
        changes = _few_changes(database, words, seen)
        found = changes.found if changes else units.sort(seen.met)
        met = _Sorted(seen if changes else seen.remembered(), found, changes, version)
        del seen  # what was met takes much memory, and nobody else holds it
        return _take_in(database, stores, met, on_progress, words)


def _is_new(database: sqlite3.Connection) -> bool:
    """Say whether the catalogue holds nothing yet, so that everything will be read."""
    return database.execute("SELECT 1 FROM unit LIMIT 1").fetchone() is None


def _starting_workers(stack: ExitStack, met: Iterator[Met]) -> Iterator[Met]:
    """Yield what a walk meets, and start worker processes once they pay: what is met later they do not inherit."""
    transcripts = size = 0
    for item in met:
        yield item
        if not isinstance(item, Damage) and item.path.endswith(TRANSCRIPT):
            transcripts, size = transcripts + 1, size + _size_of(item)
            if transcripts > 1 and size >= reading.WORTH_PROCESSES:
                stack.enter_context(processes.at_hand())
                yield from met


def _unchanged(database: sqlite3.Connection, words: "Words | None", number: str) -> Report | None:
    """Return the report of an update that finds everything in step with a glance of this number; else None."""
    files = files_in_step(database, number)
    is_in_step = files is not None and (words is None or words.is_in_step(number))
    return Report(files=files or 0, skipped=files or 0) if is_in_step else None


class _Sorted(NamedTuple):
    """What a glance has met, sorted into units."""

    seen: Glance | Remembered
    found: "Found"
    changes: "Few | None"
    version: int
    """The catalogue's, before it was asked what it knows."""


def _take_in(
    database: sqlite3.Connection,
    stores: list[Store],
    met: _Sorted,
    on_progress: Callable[[Progress], None] | None,
    words: "Words | None",
) -> Report:
    """Have read what changed, and bring everything else in step with it."""
    seen, found, changes, version = met
    is_joined_anew = changes is None and _has_rows(database, found) and desktop.join_rows(database, found)
    hints.mark_unplaced(database, found)
    report = Report(files=changes.files if changes else sum(len(unit.files) for unit in found.units.values()))
    known = changes.known if changes else _fingerprints(database)
    changed = [
        unit
        for key, unit in found.units.items()
        if known.get(key) != unit.fingerprint() or (is_joined_anew and unit.session is None)
    ]
    gone = [key for key in known if key not in found.units]
    report.skipped = report.files - sum(len(unit.files) for unit in changed)
    new = [unit.size for unit in changed if unit.key not in known]
    is_much = bool(new) and sum(new) >= reading.WORTH_PROCESSES
    with processes.at_hand(len(new)) if is_much else nullcontext(), ExitStack() as stack:
        along = stack.enter_context(words.open_for(changed)) if words else None
        if changed or gone:
            reading.take_in(database, units.Changes(changed, gone, found.merged), report, on_progress, along)
            if words is not None:
                words.commit()
        if is_joined_anew:
            desktop.remember_merged(database, found)
        if database.execute("SELECT 1 FROM dirty LIMIT 1").fetchone():
            assemble.make_sessions(database, found)
        if changes is None:
            marking.take_in_marks(database, found, stores)
        _write_stores(database, found, _totals_in(database, changes.seen) if changes else _totals_of(found))
        if files_in_step(database, seen.number) is None:
            is_in_step = partial(_is_in_step, database, found, version if changes else None)
            keep(database, seen.kept(report.files), is_in_step, partial(few.log_changes, database, changes))
        if words is not None:
            words.finish(found, seen.number, changes)
    return report


def _few_changes(database: sqlite3.Connection, words: "Words | None", seen: Glance) -> "Few | None":
    """Return what changed, where it is little for the catalogue and, if they are wanted, for the words."""
    if words is None:
        return few.few_changes(database, seen)
    unsaid = words.unsaid()
    return few.few_changes(database, seen, unsaid) if unsaid is not None else None


def _fingerprints(database: sqlite3.Connection) -> dict[bytes, bytes]:
    return dict(database.execute("SELECT key, fingerprint FROM unit"))


def _is_in_step(database: sqlite3.Connection, found: "Found", version: int | None) -> bool:
    """Say whether units are as they are on the disk: all of them, or some where nobody else wrote since a version."""
    is_dirty = database.execute("SELECT 1 FROM dirty LIMIT 1").fetchone() is not None
    if version is not None:
        return not is_dirty and version_of(database) == version
    (number,) = database.execute("SELECT count(*) FROM unit").fetchone()
    rows = database.execute("SELECT key, fingerprint FROM unit")
    return not is_dirty and number == len(found.units) and all(_is_as_on_disk(found, *row) for row in rows)


def _is_as_on_disk(found: "Found", key: bytes, fingerprint: bytes) -> bool:
    return key in found.units and found.units[key].fingerprint() == fingerprint


def _has_rows(database: sqlite3.Connection, found: "Found") -> bool:
    """Say whether Desktop left anything here, now or at the last look."""
    is_there = found.rows or found.tombstones or found.audits or found.cloud_lists
    return bool(is_there) or database.execute("SELECT 1 FROM desktop_row LIMIT 1").fetchone() is not None


def _totals_of(found: "Found") -> list[Total]:
    return [
        (
            total.kind,
            json.dumps(total.path),
            total.files,
            total.bytes,
            len(total.sessions),
            json.dumps([[*item.place, item.reason] for item in total.damage]),
        )
        for total in found.totals
    ]


def _totals_in(database: sqlite3.Connection, seen: Glance) -> list[Total]:
    """Return the totals as they were but for the files that a walk has met: sessions and damage are the same."""
    before = database.execute("SELECT kind, path, sessions, damage FROM store ORDER BY rowid")
    return [
        (kind, path, *_files_and_bytes(items), sessions, damage)
        for (_, items), (kind, path, sessions, damage) in zip(seen.met, before, strict=False)
    ]


def _files_and_bytes(items: Iterable[Met]) -> tuple[int, int]:
    sizes = [_size_of(item) for item in items if not isinstance(item, Damage)]
    return len(sizes), sum(sizes)


def _size_of(item: Entry | FoundFile) -> int:
    return item.status.st_size if isinstance(item, Entry) else item.size


def _write_stores(database: sqlite3.Connection, found: "Found", rows: list[Total]) -> None:
    days = {units.storable(config): side.cleanup_days(paths) for config, paths in found.settings.items()}
    files = [[file.kind, file.path] for file in (*found.hint_files, *found.desktop_files)]
    state = json.dumps([rows, days, files])
    if database.execute("SELECT value FROM meta WHERE name = 'stores'").fetchone() == (state,):
        return
    database.execute("BEGIN IMMEDIATE")
    database.execute("DELETE FROM store")
    database.executemany("INSERT INTO store VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.execute("INSERT OR REPLACE INTO meta VALUES ('stores', ?)", (state,))
    database.execute("INSERT OR REPLACE INTO meta VALUES ('cleanup days', ?)", (json.dumps(days),))
    database.execute("INSERT OR REPLACE INTO meta VALUES ('settings and logs', ?)", (json.dumps(files),))
    database.execute("COMMIT")
