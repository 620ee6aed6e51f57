"""Update the full-text index: while transcripts are read, and afterwards for everything that is still missing.

The full-text index may be older than the catalogue: lists need no words, so only `search` and `backscroll index`
come here.  The table `file` records the files to add; a transcript that only grew needs only its new messages.
A message in several files is one document, for the first of them; if that file loses it, another file takes over.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from backscroll.errors import BusyError
from backscroll.index.progress import Progress
from backscroll.index.words.numbers import CONFIGS, TITLES
from backscroll.index.words.store import FullText
from backscroll.index.words.writer import DELETED, OPEN, WordsWriter
from backscroll.lazy import lazily
from backscroll.query.fields import session_number
from backscroll.stores import kinds, side
from backscroll.stores.base import Opener

if TYPE_CHECKING:
    from backscroll.index.update import files as disk
    from backscroll.index.update.units import Unit
    from backscroll.index.words import config_prompts, documents, holders, prompt_history, side_documents, unit_words
    from backscroll.sessions.transcript import conversation, keys, source
else:
    config_prompts = lazily("backscroll.index.words.config_prompts")
    conversation = lazily("backscroll.sessions.transcript.conversation")
    disk = lazily("backscroll.index.update.files")
    documents = lazily("backscroll.index.words.documents")
    holders = lazily("backscroll.index.words.holders")
    keys = lazily("backscroll.sessions.transcript.keys")
    prompt_history = lazily("backscroll.index.words.prompt_history")
    side_documents = lazily("backscroll.index.words.side_documents")
    source = lazily("backscroll.sessions.transcript.source")
    unit_words = lazily("backscroll.index.words.unit_words")

BATCH_BYTES = 256 << 20
"""Bytes to read between two commits: the most that a kill costs, and the delay of a first search."""
ROUNDS = 8
"""The number of searches for files that take over a lost message; the next update does the rest."""

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
"""The names of a session and its agents: session, name, kind, agent, time in seconds."""
_BEHIND = "number IS NOT NULL AND (words IS NULL OR words < end)"
_SIZE_BEHIND = f"SELECT total(size) FROM file WHERE {_BEHIND}"
_UNITS_BEHIND = (
    "SELECT unit.id, unit.session, unit.agent, fold.id IS NOT NULL FROM unit LEFT JOIN fold ON fold.id = unit.session"
    f" WHERE unit.id IN (SELECT unit FROM file WHERE {_BEHIND})"
    " ORDER BY fold.id IS NOT NULL, coalesce(unit.born, '~'), unit.key"
)


class Words(WordsWriter):
    """Updates the full-text index to match the catalogue."""

    def __init__(
        self, database: sqlite3.Connection, text: FullText, on_progress: OnProgress = None, *, may_wait: bool = False
    ) -> None:
        super().__init__(database, text, may_wait=may_wait)
        self.read_again: dict[str, int] = {}
        """Path and size of each transcript that is read only for its words."""
        self._on_progress = on_progress
        self._done = self._total = 0
        self._check()

    def _check(self) -> None:
        """Empty the full-text index if it does not belong to the catalogue, or is mostly deleted documents.

        Another process may be writing at this moment, so `_open` decides that with the lock.
        """
        if not self._is_known():
            self._open()
        elif self._is_mostly_deleted() and self._open() and not self.is_restarted:
            self._restart()

    def _is_mostly_deleted(self) -> bool:
        """Return True if more documents were deleted than are left: their words take room, and distort scores.

        Those that were deleted while the index was made do not count: the next one would have them too.
        """
        deleted, kept = self._text.document_counts()
        return deleted > kept and deleted - int(self._meta(DELETED) or 0) > kept

    # While the catalogue is read

    def reading(
        self, unit: "Unit", files: Sequence[int], merged: dict[str, str]
    ) -> "Callable[[list[source.TranscriptSource]], unit_words.UnitWords] | None":
        """Return a function that makes the listener for a whole unit; None if another process writes."""
        if not self._open():
            return None
        for file in files:
            self._forget_file(file)
        return lambda sources: unit_words.UnitWords(
            self, sources, files, unit.agent, unit_words.Owner(unit.session, merged)
        )

    def growing(
        self,
        unit: "Unit",
        session: str,
        grown: "source.TranscriptSource",
        file: int,
        tool_of: Callable[[str], str | None],
    ) -> "unit_words.UnitWords | None":
        """Return the listener for the end of a transcript that grew; None if another process writes."""
        if not self._open():
            return None
        return unit_words.UnitWords(
            self, [grown], [file], unit.agent, unit_words.Owner(session, {}), grown.end, tool_of
        )

    def written(self, unit: "Unit") -> None:
        """Write the passages of a unit right after its rows.

        Until tantivy commits, its files count as missing: after a kill the next update adds them again.
        """
        if self._writer is None:
            return
        self._uncommitted += unit.size
        if self.database.in_transaction:
            self._flush()
        else:
            self._in_transaction(lambda: None)

    def batch_written(self) -> None:
        """Commit if much was read; not within a transaction."""
        if self._uncommitted >= BATCH_BYTES:
            self.commit()

    # Everything that is still missing

    def finish(self, open_file: Opener) -> None:
        """Add everything that is missing or out of date."""
        try:
            if self._writer is not None:
                self._in_transaction(self._add_names)  # one commit for the texts of a session and its new title
            self.commit()
            self._check_configs()
            for _ in range(ROUNDS):
                if not self._is_due():
                    break
                if not self._open():
                    return
                self._add_missing(open_file)
                self.commit()
            self._finish_writing()
        finally:
            self.close()

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
        if self._contested or (self._meta(OPEN) and self._writer is None):
            return True
        if any(self.database.execute(question).fetchone() for question in asked):
            return True
        return self._meta("words prompts") != self._prompt_state() and self._has_lines()

    def _size_due(self) -> int:
        return int(self.database.execute(_SIZE_BEHIND).fetchone()[0])

    def _has_lines(self) -> bool:
        """Return True if a history or a config has prompts, or had some."""
        asked = ("SELECT 1 FROM typed LIMIT 1", "SELECT 1 FROM passage WHERE file = -1 LIMIT 1")
        return any(self.database.execute(question).fetchone() for question in asked)

    def _add_missing(self, open_file: Opener) -> None:
        for file, kind in self.database.execute("SELECT id, kind FROM file WHERE words IS NULL").fetchall():
            if kind not in kinds.WITH_WORDS:
                self._in_transaction(partial(self._forget_words, file, kind))
        self._add_units(open_file)
        self._add_files()
        self._in_transaction(self._add_names)
        self._add_rows()
        self._in_transaction(self._add_prompts)
        self._in_transaction(self._assign_holders)

    def _forget_words(self, file: int, kind: str) -> None:
        """Delete the documents of a file that is gone, or has none any more."""
        self._forget_file(file)
        if kind == "gone":
            self.database.execute("DELETE FROM file WHERE id = ?", (file,))
        else:
            self._pending.append(file)

    def _add_units(self, open_file: Opener) -> None:
        """Add the transcripts that are missing or out of date."""
        rows = self.database.execute(_UNITS_BEHIND).fetchall()
        self._total, self._done = self._size_due(), 0
        for unit, session, agent, is_folded in rows:
            self._add_unit(unit, unit_words.Owner(session, {}, bool(is_folded)), agent, open_file)
            if self._uncommitted >= BATCH_BYTES:
                self.commit()

    def _add_unit(self, unit: int, owner: "unit_words.Owner", agent: str | None, open_file: Opener) -> None:
        rows = self.database.execute(
            "SELECT id, path, end, words, size FROM file WHERE unit = ? AND number IS NOT NULL ORDER BY number", (unit,)
        ).fetchall()
        files = [row[0] for row in rows]
        self.read_again.update((os.fsdecode(path), size) for _, path, *_, size in rows)
        (version,) = self.database.execute("SELECT version FROM unit WHERE id = ?", (unit,)).fetchone()
        # The key of a prompt of an old version holds the id of its answer, which may have come since.
        start = (rows[0][3] or 0) if len(rows) == 1 and not keys.is_rewriting_version(version) else 0
        if not start:
            for file in files:
                self._forget_file(file)
        sources = [source.TranscriptSource(os.fsdecode(path), open_file) for _, path, *_ in rows]
        roots = dict(
            self.database.execute("SELECT origin, root FROM named_original WHERE unit = ?", (unit,)).fetchall()
        )
        listener = unit_words.UnitWords(self, sources, files, agent, owner._replace(roots=roots), start)
        reader = conversation.ConversationReader(sources, is_agent=agent is not None, listener=listener)
        try:
            with reader.read() as whole:
                listener.finish(whole)
        except (sqlite3.Error, BusyError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one unit must not affect another
            self.give_up(files)
            self._in_transaction(partial(self._note_fault, unit, rows[-1][1], error))
        self.added_with_rows(files)
        self._in_transaction(lambda: None)
        size = sum(row[4] or 0 for row in rows)
        self._uncommitted += size
        self._done += size
        if self._on_progress is not None and self._total:
            self._on_progress(Progress(self._done, self._total, self._done, "updating the search index"))

    def _add_files(self) -> None:
        """Add the searchable files beside transcripts, and old lists of sessions."""
        wanted = json.dumps(sorted(kinds.WHOLE | {"project-index"}))
        rows = self.database.execute(
            "SELECT id, kind, path, session FROM file WHERE words IS NULL AND kind IN (SELECT value FROM json_each(?))",
            (wanted,),
        ).fetchall()
        for file, kind, path, session in rows:
            self._in_transaction(partial(self._add_file, file, kind, os.fsdecode(path), session))

    def _add_file(self, file: int, kind: str, path: str, session: str | None) -> None:
        self._forget_file(file)
        prompts = prompt_history.Typed(self.database)
        for entry in side_documents.of_file(side_documents.SideFile(kind, file, path, session, prompts)):
            self.add(entry, file, session)
        self._pending.append(file)

    def _add_names(self) -> None:
        """Add the names of sessions and agents."""
        for (session,) in self.database.execute("SELECT session FROM renamed").fetchall():
            rows = [row for question in _NAMES for row in self.database.execute(question, (session,))]
            entries = [documents.of_name(documents.Name(*row)) for row in rows]
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

    def _add_rows(self) -> None:
        """Add the texts of Desktop rows."""
        rows = self.database.execute(
            "SELECT file.id, file.path, desktop_row.session, session.messages > 0 FROM desktop_row"
            " JOIN session ON session.id = desktop_row.session JOIN file ON file.path = desktop_row.path"
            " WHERE desktop_row.words IS NOT (desktop_row.session || ' ' || (session.messages > 0))"
        ).fetchall()
        for file, path, session, has_messages in rows:
            self._in_transaction(partial(self._add_file, file, "row", os.fsdecode(path), session))
            state = f"{session} {has_messages}"
            self.database.execute("UPDATE desktop_row SET words = ? WHERE path = ?", (state, path))
        # A row that shares its file with others, or that has no session, has no document of its own.
        self.database.execute(
            "UPDATE desktop_row SET words = session || ' ' ||"
            " (SELECT messages > 0 FROM session AS joined WHERE joined.id = desktop_row.session)"
            " WHERE path NOT IN (SELECT path FROM file)"
        )
        left = self.database.execute("SELECT id FROM file WHERE kind = 'row' AND words IS NULL").fetchall()
        self._pending += [file for (file,) in left]

    # Typed prompts

    def _prompt_state(self) -> str:
        (sessions,) = self.database.execute("SELECT count(*) FROM session").fetchone()
        return f"{prompt_history.state(self.database)} {sessions} {self._meta('hints')}"

    def _add_prompts(self) -> None:
        """Add the prompts of histories and global configs that no message repeats."""
        if self._meta("words prompts") != self._prompt_state():
            self.database.execute("UPDATE file SET words = NULL WHERE kind = 'project-index' AND words IS NOT NULL")
        histories: dict[str, list[tuple[int, str, str, int | None]]] = {}
        for row in self.database.execute(
            "SELECT config, id, kind, path, words FROM file WHERE kind IN ('history', 'paste') ORDER BY kind, path"
        ).fetchall():
            config, file, kind, path, words = row
            histories.setdefault(config, []).append((file, kind, os.fsdecode(path), words))
        for files in histories.values():
            self._add_history(files)
        self._add_configs()
        state = self._prompt_state()
        self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words prompts', ?)", (state,))

    def _add_history(self, files: list[tuple[int, str, str, int | None]]) -> None:
        """Add the prompts of a history that are missing, and delete those that messages now repeat."""
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
                named |= self._add_lines(prompt_history.History(self.database, file, path, pastes))
        for file, path in pastes.values():
            self._add_paste(file, path, is_named=file in named, is_new=is_new)
        self._pending += [file for file, _, _, words in files if words is None]

    def _only_grew(self, file: int, path: str) -> bool:
        end, checks = self.database.execute("SELECT end, checks FROM file WHERE id = ?", (file,)).fetchone()
        return end is not None and checks is not None and disk.checks_of(path, end) == checks

    def _add_lines(self, history: "prompt_history.History") -> set[int]:
        """Add the lines of a history; return the files of the pastes in them."""
        fresh = history.read_on()
        held = prompt_history.Typed(self.database).held(history.file)
        rows = self.database.execute("SELECT place FROM passage WHERE file = ?", (history.file,))
        found = {place for (place,) in rows}
        self._delete_at(history.file, held & found)
        for place, line in history.lines().items():
            if place not in held and place not in found and (prompt := fresh.get(place) or history.at(place, line)):
                self.add(side_documents.of_prompt(prompt, history), history.file, None)
        end = history.end()
        checks = disk.checks_of(history.path, end)
        self.database.execute("UPDATE file SET end = ?, checks = ? WHERE id = ?", (end, checks, history.file))
        return {number for prompt in fresh.values() for number in history.files_of(prompt).values()}

    def _add_paste(self, file: int, path: str, *, is_named: bool, is_new: bool) -> None:
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

    def _check_configs(self) -> None:
        """Check if global configs have other prompts than before: Claude Code writes these files all the time."""
        files = self._configs()
        stored = json.loads(self._meta("words configs") or "[[], null, []]")
        due = "SELECT 1 FROM file WHERE kind IN ('global-config', 'config-backup') AND words IS NULL LIMIT 1"
        if stored[0] == list(files.values()) and not self.database.execute(due).fetchone():
            return
        now = config_prompts.remembered(files)
        state = [list(files.values()), now.digest.hex() if now.paths else None, [files[path] for path in now.paths]]
        self.database.execute("BEGIN IMMEDIATE")
        if state[1:] != stored[1:]:
            config_prompts.write_lines(self.database, files)
            self.database.execute("DELETE FROM meta WHERE name = 'words prompts'")
        value = json.dumps(state)
        self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words configs', ?)", (value,))
        self.database.executemany("UPDATE file SET words = size WHERE id = ?", ((file,) for file in files.values()))
        self.database.execute("COMMIT")

    def _add_configs(self) -> None:
        """Add the prompts of global configs that are missing, and delete those that are not needed."""
        files = self._configs()
        known = set(files.values())
        wanted = config_prompts.wanted(self.database)
        rows = self.database.execute("SELECT place FROM passage WHERE file = ?", (CONFIGS,))
        found = {place for (place,) in rows}
        holding = json.loads(self._meta("words configs") or "[[], null, []]")[2]
        if self._meta("words config files") != repr(holding) or not known.issuperset(holding):
            self._delete_at(CONFIGS, found)  # other files hold them now
            found = set()
            self.database.execute("INSERT OR REPLACE INTO meta VALUES ('words config files', ?)", (repr(holding),))
        self._delete_at(CONFIGS, found - wanted)
        if wanted - found:
            for entry in config_prompts.entries(files, wanted - found):
                self.add(entry, CONFIGS, None)
