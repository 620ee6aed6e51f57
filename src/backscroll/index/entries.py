"""Entries: what the full-text index takes of each unit, ready to be written.

An entry is one message, or what one record or file beside the transcripts says: a prompt, a plan, a list of todos,
an output of a tool, what Desktop wrote down of a session.
Made in worker processes where that pays: its words are folded here, and what is kept beside them is encoded.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import orjson

from backscroll.sessions.conversation import Conversation, read_conversation
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.passages import Passage, passages
from backscroll.sessions.prompts import said_key
from backscroll.sessions.standing import Prefix, prefix_of
from backscroll.sessions.texts import OTHER, PROMPT, TITLE
from backscroll.text.fields import session_number
from backscroll.text.words import folded, humps_in
from backscroll.value import NamedTuple

PIECE_SIZE = 1 << 20
"""So many characters of text are sent at a time."""


class Entry(NamedTuple):
    """One thing that a search finds; plain values, so that another process can send them."""

    key: int
    place: int
    """Where in its unit it begins, by which it is known when it grows."""
    time: int | None
    fields: dict[str, list[str]]
    """Field to texts, folded."""
    tags: tuple[str, ...]
    at: bytes
    """What is kept of it, in the order of `found.Kept`: [line, spans, message, role, agent, model], and what is not
    that of its unit."""
    session: str | None = None
    said: int | None = None
    """For a prompt of a session, what stands for it: see `typed`."""


class Entries(NamedTuple):
    """The entries of a unit, and how far its files were read."""

    entries: list[Entry]
    prefixes: list[Prefix]


def of_transcripts(paths: Sequence[str], agent: str | None, start: Sequence[int] | None = None) -> Entries:
    """Return the entries of a session's or an agent's transcripts, or those behind a byte of each file."""
    with read_conversation(paths, is_agent=agent is not None) as conversation:
        return of_open(conversation, agent, start)


def in_pieces(
    paths: Sequence[str], agent: str | None, start: Sequence[int] | None = None, *, kept: bytes | None = None
) -> Iterator[Entries]:
    """Do as `of_transcripts`, but yield a few entries at a time, and at last how far the files were read.

    `kept` is the standing of an earlier reading.
    """
    with read_conversation(paths, is_agent=agent is not None, kept=kept) as conversation:
        for piece in _pieces(of_conversation(conversation, agent, start)):
            yield Entries(piece, [])
        yield Entries([], prefixes_of(conversation))


def _pieces(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    piece: list[Entry] = []
    size = 0
    for entry in entries:
        piece.append(entry)
        size += sum(len(text) for texts in entry.fields.values() for text in texts)
        if size >= PIECE_SIZE:
            yield piece
            piece, size = [], 0
    yield piece


def of_open(conversation: Conversation, agent: str | None, start: Sequence[int] | None = None) -> Entries:
    """Return the entries of a conversation that is open."""
    return Entries(list(of_conversation(conversation, agent, start)), prefixes_of(conversation))


def of_conversation(
    conversation: Conversation, agent: str | None, start: Sequence[int] | None = None
) -> Iterator[Entry]:
    """Yield the entries of a conversation that is open, one by one."""
    return map(_entry, passages(conversation, agent, start))


def prefixes_of(conversation: Conversation) -> list[Prefix]:
    """Return how far each file of a conversation was read."""
    ends = [0] * len(conversation.sources)
    trees = (conversation.tree, *(inline.tree for inline in conversation.inline))
    for tree in trees:
        for node in tree.nodes:
            for row in (*node.rows, *node.repeats):
                ends[row.source] = max(ends[row.source], row.offset + row.length)
    for aside in conversation.facts.asides.values():
        ends[aside.source] = max(ends[aside.source], aside.offset + aside.length)
    return [prefix_of(source.path, end) for source, end in zip(conversation.sources, ends, strict=True)]


def _entry(passage: Passage) -> Entry:
    fields = fields_of(passage.texts)
    if passage.files:
        fields["file"] = [folded(path) for path in passage.files]
    source, offset, _ = passage.spans[0]
    at = [passage.line, passage.spans, passage.id, passage.role, passage.agent, passage.model]
    return Entry(
        passage.key,
        source << 48 | offset,
        passage.time,
        fields,
        (*passage.tags, *_model_tags(passage.model)),
        packed(at),
        said=said_key("\n".join(_prompts(passage))) if passage.role == "user" and passage.agent is None else None,
    )


def _prompts(passage: Passage) -> list[str]:
    return [text for kind, text in passage.texts if kind == PROMPT]


@lru_cache(256)
def _model_tags(model: str | None) -> tuple[str, ...]:
    """Return every part that a model may be asked by: `opus`, `opus-4`, `claude-opus-4-6`."""
    parts = (model or "").lower().split("-")
    ends = range(len(parts) + 1)
    return tuple(f"model:{'-'.join(parts[first:last])}" for first in ends for last in ends[first + 1 :])


def fields_of(texts: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return field to texts, folded."""
    fields: dict[str, list[str]] = {}
    for kind, text in texts:
        clean = folded(text)
        held = fields.setdefault(kind, [])
        held.append(clean)
        if apart := humps_in(clean):
            held.append(apart)
    return fields


def packed(at: list[Any]) -> bytes:
    """Return what is kept of an entry, encoded."""
    try:
        return orjson.dumps(at)
    except TypeError:  # a lone surrogate in an id
        return orjson.dumps([item.encode(errors="replace").decode() if isinstance(item, str) else item for item in at])


class Name(NamedTuple):
    """What a session or an agent is called."""

    session: str
    text: str
    kind: str
    """title, tag or agent."""
    agent: str | None
    seconds: int | None


def of_names(names: Iterable[Name]) -> Entries:
    """Return the entries of what sessions and agents are called."""
    return Entries([_of_name(name) for name in names], [])


def _of_name(name: Name) -> Entry:
    at: list[Any] = [None, [], None, "system", name.agent, None, name.text, name.session, None, name.kind]
    key = number_of(b"name", name.kind, name.session, name.agent or "", name.text, name.seconds or 0)
    is_agent = name.kind == "agent"
    tags = ("role:system", f"kind:{OTHER if is_agent else name.kind}", *(["is:agent"] if is_agent else []))
    time = name.seconds * 1000 if name.seconds is not None else None
    fields = fields_of([(TITLE if name.kind == TITLE else OTHER, name.text)])
    return Entry(key, session_number(name.session), time, fields, tags, packed(at), name.session)
