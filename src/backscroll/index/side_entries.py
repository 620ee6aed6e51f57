"""Entries of what lies beside the transcripts: prompts, plans, todos, outputs of tools, rows of Desktop and more.

Of what was typed only that is taken which no message holds; `Prompts` knows.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from backscroll.files import open_readonly
from backscroll.formats import jsonl
from backscroll.index.entries import Entries, Entry, fields_of, packed
from backscroll.records import Damage
from backscroll.sessions.beside import (
    HISTORY,
    SIDE_KINDS,
    Span,
    first_message,
    listed,
    name_of,
    text_of,
    texts_of_file,
    texts_of_prompt,
    times_of,
)
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.texts import OTHER, PROMPT, SUMMARY, texts_of
from backscroll.stores import side

_WHOLE: Span = (0, 0, -1)
_PROMPT_TAGS = ("role:user", "kind:prompt")


class Prompts(Protocol):
    """What knows which prompts messages hold."""

    def holds(self, text: str, session: str | None, project: str | None, time: int | None) -> bool:
        """Say whether a message of the session, or one of that project or time, is this prompt."""

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
        yield Entry(key, 0, None, fields_of(texts), (f"role:{found.role}", f"kind:{found.shown}"), packed(at))


def _of_row(files: Files) -> Iterator[Entry]:
    """Yield what a row of Desktop tells of its session, and the prompt that this began with where it got no further."""
    created, active = times_of(files.paths[0])
    yield from (entry._replace(time=active) for entry in _of_whole(files))
    text = first_message(files.paths[0])
    if text and not files.prompts.holds(text, files.session, None, None):
        at = [1, [_WHOLE], None, "user", None, None]
        key = number_of(b"first message", name_of(files.paths[0]), text)
        yield Entry(key, 1, created, fields_of([(PROMPT, text)]), _PROMPT_TAGS, packed(at))


def _of_journal(files: Files) -> Iterator[Entry]:
    """Yield the records of a workflow's journal."""
    with open_readonly(files.paths[0]) as file:
        for record in jsonl.scan(file, files.paths[0]):
            if isinstance(record, Damage) or not isinstance(record.value, dict):
                continue
            texts = list(texts_of(record.value, OTHER))
            if texts:
                at = [record.line, [(0, record.offset, record.length)], None, "system", None, None]
                key = number_of(b"journal", name_of(files.paths[0]), record.line or 0, *(text for _, text in texts))
                tags = ("role:system", "kind:other")
                yield Entry(key, record.offset, None, fields_of(texts), tags, packed(at))


def _of_index(files: Files) -> Iterator[Entry]:
    """Yield what an old list of sessions says of those that are gone; the prompt only where no history has it."""
    typed = side.typed_in(str(Path(files.paths[0]).parents[2] / HISTORY))
    for number, (name, said) in enumerate(listed(files.paths[0]).items()):
        texts = [(of, text) for of, text in said if of == SUMMARY or name not in typed]
        if texts and not files.prompts.is_known(name):
            at = [None, [_WHOLE], None, "user", None, None, None, name]
            tags = ("role:user", *(f"kind:{of}" for of, _ in texts), *_belonging(name, None))
            key = number_of(b"listed", name, *(text for _, text in texts))
            yield Entry(key, number, None, fields_of(texts), tags, packed(at), name)


def _of_history(files: Files) -> Iterator[Entry]:
    """Yield the prompts of a history, with what was pasted into them, and pastes that no prompt names."""
    pastes = {side.paste_name(path): number for number, path in enumerate(files.paths) if not path.endswith(HISTORY)}
    named: set[int] = set()
    for prompt in side.history(files.paths[0]) if files.paths[0].endswith(HISTORY) else ():
        if isinstance(prompt, Damage):
            continue
        own = {number: pastes[name] for number, name in prompt.pasted_files().items() if name in pastes}
        yield from _of_prompt(prompt, own, files)
        named.update(own.values())
    for number in sorted(set(pastes.values()) - named):
        if text := _pasted(files.paths[number]):
            at = [1, [(number, 0, -1)], None, "user", None, None]
            key = number_of(b"paste", name_of(files.paths[number]), text)
            yield Entry(key, -1 - number, None, fields_of([(PROMPT, text)]), _PROMPT_TAGS, packed(at))


def _of_prompt(prompt: side.HistoryPrompt, own: Mapping[str, int], files: Files) -> Iterator[Entry]:
    """Yield a prompt with the pastes that lie in files of their own, unless a message holds it."""
    time = round(prompt.time.timestamp() * 1000) if prompt.time else None
    pasted = {number: _pasted(files.paths[file]) for number, file in own.items()}
    whole = prompt.whole(pasted)
    if files.prompts.holds(whole, prompt.session, prompt.project, time):
        return
    if files.prompts.is_known(prompt.session) and (side.is_bare_command(prompt.text) or side.has_gaps(whole)):
        return
    line, offset = prompt.place.line, prompt.place.offset or 0
    spans = [(0, offset, prompt.place.length or 0), *((file, 0, -1) for file in own.values())]
    at = [line, spans, None, "user", None, None, None, prompt.session, prompt.project]
    key = number_of(b"history", prompt.text, time or offset, prompt.session or "")
    texts = [*texts_of_prompt(prompt.text, prompt.pasted), *((PROMPT, text) for text in pasted.values())]
    tags = (*_PROMPT_TAGS, *_belonging(prompt.session, prompt.project))
    yield Entry(key, offset, time, fields_of(texts), tags, packed(at), prompt.session)


def _belonging(session: str | None, project: str | None) -> Iterator[str]:
    """Yield what says of a prompt whose session may be gone where it belongs."""
    yield from (f"{name}:{value.lower()}" for name, value in (("session", session), ("project", project)) if value)


def _pasted(path: str) -> str:
    try:
        return text_of(path)
    except OSError:
        return ""


_FILES = {"history": _of_history, "project-index": _of_index, "row": _of_row, "workflow-journal": _of_journal}
