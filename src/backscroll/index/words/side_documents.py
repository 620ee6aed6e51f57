"""Entries of files beside the transcripts: prompts, plans, todos, outputs of tools, rows of Desktop and more.

It omits prompts that a message repeats; `prompt_history` finds those.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from backscroll.files import open_readonly
from backscroll.formats.json import lines as jsonl
from backscroll.index.words.documents import Entry, fields_of, packed
from backscroll.index.words.prompt_history import History, time_of
from backscroll.records import Damage
from backscroll.sessions.searchable.side_files import (
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
from backscroll.sessions.searchable.texts import OTHER, PROMPT, SUMMARY, texts_of
from backscroll.sessions.transcript.fingerprint import number_of
from backscroll.stores import side

_PROMPT_TAGS = ("role:user", "kind:prompt")


class Prompts(Protocol):
    """Knows the prompts that messages repeat."""

    def is_said(self, text: str, session: str | None) -> bool:
        """Return True if a message of a session is this prompt."""

    def is_known(self, session: str | None) -> bool:
        """Return True if there is such a session."""


class SideFile(NamedTuple):
    """A file beside the transcripts, by its number."""

    kind: str
    number: int
    path: str
    session: str | None
    prompts: Prompts

    @property
    def whole(self) -> Span:
        """The whole file, as a place."""
        return self.number, 0, -1


def of_file(file: SideFile) -> list[Entry]:
    """Return the entries of a file beside the transcripts, without prompts that a message repeats."""
    try:
        return list(_FILES.get(file.kind, _of_whole)(file))
    except OSError:
        return []


def _of_whole(file: SideFile) -> Iterator[Entry]:
    found = SIDE_KINDS[file.kind]
    texts = texts_of_file(file.kind, file.path)
    if texts:
        at = [1, [file.whole], None, found.role, None, None]
        key = number_of(b"file", file.kind, name_of(file.path), *(text for _, text in texts))
        tags = (f"role:{found.role}", f"kind:{found.shown}")
        yield Entry(key, 0, written_at(file.path), fields_of(texts), tags, packed(at))


def _of_row(file: SideFile) -> Iterator[Entry]:
    """Yield the text of a Desktop row, and its first prompt if the session has no messages."""
    created, active = times_of(file.path)
    yield from (entry._replace(time=active or entry.time) for entry in _of_whole(file))
    text = first_message(file.path)
    if text and not file.prompts.is_said(text, file.session):
        at = [1, [file.whole], None, "user", None, None]
        key = number_of(b"first message", name_of(file.path), text)
        yield Entry(key, 1, created, fields_of([(PROMPT, text)]), _PROMPT_TAGS, packed(at))


def _of_journal(file: SideFile) -> Iterator[Entry]:
    """Yield the records of a workflow's journal; a record without a time has that of the file."""
    written = written_at(file.path)
    with open_readonly(file.path) as opened:
        for record in jsonl.scan(opened, file.path):
            if isinstance(record, Damage) or not isinstance(record.value, dict):
                continue
            texts = list(texts_of(record.value, OTHER))
            if texts:
                at = [record.line, [(file.number, record.offset, record.length)], None, "system", None, None]
                key = number_of(b"journal", name_of(file.path), record.line or 0, *(text for _, text in texts))
                tags = ("role:system", "kind:other")
                time = milliseconds(record.value.get("timestamp")) or written
                yield Entry(key, record.offset, time, fields_of(texts), tags, packed(at))


def _of_index(file: SideFile) -> Iterator[Entry]:
    """Yield the deleted sessions in an old list of sessions; the prompt only if no history has it."""
    typed = side.typed_in(str(Path(file.path).parents[2] / HISTORY))
    for number, (name, said) in enumerate(listed(file.path).items()):
        texts = [(of, text) for of, text in said.texts if of == SUMMARY or name not in typed]
        if texts and not file.prompts.is_known(name):
            at = [None, [file.whole], None, "user", None, None, None, name]
            tags = ("role:user", *(f"kind:{of}" for of, _ in texts), *_belonging(name, None))
            key = number_of(b"listed", name, *(text for _, text in texts))
            yield Entry(key, number, said.time, fields_of(texts), tags, packed(at), name)


def of_prompt(prompt: side.HistoryPrompt, history: History) -> Entry:
    """Return a prompt of a history, with its pastes from files of their own."""
    time, line, offset = time_of(prompt), prompt.place.line, prompt.place.offset or 0
    pastes = ((number, 0, -1) for number in history.files_of(prompt).values())
    spans = [(history.file, offset, prompt.place.length or 0), *pastes]
    at = [line, spans, None, "user", None, None, None, prompt.session, prompt.project]
    key = number_of(b"history", prompt.text, time or offset, prompt.session or "")
    pasted = history.pasted_into(prompt).values()
    texts = [*texts_of_prompt(prompt.text, prompt.pasted), *((PROMPT, text) for text in pasted)]
    tags = (*_PROMPT_TAGS, *_belonging(prompt.session, prompt.project))
    return Entry(key, offset, time, fields_of(texts), tags, packed(at), prompt.session)


def of_config(number: int, prompt: side.HistoryPrompt, file: int) -> Entry:
    """Return a prompt of a global config, which has neither a time nor a session."""
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
    """Return the place of a paste of a history."""
    return -1 - number


def _belonging(session: str | None, project: str | None) -> Iterator[str]:
    """Yield the tags with session and project of a prompt whose session may be gone."""
    yield from (f"{name}:{value.lower()}" for name, value in (("session", session), ("project", project)) if value)


_FILES = {"project-index": _of_index, "row": _of_row, "workflow-journal": _of_journal}
