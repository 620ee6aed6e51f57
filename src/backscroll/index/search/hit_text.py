"""The text of a hit, read from its place, and the session of the hit.

The standard library reads plain transcripts here, so that a search costs little more than its query.
Compressed files and damaged records go through the ordinary reader.
"""

import json
import os
import sqlite3
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from backscroll.files import open_readonly
from backscroll.index.words.numbers import CONFIGS, TITLES
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.sessions.searchable.side_files import (
    SIDE_KINDS,
    Span,
    config_prompts,
    first_message,
    listed,
    text_of,
    texts_of_file,
    texts_of_prompt,
)
from backscroll.sessions.searchable.texts import OTHER, PROMPT, SPOKEN, SUMMARY, TITLE, Text, texts_of
from backscroll.stores.base import Opener

if TYPE_CHECKING:
    from backscroll.sessions.transcript import source
    from backscroll.stores.side import HistoryPrompt
else:
    source = lazily("backscroll.sessions.transcript.source")

PLAIN = {"prompt": "text", "answer": "text"}


class KeptMessage(NamedTuple):
    """The stored fields of a message in the full-text index; see `documents.Entry.at`."""

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
    """The kind of a title: title, tag or agent."""
    number: int | None = None
    """The number of an entry in a file without lines."""


class Holder(NamedTuple):
    """The file of a message, and its owner."""

    kind: str
    """transcript, titles, or the kind of another file."""
    session: str | None
    agent: str | None
    path: str


class SessionFacts(NamedTuple):
    """The facts about the session of a hit."""

    id: str | None
    title: str | None
    project: str | None


_FILES = (
    "SELECT file.id, iif(file.number IS NULL, file.kind, 'transcript'),"
    " coalesce(unit.session, desktop_row.session, file.session), unit.agent, file.path FROM file"
    " LEFT JOIN unit ON unit.id = file.unit LEFT JOIN desktop_row ON desktop_row.path = file.path"
    " WHERE file.id IN (SELECT value FROM json_each(?))"
)
_SESSIONS = (
    "SELECT asked.value, session.id, session.title, session.project FROM json_each(?) AS asked"
    " JOIN session ON session.id = coalesce((SELECT target FROM fold WHERE fold.id = asked.value), asked.value)"
)
_HOLDERS = (
    "SELECT asked.value, count(DISTINCT coalesce(fold.target, unit.session)) FROM json_each(?) AS asked"
    " CROSS JOIN passage ON passage.key = asked.value JOIN file ON file.id = passage.file"
    " JOIN unit ON unit.id = file.unit LEFT JOIN fold ON fold.id = unit.session GROUP BY asked.value"
)
"""The number of sessions that hold each message; an earlier copy counts as the session that contains it."""
_WITHOUT_FILE = {
    TITLES: Holder("titles", None, None, ""),
    CONFIGS: Holder("global-config", None, None, ""),
}
"""The holder of entries that lie in no single file."""


class HitFiles:
    """Looks up files and sessions of hits, each once."""

    def __init__(self, database: sqlite3.Connection, open_file: Opener = open_readonly) -> None:
        self._database = database
        self.open_file = open_file
        self._holders: dict[int, Holder | None] = dict(_WITHOUT_FILE)
        self._sessions: dict[str | None, SessionFacts] = {}
        self._config_prompts: dict[int, dict[int, HistoryPrompt]] = {}
        self._copies: dict[int, int] = {}

    def look_up(self, numbers: Collection[int], keys: Collection[int] = ()) -> None:
        """Look up files, their sessions and the copies of messages together, which takes half the time."""
        new = [number for number in numbers if number not in self._holders]
        rows = self._database.execute(_FILES, (json.dumps(new),))
        found = {number: Holder(kind, name, agent, os.fsdecode(path)) for number, kind, name, agent, path in rows}
        self._holders.update(dict.fromkeys(new) | found)
        self._look_up_sessions([holder.session for holder in found.values()])
        if keys:
            holders = dict(self._database.execute(_HOLDERS, (json.dumps([*keys]),)).fetchall())
            self._copies.update({key: max(holders.get(key, 0) - 1, 0) for key in keys})

    def holder(self, number: int) -> Holder | None:
        """Return a file by its number; None if the catalogue has dropped it."""
        if number not in self._holders:
            self.look_up([number])
        return self._holders[number]

    def path(self, number: int) -> str:
        """Return the path of a file."""
        holder = self.holder(number)
        return holder.path if holder else ""

    def config_prompts(self, number: int) -> "dict[int, HistoryPrompt]":
        """Return the prompts of a global config, which is read once for all of them."""
        if number not in self._config_prompts:
            self._config_prompts[number] = config_prompts(self.path(number))
        return self._config_prompts[number]

    def session(self, name: str | None) -> SessionFacts:
        """Return the facts about a session; an earlier copy returns the session that contains it."""
        if name not in self._sessions:
            self._look_up_sessions([name])
        return self._sessions[name]

    def copies(self, key: int) -> int:
        """Return the number of other sessions that hold a message."""
        if key not in self._copies:
            self.look_up((), [key])
        return self._copies[key]

    def _look_up_sessions(self, names: Collection[str | None]) -> None:
        rows = self._database.execute(_SESSIONS, (json.dumps(names),))
        found = {name: SessionFacts(*row) for name, *row in rows}
        self._sessions.update({name: found.get(name) or SessionFacts(name, None, None) for name in names})


def texts_at(holder: Holder, kept: KeptMessage, shelf: HitFiles) -> Iterator[Text]:
    """Yield the texts of a hit in order; none if the file is gone."""
    if holder.kind == "titles":
        yield TITLE if kept.name == TITLE else OTHER, kept.title or ""
    elif holder.kind in ("transcript", "workflow-journal"):
        for value in _records(shelf, kept.spans):
            yield from texts_of(value, SUMMARY if value.get("isCompactSummary") else SPOKEN[kept.role])
    else:
        try:
            yield from _texts_of_files(holder, kept, shelf)
        except OSError:
            return


def _texts_of_files(holder: Holder, kept: KeptMessage, shelf: HitFiles) -> Iterator[Text]:
    if holder.kind == "history":
        for value in _records(shelf, [span for span in kept.spans if span[2] >= 0]):
            yield from texts_of_prompt(str(value.get("display")), value.get("pastedContents"))
        yield from ((PROMPT, text_of(shelf.path(number))) for number, _, length in kept.spans if length < 0)
    elif holder.kind == "paste":
        yield PROMPT, text_of(holder.path)
    elif holder.kind == "global-config":
        prompt = shelf.config_prompts(kept.spans[0][0]).get(kept.number or 0)
        yield from texts_of_prompt(prompt.text, prompt.pasted) if prompt else ()
    elif holder.kind == "project-index":
        said = listed(holder.path, kept.session).get(kept.session or "")
        yield from said.texts if said else ()
    elif holder.kind == "row" and kept.role == "user":
        yield PROMPT, first_message(holder.path)
    else:
        yield from texts_of_file(holder.kind, holder.path)


def kind_shown(holder: Holder, kept: KeptMessage, kind: str) -> str:
    """Return the public name for the kind of a text."""
    if holder.kind == "titles" and kept.name == "tag":
        return kept.name
    if holder.kind in SIDE_KINDS and kind == SIDE_KINDS[holder.kind].text:
        return SIDE_KINDS[holder.kind].shown
    return PLAIN.get(kind, kind)


def place_of(kept: KeptMessage, shelf: HitFiles) -> Place | None:
    """Return the place of an entry."""
    if not kept.spans:
        return None
    number, offset, length = kept.spans[0]
    return Place(shelf.path(number), kept.line, offset, length if length >= 0 else None)


def moment(milliseconds: int | None) -> datetime | None:
    """Return a time in the form of the index."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None


def _records(shelf: HitFiles, places: list[Span]) -> Iterator[dict[str, Any]]:
    """Yield the records of a message; open each of its files once."""
    for number, group in groupby(places, key=itemgetter(0)):
        spans = [(offset, length) for _, offset, length in group]
        for (offset, length), raw in zip(spans, _read(shelf, number, spans), strict=True):
            value = _loaded(raw)
            if isinstance(value, dict):
                yield value
            else:
                with source.TranscriptSource(shelf.path(number), shelf.open_file) as stored:
                    yield stored.value(offset, length)


def _read(shelf: HitFiles, number: int, spans: list[tuple[int, int]]) -> list[bytes]:
    """Return pieces of a file, (offset, length) each; empty ones if it cannot be read."""
    try:
        with shelf.open_file(shelf.path(number)) as file:
            raw: BinaryIO = getattr(file, "raw", file)  # a buffer would read a megabyte for each piece
            size = raw.seek(0, os.SEEK_END)
            return [_piece(raw, offset, min(length, size - offset)) for offset, length in spans]
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
