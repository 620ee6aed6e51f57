"""Taking: takes in the words of one unit while its records are read."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from backscroll.index.words.documents import Entry, entry_of
from backscroll.records import Record
from backscroll.sessions.asides import Said
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.facts import Aside
from backscroll.sessions.heads import Head
from backscroll.sessions.passages import Passage, Passages, said_in, title_in
from backscroll.sessions.rows import Row
from backscroll.sessions.source import Source
from backscroll.sessions.tree import Node
from backscroll.value import NamedTuple

_OF_UNIT = "WHERE unit = (SELECT unit FROM file WHERE id = ?)"
_ASIDES = f"SELECT name, type, key, opening, time, session, 0, offset, length, line FROM aside {_OF_UNIT}"
_PROMPTS = f"SELECT text, label FROM message {_OF_UNIT} AND text IS NOT NULL"
_NOTICES = f"SELECT name FROM evidence {_OF_UNIT} AND kind = 'notified'"


class Sink(Protocol):
    """Where entries go."""

    database: sqlite3.Connection

    def add(self, entry: Entry, file: int, session: str | None, *, is_folded: bool = False) -> None:
        """Write an entry of a file."""

    def replace(self, file: int, place: int) -> None:
        """Delete what a file held at a place."""

    def present(self, file: int, places: Iterable[int]) -> set[int]:
        """Return those of some places at which a file holds something that is found."""

    def took(self, files: Iterable[int]) -> None:
        """Remember files whose words are taken in with their rows."""


class Owner(NamedTuple):
    """The session that words belong to; None where only the records tell."""

    session: str | None
    merged: dict[str, str]
    is_folded: bool = False


class Taking:
    """Takes in the words of one unit while its records are read."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that a unit's words depend on
        self,
        words: Sink,
        sources: Sequence[Source],
        files: Sequence[int],
        agent: str | None,
        owner: Owner,
        start: int = 0,
        tool_of: Callable[[str], str | None] | None = None,
    ) -> None:
        self._words = words
        self._files = files
        self._owner = owner
        self._start = start
        self._is_end = tool_of is not None
        """Only the end of the transcript is read."""
        self._passages = Passages(sources, agent, self._emit, start, tool_of)
        self._waiting: list[Passage] = []
        """Passages of a unit whose session is not known yet."""

    def begin(self, source: int) -> None:
        """Take the records of another source from now on."""
        self._passages.begin(source)

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Take a record."""
        self._passages.hear(record, head, row, node, agent)

    def finish(self, conversation: Conversation) -> None:
        """Take what is known only in the end."""
        if self._owner.session is None:
            told = next(iter(conversation.facts.session_ids), None) or "(unknown)"
            self._owner = self._owner._replace(session=self._owner.merged.get(told, told))
        for passage in self._waiting:
            self._emit(passage)
        self._passages.finish(conversation)
        asides = dict(conversation.facts.asides)
        said = said_in(conversation)
        if self._is_end:
            asides, said = self._with_earlier(conversation)
        self._tell_asides(asides, said)
        self._words.took(self._files)

    def _with_earlier(self, conversation: Conversation) -> tuple[dict[str, Aside], Said]:
        """Return all asides of a transcript of which only the end was read, and what its messages say."""
        database, (file,) = self._words.database, self._files
        asides = {name: Aside(*row) for name, *row in database.execute(_ASIDES, (file,))}
        prompts = database.execute(_PROMPTS, (file,))
        nodes = [(row.text_key, row.label) for node in conversation.tree.nodes for row in node.rows if row.text_key]
        notices = database.execute(_NOTICES, (file,))
        told = {*conversation.facts.notified, *(bytes.fromhex(name) for (name,) in notices)}
        return {**conversation.facts.asides, **asides}, Said([*prompts, *nodes], told, title_in(conversation.facts))

    def _tell_asides(self, asides: dict[str, Aside], said: Said) -> None:
        found = list(said.found(asides))
        places = [aside.offset for aside in asides.values()]
        present = self._words.present(self._files[0], places) if self._start and places else set()
        if self._start:
            wanted = {aside.offset for aside in found}
            for aside in asides.values():
                if aside.offset in present and aside.offset not in wanted:
                    self._words.replace(self._files[aside.source], aside.offset)
        self._passages.tell_asides(aside for aside in found if aside.offset not in present)

    def _emit(self, passage: Passage) -> None:
        if self._owner.session is None:
            self._waiting.append(passage)
            return
        file = self._files[passage.spans[0][0]]
        if passage.is_changed or self._start:
            self._words.replace(file, passage.spans[0][1])
        entry = entry_of(passage, self._files)
        self._words.add(entry, file, self._owner.session, is_folded=self._owner.is_folded)
