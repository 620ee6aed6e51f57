"""Passages: the searchable messages of a conversation, each with its texts and its place.

`Passages` gets each record while it is decoded, and emits one `Passage` for each message with text: on all branches,
before and after compactions, agents inside the file included.  Then it emits the texts of records beside the tree.
It holds few messages at a time, so that memory stays flat.  All copies of a message with equal texts have the same
key.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct

from backscroll.records import Record
from backscroll.sessions.reading.outputs import persisted_name
from backscroll.sessions.searchable.head_texts import texts_of_head
from backscroll.sessions.searchable.side_records import PROMPT_TYPES, SpokenTexts
from backscroll.sessions.searchable.texts import ANSWER, PROMPT, RESULT, SPOKEN, SUMMARY, Text, texts_of
from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import Aside, Facts, queued_text
from backscroll.sessions.transcript.fingerprint import number_of
from backscroll.sessions.transcript.heads import Head, decoded_object
from backscroll.sessions.transcript.keys import Keys, is_rewriting_version
from backscroll.sessions.transcript.moments import milliseconds_of, moment_of
from backscroll.sessions.transcript.outcomes import OK
from backscroll.sessions.transcript.rows import PROGRESS, USER_KINDS, Row
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tool_names import FILE_TOOLS
from backscroll.sessions.transcript.tree import Node

FENCE = "```"
MOST_HELD = 32
"""The number of messages to hold open, because a later record may continue them."""


class Passage(NamedTuple):
    """One searchable message."""

    key: int
    id: str | None
    role: str
    time: int | None
    """Milliseconds since 1970."""
    line: int | None
    spans: tuple[tuple[int, int, int], ...]
    """Its records: the number of the file in the conversation, offset and length."""
    agent: str | None
    model: str | None
    texts: tuple[Text, ...]
    tags: tuple[str, ...] = ()
    """The values for filters: `tool:bash`, `is:error`, `has:code`."""
    files: tuple[str, ...] = ()
    """The files in its calls."""
    is_copy: bool = False
    """True if its record is a stated copy from another session."""


class _Held(Struct):
    """A message that later records may continue."""

    node: Node
    agent: str | None
    texts: list[tuple[Row, list[Text]]] = []


class _Seen:
    """The keys of all passages so far, in eight bytes each: a file may have a million."""

    def __init__(self) -> None:
        self._known: dict[int, array[int]] = defaultdict(partial(array, "q"))
        """The keys in 4,096 lists."""
        self._repeated: dict[int, int] = {}
        """The number of passages with each repeated key."""

    def told_apart(self, passage: Passage) -> Passage:
        """Return a key of its own for a repeated message with the same id and text in one file."""
        key = passage.key
        known = self._known[key & 0xFFF]
        if key not in known:
            known.append(key)
            return passage
        number = self._repeated[key] = self._repeated.get(key, 1) + 1
        return passage._replace(key=number_of(key.to_bytes(8, signed=True), number))


Emit = Callable[[Passage], None]


class Passages:
    """Gets the records of a conversation, and emits its passages.

    `agent` is the agent of the conversation.  If it gets only the end of a transcript, `start` is the offset of that
    end, and `tool_of` returns the tool of an earlier call.  `roots` are the first originals of copied records.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that the words of a unit depend on
        self,
        sources: Sequence[TranscriptSource],
        agent: str | None,
        emit: Emit,
        start: int = 0,
        tool_of: Callable[[str], str | None] | None = None,
        roots: Mapping[bytes, bytes] | None = None,
    ) -> None:
        self._sources = sources
        self._agent = agent
        self._emit = emit
        self._keys = Keys([source.path for source in sources], roots)
        self._start = start
        self._tools: dict[str, str] = {}
        self._tool_of = tool_of
        self._held: dict[int, _Held] = {}
        self._prompts: list[_Held] = []
        """Prompts of old versions; their names are known only at the end."""
        self._reopened: dict[int, _Held] = {}
        self._seen = _Seen()
        self._is_rewriting = False

    def begin(self, source: int) -> None:
        """Expect records of another source from now on."""

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Add a record."""
        if head.version is not None:
            self._is_rewriting = is_rewriting_version(head.version)
        if row is None or node is None or row.kind == PROGRESS:
            return
        self._tools.update(row.calls)
        if row.offset < self._start:
            return
        held = self._held.get(id(node))
        if held is None:
            if len(node.rows) > 1:  # its first part was emitted already
                self._reopened[id(node)] = _Held(node, agent)
                return
            held = self._held[id(node)] = _Held(node, agent)
            if len(self._held) > MOST_HELD:
                self._release(self._held.pop(next(iter(self._held))))
        held.texts.append((row, _texts_of_record(record, head, _spoken(row))))

    def _release(self, held: _Held) -> None:
        if self._is_rewriting and held.node.head.kind in USER_KINDS:
            self._prompts.append(held)
        else:
            self._hand_on(held, self._keys.message(held.node.head))

    def reopened(self) -> Iterator[tuple[int, int]]:
        """Yield the places of emitted messages that a later record continued; `finish` emits these again."""
        for held in self._reopened.values():
            yield from ((row.source, row.offset) for row in held.node.rows)

    def finish(self, conversation: Conversation) -> None:
        """Emit all remaining messages."""
        for held in self._held.values():
            self._release(held)
        for held in self._reopened.values():
            held.texts = [(row, self._texts_at(row)) for row in held.node.rows]
            self._hand_on(held, self._keys.message(held.node.head))
        names = self._names(conversation) if self._prompts else {}
        for held in self._prompts:
            self._hand_on(held, names[id(held.node)])
        for group in (self._held, self._reopened, self._prompts, self._tools):
            group.clear()  # these texts would stay in memory until a collection

    def _names(self, conversation: Conversation) -> dict[int, bytes]:
        is_rewriting = is_rewriting_version(next(reversed(conversation.facts.versions), None))
        return {
            id(tree.nodes[number]): key
            for _, tree in conversation.trees()
            for number, key in self._keys.messages(tree, is_rewriting=is_rewriting).items()
        }

    def _texts_at(self, row: Row) -> list[Text]:
        return list(texts_of(self._sources[row.source].value(row.offset, row.length), _spoken(row)))

    def _hand_on(self, held: _Held, identity: bytes) -> None:
        node = held.node
        if len(held.texts) > 1 and all(row.block is not None for row, _ in held.texts):
            held.texts.sort(key=lambda item: item[0].block or 0)
        texts = tuple([text for _, found in held.texts for text in found])
        if not texts:
            return
        rows = [row for row, _ in held.texts]
        head, role, agent = rows[0], rows[0].role, held.agent or self._agent
        time = min((row.moment for row in rows if row.moment), default=None)
        passage = Passage(
            key=number_of(identity, *[text for _, text in texts]),
            id=head.id,
            role=role,
            time=milliseconds_of(time),
            line=head.line,
            spans=tuple([(row.source, row.offset, row.length) for row in rows]),
            agent=agent,
            model=head.model,
            texts=texts,
            tags=tuple(_tags(node, role, texts, self._known_tools(node), agent)),
            files=tuple(_files(node)),
            is_copy=head.copied_from is not None,
        )
        self._emit(self._seen.told_apart(passage))

    def _known_tools(self, node: Node) -> Mapping[str, str]:
        """Return the tools of the calls that a node answers, if known."""
        for call in (call for row in node.rows for call in row.results) if self._tool_of else ():
            if call not in self._tools and self._tool_of is not None and (name := self._tool_of(call)):
                self._tools[call] = name
        return self._tools

    def tell_asides(self, asides: Iterable[Aside]) -> None:
        """Emit the texts of records beside the tree."""
        for aside in asides:
            value = self._sources[aside.source].value(aside.offset, aside.length)
            passage = _aside(aside, value, self._agent)
            if passage.texts:
                self._emit(passage)


def _texts_of_record(record: Record, head: Head, spoken: str) -> list[Text]:
    """Return the texts of a record; from its head if the head was decoded from the bytes and is complete."""
    texts = texts_of_head(head, spoken) if record.value is head else None
    return list(texts_of(decoded_object(record.raw), spoken)) if texts is None else texts


def said_in(conversation: Conversation) -> SpokenTexts:
    """Return the texts of the messages that records beside the tree may repeat."""
    rows = (row for _, tree in conversation.trees() for node in tree.nodes for row in (*node.rows, *node.repeats))
    told = ((row.text_key, row.label) for row in rows if row.text_key is not None)
    return SpokenTexts(told, conversation.facts.notified.keys(), title_in(conversation.facts))


def title_in(facts: Facts) -> str | None:
    """Return the title of the session according to a transcript."""
    return facts.custom_title or facts.ai_title or facts.agent_name


def _spoken(row: Row) -> str:
    return SUMMARY if row.kind == prompts.SUMMARY else SPOKEN[row.role]


def _aside(aside: Aside, value: dict[str, Any], agent: str | None) -> Passage:
    """Return the text of a record beside the tree."""
    is_prompt = aside.type in PROMPT_TYPES and prompts.is_typed_in_queue(queued_text(value.get("content")))
    role = "user" if is_prompt else "system"
    texts = tuple(texts_of(value, SPOKEN[role]))
    moment = moment_of(aside.time)
    said_in = "" if aside.type in ("summary", "queue-operation") else aside.session or ""
    return Passage(
        key=number_of(b"aside", aside.type, said_in, str(aside.time), *(text for _, text in texts)),
        id=None,
        role=role,
        time=round(moment.timestamp() * 1000) if moment else None,
        line=aside.line,
        spans=((aside.source, aside.offset, aside.length),),
        agent=agent,
        model=None,
        texts=texts,
        tags=(
            f"role:{role}",
            *(f"kind:{kind}" for kind in {kind for kind, _ in texts}),
            *(["is:agent"] if agent else []),
        ),
    )


def _tags(node: Node, role: str, texts: tuple[Text, ...], tools: Mapping[str, str], agent: str | None) -> list[str]:
    tags = [f"role:{role}", *[f"kind:{kind}" for kind in {kind for kind, _ in texts}]]
    called = {name for row in node.rows for _, name in row.calls}
    called.update([tools[call] for row in node.rows for call in row.results if call in tools])
    tags += [f"tool:{name.lower()}" for name in called]
    if any(outcome != OK for row in node.rows for outcome in row.outcomes):
        tags.append("is:error")
    if agent is not None:
        tags.append("is:agent")
    if any(FENCE in text for kind, text in texts if kind in (PROMPT, ANSWER)):
        tags.append("has:code")
    return tags + [f"output:{name}" for kind, text in texts if kind == RESULT and (name := persisted_name(text))]


def _files(node: Node) -> Iterator[str]:
    for row in node.rows:
        for (_, name), target in zip(row.calls, row.targets, strict=True):
            if target and name in FILE_TOOLS:
                yield target
