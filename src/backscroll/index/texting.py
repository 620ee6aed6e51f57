"""Bring the full-text index up to date: see what changed since the last time, and have its words taken in.

The index may lag behind the catalogue: lists need no words, so only a search, and `backscroll index`, come here.
Unchanged units cost a comparison of fingerprints.  A transcript that only grew gives its new messages; anything else
that changed is deleted and taken in anew.  A message that several units hold is written once, for the first of them;
when that one loses it, another takes it over.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import tantivy

from backscroll.errors import BusyError
from backscroll.index.fulltext import FullText
from backscroll.index.progress import Progress
from backscroll.index.units import Found
from backscroll.lazy import lazily
from backscroll.sessions.fingerprint import number_of
from backscroll.stores import FoundFile
from backscroll.text.fields import session_number

if TYPE_CHECKING:
    from concurrent.futures import Future

    from backscroll.index import entries
    from backscroll.index.entries import Entries, Entry
    from backscroll.sessions import conversation as reading
else:
    entries = lazily("backscroll.index.entries")
    reading = lazily("backscroll.sessions.conversation")

BATCH_BYTES = 256 << 20
"""What is read between two commits: what a kill costs at most, and how late a first search may begin."""
SENT_BYTES = 24 << 20
"""Larger units are read where they are written, message by message, so that memory stays flat."""
WORTH_PROCESSES = 16 << 20
WORTH_THREADS = 4 << 20
PATIENCE = 0.05
TITLES = b"titles"

OnProgress = Callable[[Progress], None] | None


class Unit(NamedTuple):
    """What is taken in together: the transcripts of a session or an agent, a file beside them, or all titles."""

    key: bytes
    kind: str
    session: str | None
    agent: str | None
    paths: tuple[str, ...]
    is_folded: bool
    """An earlier copy of another session, which keeps what that one does not hold."""
    fingerprint: bytes
    born: str
    size: int = 0


class Known(NamedTuple):
    """What the ledger knows of a unit."""

    number: int
    fingerprint: bytes | None
    is_folded: bool
    paths: str
    ends: str | None


def update_texts(
    database: sqlite3.Connection,
    text: FullText,
    found: Found,
    on_progress: OnProgress = None,
    *,
    may_wait: bool = False,
) -> bool:
    """Take in the words of everything that changed; False where somebody else is at it and we may not wait."""
    while True:
        changed, gone = _compare(database, text, found)
        if not changed and not gone:
            return True
        try:
            with text.writer(is_bulk=sum(unit.size for unit in changed) > WORTH_THREADS) as writer:
                changed, gone = _compare(database, text, found)  # another indexer may just have done it
                _Texting(database, text, writer, on_progress).run(changed, gone)
        except BusyError:
            if not may_wait:
                return False
            time.sleep(PATIENCE)
        else:
            return True


def _compare(database: sqlite3.Connection, text: FullText, found: Found) -> tuple[list[Unit], list[int]]:
    known = _known(text)
    wanted = {unit.key: unit for unit in (*_transcripts(database), *_files(database, found), _titles(database))}
    changed = [unit for key, unit in wanted.items() if not _is_done(unit, known.get(key))]
    gone = [item.number for key, item in known.items() if key not in wanted]
    return [_sized(unit) for unit in changed], gone


def _known(text: FullText) -> dict[bytes, Known]:
    rows = text.ledger.execute("SELECT key, number, fingerprint, is_folded, paths, ends FROM unit")
    return {key: Known(*rest) for key, *rest in rows}


def _is_done(unit: Unit, known: Known | None) -> bool:
    return known is not None and known.fingerprint == unit.fingerprint and bool(known.is_folded) == unit.is_folded


def _transcripts(database: sqlite3.Connection) -> Iterator[Unit]:
    rows = database.execute(
        "SELECT key, session, agent, paths, fold.id IS NOT NULL, fingerprint, coalesce(born, '~')"
        " FROM unit LEFT JOIN fold ON fold.id = unit.session"
    )
    for key, session, agent, paths, is_folded, fingerprint, born in rows:
        yield Unit(key, "transcript", session, agent, tuple(json.loads(paths)), bool(is_folded), fingerprint, born)


def _files(database: sqlite3.Connection, found: Found) -> Iterator[Unit]:
    (sessions,) = database.execute("SELECT count(*) FROM session").fetchone()
    for file in found.texts:
        state = repr((file.size, file.mtime_ns, file.ctime_ns, file.inode, sessions if file.kind == "history" else 0))
        yield Unit(
            _file_key(file),
            file.kind,
            file.session,
            None,
            (file.path,),
            is_folded=False,
            fingerprint=state.encode(),
            born="~",
            size=file.size,
        )


def _file_key(file: FoundFile) -> bytes:
    return b"f:" + os.fsencode(file.path)


def _titles(database: sqlite3.Connection) -> Unit:
    """Return the unit of all titles; they change only with what the stores hold."""
    row = database.execute("SELECT value FROM meta WHERE name = 'stores'").fetchone()
    (sessions,) = database.execute("SELECT count(*) FROM session").fetchone()
    state = f"{sessions} {row[0] if row else ''}".encode()
    fingerprint = number_of(state).to_bytes(8, signed=True)
    return Unit(TITLES, "titles", None, None, (), is_folded=False, fingerprint=fingerprint, born="~")


def _sized(unit: Unit) -> Unit:
    return unit if unit.size else unit._replace(size=sum(map(_size, unit.paths)))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


class _Texting:
    """One run of taking words in."""

    def __init__(
        self, database: sqlite3.Connection, text: FullText, writer: tantivy.IndexWriter, on_progress: OnProgress
    ) -> None:
        self._database = database
        self._ledger = text.ledger
        self._writer = writer
        self._on_progress = on_progress
        self._done = self._total = 0

    def run(self, changed: list[Unit], gone: list[int]) -> None:
        """Write what changed, forget what is gone, and let others take over what these were the first to hold."""
        self._total = sum(unit.size for unit in changed)
        order = sorted(changed, key=lambda unit: (unit.is_folded, unit.born, unit.key))
        lost = self._forget(gone) if gone else set()
        for batch in _batches(order):
            lost |= self._write(batch)
        while heirs := self._heirs(lost):
            self._total += sum(unit.size for unit in heirs)
            lost = set()
            for batch in _batches(heirs):
                lost |= self._write(batch)

    def _forget(self, gone: list[int]) -> set[int]:
        """Delete units that are gone, and return the keys that they held."""
        self._mark(gone)
        self._ledger.execute("BEGIN IMMEDIATE")
        lost: set[int] = set()
        for number in gone:
            lost |= self._delete(number)
            self._ledger.execute("DELETE FROM unit WHERE number = ?", (number,))
        self._commit()
        return lost

    def _mark(self, numbers: Iterable[int]) -> None:
        """Say in the ledger that units are being written: after a kill they are deleted and written anew."""
        self._ledger.execute("BEGIN IMMEDIATE")
        self._ledger.executemany("UPDATE unit SET fingerprint = NULL WHERE number = ?", [(item,) for item in numbers])
        self._ledger.execute("COMMIT")

    def _write(self, batch: list[Unit]) -> set[int]:
        """Write a batch of units, and return the keys that they no longer hold."""
        known = {unit.key: self._known(unit) for unit in batch}
        starts = {unit.key: _start(unit, known[unit.key]) for unit in batch}
        numbers = self._enter(batch, known)
        lost: set[int] = set()
        self._ledger.execute("BEGIN IMMEDIATE")
        try:
            for unit in batch:
                if known[unit.key] is not None and starts[unit.key] is None:
                    lost |= self._delete(numbers[unit.key])
            for unit, pieces in self._read(batch, starts):
                lost |= self._add(unit, numbers[unit.key], pieces, is_more=starts[unit.key] is not None)
            self._commit()
        except BaseException:
            self._ledger.rollback()
            raise
        return lost

    def _known(self, unit: Unit) -> Known | None:
        row = self._ledger.execute(
            "SELECT number, fingerprint, is_folded, paths, ends FROM unit WHERE key = ?", (unit.key,)
        ).fetchone()
        return Known(*row) if row else None

    def _enter(self, batch: list[Unit], known: dict[bytes, Known | None]) -> dict[bytes, int]:
        """Give every unit of a batch a number, and say that it is being written."""
        numbers = {key: item.number for key, item in known.items() if item is not None}
        self._mark(numbers.values())
        self._ledger.execute("BEGIN IMMEDIATE")
        for unit in batch:
            values = (unit.kind, unit.session, unit.agent, json.dumps(unit.paths), unit.is_folded, unit.key)
            if unit.key in numbers:
                self._ledger.execute(
                    "UPDATE unit SET kind = ?, session = ?, agent = ?, paths = ?, is_folded = ? WHERE key = ?", values
                )
            else:
                cursor = self._ledger.execute(
                    "INSERT INTO unit (kind, session, agent, paths, is_folded, key) VALUES (?, ?, ?, ?, ?, ?)", values
                )
                numbers[unit.key] = int(cursor.lastrowid or 0)
        self._ledger.execute("COMMIT")
        return numbers

    def _delete(self, number: int) -> set[int]:
        """Delete all that a unit holds, and return the keys that it was the one to hold."""
        owned = {key for (key,) in self._ledger.execute("SELECT key FROM owner WHERE unit = ?", (number,))}
        self._ledger.execute("DELETE FROM owner WHERE unit = ?", (number,))
        self._ledger.execute("DELETE FROM passage WHERE unit = ?", (number,))
        self._writer.delete_documents_by_term("unit", number)
        return owned

    def _add(self, unit: Unit, number: int, read: "_Read", *, is_more: bool) -> set[int]:
        """Write the entries of a unit that nobody else holds, and return the keys of messages that have grown."""
        lost: set[int] = set()
        for entry in read.entries:
            if is_more:
                lost |= self._replaced(number, entry.place)
            self._ledger.execute("INSERT OR IGNORE INTO passage VALUES (?, ?, ?)", (number, entry.key, entry.place))
            if self._ledger.execute("INSERT OR IGNORE INTO owner VALUES (?, ?)", (entry.key, number)).rowcount == 1:
                self._writer.add_document(_document(entry, number, unit.session))
        ends = json.dumps([(end, head.hex(), tail.hex()) for end, head, tail in read.prefixes()])
        self._ledger.execute(
            "UPDATE unit SET fingerprint = ?, ends = ? WHERE number = ?", (unit.fingerprint, ends, number)
        )
        return lost

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

    def _heirs(self, lost: set[int]) -> list[Unit]:
        """Return the units that hold keys which nobody owns any more; they are taken in once more."""
        numbers: set[int] = set()
        for key in lost:
            if not self._ledger.execute("SELECT 1 FROM owner WHERE key = ?", (key,)).fetchone():
                row = self._ledger.execute("SELECT min(unit) FROM passage WHERE key = ?", (key,)).fetchone()
                numbers |= {row[0]} if row[0] is not None else set()
        self._mark(numbers)
        keys = {
            self._ledger.execute("SELECT key FROM unit WHERE number = ?", (item,)).fetchone()[0] for item in numbers
        }
        return [_sized(unit) for unit in _transcripts(self._database) if unit.key in keys]

    def _read(self, batch: list[Unit], starts: dict[bytes, list[int] | None]) -> Iterator[tuple[Unit, "_Read"]]:
        """Yield each unit with its entries, read in worker processes where that pays."""
        for unit, read in self._readings(batch, starts):
            yield unit, read
            self._done += unit.size
            if self._on_progress is not None:
                self._on_progress(Progress(self._done, self._total, self._done, "indexing words,"))

    def _readings(self, batch: list[Unit], starts: dict[bytes, list[int] | None]) -> Iterator[tuple[Unit, "_Read"]]:
        workers = min(os.cpu_count() or 1, len(batch))
        sent = [unit for unit in batch if unit.kind == "transcript" and unit.size <= SENT_BYTES]
        if sum(unit.size for unit in sent) < WORTH_PROCESSES or workers < 2:
            yield from ((unit, self._read_here(unit, starts[unit.key])) for unit in batch)
            return
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - 30 ms that only large updates are worth

        keys = {unit.key for unit in sent}
        with ProcessPoolExecutor(workers) as pool:
            pending: list[tuple[Unit, Future[Entries]]] = []
            for unit in batch:
                if unit.key not in keys:
                    continue
                pending.append((unit, pool.submit(entries.of_transcripts, unit.paths, unit.agent, starts[unit.key])))
                if len(pending) >= 3 * workers:
                    first, future = pending.pop(0)
                    yield first, _Read.whole(future.result())
            for unit, future in pending:
                yield unit, _Read.whole(future.result())
        for unit in batch:
            if unit.key not in keys:
                yield unit, self._read_here(unit, starts[unit.key])

    def _read_here(self, unit: Unit, start: list[int] | None) -> "_Read":
        if unit.kind == "transcript":
            return _Read.streamed(unit, start)
        if unit.kind == "titles":
            return _Read.whole(entries.of_titles(self._all_titles()))
        known = (
            {name for (name,) in self._database.execute("SELECT id FROM session")} if unit.kind == "history" else set()
        )
        return _Read.whole(entries.of_file(unit.kind, unit.paths[0], known))

    def _all_titles(self) -> Iterator[tuple[str, str, int | None]]:
        """Yield every title that is more than a prompt: (session, title, time)."""
        rows = self._database.execute(
            "SELECT id, json_extract(body, '$.title'), unixepoch(updated) FROM session WHERE folded_into IS NULL"
            " AND json_extract(body, '$.title_source') NOT IN ('first-prompt', 'last-prompt')"
        )
        for session, title, seconds in rows:
            yield session, title, seconds * 1000 if seconds is not None else None


class _Read:
    """Entries as they are read, and after the last of them how far the files went."""

    def __init__(self, found: "Iterable[Entry]", prefixes: "Callable[[], list[entries.Prefix]]") -> None:
        self.entries = found
        self.prefixes = prefixes

    @classmethod
    def whole(cls, read: "Entries") -> "_Read":
        """Take what was read at once."""
        return cls(read.entries, lambda: read.prefixes)

    @classmethod
    def streamed(cls, unit: Unit, start: list[int] | None) -> "_Read":
        """Read a transcript message by message."""
        prefixes: list[entries.Prefix] = []

        def read() -> "Iterator[Entry]":
            with reading.read_conversation(unit.paths, is_agent=unit.agent is not None) as opened:
                yield from entries.of_conversation(opened, unit.agent, start)
                prefixes.extend(entries.prefixes_of(opened))

        return cls(read(), lambda: prefixes)


def _batches(units: list[Unit]) -> Iterator[list[Unit]]:
    batch: list[Unit] = []
    size = 0
    for unit in units:
        batch.append(unit)
        size += unit.size
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _start(unit: Unit, known: Known | None) -> list[int] | None:
    """Return from which byte on each file is new, or None where it did anything but grow."""
    if known is None or known.fingerprint is None or not known.ends or unit.kind != "transcript":
        return None
    if bool(known.is_folded) != unit.is_folded or json.loads(known.paths) != list(unit.paths):
        return None
    ends = json.loads(known.ends)
    for path, (end, head, tail) in zip(unit.paths, ends, strict=False):
        if not end or entries.prefix_of(path, end) != (end, bytes.fromhex(head), bytes.fromhex(tail)):
            return None
    return [end for end, _, _ in ends] if len(ends) == len(unit.paths) else None


def _document(entry: "Entry", number: int, session: str | None) -> tantivy.Document:
    document = tantivy.Document()
    document.add_integer("unit", number)
    document.add_integer("key", entry.key)
    document.add_integer("session", session_number(entry.session or session or ""))
    if entry.time is not None:
        document.add_integer("time", entry.time)
    for field, texts in entry.fields.items():
        for text in texts:
            document.add_text(field, text)
    for tag in entry.tags:
        document.add_text("tag", tag)
    document.add_bytes("at", entry.at)
    return document
