"""Write entries into the full-text index, and their files into the catalogue.

An entry is written once, for one of the files that hold it.  The catalogue is committed before the full-text index.
Afterwards it records the committed part, so the next update repairs a kill in between.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from backscroll.errors import BusyError
from backscroll.index.db import words_beside
from backscroll.index.words.numbers import CONFIGS, TITLES
from backscroll.index.words.store import FullText
from backscroll.lazy import lazily
from backscroll.records import fault
from backscroll.stores import kinds

if TYPE_CHECKING:
    import tantivy

    from backscroll.index.words import documents, holders
else:
    documents = lazily("backscroll.index.words.documents")
    holders = lazily("backscroll.index.words.holders")

OPEN = "words open"
"""The note in the catalogue that a process updates the full-text index, with a token; a stale one means a kill."""
DELETED = "words deleted"
"""The note in the catalogue how many deleted documents the full-text index held when it was complete."""
MOST_WAITING, MOST_WAITING_LETTERS = 256, 4 << 20
"""This many entries, or letters, wait for one query."""

MOST_ROWS = 10_000
"""This many passages wait for the rows of their unit; a large unit writes them earlier."""

_KEPT = "SELECT DISTINCT key FROM passage WHERE is_kept AND key IN (SELECT value FROM json_each(?))"
EMPTY = ("DELETE FROM passage", "DELETE FROM prompt", "DELETE FROM typed")
_OF_FILE = {statement: f"{statement} WHERE file = ?" for statement in EMPTY}
_STRUCK = (
    "SELECT unit.id, file.path FROM unit JOIN file ON file.unit = unit.id AND number IS NOT NULL"
    " WHERE file.id = ? OR unit.session = ? ORDER BY unit.agent IS NOT NULL, unit.key, number DESC LIMIT 1"
)
"""The unit of an entry, by its file or its session."""


class _Waiting(NamedTuple):
    """An entry that waits to be looked up and written."""

    entry: "documents.Entry"
    file: int
    session: str | None
    is_folded: bool


class WordsWriter:
    """Holds the full-text index open for writing while it is needed."""

    def __init__(self, database: sqlite3.Connection, text: FullText, *, may_wait: bool = False) -> None:
        self.database = database
        self._text = text
        self._may_wait = may_wait
        self._stack = ExitStack()
        self._writer: tantivy.IndexWriter | None = None
        self._pending: list[int] = []
        """Files whose documents are written and not committed."""
        self._taken: set[int] = set()
        """Files whose documents are written, and whose rows are not."""
        self._uncommitted = 0
        self._is_touched = False
        """True if something is written and not committed."""
        self._waiting: list[_Waiting] = []
        """Entries to look up in the catalogue."""
        self._waiting_size = 0
        self._rows: list[tuple[int, int, int, bool, int | None, bool]] = []
        self._kept: set[int] = set()
        """Passages to write into the catalogue, and the keys of those with a document."""
        self._prompts: list[tuple[int, str | None, int, int, int | None]] = []
        self._contested: set[int] = set()
        """Keys of messages that may be kept for another session than the one that said them first."""
        self._faults: dict[tuple[int, str | None], Exception] = {}
        """File and session of each entry that a bug of ours kept from being written."""
        self._token = ""
        self._was_empty = False
        """True if the full-text index had no document when this update began to write."""
        self.is_restarted = False
        """True if the full-text index did not belong to the catalogue: it is empty until the next update."""
        self.is_current = True
        """False if another process updates the index: a search does not see its uncommitted part."""

    def close(self) -> None:
        """Close the index; drop everything that is not committed."""
        self._writer = None
        self._stack.close()

    def _in_transaction(self, act: Callable[[], None]) -> None:
        self.database.execute("BEGIN IMMEDIATE")
        try:
            act()
            self._flush()
        except BaseException:
            self.database.rollback()
            raise
        self.database.execute("COMMIT")

    def _meta(self, name: str) -> str:
        row = self.database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def _open(self) -> bool:
        """Lock the index for writing; return False if another process has it."""
        if self._writer is not None:
            return True
        if not self.is_current:
            return False
        try:
            self._writer = self._stack.enter_context(self._text.writer(may_wait=self._may_wait))
        except BusyError:
            self.is_current = False
            return False
        was_killed = bool(self._meta(OPEN))
        if not self._is_known() or (was_killed and not self._text.is_sound):
            self._restart()
        elif was_killed:
            self._recover()
        self._was_empty = not was_killed and not self._meta("words")
        self._token = os.urandom(8).hex()
        self.database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (OPEN, self._token))
        return True

    def _is_known(self) -> bool:
        """Return True if the full-text index is the one that the catalogue describes, file by file."""
        stored = self._meta("words")
        if not stored:
            return self._text.stamp == 0 and not self.database.execute("SELECT 1 FROM passage LIMIT 1").fetchone()
        if self._text.directory is None:
            return self._text.is_filled or words_beside(self.database) is None
        stamp, is_open = self._text.stamp, bool(self._meta(OPEN))
        if stamp is None or stamp < int(stored) or (stamp > int(stored) and not is_open):
            return False
        return is_open or self._text.is_as_listed(json.loads(self._meta("words files") or "{}"))

    def _restart(self) -> None:
        """Reset the catalogue's records about documents, and delete all documents."""
        self.database.execute("BEGIN IMMEDIATE")
        for statement in EMPTY:
            self.database.execute(statement)
        self.database.execute("UPDATE file SET words = NULL WHERE words <> 0 OR number IS NOT NULL")
        names = json.dumps(sorted(kinds.WITH_WORDS))
        self.database.execute("UPDATE file SET words = NULL WHERE kind IN (SELECT value FROM json_each(?))", (names,))
        self.database.execute("UPDATE desktop_row SET words = NULL")
        self.database.execute("INSERT OR IGNORE INTO renamed SELECT id FROM session")
        self.database.execute("DELETE FROM meta WHERE name LIKE 'words%'")
        self.database.execute("COMMIT")
        if self._writer is not None:
            self._writer.delete_all_documents()
        self._is_touched = self.is_restarted = self._text.is_filled = True

    def _finish_writing(self) -> None:
        """Close the index, then list its files: the next commands compare the files with this list."""
        if self._writer is None:
            return
        self.close()
        files = json.dumps(self._text.files() or {})
        deleted, _ = self._text.document_counts()
        self.database.execute("BEGIN IMMEDIATE")
        if self._meta(OPEN) == self._token:  # else another process has begun to write
            self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words files', ?)", (files,))
            self.database.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (DELETED, str(deleted)))
            self.database.execute("DELETE FROM meta WHERE name = ?", (OPEN,))
        self.database.execute("COMMIT")

    def give_up(self, files: Iterable[int]) -> None:
        """Drop the waiting entries of some files, after a bug of ours raised an exception."""
        dropped = set(files)
        for key in {row[1] for row in self._rows if row[0] in dropped and row[3]}:
            self._kept.discard(key)
            if self._writer is not None:
                self._writer.delete_documents_by_term("key", key)
        self._waiting = [item for item in self._waiting if item.file not in dropped]
        self._rows = [row for row in self._rows if row[0] not in dropped]
        self._prompts = [prompt for prompt in self._prompts if prompt[2] not in dropped]

    def _note_fault(self, unit: int, path: bytes, error: Exception) -> None:
        """Record as damage that documents of a unit are missing."""
        reason = fault(error, "indexing its words")
        asked = "SELECT 1 FROM damage WHERE unit = ? AND reason = ?"
        if not self.database.execute(asked, (unit, reason)).fetchone():
            row = (unit, path, None, None, None, reason, False)
            self.database.execute("INSERT INTO damage VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            self.database.execute("INSERT OR IGNORE INTO dirty SELECT session FROM unit WHERE id = ?", (unit,))

    def _recover(self) -> None:
        """Undo the records of a killed run, so that this update adds everything again; transcripts need no undo."""
        self.database.execute("BEGIN IMMEDIATE")
        for number in (TITLES, CONFIGS):
            self._forget_file(number)
        self.database.execute("UPDATE file SET words = NULL WHERE kind IN ('history', 'paste')")
        self.database.execute("UPDATE file SET end = NULL, checks = NULL WHERE kind = 'history'")
        self.database.execute("UPDATE desktop_row SET words = NULL")
        self.database.execute("INSERT OR IGNORE INTO renamed SELECT id FROM session")
        self.database.execute("DELETE FROM meta WHERE name LIKE 'words %' AND name <> ?", (OPEN,))
        self._contested |= holders.shared(self.database)
        self.database.execute("COMMIT")

    def add(self, entry: "documents.Entry", file: int, session: str | None, *, is_folded: bool = False) -> None:
        """Add an entry of a file, unless another file's copy has a document."""
        if self._writer is None or not entry.fields:
            return
        self._waiting.append(_Waiting(entry, file, session, is_folded))
        self._waiting_size += sum([len(text) for texts in entry.fields.values() for text in texts])
        if len(self._waiting) >= MOST_WAITING or self._waiting_size >= MOST_WAITING_LETTERS:
            self._write_waiting()

    def _write_waiting(self) -> None:
        """Look up all waiting entries with one query, then write those without a document."""
        waiting, self._waiting, self._waiting_size = self._waiting, [], 0
        if not waiting:
            return
        asked = json.dumps([item.entry.key for item in waiting])
        self._kept.update(key for (key,) in self.database.execute(_KEPT, (asked,)))
        for item in waiting:
            self._write_entry(*item)
        if len(self._rows) >= MOST_ROWS:
            self._write_early()

    def _write_early(self) -> None:
        """Write passages before the rows of their unit.

        Their files count as missing at once: after a kill the next update adds them again.
        """
        if self.database.in_transaction:
            self._write_rows()
            return
        files = {row[0] for row in self._rows}
        self.database.execute("BEGIN IMMEDIATE")
        try:
            self._forget_state(files)
            self._write_rows()
        except BaseException:
            self.database.rollback()
            raise
        self.database.execute("COMMIT")

    def _write_entry(self, entry: "documents.Entry", file: int, session: str | None, is_folded: bool) -> None:
        is_kept = entry.key not in self._kept
        if is_folded and is_kept and self._is_held(entry.key):
            is_kept = False
        self._is_touched = True
        self._rows.append((file, entry.key, entry.place, is_kept, entry.time, entry.is_copy))
        if entry.said is not None:
            self._prompts.append((entry.said, session, file, entry.key, entry.time))
        if not is_kept:
            self._contested.add(entry.key)
        elif self._writer is not None:
            if entry.key in self._contested:  # another file had its document before
                self._writer.delete_documents_by_term("key", entry.key)
            self._kept.add(entry.key)
            self._add_document(self._writer, entry, file, session)

    def _add_document(
        self, writer: "tantivy.IndexWriter", entry: "documents.Entry", file: int, session: str | None
    ) -> None:
        try:
            document = documents.document_of(entry, file, session)
        except Exception as error:  # noqa: BLE001 - a fault of one entry must not affect another
            self._faults[file, session] = error
        else:
            writer.add_document(document)

    def _is_held(self, key: int) -> bool:
        """Return True if a session that is no earlier copy of another has a message."""
        row = self.database.execute(
            "SELECT 1 FROM passage JOIN file ON file.id = passage.file JOIN unit ON unit.id = file.unit"
            " WHERE passage.key = ? AND unit.session NOT IN (SELECT id FROM fold) LIMIT 1",
            (key,),
        ).fetchone()
        return row is not None

    def added_with_rows(self, files: Iterable[int]) -> None:
        """Remember files whose documents were added together with their rows."""
        self._taken.update(files)

    def replace(self, file: int, places: Collection[int]) -> None:
        """Delete the entries at some places of a file, because they have changed."""
        self._write_waiting()
        dropped = {row[1]: row for row in self._rows if row[0] == file and row[2] in places}
        if dropped:
            self._rows = [row for row in self._rows if dropped.get(row[1]) != row]
            self._prompts = [item for item in self._prompts if item[2] != file or item[3] not in dropped]
            self._kept -= dropped.keys()
        for key, row in dropped.items():
            if row[3] and self._writer is not None:
                self._writer.delete_documents_by_term("key", key)
        self._delete_at(file, places)

    def present(self, file: int, places: Iterable[int]) -> set[int]:
        """Return those of some places that have an entry in a file."""
        asked = "SELECT place FROM passage WHERE file = ? AND place IN (SELECT value FROM json_each(?))"
        return {place for (place,) in self.database.execute(asked, (file, json.dumps(list(places))))}

    def _delete_at(self, file: int, places: Collection[int]) -> None:
        asked = "SELECT key FROM passage WHERE file = ? AND place IN (SELECT value FROM json_each(?))"
        found = self.database.execute(asked, (file, json.dumps(list(places)))).fetchall() if places else ()
        for (key,) in found:
            self._delete(file, key)

    def _delete(self, file: int, key: int) -> None:
        row = self.database.execute("SELECT is_kept FROM passage WHERE file = ? AND key = ?", (file, key)).fetchone()
        self.database.execute("DELETE FROM passage WHERE file = ? AND key = ?", (file, key))
        self.database.execute("DELETE FROM prompt WHERE file = ? AND key = ?", (file, key))
        if row and row[0] and self._writer is not None:
            self._contested.add(key)
            self._kept.discard(key)
            self._is_touched = True
            self._writer.delete_documents_by_term("key", key)

    def _forget_file(self, file: int) -> None:
        """Delete all entries of a file; other files take over its messages."""
        rows = self.database.execute("SELECT key FROM passage WHERE file = ? AND is_kept", (file,)).fetchall()
        self._contested |= {key for (key,) in rows}
        if self._writer is not None and (rows or self._may_have_documents(file)):
            self._is_touched = True
            self._writer.delete_documents_by_term("file", file)
        for statement in EMPTY:
            self.database.execute(_OF_FILE[statement], (file,))

    def _may_have_documents(self, file: int) -> bool:
        """Return True if a file may have documents that the catalogue does not list: a kill leaves such.

        Each deletion takes memory until the commit, so none is made for the files of a first index.
        """
        if self._was_empty:
            return False
        row = self.database.execute("SELECT size FROM file WHERE id = ?", (file,)).fetchone()
        return row is None or row[0] is not None

    def _flush(self) -> None:
        """Write passages and prompts into the catalogue, within the caller's transaction."""
        self._write_waiting()
        self._forget_state(self._taken)
        self._pending += self._taken
        self._is_touched |= bool(self._taken)
        self._taken.clear()
        self._write_rows()
        for place, error in self._faults.items():
            for unit, path in self.database.execute(_STRUCK, place).fetchall():
                self._note_fault(unit, path, error)
        self._faults.clear()

    def _forget_state(self, files: Iterable[int]) -> None:
        """Note that the documents of some files are not committed."""
        self.database.executemany("UPDATE file SET words = NULL WHERE id = ?", ((file,) for file in files))

    def _write_rows(self) -> None:
        self.database.executemany("INSERT OR IGNORE INTO passage VALUES (?, ?, ?, ?, ?, ?)", self._rows)
        self.database.executemany(
            "INSERT INTO prompt (said, session, file, key, time) VALUES (?, ?, ?, ?, ?)", self._prompts
        )
        self._rows.clear()
        self._kept.clear()
        self._prompts.clear()

    def commit(self) -> None:
        """Commit tantivy first, then record in the catalogue how far each file is indexed."""
        if self._writer is None or not (self._is_touched or self._pending):
            return
        if self._is_touched:
            self._writer.commit()
            self._text.make_private()
            self._is_touched = False
        self.database.execute("BEGIN IMMEDIATE")
        self.database.executemany(
            "UPDATE file SET words = coalesce(CASE WHEN number IS NOT NULL THEN end END, size, 0)"
            " WHERE id = ? AND words IS NULL",  # 0 means that its documents are already out of date
            ((file,) for file in self._pending),
        )
        stamp = str(self._text.stamp or 0)
        self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words', ?)", (stamp,))
        self.database.execute("COMMIT")
        self._pending.clear()
        self._uncommitted = 0

    def _assign_holders(self) -> None:
        """Give each message to the file that holds it first; mark that file, so that it is added again."""
        contested, self._contested = self._contested, set()
        for key, file in holders.misplaced(self.database, contested):
            if self._writer is not None:
                self._is_touched = True
                self._writer.delete_documents_by_term("key", key)
            self._contested.add(key)
            self.database.execute("UPDATE passage SET is_kept = 0 WHERE key = ?", (key,))
            if file == TITLES:
                self.database.execute("INSERT OR IGNORE INTO renamed SELECT id FROM session")
            self.database.execute("DELETE FROM passage WHERE file = ? AND key = ?", (file, key))
            self.database.execute("DELETE FROM meta WHERE name = 'words prompts'")
            self._pending = [number for number in self._pending if number != file]
            self.database.execute("UPDATE file SET words = NULL WHERE id = ?", (file,))
            self.database.execute(
                "UPDATE desktop_row SET words = NULL WHERE path = (SELECT path FROM file WHERE id = ?)", (file,)
            )
