"""Beside: what there is to find in the files that lie beside transcripts, by their kind.

In comes the path of a file; out come its texts, or the records in it with theirs.  Used when words are taken in and
again when a hit is shown, so nothing is imported here that a search could do without.
"""

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscroll import times
from backscroll.files import read_small
from backscroll.lazy import lazily
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.texts import OTHER, PROMPT, RESULT, SUMMARY, Text, strings_in
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.stores import allowed, rows
    from backscroll.stores.side import HistoryPrompt
else:
    allowed = lazily("backscroll.stores.allowed")
    rows = lazily("backscroll.stores.rows")

Span = tuple[int, int, int]
"""Where something lies: number of the file, offset, length; -1 for all of it."""
HISTORY = "history.jsonl"
LARGEST_FILE = 256 << 20
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
"""What a row of Desktop tells people of its session, beside its title; nothing of what may hold a secret."""
_FIRST_MESSAGE = "initialMessage"


def text_of(path: str) -> str:
    """Return the text in a file; none where it holds no text."""
    data = read_small(path, LARGEST_FILE)
    return "" if b"\0" in data[:_SAMPLE] else data.decode("utf-8-sig", "replace")


def text_in(path: str) -> str:
    """Return the text in a file; none where it is gone."""
    try:
        return text_of(path)
    except OSError:
        return ""


def value_in(path: str) -> Any:
    """Return the JSON in a file; None where it holds none."""
    try:
        return json.loads(read_small(path, LARGEST_FILE).decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def texts_of_prompt(display: str, pasted: Any) -> list[Text]:
    """Return the texts of a line of history.jsonl: what was typed, and what was pasted into it."""
    found = [display]
    for item in pasted.values() if isinstance(pasted, dict) else ():
        if isinstance(item, dict) and item.get("type") != "image":
            found += [text for name in ("filename", "content") if isinstance(text := item.get(name), str)]
    return [(PROMPT, text) for text in found if text]


def config_prompts(path: str) -> "dict[int, HistoryPrompt]":
    """Return the prompts that a global config remembers, each by the number that stands for it; none if it is gone."""
    try:
        status = Path(path).stat()
    except OSError:
        return {}
    return _config_prompts(path, (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


@lru_cache(16)
def _config_prompts(path: str, _state: tuple[int, ...]) -> "dict[int, HistoryPrompt]":
    """Read a config once for all its prompts that are shown, for as long as its state is the same."""
    found: dict[int, HistoryPrompt] = {}
    for prompt in allowed.config_prompts(path):
        texts = [text for _, text in texts_of_prompt(prompt.text, prompt.pasted)]
        if any(text.strip() for text in texts):
            found.setdefault(number_of(b"config", prompt.project or "", *texts), prompt)
    return found


def first_message(path: str) -> str:
    """Return the prompt that a row of Desktop says its session began with."""
    value = rows.read_fields(path)[0].get(_FIRST_MESSAGE)
    return value if isinstance(value, str) else ""


def times_of(path: str) -> tuple[int | None, int | None]:
    """Return when the session of a row of Desktop began and when it was last active, in milliseconds."""
    fields, _ = rows.read_fields(path)
    return milliseconds(fields.get("createdAt")), milliseconds(fields.get("lastActivityAt"))


def written_at(path: str) -> int | None:
    """Return when a file was last written, in milliseconds; None where its time is none, or where it is gone."""
    try:
        time = Path(path).stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
    return time if time > 0 and times.parse(time) else None


def milliseconds(value: object) -> int | None:
    """Return the moment that a stored value means, in milliseconds."""
    moment = times.parse(value)
    return round(moment.timestamp() * 1000) if moment else None


class Listed(NamedTuple):
    """What a list of sessions says of one of them."""

    texts: list[Text]
    time: int | None
    """When it began, else when it was last changed."""


def listed(path: str, session: str | None = None) -> dict[str, Listed]:
    """Return the sessions that a sessions-index.json lists, or one of them, with what it says of each."""
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
    """How the files of one kind are found: who says it, what it is called, which kind of text it is."""

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


def _open_strings(value: Any) -> list[str]:
    return [text for text in strings_in(allowed.without_secrets(value)) if text != allowed.WITHHELD]


def _row(path: str) -> list[str]:
    fields, _ = rows.read_fields(path)
    answers = fields.get("mcqAnswers")
    questions = [name for name in answers if " " in name] if isinstance(answers, dict) else []
    return [*questions, *_open_strings({name: fields.get(name) for name in ROW_FIELDS})]


SIDE_KINDS = {
    "plan": SideKind("system", "plan", OTHER, _whole),
    "memory": SideKind("system", "memory", OTHER, _whole),
    "script": SideKind("system", "other", OTHER, _whole),
    "todos": SideKind("system", "todo", OTHER, _strings),
    "tasks": SideKind("system", "todo", OTHER, _strings),
    "backlog": SideKind("system", "todo", OTHER, _without_secrets),
    "schedule": SideKind("system", "schedule", OTHER, _without_secrets),
    "scheduled": SideKind("system", "schedule", OTHER, _whole),
    "spaces": SideKind("system", "other", OTHER, _without_secrets),
    "task-meta": SideKind("system", "other", OTHER, _without_secrets),
    "row": SideKind("system", "row", OTHER, _row),
    "tool-result": SideKind("tool", "result", RESULT, _whole),
}
"""The kinds of files that are found as a whole."""


def texts_of_file(kind: str, path: str) -> list[Text]:
    """Return the texts of a file that is found as a whole."""
    side = SIDE_KINDS[kind]
    return [(side.text, text) for text in side.read(path)]


def name_of(path: str) -> str:
    """Return what a file is called, by which copies of it in other places are known."""
    return "/".join(path.replace("\\", "/").split("/")[-3:])
