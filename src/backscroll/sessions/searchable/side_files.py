"""The searchable texts of files beside transcripts, by kind of file.

Input: the path of a file.  Output: its texts, or its records with their texts.  The search index and the display of
hits both use this module, so it imports only modules that a search needs.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll import times
from backscroll.files import read_small
from backscroll.lazy import lazily
from backscroll.sessions.searchable.texts import OTHER, PROMPT, RESULT, SUMMARY, Text, strings_in
from backscroll.sessions.transcript.fingerprint import number_of

if TYPE_CHECKING:
    from backscroll.stores.desktop_files import allowed, manifests, rows
    from backscroll.stores.side import HistoryPrompt
else:
    allowed = lazily("backscroll.stores.desktop_files.allowed")
    manifests = lazily("backscroll.stores.desktop_files.manifests")
    rows = lazily("backscroll.stores.desktop_files.rows")

Span = tuple[int, int, int]
"""A place: number of the file, offset, length; -1 for the whole file."""
HISTORY = "history.jsonl"
LARGEST_FILE = 64 << 20
"""A larger file is counted and not read; `stores` names it."""
_SAMPLE = 8192

ROW_FIELDS = (
    "previousTitles",
    "mcqAnswers",
    "userSelectedFolders",
    "fsDetectedFiles",
    "publishedArtifacts",
    "error",
    "recap",
    "postTurnSummary",
    "lastTurnReport",
    "reportFindingsCard",
    "sideSessionNotes",
    "pendingNotifications",
    "promptSuggestion",
    "prs",
    "spawnedFrom",
    "cloudSpawnedTasks",
    "worktreeName",
    "branch",
)
"""The searchable fields of a Desktop row besides its title; none of them can hold a secret."""
_FIRST_MESSAGE = "initialMessage"


def text_of(path: str) -> str:
    """Return the text in a file; nothing if it holds no text."""
    data = read_small(path, LARGEST_FILE)
    return "" if b"\0" in data[:_SAMPLE] else data.decode("utf-8-sig", "replace")


def text_in(path: str) -> str:
    """Return the text in a file; nothing if the file is gone."""
    try:
        return text_of(path)
    except OSError:
        return ""


def value_in(path: str) -> Any:
    """Return the JSON in a file; None if it holds none."""
    try:
        return json.loads(read_small(path, LARGEST_FILE).decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def texts_of_prompt(display: str, pasted: Any) -> list[Text]:
    """Return the texts of a line of history.jsonl: the typed text and the pasted ones."""
    found = [display]
    for item in pasted.values() if isinstance(pasted, dict) else ():
        if isinstance(item, dict) and item.get("type") != "image":
            found += [text for name in ("filename", "content") if isinstance(text := item.get(name), str)]
    return [(PROMPT, text) for text in found if text]


def config_prompts(path: str) -> "dict[int, HistoryPrompt]":
    """Return the prompts in a global config by number; nothing if the file is gone."""
    found: dict[int, HistoryPrompt] = {}
    for prompt in allowed.config_prompts(path):
        texts = [text for _, text in texts_of_prompt(prompt.text, prompt.pasted)]
        if any(text.strip() for text in texts):
            found.setdefault(number_of(b"config", prompt.project or "", *texts), prompt)
    return found


def first_message(path: str) -> str:
    """Return the first prompt of a session according to its Desktop row."""
    value = rows.read_fields(path)[0].get(_FIRST_MESSAGE)
    return value if isinstance(value, str) else ""


def times_of(path: str) -> tuple[int | None, int | None]:
    """Return the start and the last activity of a Desktop row's session, in milliseconds."""
    fields, _ = rows.read_fields(path)
    return milliseconds(fields.get("createdAt")), milliseconds(fields.get("lastActivityAt"))


def written_at(path: str) -> int | None:
    """Return the modification time of a file in milliseconds; None if it has none or the file is gone."""
    try:
        time = Path(path).stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
    return time if time > 0 and times.parse(time) else None


def milliseconds(value: object) -> int | None:
    """Return a stored time in milliseconds."""
    moment = times.parse(value)
    return round(moment.timestamp() * 1000) if moment else None


class Listed(NamedTuple):
    """One session in a sessions-index.json."""

    texts: list[Text]
    time: int | None
    """Its start, else its last change."""


def listed(path: str, session: str | None = None) -> dict[str, Listed]:
    """Return the sessions in a sessions-index.json, or one of them."""
    index = value_in(path)
    entries = index.get("entries") if isinstance(index, dict) else None
    found = {}
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("sessionId") if isinstance(entry, dict) else None
        if isinstance(name, str) and session in (None, name):
            said = ((PROMPT, entry.get("firstPrompt")), (SUMMARY, entry.get("summary")))
            texts = [(kind, text) for kind, text in said if isinstance(text, str) and text]
            known = (milliseconds(entry.get(field)) for field in ("created", "modified", "fileMtime"))
            found[name] = Listed(texts, next(filter(None, known), None))
    return found


class SideKind(NamedTuple):
    """The search properties of one kind of file: role, name and kind of text."""

    role: str
    shown: str
    text: str
    read: Callable[[str], Iterable[str]]


def _whole(path: str) -> list[str]:
    return [text] if (text := text_of(path)) else []


def _strings(path: str) -> list[str]:
    return list(strings_in(value_in(path)))


def _without_secrets(path: str) -> list[str]:
    return _open_strings(value_in(path))


def _allowed(path: str) -> list[str]:
    return _open_strings(allowed.only_allowed(value_in(path)))


def _open_strings(value: Any) -> list[str]:
    return [text for text in strings_in(allowed.without_secrets(value)) if text != allowed.WITHHELD]


def _row(path: str) -> list[str]:
    fields, _ = rows.read_fields(path)
    answers = fields.get("mcqAnswers")
    questions = [name for name in answers if " " in name] if isinstance(answers, dict) else []
    told = {name: manifests.shown(name, fields.get(name)) for name in ROW_FIELDS}
    return [*questions, *_open_strings(told)]


SIDE_KINDS = {
    "plan": SideKind("system", "plan", OTHER, _whole),
    "memory": SideKind("system", "memory", OTHER, _whole),
    "script": SideKind("system", "other", OTHER, _whole),
    "todos": SideKind("system", "todo", OTHER, _strings),
    "tasks": SideKind("system", "todo", OTHER, _strings),
    "backlog": SideKind("system", "todo", OTHER, _allowed),
    "schedule": SideKind("system", "schedule", OTHER, _allowed),
    "scheduled": SideKind("system", "schedule", OTHER, _whole),
    "spaces": SideKind("system", "other", OTHER, _allowed),
    "task-meta": SideKind("system", "other", OTHER, _without_secrets),
    "row": SideKind("system", "row", OTHER, _row),
    "tool-result": SideKind("tool", "result", RESULT, _whole),
}
"""The kinds of files that are one document each."""


def texts_of_file(kind: str, path: str) -> list[Text]:
    """Return the texts of a file that is one document."""
    side = SIDE_KINDS[kind]
    return [(side.text, text) for text in side.read(path)]


def name_of(path: str) -> str:
    """Return the name of a file; copies of it elsewhere have the same name."""
    return "/".join(path.replace("\\", "/").split("/")[-3:])
