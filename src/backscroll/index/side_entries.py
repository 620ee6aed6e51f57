"""Entries of what lies beside the transcripts: prompts, plans, todos, outputs of tools, rows of Desktop and more.

Of what was typed only that is taken which no message holds; `typed` knows.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from backscroll.files import open_readonly
from backscroll.formats import jsonl
from backscroll.index.entries import Entries, Entry, fields_of, packed
from backscroll.index.typed import History, time_of
from backscroll.records import Damage
from backscroll.sessions.beside import (
    HISTORY,
    SIDE_KINDS,
    Span,
    first_message,
    listed,
    milliseconds,
    name_of,
    text_in,
    texts_of_file,
    texts_of_prompt,
    times_of,
    written_at,
)
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.texts import OTHER, PROMPT, SUMMARY, texts_of
from backscroll.stores import side
from backscroll.value import NamedTuple

_WHOLE: Span = (0, 0, -1)
_PROMPT_TAGS = ("role:user", "kind:prompt")


class Prompts(Protocol):
    """What knows which prompts messages hold."""

    def is_said(self, text: str, session: str | None) -> bool:
        """Say whether a message of a session is this prompt."""

    def is_known(self, session: str | None) -> bool:
        """Say whether there is such a session."""


class Files(NamedTuple):
    """Files that are taken in together."""

    kind: str
    paths: Sequence[str]
    session: str | None
    prompts: Prompts


def of_files(files: Files) -> Entries:
    """Return the entries of files beside the transcripts; of prompts only those that no message holds."""
    try:
        return Entries(list(_FILES.get(files.kind, _of_whole)(files)), [])
    except OSError:
        return Entries([], [])


def _of_whole(files: Files) -> Iterator[Entry]:
    found = SIDE_KINDS[files.kind]
    texts = texts_of_file(files.kind, files.paths[0])
    if texts:
        at = [1, [_WHOLE], None, found.role, None, None]
        key = number_of(b"file", files.kind, name_of(files.paths[0]), *(text for _, text in texts))
        tags = (f"role:{found.role}", f"kind:{found.shown}")
        yield Entry(key, 0, written_at(files.paths[0]), fields_of(texts), tags, packed(at))


def _of_row(files: Files) -> Iterator[Entry]:
    """Yield what a row of Desktop tells of its session, and the prompt that this began with where it got no further."""
    created, active = times_of(files.paths[0])
    yield from (entry._replace(time=active or entry.time) for entry in _of_whole(files))
    text = first_message(files.paths[0])
    if text and not files.prompts.is_said(text, files.session):
        at = [1, [_WHOLE], None, "user", None, None]
        key = number_of(b"first message", name_of(files.paths[0]), text)
        yield Entry(key, 1, created, fields_of([(PROMPT, text)]), _PROMPT_TAGS, packed(at))


def _of_journal(files: Files) -> Iterator[Entry]:
    """Yield the records of a workflow's journal; what has no time of its own has that of the file."""
    written = written_at(files.paths[0])
    with open_readonly(files.paths[0]) as file:
        for record in jsonl.scan(file, files.paths[0]):
            if isinstance(record, Damage) or not isinstance(record.value, dict):
                continue
            texts = list(texts_of(record.value, OTHER))
            if texts:
                at = [record.line, [(0, record.offset, record.length)], None, "system", None, None]
                key = number_of(b"journal", name_of(files.paths[0]), record.line or 0, *(text for _, text in texts))
                tags = ("role:system", "kind:other")
                time = milliseconds(record.value.get("timestamp")) or written
                yield Entry(key, record.offset, time, fields_of(texts), tags, packed(at))


def _of_index(files: Files) -> Iterator[Entry]:
    """Yield what an old list of sessions says of those that are gone; the prompt only where no history has it."""
    typed = side.typed_in(str(Path(files.paths[0]).parents[2] / HISTORY))
    for number, (name, said) in enumerate(listed(files.paths[0]).items()):
        texts = [(of, text) for of, text in said.texts if of == SUMMARY or name not in typed]
        if texts and not files.prompts.is_known(name):
            at = [None, [_WHOLE], None, "user", None, None, None, name]
            tags = ("role:user", *(f"kind:{of}" for of, _ in texts), *_belonging(name, None))
            key = number_of(b"listed", name, *(text for _, text in texts))
            yield Entry(key, number, said.time, fields_of(texts), tags, packed(at), name)


def of_prompt(prompt: side.HistoryPrompt, history: History) -> Entry:
    """Return a prompt of a history, with the pastes that lie in files of their own."""
    time, line, offset = time_of(prompt), prompt.place.line, prompt.place.offset or 0
    spans = [(0, offset, prompt.place.length or 0), *((file, 0, -1) for file in history.files_of(prompt).values())]
    at = [line, spans, None, "user", None, None, None, prompt.session, prompt.project]
    key = number_of(b"history", prompt.text, time or offset, prompt.session or "")
    pasted = history.pasted_into(prompt).values()
    texts = [*texts_of_prompt(prompt.text, prompt.pasted), *((PROMPT, text) for text in pasted)]
    tags = (*_PROMPT_TAGS, *_belonging(prompt.session, prompt.project))
    return Entry(key, offset, time, fields_of(texts), tags, packed(at), prompt.session)


def of_config(number: int, prompt: side.HistoryPrompt, file: int) -> Entry:
    """Return a prompt of a global config, which tells neither its time nor its session."""
    at = [None, [(file, 0, -1)], None, "user", None, None, None, None, prompt.project, PROMPT, number]
    texts = texts_of_prompt(prompt.text, prompt.pasted)
    tags = (*_PROMPT_TAGS, *_belonging(None, prompt.project))
    return Entry(number, number, None, fields_of(texts), tags, packed(at))


def of_paste(number: int, path: str) -> Iterator[Entry]:
    """Yield a paste that no prompt names."""
    if text := text_in(path):
        at = [1, [(number, 0, -1)], None, "user", None, None]
        key = number_of(b"paste", name_of(path), text)
        time = written_at(path)
        yield Entry(key, place_of_paste(number), time, fields_of([(PROMPT, text)]), _PROMPT_TAGS, packed(at))


def place_of_paste(number: int) -> int:
    """Return the place of a file of a history that is no line of it."""
    return -1 - number


def _belonging(session: str | None, project: str | None) -> Iterator[str]:
    """Yield what says of a prompt whose session may be gone where it belongs."""
    yield from (f"{name}:{value.lower()}" for name, value in (("session", session), ("project", project)) if value)


_FILES = {"project-index": _of_index, "row": _of_row, "workflow-journal": _of_journal}
