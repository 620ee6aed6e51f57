"""Bring the full-text index up to date: see what changed since the last time, and have its words taken in.

The index may lag behind the catalogue: lists need no words, so only a search, and `backscroll index`, come here.
Unchanged units cost a comparison of fingerprints.  A transcript that only grew gives its new messages; anything else
that changed is deleted and taken in anew.  A message that several units hold is written once, for the first of them;
when that one loses it, another takes it over.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import tantivy

from backscroll.errors import BusyError
from backscroll.index.fulltext import FullText
from backscroll.index.glance import Kept, files_in_step, keep, version_of
from backscroll.index.progress import Progress
from backscroll.lazy import lazily
from backscroll.text.fields import MIXED, is_mixed, session_number
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index import configs, entries, few, lag, side_entries, typed
    from backscroll.index import workers as processes
    from backscroll.index.entries import Entries, Entry
    from backscroll.index.lag import Known, Lag, Unit
    from backscroll.index.units import Found
    from backscroll.index.units import Unit as ReadUnit
    from backscroll.sessions import standing
    from backscroll.sessions.standing import Prefix
else:
    configs = lazily("backscroll.index.configs")
    entries = lazily("backscroll.index.entries")
    few = lazily("backscroll.index.few")
    lag = lazily("backscroll.index.lag")
    side_entries = lazily("backscroll.index.side_entries")
    typed = lazily("backscroll.index.typed")
    processes = lazily("backscroll.index.workers")
    standing = lazily("backscroll.sessions.standing")

BATCH_BYTES = 256 << 20
"""What is read between two commits: what a kill costs at most, and how late a first search may begin."""
LARGE_BATCH_BYTES = 48 << 20
"""The same for units that are read piece by piece: their texts come faster than tantivy takes them, and wait."""
SENT_BYTES = 12 << 20
"""Larger units are read piece by piece, so that memory stays flat."""
ENDLESS = 1 << 62
"""From here on nothing is new."""
GROWING = ("transcript", "history", "global-config")
"""The kinds of units of which only what is new is written."""
ROUNDS = 5
"""So often are heirs among files beside the transcripts looked for; what is left is for the next update."""
WORTH_PROCESSES = 16 << 20
WORTH_THREADS = 4 << 20

OnProgress = Callable[[Progress], None] | None
_TITLES = (
    "SELECT id, json_extract(body, '$.title'), 'title', NULL, unixepoch(updated) FROM session"
    " WHERE (:session IS NULL OR id = :session) AND folded_into IS NULL AND json_extract(body, '$.title') IS NOT NULL"
    " AND json_extract(body, '$.title_source') NOT IN ('first-prompt', 'last-prompt')"
)
_TAGS = (
    "SELECT id, json_extract(body, '$.tag'), 'tag', NULL, unixepoch(updated) FROM session"
    " WHERE (:session IS NULL OR id = :session) AND folded_into IS NULL AND json_extract(body, '$.tag') IS NOT NULL"
)
_AGENTS = (
    "SELECT session.id, json_extract(value, '$.description'), 'agent', json_extract(value, '$.id'),"
    " unixepoch(updated) FROM session, json_each(session.agents)"
    " WHERE (:session IS NULL OR session.id = :session) AND folded_into IS NULL AND agents != '[]'"
    " AND json_extract(value, '$.call') IS NULL AND json_extract(value, '$.description') IS NOT NULL"
)
NAMES = (_TITLES, _TAGS, _AGENTS)
"""What a session and its agents are called, or all of them: session, name, what it is, agent, time in seconds."""


_Comparing = Callable[[], "Lag"]


class Words:
    """The full-text index while it is brought in step: first with what is read anyway, then with all the rest."""

    def __init__(
        self, database: sqlite3.Connection, text: FullText, on_progress: OnProgress = None, *, may_wait: bool = False
    ) -> None:
        self._database = database
        self._text = text
        self._on_progress = on_progress
        self._may_wait = may_wait
        self._texting: _Texting | None = None
        self._versions = (0, 0)
        self.is_current = True
        """False where another process is at it: what it has not committed cannot be found yet."""

    @contextmanager
    def open_for(self, units: "list[ReadUnit]") -> Iterator["Along | None"]:
        """Take the index for writing before transcripts are read; what is yielded takes in their words as they come."""
        if not units:
            yield None
            return
        with self._writing(sum(unit.size for unit in units)) as texting:
            if texting is None:
                yield None
                return
            self._texting = texting
            yield Along(texting, texting.begin(self._small_or_known(units)))

    def _small_or_known(self, units: "list[ReadUnit]") -> "list[Unit]":
        """Return the units whose words are taken in as they are read: the others are read piece by piece later."""
        known = lag.ledger_of(self._text.ledger, (unit.key for unit in units))
        along = map(_along, units)
        return [unit for unit in along if unit.size <= SENT_BYTES or _start(unit, known.get(unit.key)) is not None]

    def unsaid(self) -> set[str] | None:
        """Return the files that changed since the words followed the catalogue; None where nobody can tell."""
        self._versions = self._both_versions()
        row = self._text.ledger.execute("SELECT state FROM glance").fetchone()
        if row is None or lag.made_since(self._database, self._text) is None:
            return None
        return few.changed_since(self._database, row[0].decode())

    def is_in_step(self, number: str) -> bool:
        """Say whether everything that a glance with this number saw is taken in."""
        return files_in_step(self._text.ledger, number) is not None

    def commit(self) -> None:
        """Commit what was taken in so far: while the catalogue goes on, tantivy merges what it has."""
        if self._texting is not None:
            self._texting.finish()

    def finish(self, found: "Found", number: str, changes: "few.Few | None" = None) -> None:
        """Take in everything that is not in step yet; where few files changed, no others are looked at."""
        made = None
        comparing: _Comparing = partial(lag.compare, self._database, self._text, found)
        if changes is not None:
            made = lag.made_since(self._database, self._text) or []
            comparing = partial(lag.compare_few, self._database, self._text, changes, made)
        state = few.changes_logged(self._database).encode()
        if self._texting is not None:
            self.commit()
            self._take_in(self._texting, comparing, made)
        else:
            changed, gone = comparing()
            if changed or gone:
                sizes = [unit.size for unit in changed]
                is_much = sum(sizes) >= WORTH_PROCESSES
                with processes.at_hand(len(sizes)) if is_much else nullcontext(), self._writing(sum(sizes)) as texting:
                    if texting is not None:
                        self._take_in(texting, comparing, made)
        kept = Kept(number, len(found.units), state)
        keep(self._text.ledger, kept, lambda: self._is_in_step(found, is_few=changes is not None))

    def _take_in(self, texting: "_Texting", comparing: _Comparing, made: list[str] | None) -> None:
        """Take in what changed, by what the ledger says now: another indexer may just have done it."""
        texting.named = made
        changed, gone = comparing()
        texting.run([unit for unit in changed if unit.kind not in lag.LATE_KINDS], gone)
        for _ in range(ROUNDS):
            changed, _ = comparing()
            if not texting.run([unit for unit in changed if unit.kind != "transcript"], []):
                return

    def _is_in_step(self, found: "Found", *, is_few: bool) -> bool:
        """Say whether everything is taken in: all that is there, or few where nobody else has written meanwhile."""
        if is_few:
            return self.is_current and self._both_versions() == self._versions
        return lag.is_in_step(self._database, self._text, found)

    def _both_versions(self) -> tuple[int, int]:
        return version_of(self._database), version_of(self._text.ledger)

    @contextmanager
    def _writing(self, size: int) -> Iterator["_Texting | None"]:
        with ExitStack() as stack:
            opening = self._text.writer(is_bulk=size > WORTH_THREADS, may_wait=self._may_wait)
            try:
                writer = stack.enter_context(opening)
            except BusyError:
                self.is_current = False
                yield None
                return
            try:
                yield _Texting(self._database, self._text, writer, self._on_progress)
            except BaseException:
                self._text.ledger.rollback()
                raise


class Along:
    """Takes in words while the catalogue is read."""

    def __init__(self, texting: "_Texting", starts: dict[bytes, list[int] | None]) -> None:
        self._texting = texting
        self.starts = starts
        """From which byte on each file of a unit is new; units that are not in it are read later."""

    def take(self, unit: "ReadUnit", session: str, read: "Entries") -> None:
        """Take in the words of a unit that was just read."""
        self._texting.add(_along(unit)._replace(session=session), _Read.whole(read))


def _along(unit: "ReadUnit") -> "Unit":
    """Return a unit as it is before it is known whether it is an earlier copy of another session."""
    fingerprint = unit.fingerprint()
    paths = tuple(unit.paths)
    return lag.Unit(unit.key, "transcript", unit.session, unit.agent, paths, False, fingerprint, "~", unit.size)  # noqa: FBT003


class _Planned(NamedTuple):
    """A unit that is being written: its number, and from which byte on each of its files is new, None for all of it."""

    number: int
    is_known: bool
    start: list[int] | None


class _Texting:
    """One run of taking words in."""

    def __init__(
        self, database: sqlite3.Connection, text: FullText, writer: tantivy.IndexWriter, on_progress: OnProgress
    ) -> None:
        self._database = database
        self._ledger = text.ledger
        self._writer = writer
        self._on_progress = on_progress
        self._done = self._total = self._uncommitted = 0
        self._planned: dict[bytes, _Planned] = {}
        self._lost: set[int] = set()
        self._has_late_heirs = False
        self.named: list[str] | None = None
        """The sessions whose names are taken in; None for all."""

    def run(self, changed: "list[Unit]", gone: list[int]) -> bool:
        """Write what changed, forget what is gone, and let others take over what these were the first to hold.

        Say whether there are any among those that are no transcripts, which must be compared to be taken in again.
        """
        self._has_late_heirs = False
        self._total += sum(unit.size for unit in changed)
        if gone:
            self._forget(gone)
        self._write(sorted(changed, key=lambda unit: (unit.is_folded, unit.born, unit.key)))
        while heirs := self._heirs():
            self._total += sum(unit.size for unit in heirs)
            self._write(heirs)
        return self._has_late_heirs

    def _write(self, units: "list[Unit]") -> None:
        starts = self.begin(units)
        for unit, read in self._read(units, starts):
            self.add(unit, read)
        self.finish()

    def begin(self, units: "list[Unit]") -> dict[bytes, list[int] | None]:
        """Say in the ledger that units are being written; return from which byte on the files of each are new."""
        known = lag.ledger_of(self._ledger, (unit.key for unit in units))
        for unit in units:
            item = known.get(unit.key)
            start = _start(unit, item)
            number = item.number if item else self._enter(unit)
            self._planned[unit.key] = _Planned(number, item is not None, start)
        self._mark(self._planned[unit.key].number for unit in units if unit.key in known)
        for unit in units:  # what a kill has left behind
            item = known.get(unit.key)
            if item is not None and item.fingerprint is None:
                self._open()
                self._lost |= self._delete(item.number)
        return {unit.key: self._planned[unit.key].start for unit in units}

    def _enter(self, unit: "Unit") -> int:
        cursor = self._ledger.execute(
            "INSERT INTO unit (key, kind, paths, is_folded) VALUES (?, ?, '[]', 0)", (unit.key, unit.kind)
        )
        return int(cursor.lastrowid or 0)

    def _mark(self, numbers: Iterable[int]) -> None:
        """Say in the ledger that units are being written: after a kill they are deleted and written anew."""
        self._ledger.execute("BEGIN IMMEDIATE")
        self._ledger.executemany("UPDATE unit SET fingerprint = NULL WHERE number = ?", [(item,) for item in numbers])
        self._ledger.execute("COMMIT")

    def add(self, unit: "Unit", read: "_Read") -> None:
        """Write a unit that is being written; committed with others."""
        self._open()
        number, is_known, start = self._planned[unit.key]
        if is_known and unit.kind == "titles":
            read = self._renamed(number, read)
        elif is_known and start is None:
            self._lost |= self._delete(number)
        self._lost |= self._add(unit, number, read, is_more=start is not None)
        self._uncommitted += unit.size
        if self._uncommitted >= (LARGE_BATCH_BYTES if unit.size > SENT_BYTES else BATCH_BYTES):
            self._commit()

    def finish(self) -> None:
        """Commit what is not committed yet."""
        if self._ledger.in_transaction:
            self._commit()

    def _open(self) -> None:
        if not self._ledger.in_transaction:
            self._ledger.execute("BEGIN IMMEDIATE")

    def _forget(self, gone: list[int]) -> None:
        """Delete units that are gone."""
        self._mark(gone)
        self._open()
        for number in gone:
            self._lost |= self._delete(number)
            self._ledger.execute("DELETE FROM unit WHERE number = ?", (number,))
        self._commit()

    def _delete(self, number: int) -> set[int]:
        """Delete all that a unit holds, and return the keys that it was the one to hold."""
        owned = {key for (key,) in self._ledger.execute("SELECT key FROM owner WHERE unit = ?", (number,))}
        self._ledger.execute("DELETE FROM owner WHERE unit = ?", (number,))
        self._ledger.execute("DELETE FROM passage WHERE unit = ?", (number,))
        self._ledger.execute("DELETE FROM prompt WHERE unit = ?", (number,))
        self._ledger.execute("DELETE FROM typed WHERE unit = ?", (number,))
        self._writer.delete_documents_by_term("unit", number)
        return owned

    def _renamed(self, number: int, read: "_Read") -> "_Read":
        """Delete what sessions are no longer called, and return what they are called."""
        named = list(read.entries)
        held = self._ledger.execute("SELECT key, place FROM passage WHERE unit = ?", (number,)).fetchall()
        of = None if self.named is None else set(map(session_number, self.named))
        for key in {key for key, place in held if of is None or place in of} - {entry.key for entry in named}:
            self._ledger.execute("DELETE FROM owner WHERE key = ? AND unit = ?", (key, number))
            self._ledger.execute("DELETE FROM passage WHERE unit = ? AND key = ?", (number, key))
            self._writer.delete_documents_by_term("key", key)
        return _Read(named, read.prefixes)

    def _add(self, unit: "Unit", number: int, read: "_Read", *, is_more: bool) -> set[int]:
        """Write the entries of a unit that nobody else holds, and return the keys of messages that have grown."""
        lost: set[int] = set()
        for entry in read.entries:
            if is_more:
                lost |= self._replaced(number, entry.place)
            if not entry.fields:  # no longer to be found
                continue
            self._ledger.execute("INSERT OR IGNORE INTO passage VALUES (?, ?, ?)", (number, entry.key, entry.place))
            if entry.said is not None:
                self._ledger.execute(
                    "INSERT INTO prompt (said, session, unit, time) VALUES (?, ?, ?, ?)",
                    (entry.said, unit.session, number, entry.time),
                )
            if unit.is_folded and self._is_held(entry.key):
                lost.add(entry.key)
            elif self._ledger.execute("INSERT OR IGNORE INTO owner VALUES (?, ?)", (entry.key, number)).rowcount == 1:
                self._writer.add_document(_document(entry, number, unit.session))
        ends = json.dumps([(end, head.hex(), tail.hex()) for end, head, tail in read.prefixes()])
        values = (unit.session, unit.agent, json.dumps(unit.paths), unit.is_folded, unit.fingerprint, ends, number)
        self._ledger.execute(
            "UPDATE unit SET session = ?, agent = ?, paths = ?, is_folded = ?, fingerprint = ?, ends = ?"
            " WHERE number = ?",
            values,
        )
        return lost

    def _is_held(self, key: int) -> bool:
        """Say whether a session that is no earlier copy of another holds a message."""
        row = self._ledger.execute(
            "SELECT 1 FROM passage JOIN unit ON unit.number = passage.unit"
            " WHERE passage.key = ? AND NOT unit.is_folded LIMIT 1",
            (key,),
        ).fetchone()
        return row is not None

    def _replaced(self, number: int, place: int) -> set[int]:
        """Delete what a unit held at a place, which has grown meanwhile; return its key where it was the owner."""
        row = self._ledger.execute("SELECT key FROM passage WHERE unit = ? AND place = ?", (number, place)).fetchone()
        if row is None:
            return set()
        self._ledger.execute("DELETE FROM passage WHERE unit = ? AND key = ?", (number, row[0]))
        if self._ledger.execute("DELETE FROM owner WHERE key = ? AND unit = ?", (row[0], number)).rowcount == 0:
            return set()
        self._writer.delete_documents_by_term("key", row[0])
        return {row[0]}

    def _commit(self) -> None:
        """Commit the words first, then the ledger: see `fulltext` for why that is safe."""
        self._writer.commit()
        self._ledger.execute("COMMIT")
        self._uncommitted = 0

    def _heirs(self) -> "list[Unit]":
        """Return the units that hold keys which nobody owns any more; they are taken in once more."""
        numbers: set[int] = set()
        for key in self._lost:
            if not self._ledger.execute("SELECT 1 FROM owner WHERE key = ?", (key,)).fetchone():
                row = self._ledger.execute(
                    "SELECT passage.unit FROM passage JOIN unit ON unit.number = passage.unit"
                    " WHERE passage.key = ? ORDER BY unit.is_folded, passage.unit LIMIT 1",
                    (key,),
                ).fetchone()
                numbers |= {row[0]} if row else set()
        self._lost = set()
        self._mark(numbers)
        rows = (self._ledger.execute("SELECT key FROM unit WHERE number = ?", (number,)) for number in sorted(numbers))
        keys = (key for found in rows for (key,) in found)
        heirs = [lag.sized(unit) for unit in lag.transcripts_at(self._database, keys)]
        self._has_late_heirs |= len(heirs) < len(numbers)
        return heirs

    def _read(self, batch: "list[Unit]", starts: dict[bytes, list[int] | None]) -> "Iterator[tuple[Unit, _Read]]":
        """Yield each unit with its entries, read in worker processes where that pays."""
        for unit, read in self._readings(batch, starts):
            yield unit, read
            self._done += unit.size
            if self._on_progress is not None and self._total:
                self._on_progress(Progress(self._done, self._total, self._done, "taking in words"))

    def _readings(self, batch: "list[Unit]", starts: dict[bytes, list[int] | None]) -> "Iterator[tuple[Unit, _Read]]":
        workers = os.cpu_count() or 1
        transcripts = [unit for unit in batch if unit.kind == "transcript"]
        if workers < 2 or sum(unit.size for unit in transcripts) < WORTH_PROCESSES:
            yield from ((unit, self._read_here(unit, starts[unit.key])) for unit in batch)
            return
        for is_long, units in groupby(transcripts, lambda unit: unit.size > SENT_BYTES and starts[unit.key] is None):
            if is_long:
                yield from ((unit, self._read_apart(unit)) for unit in units)
            else:
                asked = ((unit, _task(unit, starts[unit.key])) for unit in units)
                yield from ((unit, _Read.whole(read)) for unit, read in processes.answers(workers, asked))
        yield from ((unit, self._read_here(unit, starts[unit.key])) for unit in batch if unit.kind != "transcript")

    def _read_apart(self, unit: "Unit") -> "_Read":
        """Have another process read a long transcript and send it piece by piece."""
        task = partial(entries.in_pieces, unit.paths, unit.agent, kept=self._standing(unit))
        return _Read.pieced(processes.pieces(task))

    def _standing(self, unit: "Unit") -> bytes | None:
        """Return what the catalogue kept of a unit, where it is still as it was read then."""
        row = self._database.execute(
            "SELECT standing.body FROM unit JOIN standing ON standing.unit = unit.id"
            " WHERE unit.key = ? AND unit.fingerprint = ?",
            (unit.key, unit.fingerprint),
        ).fetchone()
        return row[0] if row else None

    def _read_here(self, unit: "Unit", start: list[int] | None) -> "_Read":
        if unit.kind == "transcript":
            return _Read.pieced(entries.in_pieces(unit.paths, unit.agent, start))
        if unit.kind == "titles":
            return _Read.whole(entries.of_names(self._names()))
        if unit.kind == "history":
            history = typed.History(self._ledger, self._planned[unit.key].number, unit.paths)
            return _Read(self._of_history(history, is_new=start is None), history.prefixes)
        if unit.kind == "global-config":
            return _Read(self._of_configs(unit, is_changed=start != [ENDLESS]), list)
        prompts = typed.Typed(self._database, self._ledger)
        return _Read.whole(side_entries.of_files(side_entries.Files(unit.kind, unit.paths, unit.session, prompts)))

    def _of_history(self, history: "typed.History", *, is_new: bool) -> "Iterator[Entry]":
        """Yield the prompts of a history that must be found and are not, and forget those that messages now hold."""
        fresh = history.read_on()
        named = {number for prompt in fresh.values() for number in history.files_of(prompt).values()}
        held = typed.Typed(self._database, self._ledger).held(history.unit)
        rows = self._ledger.execute("SELECT place FROM passage WHERE unit = ?", (history.unit,))
        found = {place for (place,) in rows}
        for place in (held | set(map(side_entries.place_of_paste, named))) & found:
            self._lost |= self._replaced(history.unit, place)
        for place, line in history.lines().items():
            if place not in held and place not in found and (prompt := fresh.get(place) or history.at(place, line)):
                yield side_entries.of_prompt(prompt, history)
        for number in sorted(set(history.pastes.values()) - named) if is_new else ():
            yield from side_entries.of_paste(number, history.paths[number])

    def _of_configs(self, unit: "Unit", *, is_changed: bool) -> "Iterator[Entry]":
        """Yield the prompts of global configs that must be found and are not, and forget those that need not be."""
        number = self._planned[unit.key].number
        if is_changed:
            configs.write_down(self._ledger, number, unit.paths)
        wanted = configs.wanted(self._database, self._ledger, number)
        found = {place for (place,) in self._ledger.execute("SELECT place FROM passage WHERE unit = ?", (number,))}
        for place in found - wanted:
            self._lost |= self._replaced(number, place)
        if wanted - found:
            yield from configs.entries(unit.paths, wanted - found)

    def _names(self) -> Iterator["entries.Name"]:
        """Yield every title that is more than a prompt, every tag, and what agents that no call names were for."""
        names: Sequence[str | None] = [None] if self.named is None else self.named
        asked = [(query, {"session": name}) for query in NAMES for name in names]
        return (entries.Name(*row) for query, wanted in asked for row in self._database.execute(query, wanted))


class _Read:
    """Entries as they are read, and after the last of them how far the files went."""

    def __init__(self, found: "Iterable[Entry]", prefixes: "Callable[[], list[Prefix]]") -> None:
        self.entries = found
        self.prefixes = prefixes

    @classmethod
    def whole(cls, read: "Entries") -> "_Read":
        """Take what was read at once."""
        return cls(read.entries, lambda: read.prefixes)

    @classmethod
    def pieced(cls, parts: "Iterator[Entries]") -> "_Read":
        """Take what is read piece by piece; the last one says how far the files went."""
        prefixes: list[Prefix] = []

        def read() -> "Iterator[Entry]":
            for part in parts:
                prefixes[:] = part.prefixes
                yield from part.entries

        return cls(read(), lambda: prefixes)


def _task(unit: "Unit", start: list[int] | None) -> "Callable[[], Entries]":
    return processes.apart_if_large(unit.size, partial(entries.of_transcripts, unit.paths, unit.agent, start))


def _start(unit: "Unit", known: "Known | None") -> list[int] | None:
    """Return from which byte on each file is new, or None where it did anything but grow."""
    if known is None or known.fingerprint is None or not known.ends or unit.kind not in GROWING:
        return None
    state = [bool(known.is_folded), known.session, json.loads(known.paths)]
    if state != [unit.is_folded, unit.session, list(unit.paths)]:
        return None
    if unit.kind == "global-config":
        return [ENDLESS if known.fingerprint[lag.DIGEST] == unit.fingerprint[lag.DIGEST] else 0]
    ends = json.loads(known.ends)
    if unit.kind == "history" and not ends:
        return None
    for path, (end, head, tail) in zip(unit.paths, ends, strict=False):
        if not end or standing.prefix_of(path, end) != (end, bytes.fromhex(head), bytes.fromhex(tail)):
            return None
    return [end for end, _, _ in ends] if len(ends) == len(unit.paths) or unit.kind == "history" else None


def _document(entry: "Entry", number: int, session: str | None) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("unit", number)
    document.add_integer("key", entry.key)
    name = entry.session or session
    document.add_integer("session", session_number(name) if name else entry.key)  # what has none stands for itself
    if entry.time is not None:
        document.add_integer("time", entry.time)
    for field, texts in entry.fields.items():
        for text in texts:
            document.add_text(field, text)
    for tag in (*entry.tags, MIXED) if is_mixed(entry.fields.keys()) else entry.tags:
        document.add_text("tag", tag)
    document.add_bytes("at", entry.at)
    return document
