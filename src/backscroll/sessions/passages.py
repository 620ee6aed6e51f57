"""Passages: the messages of a conversation as a search finds them, each with its texts and its place.

`Passages` hears each record while it is decoded, and hands on one `Passage` for each message that holds text, on all
branches, before and after compactions, agents inside the file included; then all that is said beside the messages.
Few messages are held at a time, so that memory stays flat.  The key of a passage is the same for every copy of a
message that says the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from backscroll.records import Record
from backscroll.sessions import prompts
from backscroll.sessions.asides import PROMPT_TYPES, Said
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.facts import Aside, Facts, queued_text
from backscroll.sessions.file_changes import decoded
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.heads import Head
from backscroll.sessions.join import role_of
from backscroll.sessions.keys import Keys, is_rewriting_version
from backscroll.sessions.moments import moment_of
from backscroll.sessions.outcomes import OK
from backscroll.sessions.outputs import persisted_name
from backscroll.sessions.rows import PROGRESS, USER_KINDS, Row
from backscroll.sessions.source import Source
from backscroll.sessions.texts import ANSWER, PROMPT, RESULT, SPOKEN, SUMMARY, Text, texts_of
from backscroll.sessions.toolnames import FILE_TOOLS
from backscroll.sessions.tree import Node
from backscroll.value import NamedTuple

FENCE = "```"
MOST_HELD = 32
"""So many messages are held open, because a later record may belong to them."""


class Passage(NamedTuple):
    """One message as a search finds it."""

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
    """What filters ask for: `tool:bash`, `is:error`, `has:code`."""
    files: tuple[str, ...] = ()
    """The files that its calls are about."""
    is_changed: bool = False
    """It takes the place of one that was handed on before."""


class _Held(Struct):
    """A message that more records may belong to."""

    node: Node
    agent: str | None
    texts: list[tuple[Row, list[Text]]] = []


Emit = Callable[[Passage], None]


class Passages:
    """Hears the records of a conversation, and hands on its passages.

    `agent` is whose conversation it is.  Where only the end of a transcript is heard, `start` is where that begins, and
    `tool_of` returns the tool of a call that was made before.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        agent: str | None,
        emit: Emit,
        start: int = 0,
        tool_of: Callable[[str], str | None] | None = None,
    ) -> None:
        self._sources = sources
        self._agent = agent
        self._emit = emit
        self._keys = Keys([source.path for source in sources])
        self._start = start
        self._tools: dict[str, str] = {}
        self._tool_of = tool_of
        self._held: dict[int, _Held] = {}
        self._prompts: list[_Held] = []
        """Prompts of old versions: what they are called is known only in the end."""
        self._reopened: dict[int, _Held] = {}
        self._seen: dict[int, int] = {}
        self._is_rewriting = False

    def begin(self, source: int) -> None:
        """Take the records of another source from now on."""

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Take a record."""
        if head.version is not None:
            self._is_rewriting = is_rewriting_version(head.version)
        if row is None or node is None or row.kind == PROGRESS:
            return
        self._tools.update(row.calls)
        if row.offset < self._start:
            return
        held = self._held.get(id(node))
        if held is None:
            if len(node.rows) > 1:  # its beginning was handed on already
                self._reopened[id(node)] = _Held(node, agent)
                return
            held = self._held[id(node)] = _Held(node, agent)
            if len(self._held) > MOST_HELD:
                self._release(self._held.pop(next(iter(self._held))))
        held.texts.append((row, list(texts_of(decoded(record.raw), _spoken(row)))))

    def _release(self, held: _Held) -> None:
        if self._is_rewriting and held.node.head.kind in USER_KINDS:
            self._prompts.append(held)
        else:
            self._hand_on(held, self._keys.message(held.node.head))

    def finish(self, conversation: Conversation) -> None:
        """Hand on every message that is left."""
        for held in self._held.values():
            self._release(held)
        for held in self._reopened.values():
            held.texts = [(row, self._texts_at(row)) for row in held.node.rows]
            self._hand_on(held, self._keys.message(held.node.head), is_changed=True)
        names = self._names(conversation) if self._prompts else {}
        for held in self._prompts:
            self._hand_on(held, names[id(held.node)])

    def _names(self, conversation: Conversation) -> dict[int, bytes]:
        is_rewriting = is_rewriting_version(next(reversed(conversation.facts.versions), None))
        return {
            id(tree.nodes[number]): key
            for _, tree in conversation.trees()
            for number, key in self._keys.messages(tree, is_rewriting=is_rewriting).items()
        }

    def _texts_at(self, row: Row) -> list[Text]:
        return list(texts_of(self._sources[row.source].value(row.offset, row.length), _spoken(row)))

    def _hand_on(self, held: _Held, identity: bytes, *, is_changed: bool = False) -> None:
        node = held.node
        if len(held.texts) > 1 and all(row.block is not None for row, _ in held.texts):
            held.texts.sort(key=lambda item: item[0].block or 0)
        texts = tuple(text for _, found in held.texts for text in found)
        if not texts:
            return
        rows = [row for row, _ in held.texts]
        head, role, agent = rows[0], role_of(rows[0]), held.agent or self._agent
        moment = moment_of(min((row.time for row in rows if isinstance(row.time, str)), default=head.time))
        passage = Passage(
            key=number_of(identity, *(text for _, text in texts)),
            id=head.id,
            role=role,
            time=round(moment.timestamp() * 1000) if moment else None,
            line=head.line,
            spans=tuple((row.source, row.offset, row.length) for row in rows),
            agent=agent,
            model=head.model,
            texts=texts,
            tags=tuple(_tags(node, role, texts, self._known_tools(node), agent)),
            files=tuple(_files(node)),
            is_changed=is_changed,
        )
        self._emit(_told_apart(passage, self._seen))

    def _known_tools(self, node: Node) -> Mapping[str, str]:
        """Return the tools of the calls that a node answers, as far as they are known."""
        for call in (call for row in node.rows for call in row.results) if self._tool_of else ():
            if call not in self._tools and self._tool_of is not None and (name := self._tool_of(call)):
                self._tools[call] = name
        return self._tools

    def tell_asides(self, asides: Iterable[Aside]) -> None:
        """Hand on what records beside the tree say."""
        for aside in asides:
            value = self._sources[aside.source].value(aside.offset, aside.length)
            passage = _aside(aside, value, self._agent)
            if passage.texts:
                self._emit(passage)


def said_in(conversation: Conversation) -> Said:
    """Return what the messages of a conversation say, as far as asides repeat it."""
    rows = (row for _, tree in conversation.trees() for node in tree.nodes for row in (*node.rows, *node.repeats))
    told = ((row.text_key, row.label) for row in rows if row.text_key is not None)
    return Said(told, conversation.facts.notified.keys(), title_in(conversation.facts))


def title_in(facts: Facts) -> str | None:
    """Return what a transcript says that its session is called."""
    return facts.custom_title or facts.ai_title or facts.agent_name


def _spoken(row: Row) -> str:
    return SUMMARY if row.kind == prompts.SUMMARY else SPOKEN[role_of(row)]


def _told_apart(passage: Passage, seen: dict[int, int]) -> Passage:
    """Give a message that says the same under the same id once more in one file a key of its own."""
    number = seen[passage.key] = seen.get(passage.key, 0) + 1
    return passage if number == 1 else passage._replace(key=number_of(passage.key.to_bytes(8, signed=True), number))


def _aside(aside: Aside, value: dict[str, Any], agent: str | None) -> Passage:
    """Return what a record beside the tree says."""
    is_prompt = aside.type in PROMPT_TYPES and prompts.is_typed(queued_text(value.get("content")))
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


def _tags(node: Node, role: str, texts: tuple[Text, ...], tools: Mapping[str, str], agent: str | None) -> Iterator[str]:
    yield f"role:{role}"
    yield from (f"kind:{kind}" for kind in {kind for kind, _ in texts})
    called = {name for row in node.rows for _, name in row.calls}
    called |= {tools[call] for row in node.rows for call in row.results if call in tools}
    yield from (f"tool:{name.lower()}" for name in called)
    if any(outcome != OK for row in node.rows for outcome in row.outcomes):
        yield "is:error"
    if agent is not None:
        yield "is:agent"
    if any(FENCE in text for kind, text in texts if kind in (PROMPT, ANSWER)):
        yield "has:code"
    yield from (f"output:{name}" for kind, text in texts if kind == RESULT and (name := persisted_name(text)))


def _files(node: Node) -> Iterator[str]:
    for row in node.rows:
        for (_, name), target in zip(row.calls, row.targets, strict=True):
            if target and name in FILE_TOOLS:
                yield target
