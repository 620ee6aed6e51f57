"""What a hit shows: the texts of a message read from their place, and the session that it belongs to.

Plain transcripts are read with the standard library alone, so that a search costs little more than its question;
what that cannot read (compressed files, badly written records) goes the way of every other reader.
"""

import json
import os
import sqlite3
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO

from backscroll.files import open_readonly
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.sessions.beside import (
    SIDE_KINDS,
    Span,
    config_prompts,
    first_message,
    listed,
    text_of,
    texts_of_file,
    texts_of_prompt,
)
from backscroll.sessions.texts import OTHER, PROMPT, SPOKEN, SUMMARY, TITLE, Text, texts_of
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.sessions import source
else:
    source = lazily("backscroll.sessions.source")

PLAIN = {"prompt": "text", "answer": "text"}


class Kept(NamedTuple):
    """What the full-text index keeps of a message; see `entries.Entry.at`."""

    line: int | None
    spans: list[Span]
    message: str | None
    role: str
    agent: str | None
    model: str | None
    title: str | None = None
    session: str | None = None
    project: str | None = None
    name: str = TITLE
    """What a title is: title, tag or agent."""
    number: int | None = None
    """What stands for it in a file that holds many and has no lines."""


class Unit(NamedTuple):
    """The unit that a message was taken from."""

    kind: str
    session: str | None
    agent: str | None
    paths: list[str]


class SessionFacts(NamedTuple):
    """What a hit tells of its session."""

    id: str | None
    title: str | None
    project: str | None


_UNITS = "SELECT number, kind, session, agent, paths FROM unit WHERE number IN (SELECT value FROM json_each(?))"
_SESSIONS = (
    "SELECT asked.value, session.id, json_extract(body, '$.title'), project FROM json_each(?) AS asked"
    " JOIN session ON session.id = coalesce((SELECT target FROM fold WHERE fold.id = asked.value), asked.value)"
)


class Shelf:
    """Where units and sessions of hits are looked up, each once."""

    def __init__(self, database: sqlite3.Connection, ledger: sqlite3.Connection) -> None:
        self._database = database
        self._ledger = ledger
        self._units: dict[int, Unit | None] = {}
        self._sessions: dict[str | None, SessionFacts] = {}

    def look_up(self, numbers: Collection[int]) -> None:
        """Look up units and their sessions, all at once, which takes half the time."""
        rows = self._ledger.execute(_UNITS, (json.dumps(numbers),))
        found = {number: Unit(kind, name, agent, json.loads(paths)) for number, kind, name, agent, paths in rows}
        self._units.update(dict.fromkeys(numbers) | found)
        self._look_up_sessions([unit.session for unit in found.values()])

    def unit(self, number: int) -> Unit | None:
        """Return a unit by its number; None where it was forgotten meanwhile."""
        if number not in self._units:
            self.look_up([number])
        return self._units[number]

    def session(self, name: str | None) -> SessionFacts:
        """Return what is known of a session; an earlier copy stands for the session that contains it."""
        if name not in self._sessions:
            self._look_up_sessions([name])
        return self._sessions[name]

    def _look_up_sessions(self, names: Collection[str | None]) -> None:
        rows = self._database.execute(_SESSIONS, (json.dumps(names),))
        found = {name: SessionFacts(*row) for name, *row in rows}
        self._sessions.update({name: found.get(name) or SessionFacts(name, None, None) for name in names})


def texts_at(unit: Unit, kept: Kept) -> Iterator[Text]:
    """Yield the texts of a message, or of what else was found, in their order; none where the file is gone."""
    if unit.kind == "titles":
        yield TITLE if kept.name == TITLE else OTHER, kept.title or ""
    elif unit.kind in ("transcript", "workflow-journal"):
        for value in _records(unit, kept.spans):
            yield from texts_of(value, SUMMARY if value.get("isCompactSummary") else SPOKEN[kept.role])
    else:
        try:
            yield from _texts_of_files(unit, kept)
        except OSError:
            return


def _texts_of_files(unit: Unit, kept: Kept) -> Iterator[Text]:
    if unit.kind == "history":
        for value in _records(unit, [span for span in kept.spans if span[2] >= 0]):
            yield from texts_of_prompt(str(value.get("display")), value.get("pastedContents"))
        yield from ((PROMPT, text_of(unit.paths[number])) for number, _, length in kept.spans if length < 0)
    elif unit.kind == "global-config":
        prompt = config_prompts(unit.paths[kept.spans[0][0]]).get(kept.number or 0)
        yield from texts_of_prompt(prompt.text, prompt.pasted) if prompt else ()
    elif unit.kind == "project-index":
        said = listed(unit.paths[0], kept.session).get(kept.session or "")
        yield from said.texts if said else ()
    elif unit.kind == "row" and kept.role == "user":
        yield PROMPT, first_message(unit.paths[0])
    else:
        yield from texts_of_file(unit.kind, unit.paths[0])


def kind_shown(unit: Unit, kept: Kept, kind: str) -> str:
    """Return the kind of a text as hits and parts of messages call it."""
    if unit.kind == "titles" and kept.name == "tag":
        return kept.name
    if unit.kind in SIDE_KINDS and kind == SIDE_KINDS[unit.kind].text:
        return SIDE_KINDS[unit.kind].shown
    return PLAIN.get(kind, kind)


def place_of(unit: Unit, kept: Kept) -> Place | None:
    """Return where something lies."""
    if not kept.spans:
        return None
    number, offset, length = kept.spans[0]
    return Place(unit.paths[number], kept.line, offset, length if length >= 0 else None)


def moment(milliseconds: int | None) -> datetime | None:
    """Return a time as the index keeps it."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None


def _records(unit: Unit, places: list[Span]) -> Iterator[dict[str, Any]]:
    """Yield the records that a message was taken from; a file that holds several of them is opened once."""
    for number, group in groupby(places, key=itemgetter(0)):
        spans = [(offset, length) for _, offset, length in group]
        for (offset, length), raw in zip(spans, _read(unit.paths[number], spans), strict=True):
            value = _loaded(raw)
            if isinstance(value, dict):
                yield value
            else:
                with source.Source(unit.paths[number]) as stored:
                    yield stored.value(offset, length)


def _read(path: str, spans: list[tuple[int, int]]) -> list[bytes]:
    """Return pieces of a file, (offset, length) each; empty ones where it cannot be read."""
    try:
        with open_readonly(path, buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            return [_piece(file, offset, min(length, size - offset)) for offset, length in spans]
    except OSError:
        return [b""] * len(spans)


def _piece(file: BinaryIO, offset: int, length: int) -> bytes:
    file.seek(offset)
    return file.read(max(length, 0))


def _loaded(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
