"""Conversation: one session or one agent, read from its files into rows and trees, in one pass.

Up to 1.0.x Claude Code wrote agents as chains of sidechain records inside a session's own file.  The rows of such an
inline agent are removed from those of the session, and get a tree of their own.
"""

from collections.abc import Iterable
from functools import partial
from types import TracebackType
from typing import Any, Protocol, Self

import orjson
from msgspec import Struct

from backscroll.files import open_readonly
from backscroll.place import Place
from backscroll.records import Damage, Record, fault
from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.facts import Facts
from backscroll.sessions.transcript.fingerprint import fingerprint
from backscroll.sessions.transcript.heads import Head
from backscroll.sessions.transcript.rows import Row, rows_of
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import NOBODY, Node, Path, Tree, TreeBuilder
from backscroll.stores.base import Opener

INTERNAL_LABELS = ("acompact", "aside_question", "aprompt_suggestion", "aagent_summary", "aextract_memories")
WARM_UP = "Warmup"


class InlineAgent(Struct):
    """A chain of sidechain records inside a session's own transcript."""

    id: str
    tree: Tree


class Conversation(Struct):
    """The open sources of one session or agent, its facts, its tree, and the agents inside its files."""

    sources: list[TranscriptSource]
    facts: Facts
    tree: Tree
    inline: list[InlineAgent] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for source in self.sources:
            source.close()

    def value(self, row: Row) -> dict[str, Any]:
        """Decode the whole record behind a row."""
        return self.sources[row.source].value(row.offset, row.length)

    def trees(self) -> list[tuple[str | None, Tree]]:
        """Return the tree of the session or agent itself, then those of its inline agents, with their ids."""
        return [(None, self.tree), *((agent.id, agent.tree) for agent in self.inline)]


class Listener(Protocol):
    """Gets every record while it is decoded, so that no record is read twice."""

    def begin(self, source: int) -> None:
        """Expect records of another source from now on."""

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Add a record; `row` is set if it is part of a tree, `node` if it repeats no other record."""


def read_conversation(
    paths: Iterable[str], *, is_agent: bool = False, open_file: Opener = open_readonly
) -> Conversation:
    """Read the files of one session, or one agent, into a conversation; the caller closes it.

    A bug of ours becomes damage of the last file, and the conversation is empty.
    """
    sources = [TranscriptSource(path, open_file) for path in paths]
    try:
        return ConversationReader(sources, is_agent=is_agent).read()
    except Exception as error:
        if not sources:
            raise
        sources[-1].damage.append(Damage(Place(sources[-1].path), fault(error, "reading it")))
        return Conversation(sources, Facts(), Tree([], [Path(MAIN, 0, NOBODY, NOBODY)]))


class ConversationReader:
    """Reads sources in order into the trees of a conversation."""

    def __init__(self, sources: list[TranscriptSource], *, is_agent: bool, listener: Listener | None = None) -> None:
        self.sources = sources
        self.facts = Facts()
        self.listener = listener
        self._content_key = partial(
            _content_key, sources
        )  # no bound method: that would keep all rows until a collection
        self.own = TreeBuilder(self._content_key)
        self.inline: dict[str, TreeBuilder] = {}
        self._is_agent = is_agent
        self._chain_of: dict[str, str] = {}

    def read(self) -> Conversation:
        """Read everything."""
        for number, source in enumerate(self.sources):
            self.take(source.heads(), number)
        return self.conversation()

    def take(self, records: Iterable[Record], source: int) -> None:
        """Read the records of one source."""
        facts, own, listener, is_agent = self.facts, self.own, self.listener, self._is_agent
        if listener is not None:
            listener.begin(source)
        for record, head, row in rows_of(records, source, facts):
            node = agent = None
            if row is None:
                facts.state(head, record, source, own.count)
            elif is_agent or not row.is_sidechain:
                node = own.add(row)
            else:
                agent = self._chain(row)
                node = self.inline[agent].add(row)
            if listener is not None:
                listener.hear(record, head, row, node, agent)

    def _chain(self, row: Row) -> str:
        """Return the inline agent of a sidechain row: by its id, else by the root of its chain."""
        name = row.agent or self._chain_of.get(row.parent or "") or f"inline-{row.id[:8]}"
        if name not in self.inline:
            self.inline[name] = TreeBuilder(self._content_key)
        if row.uuid:
            self._chain_of[row.uuid] = name
        return name

    def conversation(self) -> Conversation:
        """Return the conversation."""
        inline = [InlineAgent(name, builder.tree(None)) for name, builder in self.inline.items()]
        return Conversation(self.sources, self.facts, self.own.tree(self.facts.leaf), inline)


def _content_key(sources: list[TranscriptSource], row: Row) -> bytes:
    """Return a key that is equal for records with equal content, even if other fields differ."""
    return content_key_of(sources[row.source].value(row.offset, row.length))


def content_key_of(value: dict[str, Any]) -> bytes:
    """Return a key of the content of a record."""
    message = value.get("message")
    said = _plain(message.get("content")) if isinstance(message, dict) else message
    rest = [value.get(name) for name in ("type", "subtype", "content", "attachment", "data")]
    return fingerprint(orjson.dumps([said, rest], option=orjson.OPT_SORT_KEYS), 16)


def _plain(content: Any) -> Any:
    """Return a plain text as the list of one block that copies make of it."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def is_internal_agent(name: str | None, tree: Tree) -> bool:
    """Return True if an agent is a helper of the program: by its label, or by its warm-up prompt."""
    if name is not None and name.startswith(INTERNAL_LABELS):
        return True
    first = next((node.head for node in tree.nodes if node.head.is_spoken), None)
    return first is not None and first.label == WARM_UP
