"""Entries: what the full-text index takes of each unit, ready to be written.

An entry is one message, or one prompt, plan, list of todos or output of a tool that lies in a file of its own.
Made in worker processes where that pays: its words are folded here, and what is kept beside them is encoded.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from backscroll.files import read_small
from backscroll.formats.lenient import value_of
from backscroll.records import Damage
from backscroll.sessions.conversation import Conversation, read_conversation
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.passages import Part, Passage, passages
from backscroll.sessions.standing import Prefix, prefix_of
from backscroll.sessions.texts import OTHER, PROMPT, RESULT, TITLE, strings_in
from backscroll.stores import side
from backscroll.text.words import folded, humps_in

LARGEST_FILE = 256 << 20


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
    """What is kept of it: [line, spans, message, role, agent, model, title, session, project]; the last three where
    they are not those of its unit."""
    session: str | None = None


class Entries(NamedTuple):
    """The entries of a unit, and how far its files were read."""

    entries: list[Entry]
    prefixes: list[Prefix]


def of_transcripts(paths: Sequence[str], agent: str | None, start: Sequence[int] | None = None) -> Entries:
    """Return the entries of a session's or an agent's transcripts, or those behind a byte of each file."""
    with read_conversation(paths, is_agent=agent is not None) as conversation:
        return of_open(conversation, agent, start)


def of_part(paths: Sequence[str], agent: str | None, kept: bytes, part: Part) -> Entries:
    """Return the entries of a part of transcripts; `kept` is their standing of an earlier reading."""
    with read_conversation(paths, is_agent=agent is not None, kept=kept) as conversation:
        found = passages(conversation, agent, part=part)
        return Entries([_entry(passage) for passage in found], prefixes_of(conversation))


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
    return [prefix_of(source.path, end) for source, end in zip(conversation.sources, ends, strict=True)]


def _entry(passage: Passage) -> Entry:
    fields = _fields(passage.texts)
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
        _packed(at),
    )


@lru_cache(256)
def _model_tags(model: str | None) -> tuple[str, ...]:
    """Return every part that a model may be asked by: `opus`, `opus-4`, `claude-opus-4-6`."""
    parts = (model or "").lower().split("-")
    ends = range(len(parts) + 1)
    return tuple(f"model:{'-'.join(parts[first:last])}" for first in ends for last in ends[first + 1 :])


def _fields(texts: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for kind, text in texts:
        clean = folded(text)
        held = fields.setdefault(kind, [])
        held.append(clean)
        if apart := humps_in(clean):
            held.append(apart)
    return fields


def _packed(at: list[Any]) -> bytes:
    try:
        return orjson.dumps(at)
    except TypeError:  # a lone surrogate in an id
        return orjson.dumps([item.encode(errors="replace").decode() if isinstance(item, str) else item for item in at])


def of_file(kind: str, path: str, known: set[str]) -> Entries:
    """Return the entries of a file beside the transcripts; of prompts only those whose session is not `known`."""
    try:
        return Entries(list(_FILES[kind](path, known)), [])
    except OSError:
        return Entries([], [])


def _of_history(path: str, known: set[str]) -> Iterator[Entry]:
    for prompt in side.history(path):
        if isinstance(prompt, Damage) or prompt.session in known:
            continue
        place = prompt.place
        offset, length = place.offset or 0, place.length or 0
        time = round(prompt.time.timestamp() * 1000) if prompt.time else None
        pasted = [text for text in strings_in(prompt.pasted) if len(text) > 1]
        texts = [(PROMPT, "\n".join([prompt.text, *pasted]))]
        key = number_of(b"history", prompt.text, time or offset, prompt.session or "")
        at = [place.line, [(0, offset, length)], None, "user", None, None, None, prompt.session, prompt.project]
        yield Entry(key, offset, time, _fields(texts), ("role:user", "kind:prompt"), _packed(at), prompt.session)


def _of_plan(path: str, _: set[str]) -> Iterator[Entry]:
    text = read_small(path, LARGEST_FILE).decode(errors="replace")
    yield _of_whole(path, OTHER, text, ("role:system", "kind:plan"), "system")


def _of_todos(path: str, _: set[str]) -> Iterator[Entry]:
    try:
        value, _note = value_of(read_small(path, LARGEST_FILE))
    except ValueError:
        return
    texts = todo_texts(value)
    if texts:
        yield _of_whole(path, OTHER, texts, ("role:system", "kind:todo"), "system")


def todo_texts(value: Any) -> str:
    """Return what a list of todos says."""
    return "\n".join(strings_in(value))


def _of_output(path: str, _: set[str]) -> Iterator[Entry]:
    text = read_small(path, LARGEST_FILE).decode(errors="replace")
    yield _of_whole(path, RESULT, text, ("role:tool", "kind:result"), "tool")


def _of_whole(path: str, kind: str, text: str, tags: tuple[str, ...], role: str) -> Entry:
    at = [1, [(0, 0, -1)], None, role, None, None]
    return Entry(number_of(b"file", path, text), 0, None, _fields([(kind, text)]), tags, _packed(at))


def of_titles(titles: Iterable[tuple[str, str, int | None]]) -> Entries:
    """Return the entries of sessions' titles: (session, title, time)."""
    entries = []
    for session, title, time in titles:
        at: list[Any] = [None, [], None, "system", None, None, title, session]
        key = number_of(b"title", session, title)
        tags = ("role:system", "kind:title")
        entries.append(Entry(key, key, time, _fields([(TITLE, title)]), tags, _packed(at), session))
    return Entries(entries, [])


_FILES = {"history": _of_history, "plan": _of_plan, "todos": _of_todos, "tasks": _of_todos, "tool-result": _of_output}
