"""Documents: the entries of the full-text index, ready to be written.

An entry is one message, or the text of one record or file beside the transcripts: a prompt, a plan, a list of todos,
an output of a tool, a row of Desktop.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
import tantivy

from backscroll.query.fields import FILE, MIXED, is_mixed, session_number
from backscroll.query.words import folded, humps_in
from backscroll.sessions.searchable.messages import Passage
from backscroll.sessions.searchable.texts import OTHER, PROMPT, TITLE
from backscroll.sessions.transcript.fingerprint import number_of
from backscroll.sessions.transcript.prompts import said_key


class Entry(NamedTuple):
    """One searchable item."""

    key: int
    place: int
    """Its offset in its file, which identifies it when it grows."""
    time: int | None
    fields: dict[str, list[str]]
    """The folded texts of each field."""
    tags: tuple[str, ...]
    at: bytes
    """Its stored fields in the order of `hit_text.Kept`: [line, spans, message, role, agent, model], and fields that
    differ from those of its file."""
    session: str | None = None
    said: int | None = None
    """For a prompt of a session, its number: see `typed`."""
    is_copy: bool = False
    """True if its record is a stated copy from another session."""


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
        is_copy=passage.is_copy,
    )


def _prompts(passage: Passage) -> list[str]:
    return [text for kind, text in passage.texts if kind == PROMPT]


@lru_cache(256)
def _model_tags(model: str | None) -> tuple[str, ...]:
    """Return all parts of a model's name that a filter may use: `opus`, `opus-4`, `claude-opus-4-6`."""
    parts = (model or "").lower().split("-")
    ends = range(len(parts) + 1)
    return tuple(f"model:{'-'.join(parts[first:last])}" for first in ends for last in ends[first + 1 :])


def fields_of(texts: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the folded texts of each field."""
    fields: dict[str, list[str]] = {}
    for kind, text in texts:
        clean = folded(text)
        held = fields.setdefault(kind, [])
        held.append(clean)
        if apart := humps_in(clean):
            held.append(apart)
    return fields


def packed(at: list[Any]) -> bytes:
    """Return the stored fields of an entry, encoded."""
    try:
        return orjson.dumps(at)
    except TypeError:  # a lone surrogate in an id
        return orjson.dumps([item.encode(errors="replace").decode() if isinstance(item, str) else item for item in at])


class Name(NamedTuple):
    """The name of a session or an agent."""

    session: str
    text: str
    kind: str
    """title, tag or agent."""
    agent: str | None
    seconds: int | None


def of_name(name: Name) -> Entry:
    """Return the entry for the name of a session or an agent."""
    at: list[Any] = [None, [], None, "system", name.agent, None, name.text, name.session, None, name.kind]
    key = number_of(b"name", name.kind, name.session, name.agent or "", name.text, name.seconds or 0)
    is_agent = name.kind == "agent"
    tags = ("role:system", f"kind:{OTHER if is_agent else name.kind}", *(["is:agent"] if is_agent else []))
    time = name.seconds * 1000 if name.seconds is not None else None
    fields = fields_of([(TITLE if name.kind == TITLE else OTHER, name.text)])
    return Entry(key, session_number(name.session), time, fields, tags, packed(at), name.session)


def document_of(entry: Entry, file: int, session: str | None) -> tantivy.Document:
    """Return an entry as a tantivy document, for the session of its file or its own."""
    document = tantivy.Document()
    document.add_integer("file", file)
    document.add_integer("key", entry.key)
    name = entry.session or session
    document.add_integer("session", session_number(name) if name else entry.key)  # without one, a session of its own
    if entry.time is not None:
        document.add_integer("time", entry.time)
    for field, texts in entry.fields.items():
        for text in texts:
            document.add_text(field, text)
    for tag in (*entry.tags, MIXED) if is_mixed(entry.fields.keys()) else entry.tags:
        document.add_text("tag", tag)
    document.add_bytes("at", entry.at)
    return document
