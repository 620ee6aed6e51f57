"""Take in the words of what changed: while transcripts are read, and afterwards of everything that is not in yet.

The words may lag behind the catalogue: lists need none, so only a search, and `backscroll index`, come here.  A file
whose words are missing says so in the table `file`; of a transcript that only grew, the new messages are taken in.
A message that several files hold is written once, for the first of them; when that one loses it, another takes it over.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from backscroll.errors import BusyError
from backscroll.index.progress import Progress
from backscroll.index.words.documents import Entry, Name, document_of, of_name
from backscroll.index.words.numbers import CONFIGS, TITLES
from backscroll.index.words.store import FullText
from backscroll.index.words.taking import Owner, Taking
from backscroll.lazy import lazily
from backscroll.sessions.conversation import ConversationReader
from backscroll.sessions.source import Source
from backscroll.stores import kinds, side
from backscroll.stores.base import Opener
from backscroll.text.fields import session_number

if TYPE_CHECKING:
    import tantivy

    from backscroll.index.update import files as disk
    from backscroll.index.update.units import Unit
    from backscroll.index.words import config_prompts, prompt_history, side_documents
else:
    config_prompts = lazily("backscroll.index.words.config_prompts")
    disk = lazily("backscroll.index.update.files")
    prompt_history = lazily("backscroll.index.words.prompt_history")
    side_documents = lazily("backscroll.index.words.side_documents")

BATCH_BYTES = 256 << 20
"""What is read between two commits: what a kill costs at most, and how late a first search may begin."""
WORTH_MUCH = 4 << 20
"""From so many bytes on, words are taken in with much memory."""
OPEN = "words open"
"""The note in the catalogue that somebody is taking in words; one that is left tells of a kill."""
ROUNDS = 8
"""So often are files that take over a lost message looked for; what is left is for the next update."""

OnProgress = Callable[[Progress], None] | None
_NAMES = (
    (
        "SELECT id, title, 'title', NULL, unixepoch(updated) FROM session WHERE id = ? AND folded_into IS NULL"
        " AND title IS NOT NULL AND title_source NOT IN ('first-prompt', 'last-prompt')"
    ),
    (
        "SELECT id, tag, 'tag', NULL, unixepoch(updated) FROM session WHERE id = ? AND folded_into IS NULL"
        " AND tag IS NOT NULL"
    ),
    (
        "SELECT session.id, agent.description, 'agent', agent.id, unixepoch(session.updated) FROM session"
        " JOIN agent ON agent.session = session.id WHERE session.id = ? AND folded_into IS NULL AND agent.call IS NULL"
        " AND agent.description IS NOT NULL"
    ),
)
"""What a session and its agents are called: session, name, what it is, agent, time in seconds."""
_BEHIND = "number IS NOT NULL AND (words IS NULL OR words < end)"
_SIZE_BEHIND = f"SELECT total(size) FROM file WHERE {_BEHIND}"
_UNITS_BEHIND = (
    "SELECT unit.id, unit.session, unit.agent, fold.id IS NOT NULL FROM unit LEFT JOIN fold ON fold.id = unit.session"
    f" WHERE unit.id IN (SELECT unit FROM file WHERE {_BEHIND})"
    " ORDER BY fold.id IS NOT NULL, coalesce(unit.born, '~'), unit.key"
)
_EMPTY = ("DELETE FROM passage", "DELETE FROM prompt", "DELETE FROM typed")
_OF_FILE = {statement: f"{statement} WHERE file = ?" for statement in _EMPTY}


class Words:
    """The words while they are brought in step with the catalogue."""

    def __init__(
        self, database: sqlite3.Connection, text: FullText, on_progress: OnProgress = None, *, may_wait: bool = False
    ) -> None:
        self.database = database
        self._text = text
        self._on_progress = on_progress
        self._may_wait = may_wait
        self._stack = ExitStack()
        self._writer: tantivy.IndexWriter | None = None
        self._pending: list[int] = []
        """Files whose words are written and not committed."""
        self._taken: set[int] = set()
        """Files whose words were taken in, and whose rows are not written yet."""
        self._uncommitted = 0
        self._is_touched = False
        """Something was written that is not committed."""
        self._rows: list[tuple[int, int, int, bool]] = []
        self._kept: set[int] = set()
        """Passages that are not written into the catalogue yet, and the keys of those whose words are kept."""
        self._prompts: list[tuple[int, str | None, int, int, int | None]] = []
        self._lost: set[int] = set()
        self._done = self._total = 0
        self.is_current = True
        """False where another process is at it: all that it has not committed cannot be found yet."""
        self._check()

    def _check(self) -> None:
        """Forget what the catalogue believes where the words are not those that it knows."""
        row = self.database.execute("SELECT value FROM meta WHERE name = 'words'").fetchone()
        stamp = self._text.stamp
        if row is not None and stamp is not None and (self._text.directory is None or stamp >= int(row[0])):
            return
        if row is None and not self.database.execute("SELECT 1 FROM passage LIMIT 1").fetchone() and stamp == 0:
            return
        self.database.execute("BEGIN IMMEDIATE")
        for statement in _EMPTY:
            self.database.execute(statement)
        self.database.execute("UPDATE file SET words = NULL WHERE words <> 0 OR number IS NOT NULL")
        self._mark_side_files()
        self.database.execute("UPDATE desktop_row SET words = NULL")
        self.database.execute("INSERT OR IGNORE INTO renamed SELECT id FROM session")
        self.database.execute("DELETE FROM meta WHERE name LIKE 'words%'")
        self.database.execute("COMMIT")
        if self._open(is_bulk=False) and self._writer is not None:
            self._is_touched = True
            self._writer.delete_all_documents()

    def _mark_side_files(self) -> None:
        names = json.dumps(sorted(kinds.WITH_WORDS))
        self.database.execute("UPDATE file SET words = NULL WHERE kind IN (SELECT value FROM json_each(?))", (names,))

    # While the catalogue is read

    def reading(
        self, unit: "Unit", files: Sequence[int], merged: dict[str, str]
    ) -> "Callable[[list[Source]], Taking] | None":
        """Return what makes the listener for a unit that is read from its start; None where somebody else writes."""
        if not self._open(is_bulk=unit.size > WORTH_MUCH or self._uncommitted > 0):
            return None
        for file in files:
            self._forget_file(file)
        return lambda sources: Taking(self, sources, files, unit.agent, Owner(unit.session, merged))

    def growing(
        self, unit: "Unit", session: str, source: Source, file: int, tool_of: Callable[[str], str | None]
    ) -> "Taking | None":
        """Return the listener for the end of a transcript that grew; None where somebody else writes."""
        if not self._open(is_bulk=False):
            return None
        return Taking(self, [source], [file], unit.agent, Owner(session, {}), source.end, tool_of)

    def written(self, unit: "Unit") -> None:
        """Write down the passages of a unit whose rows were just written.

        Until the words are committed, its files count as not taken in: a kill means that they are taken in anew.
        """
        if self._writer is None:
            return
        self._uncommitted += unit.size
        if self.database.in_transaction:
            self._flush()
        else:
            self._in_transaction(lambda: None)

    def batch_written(self) -> None:
        """Commit the words where much was read; not within a transaction."""
        if self._uncommitted >= BATCH_BYTES:
            self.commit()

    # Everything that is not in yet

    def finish(self, open_file: Opener) -> None:
        """Take in everything that is not in step with the catalogue."""
        try:
            self.commit()
            self._look_at_configs()
            for _ in range(ROUNDS):
                if not self._is_due():
                    break
                if not self._open(is_bulk=self._size_due() > WORTH_MUCH):
                    return
                self._take_in(open_file)
                self.commit()
            if self._writer is not None:
                self.database.execute("DELETE FROM meta WHERE name = ?", (OPEN,))
        finally:
            self.close()

    def close(self) -> None:
        """Give the index back; whatever is not committed is dropped."""
        self._writer = None
        self._stack.close()

    def _is_due(self) -> bool:
        asked = (
            f"SELECT 1 FROM file WHERE {_BEHIND} LIMIT 1",
            "SELECT 1 FROM file WHERE words IS NULL LIMIT 1",
            "SELECT 1 FROM renamed LIMIT 1",
            (
                "SELECT 1 FROM desktop_row JOIN session ON session.id = session"
                " WHERE words IS NOT (desktop_row.session || ' ' || (session.messages > 0)) LIMIT 1"
            ),
        )
        if self._meta(OPEN) and self._writer is None:
            return True
        if any(self.database.execute(question).fetchone() for question in asked):
            return True
        return self._meta("words prompts") != self._prompt_state() and self._has_lines()

    def _size_due(self) -> int:
        row = self.database.execute(_SIZE_BEHIND).fetchone()
        return int(row[0])

    def _has_lines(self) -> bool:
        """Say whether a history or a config remembers anything, or did."""
        asked = ("SELECT 1 FROM typed LIMIT 1", "SELECT 1 FROM passage WHERE file = -1 LIMIT 1")
        return any(self.database.execute(question).fetchone() for question in asked)

    def _take_in(self, open_file: Opener) -> None:
        for file, kind in self.database.execute("SELECT id, kind FROM file WHERE words IS NULL").fetchall():
            if kind not in kinds.WITH_WORDS:
                self._in_transaction(partial(self._forget_words, file, kind))
        self._take_in_units(open_file)
        self._take_in_files()
        self._in_transaction(self._take_in_names)
        self._take_in_rows()
        self._in_transaction(self._take_in_prompts)
        self._in_transaction(self._give_away)

    def _in_transaction(self, act: Callable[[], None]) -> None:
        self.database.execute("BEGIN IMMEDIATE")
        try:
            act()
            self._flush()
        except BaseException:
            self.database.rollback()
            raise
        self.database.execute("COMMIT")

    def _forget_words(self, file: int, kind: str) -> None:
        """Delete the words of a file that is gone, or has none any more."""
        self._forget_file(file)
        if kind == "gone":
            self.database.execute("DELETE FROM file WHERE id = ?", (file,))
        else:
            self._pending.append(file)

    def _take_in_units(self, open_file: Opener) -> None:
        """Take in the transcripts whose words are missing or behind."""
        rows = self.database.execute(_UNITS_BEHIND).fetchall()
        self._total = self._size_due()
        self._done = 0
        for unit, session, agent, is_folded in rows:
            self._take_in_unit(unit, Owner(session, {}, bool(is_folded)), agent, open_file)
            if self._uncommitted >= BATCH_BYTES:
                self.commit()

    def _take_in_unit(self, unit: int, owner: "Owner", agent: str | None, open_file: Opener) -> None:
        rows = self.database.execute(
            "SELECT id, path, end, words, size FROM file WHERE unit = ? AND number IS NOT NULL ORDER BY number", (unit,)
        ).fetchall()
        files = [row[0] for row in rows]
        start = (rows[0][3] or 0) if len(rows) == 1 else 0
        if not start:
            for file in files:
                self._forget_file(file)
        sources = [Source(os.fsdecode(path), open_file) for _, path, *_ in rows]
        taking = Taking(self, sources, files, agent, owner, start)
        reader = ConversationReader(sources, is_agent=agent is not None, listener=taking)
        try:
            with reader.read() as conversation:
                taking.finish(conversation)
        except (sqlite3.Error, BusyError):
            raise
        except Exception:  # noqa: BLE001 - its words are missing, and the catalogue tells of the fault
            self._rows.clear()
        self.took(files)
        self._in_transaction(lambda: None)
        size = sum(row[4] or 0 for row in rows)
        self._uncommitted += size
        self._done += size
        if self._on_progress is not None and self._total:
            self._on_progress(Progress(self._done, self._total, self._done, "taking in words"))

    def _take_in_files(self) -> None:
        """Take in the files beside transcripts that are found by themselves, and old lists of sessions."""
        wanted = json.dumps(sorted(kinds.WHOLE | {"project-index"}))
        rows = self.database.execute(
            "SELECT id, kind, path, session FROM file WHERE words IS NULL AND kind IN (SELECT value FROM json_each(?))",
            (wanted,),
        ).fetchall()
        for file, kind, path, session in rows:
            self._in_transaction(partial(self._take_in_file, file, kind, os.fsdecode(path), session))

    def _take_in_file(self, file: int, kind: str, path: str, session: str | None) -> None:
        self._forget_file(file)
        prompts = prompt_history.Typed(self.database)
        for entry in side_documents.of_file(side_documents.SideFile(kind, file, path, session, prompts)):
            self.add(entry, file, session)
        self._pending.append(file)

    def _take_in_names(self) -> None:
        """Take in what sessions and agents are called."""
        for (session,) in self.database.execute("SELECT session FROM renamed").fetchall():
            rows = [row for question in _NAMES for row in self.database.execute(question, (session,))]
            entries = [of_name(Name(*row)) for row in rows]
            keys = {entry.key for entry in entries}
            place = session_number(session)
            held = self.database.execute("SELECT key FROM passage WHERE file = ? AND place = ?", (TITLES, place))
            known = {key for (key,) in held}
            for key in known - keys:
                self._delete(TITLES, key)
            for entry in entries:
                if entry.key not in known:
                    self.add(entry, TITLES, session)
        self.database.execute("DELETE FROM renamed")

    def _take_in_rows(self) -> None:
        """Take in what rows of Desktop tell of their sessions."""
        rows = self.database.execute(
            "SELECT file.id, file.path, desktop_row.session, session.messages > 0 FROM desktop_row"
            " JOIN session ON session.id = desktop_row.session JOIN file ON file.path = desktop_row.path"
            " WHERE desktop_row.words IS NOT (desktop_row.session || ' ' || (session.messages > 0))"
        ).fetchall()
        for file, path, session, has_messages in rows:
            self._in_transaction(partial(self._take_in_file, file, "row", os.fsdecode(path), session))
            state = f"{session} {has_messages}"
            self.database.execute("UPDATE desktop_row SET words = ? WHERE path = ?", (state, path))
        # A row that is listed in a file with others, or that means no session, has no words of its own.
        self.database.execute(
            "UPDATE desktop_row SET words = session || ' ' ||"
            " (SELECT messages > 0 FROM session AS joined WHERE joined.id = desktop_row.session)"
            " WHERE path NOT IN (SELECT path FROM file)"
        )
        left = self.database.execute("SELECT id FROM file WHERE kind = 'row' AND words IS NULL").fetchall()
        self._pending += [file for (file,) in left]

    # What was typed

    def _prompt_state(self) -> str:
        (sessions,) = self.database.execute("SELECT count(*) FROM session").fetchone()
        return f"{prompt_history.state(self.database)} {sessions} {self._meta('hints')}"

    def _meta(self, name: str) -> str:
        row = self.database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def _take_in_prompts(self) -> None:
        """Take in what histories and global configs remember, as far as no message holds it."""
        if self._meta("words prompts") != self._prompt_state():
            self.database.execute("UPDATE file SET words = NULL WHERE kind = 'project-index' AND words IS NOT NULL")
        histories: dict[str, list[tuple[int, str, str, int | None]]] = {}
        for row in self.database.execute(
            "SELECT config, id, kind, path, words FROM file WHERE kind IN ('history', 'paste') ORDER BY kind, path"
        ).fetchall():
            config, file, kind, path, words = row
            histories.setdefault(config, []).append((file, kind, os.fsdecode(path), words))
        for files in histories.values():
            self._take_in_history(files)
        self._take_in_configs()
        state = self._prompt_state()
        self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words prompts', ?)", (state,))

    def _take_in_history(self, files: list[tuple[int, str, str, int | None]]) -> None:
        """Find the prompts of a history that must be found and are not, and forget those that messages now hold."""
        pastes = {side.paste_name(path): (file, path) for file, kind, path, _ in files if kind == "paste"}
        is_new = any(words is None for _, kind, _, words in files if kind == "paste")
        for file, kind, path, words in files:
            if kind == "history":
                is_new |= words is None and not self._only_grew(file, path)
        if is_new:
            for file, *_ in files:
                self._forget_file(file)
        named: set[int] = set()
        for file, kind, path, _ in files:
            if kind == "history":
                named |= self._take_in_lines(prompt_history.History(self.database, file, path, pastes))
        for file, path in pastes.values():
            self._take_in_paste(file, path, is_named=file in named, is_new=is_new)
        self._pending += [file for file, _, _, words in files if words is None]

    def _only_grew(self, file: int, path: str) -> bool:
        end, checks = self.database.execute("SELECT end, checks FROM file WHERE id = ?", (file,)).fetchone()
        return end is not None and checks is not None and disk.checks_of(path, end) == checks

    def _take_in_lines(self, history: "prompt_history.History") -> set[int]:
        """Take in the lines of a history; return the files of the pastes that any of them names."""
        fresh = history.read_on()
        held = prompt_history.Typed(self.database).held(history.file)
        rows = self.database.execute("SELECT place FROM passage WHERE file = ?", (history.file,))
        found = {place for (place,) in rows}
        for place in held & found:
            self._delete_at(history.file, place)
        for place, line in history.lines().items():
            if place not in held and place not in found and (prompt := fresh.get(place) or history.at(place, line)):
                self.add(side_documents.of_prompt(prompt, history), history.file, None)
        end = history.end()
        checks = disk.checks_of(history.path, end)
        self.database.execute("UPDATE file SET end = ?, checks = ? WHERE id = ?", (end, checks, history.file))
        return {number for prompt in fresh.values() for number in history.files_of(prompt).values()}

    def _take_in_paste(self, file: int, path: str, *, is_named: bool, is_new: bool) -> None:
        if is_named:
            self._forget_file(file)
        elif is_new:
            for entry in side_documents.of_paste(file, path):
                self.add(entry, file, None)

    def _configs(self) -> dict[str, int]:
        """Return the global configs and their backups, and their numbers."""
        rows = self.database.execute(
            "SELECT path, id FROM file WHERE kind IN ('global-config', 'config-backup')"
            " ORDER BY kind <> 'global-config', path"
        )
        return {os.fsdecode(path): file for path, file in rows}

    def _look_at_configs(self) -> None:
        """See whether global configs remember other prompts than before: Claude Code writes them all the time."""
        files = self._configs()
        stored = json.loads(self._meta("words configs") or "[[], null, []]")
        due = "SELECT 1 FROM file WHERE kind IN ('global-config', 'config-backup') AND words IS NULL LIMIT 1"
        if stored[0] == list(files.values()) and not self.database.execute(due).fetchone():
            return
        now = config_prompts.remembered(files)
        state = [list(files.values()), now.digest.hex() if now.paths else None, [files[path] for path in now.paths]]
        self.database.execute("BEGIN IMMEDIATE")
        if state[1:] != stored[1:]:
            config_prompts.write_down(self.database, files)
            self.database.execute("DELETE FROM meta WHERE name = 'words prompts'")
        value = json.dumps(state)
        self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words configs', ?)", (value,))
        self.database.executemany("UPDATE file SET words = size WHERE id = ?", ((file,) for file in files.values()))
        self.database.execute("COMMIT")

    def _take_in_configs(self) -> None:
        """Find the prompts of global configs that must be found and are not, and forget those that need not be."""
        files = self._configs()
        known = set(files.values())
        wanted = config_prompts.wanted(self.database)
        rows = self.database.execute("SELECT place FROM passage WHERE file = ?", (CONFIGS,))
        found = {place for (place,) in rows}
        holding = json.loads(self._meta("words configs") or "[[], null, []]")[2]
        if self._meta("words config files") != repr(holding) or not known.issuperset(holding):
            self._forget_file_of_configs(found)
            found = set()
            self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words config files', ?)", (repr(holding),))
        for place in found - wanted:
            self._delete_at(CONFIGS, place)
        if wanted - found:
            for entry in config_prompts.entries(files, wanted - found):
                self.add(entry, CONFIGS, None)

    def _forget_file_of_configs(self, places: set[int]) -> None:
        """Delete all prompts of global configs: others of these files hold them now."""
        for place in places:
            self._delete_at(CONFIGS, place)

    # Writing

    def _open(self, *, is_bulk: bool) -> bool:
        """Take the index for writing; False where somebody else has it."""
        if self._writer is not None:
            return True
        if not self.is_current:
            return False
        try:
            self._writer = self._stack.enter_context(self._text.writer(is_bulk=is_bulk, may_wait=self._may_wait))
        except BusyError:
            self.is_current = False
            return False
        if self._meta(OPEN):
            self._recover()
        self.database.execute("INSERT OR REPLACE INTO meta VALUES (?, 'yes')", (OPEN,))
        return True

    def _recover(self) -> None:
        """Have everything taken in anew that a killed run may have said to be in: files say so themselves."""
        self.database.execute("BEGIN IMMEDIATE")
        for number in (TITLES, CONFIGS):
            self._forget_file(number)
        self.database.execute("UPDATE file SET words = NULL WHERE kind IN ('history', 'paste')")
        self.database.execute("UPDATE file SET end = NULL, checks = NULL WHERE kind = 'history'")
        self.database.execute("UPDATE desktop_row SET words = NULL")
        self.database.execute("INSERT OR IGNORE INTO renamed SELECT id FROM session")
        self.database.execute("DELETE FROM meta WHERE name LIKE 'words %' AND name <> ?", (OPEN,))
        self.database.execute("COMMIT")

    def add(self, entry: Entry, file: int, session: str | None, *, is_folded: bool = False) -> None:
        """Write an entry of a file, unless the words of another file's copy are kept."""
        if self._writer is None or not entry.fields:
            return
        is_kept = not self._is_kept(entry.key)
        if is_folded and is_kept and self._is_held(entry.key):
            is_kept = False
            self._lost.add(entry.key)
        self._is_touched = True
        self._rows.append((file, entry.key, entry.place, is_kept))
        if entry.said is not None:
            self._prompts.append((entry.said, session, file, entry.key, entry.time))
        if is_kept:
            self._kept.add(entry.key)
            self._writer.add_document(document_of(entry, file, session))

    def _is_kept(self, key: int) -> bool:
        if key in self._kept:
            return True
        row = self.database.execute("SELECT 1 FROM passage WHERE key = ? AND is_kept LIMIT 1", (key,)).fetchone()
        return row is not None

    def _is_held(self, key: int) -> bool:
        """Say whether a session that is no earlier copy of another holds a message."""
        row = self.database.execute(
            "SELECT 1 FROM passage JOIN file ON file.id = passage.file JOIN unit ON unit.id = file.unit"
            " WHERE passage.key = ? AND unit.session NOT IN (SELECT id FROM fold) LIMIT 1",
            (key,),
        ).fetchone()
        return row is not None

    def took(self, files: Iterable[int]) -> None:
        """Remember files whose words are taken in with their rows."""
        self._taken.update(files)

    def replace(self, file: int, place: int) -> None:
        """Delete what a file held at a place, which has changed meanwhile."""
        for row in [row for row in self._rows if row[0] == file and row[2] == place]:
            self._rows.remove(row)
            self._prompts = [prompt for prompt in self._prompts if prompt[2:4] != row[:2]]
            self._kept.discard(row[1])
            if row[3] and self._writer is not None:
                self._writer.delete_documents_by_term("key", row[1])
        self._delete_at(file, place)

    def present(self, file: int, places: Iterable[int]) -> set[int]:
        """Return those of some places at which a file holds something that is found."""
        asked = "SELECT place FROM passage WHERE file = ? AND place IN (SELECT value FROM json_each(?))"
        return {place for (place,) in self.database.execute(asked, (file, json.dumps(list(places))))}

    def _delete_at(self, file: int, place: int) -> None:
        for (key,) in self.database.execute(
            "SELECT key FROM passage WHERE file = ? AND place = ?", (file, place)
        ).fetchall():
            self._delete(file, key)

    def _delete(self, file: int, key: int) -> None:
        row = self.database.execute("SELECT is_kept FROM passage WHERE file = ? AND key = ?", (file, key)).fetchone()
        self.database.execute("DELETE FROM passage WHERE file = ? AND key = ?", (file, key))
        self.database.execute("DELETE FROM prompt WHERE file = ? AND key = ?", (file, key))
        if row and row[0] and self._writer is not None:
            self._lost.add(key)
            self._is_touched = True
            self._writer.delete_documents_by_term("key", key)

    def _forget_file(self, file: int) -> None:
        """Delete all that a file holds; others take over the messages whose words were kept for it."""
        rows = self.database.execute("SELECT key FROM passage WHERE file = ? AND is_kept", (file,))
        self._lost |= {key for (key,) in rows}
        if self._writer is not None and self._was_taken_in(file):
            self._is_touched = True
            self._writer.delete_documents_by_term("file", file)
        for statement in _EMPTY:
            self.database.execute(_OF_FILE[statement], (file,))

    def _was_taken_in(self, file: int) -> bool:
        """Say whether the words may hold anything of a file: not where it was never looked at before."""
        row = self.database.execute("SELECT size FROM file WHERE id = ?", (file,)).fetchone()
        return row is None or row[0] is not None

    def _flush(self) -> None:
        """Write passages and prompts into the catalogue, within a transaction of the caller's."""
        self.database.executemany("UPDATE file SET words = NULL WHERE id = ?", ((file,) for file in self._taken))
        self._pending += self._taken
        self._is_touched |= bool(self._taken)
        self._taken.clear()
        self.database.executemany("INSERT OR IGNORE INTO passage VALUES (?, ?, ?, ?)", self._rows)
        self.database.executemany(
            "INSERT INTO prompt (said, session, file, key, time) VALUES (?, ?, ?, ?, ?)", self._prompts
        )
        self._rows.clear()
        self._kept.clear()
        self._prompts.clear()

    def commit(self) -> None:
        """Commit the words first, then say in the catalogue how far they are in."""
        if self._writer is None or not (self._is_touched or self._pending):
            return
        if self._is_touched:
            self._writer.commit()
            self._text.make_private()
            self._is_touched = False
        self.database.execute("BEGIN IMMEDIATE")
        self.database.executemany(
            "UPDATE file SET words = coalesce(CASE WHEN number IS NOT NULL THEN end END, size, 0) WHERE id = ?",
            ((file,) for file in self._pending),
        )
        stamp = str(self._text.stamp or 0)
        self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words', ?)", (stamp,))
        self.database.execute("COMMIT")
        self._pending.clear()
        self._uncommitted = 0

    def _give_away(self) -> None:
        """Have files taken in once more that hold messages whose words are kept for nobody any more."""
        lost, self._lost = self._lost, set()
        for key in lost:
            if self._is_kept(key):
                continue
            row = self.database.execute(
                "SELECT passage.file FROM passage LEFT JOIN file ON file.id = passage.file"
                " LEFT JOIN unit ON unit.id = file.unit LEFT JOIN fold ON fold.id = unit.session"
                " WHERE passage.key = ? ORDER BY fold.id IS NOT NULL, passage.file LIMIT 1",
                (key,),
            ).fetchone()
            if row is None:
                continue
            if row[0] == TITLES:
                self.database.execute("INSERT OR IGNORE INTO renamed SELECT id FROM session")
            self.database.execute("DELETE FROM passage WHERE file = ? AND key = ?", (row[0], key))
            self.database.execute("DELETE FROM meta WHERE name = 'words prompts'")
            self._pending = [file for file in self._pending if file != row[0]]
            self.database.execute("UPDATE file SET words = NULL WHERE id = ?", row)
            self.database.execute(
                "UPDATE desktop_row SET words = NULL WHERE path = (SELECT path FROM file WHERE id = ?)", row
            )
