"""Passages: the messages of a conversation as a search finds them, each with its texts and its place.

In comes a conversation that was read into rows; out comes one `Passage` for each message that holds text, on all
branches, before and after compactions, agents inside the file included.  Texts are read record by record, so that
memory stays flat.  The key of a passage is the same for every copy of a message that says the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from backscroll.sessions import prompts
from backscroll.sessions.asides import PROMPT_TYPES, asides
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.digest import identities, moment_of, trees_of
from backscroll.sessions.facts import Aside, queued_text
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.join import role_of
from backscroll.sessions.outcomes import OK
from backscroll.sessions.outputs import persisted_name
from backscroll.sessions.rows import PROGRESS, Row
from backscroll.sessions.texts import ANSWER, PROMPT, RESULT, SPOKEN, SUMMARY, Text, texts_of
from backscroll.sessions.toolnames import FILE_TOOLS
from backscroll.sessions.tree import Node, Tree
from backscroll.value import NamedTuple

FENCE = "```"


class Passage(NamedTuple):
    """One message as a search finds it; plain values, so that another process can send them."""

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


def passages(
    conversation: Conversation,
    agent: str | None = None,
    start: Sequence[int] | None = None,
) -> Iterator[Passage]:
    """Yield the passages of a conversation in file order, then what is said beside its messages.

    `start` gives for each file a byte before which everything is known: only messages with a record behind it come.
    A passage without texts is no longer to be found at its place.
    """
    seen: dict[int, int] = {}
    for inline, tree in trees_of(conversation):
        tools = _tools(tree)
        for node, identity in zip(tree.nodes, identities(tree, conversation), strict=True):
            if node.head.kind != PROGRESS and (start is None or _is_new(node, start)):
                passage = _passage(node, identity, conversation, tools, inline or agent)
                if passage is not None:
                    yield _told_apart(passage, seen)
    for aside, is_found in asides(conversation, start):
        yield _aside(aside, conversation, agent, is_found=is_found)


def _is_new(node: Node, start: Sequence[int]) -> bool:
    return any(row.offset >= start[row.source] for row in node.rows)


def _told_apart(passage: Passage, seen: dict[int, int]) -> Passage:
    """Give a message that says the same under the same id once more in one file a key of its own."""
    number = seen[passage.key] = seen.get(passage.key, 0) + 1
    return passage if number == 1 else passage._replace(key=number_of(passage.key.to_bytes(8, signed=True), number))


def _passage(
    node: Node, identity: bytes, conversation: Conversation, tools: Mapping[str, str], agent: str | None
) -> Passage | None:
    head, role = node.head, role_of(node.head)
    spoken = SUMMARY if head.kind == prompts.SUMMARY else SPOKEN[role]
    texts = tuple(text for row in node.rows for text in texts_of(_value(row, conversation), spoken))
    if not texts:
        return None
    moment = moment_of(min((row.time for row in node.rows if isinstance(row.time, str)), default=head.time))
    return Passage(
        key=number_of(identity, *(text for _, text in texts)),
        id=head.id,
        role=role,
        time=round(moment.timestamp() * 1000) if moment else None,
        line=head.line,
        spans=tuple((row.source, row.offset, row.length) for row in node.rows),
        agent=agent,
        model=head.model,
        texts=texts,
        tags=tuple(_tags(node, role, texts, tools, agent)),
        files=tuple(_files(node)),
    )


def _aside(aside: Aside, conversation: Conversation, agent: str | None, *, is_found: bool) -> Passage:
    """Return what a record beside the tree says."""
    value = _value(aside, conversation) if is_found else {}
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


def _value(row: Row | Aside, conversation: Conversation) -> dict[str, Any]:
    source = conversation.sources[row.source]
    try:
        value = orjson.loads(source.read(row.offset, row.length))
    except (OSError, ValueError):  # vanished meanwhile, or written badly
        return source.value(row.offset, row.length)
    return value if isinstance(value, dict) else {}


def _tools(tree: Tree) -> dict[str, str]:
    """Return the tool of each call."""
    return {call: name for node in tree.nodes for row in node.rows for call, name in row.calls}


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
