"""UnitWords: add one unit to the full-text index while its records are read."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from backscroll.index.words.documents import Entry, entry_of
from backscroll.records import Record
from backscroll.sessions.searchable.messages import Passage, Passages, said_in, title_in
from backscroll.sessions.searchable.side_records import SpokenTexts
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import Aside
from backscroll.sessions.transcript.heads import Head
from backscroll.sessions.transcript.rows import Row
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import Node

_OF_UNIT = "WHERE unit = (SELECT unit FROM file WHERE id = ?)"
_ASIDES = f"SELECT name, type, key, opening, time, session, 0, offset, length, line FROM aside {_OF_UNIT}"
_PROMPTS = f"SELECT text, label FROM message {_OF_UNIT} AND text IS NOT NULL"
_NOTICES = f"SELECT name FROM evidence {_OF_UNIT} AND kind = 'notified'"


class Sink(Protocol):
    """Receives entries."""

    database: sqlite3.Connection

    def add(self, entry: Entry, file: int, session: str | None, *, is_folded: bool = False) -> None:
        """Write an entry of a file."""

    def replace(self, file: int, places: Collection[int]) -> None:
        """Delete the entries at some places of a file."""

    def present(self, file: int, places: Iterable[int]) -> set[int]:
        """Return those of some places that have an entry in a file."""

    def added_with_rows(self, files: Iterable[int]) -> None:
        """Remember files whose documents were added together with their rows."""


class Owner(NamedTuple):
    """The session that entries belong to; None if only the records name it."""

    session: str | None
    merged: dict[str, str]
    is_folded: bool = False
    roots: Mapping[bytes, bytes] = MappingProxyType({})
    """The first originals of copied records; see `Keys`."""


class UnitWords:
    """Adds one unit to the full-text index while its records are read."""

    def __init__(  # noqa: PLR0913, PLR0917 - a unit's entries depend on all of them
        self,
        words: Sink,
        sources: Sequence[TranscriptSource],
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
        """True if only the end of the transcript is read."""
        self._passages = Passages(sources, agent, self._emit, start, tool_of, owner.roots)
        self._waiting: list[Passage] = []
        """Passages of a unit whose session is not known yet."""

    def begin(self, source: int) -> None:
        """Expect records of another source from now on."""
        self._passages.begin(source)

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Add a record."""
        self._passages.hear(record, head, row, node, agent)

    def finish(self, conversation: Conversation) -> None:
        """Add the entries that are known only at the end."""
        if self._owner.session is None:
            told = next(iter(conversation.facts.session_ids), None) or "(unknown)"
            self._owner = self._owner._replace(session=self._owner.merged.get(told, told))
        for passage in self._waiting:
            self._emit(passage)
        self._replace(self._passages.reopened())
        self._passages.finish(conversation)
        if self._is_end:
            self._tell_asides(*self._with_earlier(conversation))
        elif conversation.facts.asides:
            self._tell_asides(dict(conversation.facts.asides), said_in(conversation))
        self._words.added_with_rows(self._files)

    def _with_earlier(self, conversation: Conversation) -> tuple[dict[str, Aside], SpokenTexts]:
        """Return all asides of a transcript of which only the end was read, and the texts of its messages."""
        database, (file,) = self._words.database, self._files
        asides = {name: Aside(*row) for name, *row in database.execute(_ASIDES, (file,))}
        prompts = database.execute(_PROMPTS, (file,))
        nodes = [(row.text_key, row.label) for node in conversation.tree.nodes for row in node.rows if row.text_key]
        notices = database.execute(_NOTICES, (file,))
        told = {*conversation.facts.notified, *(bytes.fromhex(name) for (name,) in notices)}
        return {**conversation.facts.asides, **asides}, SpokenTexts(
            [*prompts, *nodes], told, title_in(conversation.facts)
        )

    def _tell_asides(self, asides: Mapping[str, Aside], said: SpokenTexts) -> None:
        found = list(said.found(asides))
        places = [aside.offset for aside in asides.values()]
        present = self._words.present(self._files[0], places) if self._start and places else set()
        if self._start:
            wanted = {aside.offset for aside in found}
            gone = present - wanted
            self._replace((aside.source, aside.offset) for aside in asides.values() if aside.offset in gone)
        self._passages.tell_asides(aside for aside in found if aside.offset not in present)

    def _replace(self, places: Iterable[tuple[int, int]]) -> None:
        """Delete the entries at some places, each a source and an offset."""
        by_source: dict[int, set[int]] = defaultdict(set)
        for source, offset in places:
            by_source[source].add(offset)
        for source, offsets in by_source.items():
            self._words.replace(self._files[source], offsets)

    def _emit(self, passage: Passage) -> None:
        if self._owner.session is None:
            self._waiting.append(passage)
            return
        file = self._files[passage.spans[0][0]]
        entry = entry_of(passage, self._files)
        self._words.add(entry, file, self._owner.session, is_folded=self._owner.is_folded)
