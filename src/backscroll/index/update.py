"""Bring the index up to date: look what changed, and have it read.

Unchanged files cost a stat, and while all are unchanged nothing else is looked at.  The code that reads transcripts
is not even imported unless one changed.
"""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

from backscroll.errors import CorruptError
from backscroll.index.db import ANEW_REMEDY, is_damaged
from backscroll.index.glance import files_in_step, glance, keep
from backscroll.index.hints import mark_unplaced
from backscroll.index.marks import take_in_marks
from backscroll.index.progress import Progress, Report
from backscroll.index.units import Changes, Found, sort, storable
from backscroll.lazy import lazily
from backscroll.stores import Store, side

if TYPE_CHECKING:
    from backscroll.index import assemble, desktop, reading
    from backscroll.index import workers as processes
    from backscroll.index.texting import Words
else:
    assemble = lazily("backscroll.index.assemble")
    desktop = lazily("backscroll.index.desktop")
    processes = lazily("backscroll.index.workers")
    reading = lazily("backscroll.index.reading")


def update(
    database: sqlite3.Connection,
    stores: list[Store],
    on_progress: Callable[[Progress], None] | None = None,
    words: "Words | None" = None,
) -> Report:
    """Bring the index in step with the stores; CorruptError where the index is damaged inside.

    `words` brings the full-text index in step too.
    """
    try:
        return _update(database, stores, on_progress, words)
    except Exception as error:
        if not is_damaged(database, error):
            raise
        raise CorruptError("the index is damaged", remedy=ANEW_REMEDY) from error


def _update(
    database: sqlite3.Connection,
    stores: list[Store],
    on_progress: Callable[[Progress], None] | None,
    words: "Words | None",
) -> Report:
    begun = time.monotonic()
    seen = glance(stores)
    files = files_in_step(database, seen.number)
    if files is not None and (words is None or words.is_in_step(seen)):
        return Report(files=files, skipped=files, seconds=time.monotonic() - begun)
    found = sort(seen)
    is_joined_anew = _has_rows(database, found) and desktop.join_rows(database, found)
    mark_unplaced(database, found)
    report = Report(files=sum(len(unit.files) for unit in found.units.values()))
    known = _fingerprints(database)
    present = {key: unit.fingerprint() for key, unit in found.units.items()}
    changed = [
        unit
        for key, unit in found.units.items()
        if known.get(key) != present[key] or (is_joined_anew and unit.session is None)
    ]
    gone = [key for key in known if key not in found.units]
    report.skipped = report.files - sum(len(unit.files) for unit in changed)
    new = [unit.size for unit in changed if unit.key not in known]
    is_much = bool(new) and sum(new) >= reading.WORTH_PROCESSES
    with processes.at_hand(len(new)) if is_much else nullcontext(), ExitStack() as stack:
        along = stack.enter_context(words.open_for(changed)) if words else None
        if changed or gone:
            reading.take_in(database, Changes(changed, gone, found.merged), report, on_progress, along)
        if is_joined_anew:
            desktop.remember_merged(database, found)
        if database.execute("SELECT 1 FROM dirty LIMIT 1").fetchone():
            assemble.make_sessions(database, found)
        take_in_marks(database, found, stores)
        _write_stores(database, found)
        if words is not None:
            words.finish(found, seen)
    if files is None:
        keep(database, seen.number, report.files, lambda: _is_in_step(database, present))
    report.seconds = time.monotonic() - begun
    return report


def _fingerprints(database: sqlite3.Connection) -> dict[bytes, bytes]:
    return dict(database.execute("SELECT key, fingerprint FROM unit"))


def _is_in_step(database: sqlite3.Connection, present: dict[bytes, bytes]) -> bool:
    is_dirty = database.execute("SELECT 1 FROM dirty LIMIT 1").fetchone() is not None
    return not is_dirty and _fingerprints(database) == present


def _has_rows(database: sqlite3.Connection, found: Found) -> bool:
    """Say whether Desktop left anything here, now or at the last look."""
    is_there = found.rows or found.tombstones or found.audits or found.cloud_lists
    return bool(is_there) or database.execute("SELECT 1 FROM desktop_row LIMIT 1").fetchone() is not None


def _write_stores(database: sqlite3.Connection, found: Found) -> None:
    rows = [
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
    days = {storable(config): side.cleanup_days(paths) for config, paths in found.settings.items()}
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
