"""Update the catalogue: find changed files, read them, and derive everything else by SQL.

If nothing changed, an update costs only the walk: it does not import the code that reads transcripts.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from backscroll.errors import CorruptError
from backscroll.index.db import REBUILD_REMEDY, drop_indexes, is_damaged, make_indexes
from backscroll.index.progress import Progress, Report
from backscroll.index.update import unreadable
from backscroll.index.update.files import Seen, checks_of, damage_in, look, state_of, stores_in, walk_state
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.stores.base import FileEntry, FoundFile, Store, opener

if TYPE_CHECKING:
    from backscroll.index.update import grow, read, units, write
    from backscroll.index.update.derived import desktop, known_cwds, marks, sessions
    from backscroll.index.update.read import Reading
    from backscroll.index.update.units import FoundUnits, Unit
    from backscroll.index.update.write import ReadUnit
    from backscroll.index.words.update import Words
    from backscroll.stores import kinds, side
else:
    desktop = lazily("backscroll.index.update.derived.desktop")
    grow = lazily("backscroll.index.update.grow")
    known_cwds = lazily("backscroll.index.update.derived.known_cwds")
    marks = lazily("backscroll.index.update.derived.marks")
    read = lazily("backscroll.index.update.read")
    sessions = lazily("backscroll.index.update.derived.sessions")
    units = lazily("backscroll.index.update.units")
    write = lazily("backscroll.index.update.write")
    kinds = lazily("backscroll.stores.kinds")
    side = lazily("backscroll.stores.side")

BATCH_BYTES = 8 << 20
BATCH_UNITS = 500
"""The number of bytes to read before they are written in one transaction."""
MANY = 200
"""From this many changed units on, make every session again, without a search for those that share rows."""

OnProgress = Callable[[Progress], None] | None


def update(
    database: sqlite3.Connection, stores: list[Store], on_progress: OnProgress = None, words: "Words | None" = None
) -> Report:
    """Update the catalogue from the stores, and the full-text index if given.

    Raise CorruptError if the catalogue is damaged inside.
    """
    begun = time.monotonic()
    try:
        report = _Update(database, stores, on_progress, words).run()
    except Exception as error:
        if not is_damaged(database, error):
            raise
        raise CorruptError("the index is damaged", remedy=REBUILD_REMEDY) from error
    finally:
        if words is not None:
            words.close()
    report.seconds = time.monotonic() - begun
    return report


class _Known(NamedTuple):
    """A unit in the catalogue."""

    number: int
    session: str
    paths: frozenset[str]
    """Its transcripts, and the small files beside them."""


class _Update:
    """One update."""

    def __init__(
        self, database: sqlite3.Connection, stores: list[Store], on_progress: OnProgress, words: "Words | None"
    ) -> None:
        self._database = database
        self._stores = stores
        self._open_file = opener(stores)
        self._on_progress = on_progress
        self._words = words
        self._report = Report()
        self._counted: set[str] = set()
        """The paths of the transcripts that the report counts as read."""
        self._is_struck = False
        """True if a bug of ours raised an exception while the last unit grew: its words are incomplete."""
        self._grown: dict[str, int] = {}
        """Sessions that only grew, with the first changed quarter of an hour; empty if any unit was read again."""

    def run(self) -> Report:
        """Find and read the changed files."""
        seen = look(self._database, self._stores)
        is_dirty = self._database.execute("SELECT 1 FROM dirty LIMIT 1").fetchone() is not None
        if not seen.is_same or is_dirty:
            self._read_changes(seen, was_killed=is_dirty)
        else:
            (files,) = self._database.execute("SELECT count(*) FROM file WHERE number IS NOT NULL").fetchone()
            self._report.files = self._report.skipped = files
        del seen  # it holds every file, and the words of many transcripts take long
        if self._words is not None:
            self._words.finish(self._open_file)
            self._count_words(self._words.read_again)
        return self._report

    def _count_words(self, sizes: dict[str, int]) -> None:
        """Count the transcripts that were read only for their words; each file counts once."""
        only = [size for path, size in sizes.items() if path not in self._counted]
        self._report.read += len(only)
        self._report.skipped -= len(only)
        self._report.bytes += sum(only)

    def _read_changes(self, seen: Seen, *, was_killed: bool) -> None:
        found = units.sort(seen.met)
        rest, state = list(_other_files(seen, found)), walk_state(stores_in(seen.met), damage_in(seen))
        for _, items in seen.met:
            items.clear()  # half of the memory of a walk
        is_rejoined = self._has_rows(found) and desktop.join_rows(self._database, found, self._stores)
        known_cwds.mark_unplaced(self._database, found)
        known = self._known_units()
        changed = [unit for unit in found.units.values() if self._is_changed(unit, known, seen, is_rejoined)]
        gone = [key for key in known if key not in found.units]
        self._report.files = sum(len(unit.files) for unit in found.units.values())
        self._report.skipped = self._report.files - sum(len(unit.files) for unit in changed)
        if gone:
            self._forget(gone)
        if not known and len(changed) > MANY:
            drop_indexes(self._database)
        if changed:
            self._read(changed, known, found, seen, is_rejoined=is_rejoined)
        make_indexes(self._database)
        if is_rejoined:
            desktop.remember_merged(self._database, found)
        unreadable.mark_sessions(self._database, found)
        if self._database.execute("SELECT 1 FROM dirty LIMIT 1").fetchone():
            # A session that an earlier run left dirty has old sums from before it grew this time.
            is_whole = gone or is_rejoined or was_killed
            sessions.make_sessions(self._database, found, {} if is_whole else self._grown)
        marks.update_marks(self._database, found, self._stores)
        self._write_stores(found)
        self._write_rest(seen, rest, state)

    def _has_rows(self, found: "FoundUnits") -> bool:
        """Return True if Desktop has files here, or had some at the last update."""
        is_there = found.rows or found.tombstones or found.audits or found.cloud_lists or found.browser_files
        return bool(is_there) or self._database.execute("SELECT 1 FROM desktop_row LIMIT 1").fetchone() is not None

    def _known_units(self) -> dict[bytes, _Known]:
        paths: dict[int, list[str]] = {}
        for number, path in self._database.execute("SELECT unit, path FROM file WHERE unit IS NOT NULL"):
            paths.setdefault(number, []).append(os.fsdecode(path))
        rows = self._database.execute("SELECT key, id, session FROM unit")
        return {key: _Known(number, session, frozenset(paths.get(number, ()))) for key, number, session in rows}

    def _is_changed(self, unit: "Unit", known: dict[bytes, _Known], seen: Seen, is_rejoined: bool) -> bool:
        before = known.get(unit.key)
        if before is None or (unit.session is None and is_rejoined):
            return True
        paths = {file.path for file in (*unit.files, *unit.side_files)}
        is_other = unit.session is not None and unit.session != before.session
        return is_other or paths != before.paths or not paths.isdisjoint(seen.changed)

    def _forget(self, keys: list[bytes]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        write.forget_units(self._database, keys)
        self._database.execute("COMMIT")

    def _read(
        self,
        changed: "list[Unit]",
        known: dict[bytes, _Known],
        found: "FoundUnits",
        seen: Seen,
        *,
        is_rejoined: bool,
    ) -> None:
        """Read changed units batch by batch; each batch is one transaction."""
        is_bulk = not known or len(changed) > MANY
        if is_bulk:
            self._database.execute("INSERT OR REPLACE INTO meta VALUES ('every session is dirty', 'yes')")
        files = write.enter_files(self._database, changed)
        writer = write.UnitWriter(self._database, found.merged, seen.looked, is_bulk=is_bulk)
        grower = grow.Grower(self._database, writer, self._open_file, seen.looked)
        total, done = sum(unit.size for unit in changed), 0
        batch: list[ReadUnit] = []
        size = 0
        for number, unit in enumerate(changed, 1):
            before = known.get(unit.key)
            is_same_session = before is not None and unit.session == before.session
            is_told_by_records = unit.session is None and not is_rejoined
            is_kept = (
                before is not None and (is_same_session or is_told_by_records) and grower.is_kept(unit, before.paths)
            )
            if not (is_kept and before is not None and self._grow(grower, unit, before, files)):
                is_kept = is_kept and not self._is_struck
                reading = self._reading(unit, files, found.merged, is_kept=is_kept)
                batch.append(write.ReadUnit(unit, reading, is_kept))
                self._count(unit)
                size += unit.size
            done += unit.size
            if size >= BATCH_BYTES or len(batch) >= BATCH_UNITS:
                self._write_batch(writer, batch)
                size = 0
            if self._on_progress is not None:
                self._on_progress(Progress(done, total, done, f"reading {number} of {len(changed)} transcripts"))
        if batch or self._report.read > len(self._grown):
            self._grown.clear()
        self._write_batch(writer, batch)

    def _grow(self, grower: "grow.Grower", unit: "Unit", before: _Known, files: dict[str, int]) -> bool:
        """Read the appended part of a unit; return False if the whole file must be read."""
        make_words = partial(self._words.growing, unit, before.session) if self._words is not None else None
        self._is_struck = False
        try:
            grown = grower.grow(unit, before.number, make_words)
        except (sqlite3.Error, OSError):
            raise
        except Exception:  # noqa: BLE001 - a read of the whole file will report it
            self._is_struck = True
            if self._words is not None:
                self._words.give_up(files[path] for path in unit.paths)
            return False
        if grown is None:
            return False
        if grown.is_same:
            self._report.skipped += len(unit.files)
            return True
        self._count(unit)
        self._grown[before.session] = min(grown.since, self._grown.get(before.session, grown.since))
        self._report.records += grown.records
        self._report.damage += grown.damage
        if self._words is not None and grown.with_words:
            self._words.written(unit)
        return True

    def _count(self, unit: "Unit") -> None:
        self._counted.update(unit.paths)
        self._report.read += len(unit.files)
        self._report.bytes += unit.size

    def _reading(self, unit: "Unit", files: dict[str, int], merged: dict[str, str], *, is_kept: bool) -> "Reading":
        """Read a unit; a bug of ours becomes its damage.

        The bug may be in the code that indexes words, so this reads the unit again without; words follow later.
        """
        numbers = [files[path] for path in unit.paths]
        words = self._words.reading(unit, numbers, merged) if self._words is not None and not is_kept else None
        try:
            reading = read.read_unit(unit.paths, numbers, unit.agent, self._open_file, words)
        except Exception as error:  # noqa: BLE001 - a fault of one unit must not affect another
            if words is not None and self._words is not None:
                self._words.give_up(numbers)
                return self._reading(unit, files, merged, is_kept=True)
            reading = read.failed(unit.paths, error)
        self._report.records += reading.columns["records"]
        self._report.damage += sum(not row[-1] for row in reading.rows["damage"])
        return reading

    def _write_batch(self, writer: "write.UnitWriter", batch: "list[ReadUnit]") -> None:
        if not batch:
            return
        self._database.execute("BEGIN IMMEDIATE")
        try:
            writer.write(batch)
            if self._words is not None:
                for item in batch:
                    self._words.written(item.unit)
        except BaseException:
            self._database.rollback()
            raise
        self._database.execute("COMMIT")
        batch.clear()
        if self._words is not None:
            self._words.batch_written()

    def _write_stores(self, found: "FoundUnits") -> None:
        days = {units.storable(config): side.cleanup_days(paths) for config, paths in found.settings.items()}
        files = [[file.kind, file.path] for file in (*found.hint_files, *found.desktop_files)]
        rows = [
            (
                *(total.kind, json.dumps(total.path), total.files, total.bytes, len(total.sessions)),
                json.dumps([[*astuple(item.place), item.reason] for item in total.damage]),
            )
            for total in found.totals
        ]
        state = json.dumps([rows, days, files])
        if self._database.execute("SELECT value FROM meta WHERE name = 'stores'").fetchone() == (state,):
            return
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("DELETE FROM store")
        self._database.executemany("INSERT INTO store VALUES (?, ?, ?, ?, ?, ?)", rows)
        values = {"stores": state, "cleanup days": json.dumps(days), "settings and logs": json.dumps(files)}
        self._database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
        self._database.execute("COMMIT")

    def _row_of(self, file: FoundFile, looked: int) -> tuple[object, ...]:
        """Return a file as a row; keep the state of its words if the file is unchanged."""
        path, state = os.fsencode(file.path), state_of(file)
        words = None if file.kind in kinds.WITH_WORDS or self._has_passages(path) else 0
        checks = None
        if file.kind in kinds.CHECKED:
            checks = checks_of(file.path, file.size, self._open_file)
            known = "SELECT checks, words, size, mtime, ctime, inode, device FROM file WHERE path = ? AND kind = ?"
            before = self._database.execute(known, (path, file.kind)).fetchone()
            words = before[1] if before is not None and (checks, *state) == (before[0], *before[2:]) else None
        labels = (path, file.kind, units.storable(file.config), units.storable(file.session))
        return (*labels, *state, looked, words, checks)

    def _has_passages(self, path: bytes) -> bool:
        """Return True if the full-text index may have documents of a file, which may once have been a transcript."""
        asked = "SELECT 1 FROM file JOIN passage ON passage.file = file.id WHERE file.path = ? LIMIT 1"
        return self._database.execute(asked, (path,)).fetchone() is not None

    def _write_rest(self, seen: Seen, rest: list[FoundFile], state: str) -> None:
        """Write the state of all other files and of the walk, after everything that depends on them."""
        rows = [self._row_of(file, seen.looked) for file in rest]
        gone = [(os.fsencode(path),) for path in seen.gone]
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany(
            "INSERT INTO file (path, kind, config, session, size, mtime, ctime, inode, device, looked, words, checks)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET kind = excluded.kind,"
            " config = excluded.config, session = excluded.session, size = excluded.size, mtime = excluded.mtime,"
            " ctime = excluded.ctime, inode = excluded.inode, device = excluded.device, looked = excluded.looked,"
            " words = excluded.words, checks = coalesce(excluded.checks, checks)",
            rows,
        )
        # A search may still find the words of a deleted file; its number is kept until they are removed.
        self._database.executemany("UPDATE file SET kind = 'gone' WHERE path = ?", gone)
        self._database.execute("UPDATE file SET words = NULL WHERE kind = 'gone'")
        self._database.execute(
            "DELETE FROM file WHERE kind = 'gone' AND NOT EXISTS (SELECT 1 FROM passage WHERE passage.file = file.id)"
        )
        self._database.execute("INSERT OR REPLACE INTO meta VALUES ('walk', ?)", (state,))
        self._database.execute("COMMIT")


def _other_files(seen: Seen, found: "FoundUnits") -> Iterator[FoundFile]:
    """Yield the files that changed and belong to no unit."""
    of_units = {file.path for unit in found.units.values() for file in (*unit.files, *unit.side_files)}
    for store, items in seen.met:
        for item in items:
            if not isinstance(item, Damage) and item.path in seen.changed and item.path not in of_units:
                yield store.named(item) if isinstance(item, FileEntry) else item
