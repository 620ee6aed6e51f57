"""Documents: what the full-text index takes of each file, ready to be written.

An entry is one message, or what one record or file beside the transcripts says: a prompt, a plan, a list of todos,
an output of a tool, what Desktop wrote down of a session.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import orjson
import tantivy

from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.passages import Passage
from backscroll.sessions.prompts import said_key
from backscroll.sessions.texts import OTHER, PROMPT, TITLE
from backscroll.text.fields import FILE, MIXED, is_mixed, session_number
from backscroll.text.words import folded, humps_in
from backscroll.value import NamedTuple


class Entry(NamedTuple):
    """One thing that a search finds."""

    key: int
    place: int
    """Where in its file it begins, by which it is known when it grows."""
    time: int | None
    fields: dict[str, list[str]]
    """Field to texts, folded."""
    tags: tuple[str, ...]
    at: bytes
    """What is kept of it, in the order of `hit_text.Kept`: [line, spans, message, role, agent, model], and what is not
    that of its file."""
    session: str | None = None
    said: int | None = None
    """For a prompt of a session, what stands for it: see `typed`."""


def entry_of(passage: Passage, files: Sequence[int]) -> Entry:
    """Return the entry of a passage; `files` are the numbers of the files of its conversation."""
    fields = fields_of(passage.texts)
    if passage.files:
        fields[FILE] = [folded(path) for path in passage.files]
    spans = [(files[source], offset, length) for source, offset, length in passage.spans]
    at = [passage.line, spans, passage.id, passage.role, passage.agent, passage.model]
    return Entry(
        passage.key,
        passage.spans[0][1],
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


def of_name(name: Name) -> Entry:
    """Return the entry of what a session or an agent is called."""
    at: list[Any] = [None, [], None, "system", name.agent, None, name.text, name.session, None, name.kind]
    key = number_of(b"name", name.kind, name.session, name.agent or "", name.text, name.seconds or 0)
    is_agent = name.kind == "agent"
    tags = ("role:system", f"kind:{OTHER if is_agent else name.kind}", *(["is:agent"] if is_agent else []))
    time = name.seconds * 1000 if name.seconds is not None else None
    fields = fields_of([(TITLE if name.kind == TITLE else OTHER, name.text)])
    return Entry(key, session_number(name.session), time, fields, tags, packed(at), name.session)


def document_of(entry: Entry, file: int, session: str | None) -> tantivy.Document:
    """Return an entry as the words keep it, for the session of its file or for its own."""
    document = tantivy.Document()
    document.add_integer("file", file)
    document.add_integer("key", entry.key)
    name = entry.session or session
    document.add_integer("session", session_number(name) if name else entry.key)  # one without stands for itself
    if entry.time is not None:
        document.add_integer("time", entry.time)
    for field, texts in entry.fields.items():
        for text in texts:
            document.add_text(field, text)
    for tag in (*entry.tags, MIXED) if is_mixed(entry.fields.keys()) else entry.tags:
        document.add_text("tag", tag)
    document.add_bytes("at", entry.at)
    return document
