"""The files beside the transcripts: prompts, todos, plans, file versions, settings, the registry of live sessions.

First the store that finds these files (docs/formats.md, "Side files"), then one tolerant reader for each kind that we
use.  A reader never raises for bad data: it returns the readable part, and a `Damage` either in its stream or in the
list that the caller passes.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll import times
from backscroll.files import open_readonly, read_small, reason_of
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage, Record
from backscroll.stores.base import DiskStore, FileEntry, FoundFile, Label, Walk, found
from backscroll.stores.code import uuid_pattern

if TYPE_CHECKING:
    from backscroll.formats.json import lines as jsonl
else:
    jsonl = lazily("backscroll.formats.json.lines")

_GLOBAL_CONFIG = ".claude.json"
_GLOBAL_CONFIGS = (_GLOBAL_CONFIG, ".config.json", "config.json")
_FILES = {
    "history.jsonl": "history",
    "settings.json": "settings",
    "settings.local.json": "settings",
    ".last-cleanup": "last-cleanup",
    **dict.fromkeys(_GLOBAL_CONFIGS, "global-config"),
}
_DIRECTORIES = {
    "todos": "todos",
    "tasks": "tasks",
    "plans": "plan",
    "paste-cache": "paste",
    "file-history": "file-history",
    "sessions": "live",
    "backups": "config-backup",
    "image-cache": "image",
    "uploads": "upload",
    "agent-memory": "memory",
    "scheduled-tasks": "scheduled",
    **dict.fromkeys(("jobs", "teams", "session-env", "debug", "dump-prompts", "shell-snapshots"), "side-other"),
}
PROGRAMS = {
    "plugins": "programs of plugins, no sessions",
    "local": "an installation of Claude Code: a program",
    "node_modules": "packages: programs",
    ".git": "a git repository",
}
"""Directories that are not walked."""


@cache
def _pasted() -> re.Pattern[str]:
    return re.compile(r"\[Pasted text #(\d+)[^\]\n]*\]")


"""The marker of a paste in a prompt."""
_LARGEST = 64 << 20
"""No side file of JSON is read beyond this; the largest one known (.claude.json) has some megabytes."""


class SideStore(DiskStore):
    """Everything in one configuration directory except its transcripts, and the global config beside it."""

    def __init__(self, path: Path, home: Path, own: Path | None = None, *, is_home: bool = False) -> None:
        self.path = path
        self.home = home
        self.own = own
        self.is_home = is_home
        """True if the directory is also a home: then only known directories are walked."""
        self.kind = "side"

    def named(self, entry: FileEntry) -> FoundFile:
        """Return an entry as a file with its kind."""
        return found(entry, label(entry.parts), str(self.path))

    def left_alone(self) -> list[tuple[str, str]]:
        """Return the directories that are not walked, each with the reason; in a home most are not Claude's."""
        places = [] if self.is_home else [(str(self.path / name), reason) for name, reason in PROGRAMS.items()]
        return [(path, reason) for path, reason in places if os.path.isdir(path)]

    def entries(self) -> Iterator[FileEntry | Damage]:
        """Yield the files in the order of the walk."""
        walk = Walk(str(self.path), str(self.home), str(self.own) if self.own else None)
        if os.path.lexists(self.path):
            yield from walk.below(_is_known if self.is_home else is_data)
        if self.path == self.home / ".claude":
            for name in _beside(str(self.path.parent)):
                yield from walk.one(name)


def _is_known(parts: tuple[str, ...]) -> bool:
    return parts[0] in _DIRECTORIES


def is_data(parts: tuple[str, ...]) -> bool:
    """Return True if a subdirectory of a configuration directory holds data, not software or transcripts."""
    return parts[0] != "projects" and parts[0] not in PROGRAMS


def label(parts: tuple[str, ...]) -> Label:
    """Return the kind of a side file by its path below the configuration directory."""
    first, name = parts[0], parts[-1]
    if len(parts) == 1:
        return Label(_FILES.get(name) or ("config-backup" if name.startswith(".claude.json.") else "side-other"))
    if first == "jobs" and name == "parent-transcript.jsonl":
        return Label("copy")
    session = uuid_pattern().match(parts[1])
    agent = parts[1].partition("-agent-")[2].removesuffix(".json") if first == "todos" else ""
    return Label(_DIRECTORIES.get(first, "side-other"), session[0] if session else None, agent or None)


def _beside(home: str) -> list[str]:
    """Return the global config and its backups in their default place: beside `.claude`."""
    try:
        return sorted(os.path.join(home, name) for name in os.listdir(home) if name.startswith(_GLOBAL_CONFIG))
    except OSError:
        return [os.path.join(home, _GLOBAL_CONFIG)]


class HistoryPrompt(NamedTuple):
    """One typed prompt from history.jsonl."""

    text: str
    time: datetime | None
    project: str | None
    session: str | None
    pasted: dict[str, Any]
    place: Place

    def pasted_files(self) -> dict[str, str]:
        """Return the name of the file in `paste-cache` for each paste number."""
        names = {number: item.get("contentHash") for number, item in self.pasted.items() if isinstance(item, dict)}
        return {number: name for number, name in names.items() if isinstance(name, str)}

    def whole(self, pasted: Mapping[str, str]) -> str:
        """Return the prompt as it was sent, with its pastes; `pasted` are the pastes from files."""
        inline = {number: item.get("content") for number, item in self.pasted.items() if isinstance(item, dict)}
        known = {number: text for number, text in (inline | dict(pasted)).items() if isinstance(text, str)}
        return _pasted().sub(lambda found: known.get(found[1], found[0]), self.text)


def history(path: str, start: int = 0, line: int = 1) -> Iterator[HistoryPrompt | Damage]:
    """Yield the prompts of a history.jsonl in file order, starting at the first byte of a line."""
    try:
        with open_readonly(path) as file:
            for record in jsonl.scan(file, path, None, start, line):
                yield record if isinstance(record, Damage) else _prompt(record, path)
    except OSError as error:
        yield Damage(Place(path), reason_of(error))


def typed_in(path: str) -> set[str]:
    """Return the sessions with prompts in a history.jsonl."""
    return {item.session for item in history(path) if isinstance(item, HistoryPrompt) and item.session}


def paste_name(path: str) -> str:
    """Return the name of a file in `paste-cache` as prompts write it."""
    return os.path.basename(path).partition(".")[0]


def has_gaps(text: str) -> bool:
    """Return True if a prompt names pastes that no longer exist."""
    return _pasted().search(text) is not None


def is_bare_command(text: str) -> bool:
    """Return True if a prompt is only a command to the program, such as `/exit`."""
    return text.startswith("/") and len(text.split()) == 1


def cleanup_days(settings_paths: Iterable[str], damage: list[Damage] | None = None) -> int | None:
    """Return cleanupPeriodDays from the last file that sets it, or None if no file does."""
    days = None
    for path in settings_paths:
        value = read_object(path, damage).get("cleanupPeriodDays")
        if type(value) is int and value >= 0:
            days = value
    return days


def known_cwds(global_config_path: str, damage: list[Damage] | None = None) -> list[str]:
    """Return the working directories in a global config; nothing else of it leaves this function."""
    projects = read_object(global_config_path, damage).get("projects")
    return list(projects) if isinstance(projects, dict) else []


def index_hints(path: str, damage: list[Damage] | None = None) -> dict[str, str]:
    """Return the working directory of each session in a sessions-index.json."""
    index = read_object(path, damage)
    entries = index.get("entries")
    hints = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("sessionId"), str):
            cwd = entry.get("projectPath") or index.get("originalPath")
            if isinstance(cwd, str):
                hints[entry["sessionId"]] = cwd
    return hints


def agent_meta(path: str, damage: list[Damage] | None = None) -> dict[str, Any]:
    """Return the content of an agent's meta.json: agentType, description, toolUseId, parentAgentId and more."""
    return read_object(path, damage)


def custom_title(path: str, damage: list[Damage] | None = None) -> str | None:
    """Return the title in a custom-title.json."""
    title = read_object(path, damage).get("customTitle")
    return title if isinstance(title, str) and title else None


def archived(path: str, damage: list[Damage] | None = None) -> bool:
    """Return True if an archived.json marks its session as archived."""
    return read_object(path, damage).get("archived") is True


def released(path: str, damage: list[Damage] | None = None) -> str | None:
    """Return why Claude Desktop released a session: delete or archive."""
    reason = read_object(path, damage).get("reason")
    return reason if isinstance(reason, str) else None


def live_sessions(config: str, damage: list[Damage] | None = None) -> dict[str, int]:
    """Return the registered process id of each session; the process may have ended."""
    try:
        names = sorted(os.listdir(os.path.join(config, "sessions")))
    except OSError:
        return {}
    live = {}
    for name in names:
        if name.endswith(".json") and name[:-5].isdecimal():
            entry = read_object(os.path.join(config, "sessions", name), damage)
            if isinstance(entry.get("sessionId"), str):
                live[entry["sessionId"]] = int(name[:-5])
    return live


class Backup(NamedTuple):
    """A copy of a file from before Claude Code changed it; its name begins with a digest of the file's path."""

    path: str
    name: str
    session: str
    mtime_ns: int


def backups(config: str) -> Iterator[Backup]:
    """Yield the copies of files in a configuration directory, even if no transcript names them any more."""
    for directory in _entries_of(os.path.join(config, "file-history")):
        if directory.is_dir(follow_symlinks=False):
            for entry in _entries_of(directory.path):
                if entry.is_file(follow_symlinks=False):
                    mtime = entry.stat(follow_symlinks=False).st_mtime_ns
                    yield Backup(entry.path, entry.name, directory.name, mtime)


def _entries_of(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as scan:
            return sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return []


def _prompt(record: Record, path: str) -> HistoryPrompt | Damage:
    place = Place(path, record.line, record.offset, record.length)
    value = record.value
    if not isinstance(value, dict) or not isinstance(value.get("display"), str):
        return Damage(place, "not a prompt: no display text")
    pasted = value.get("pastedContents")
    return HistoryPrompt(
        value["display"],
        times.parse(value.get("timestamp")),
        _text(value.get("project")),
        _text(value.get("sessionId")),
        pasted if isinstance(pasted, dict) else {},
        place,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def read_object(path: str, damage: list[Damage] | None, holding: "re.Pattern[bytes] | None" = None) -> dict[str, Any]:
    """Return the JSON object in a small file; if it is unreadable, add a Damage and return an empty object.

    The object is empty, too, if the file does not match `holding`.
    """
    try:
        data = read_small(path, _LARGEST)
        if holding and not holding.search(data):
            return {}
        text = data.decode("utf-8-sig", "replace")
        value = json.loads(text)
        if "\\ud" in text.lower():  # perhaps a lone surrogate, which no database can hold: it becomes U+FFFD
            text = json.dumps(value, ensure_ascii=False)
            value = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        if isinstance(value, dict):
            return value
        reason = "not a JSON object"
    except OSError as error:
        reason = reason_of(error)
    except (ValueError, RecursionError) as error:
        reason = f"not JSON: {error}"
    if damage is not None:
        damage.append(Damage(Place(path), reason))
    return {}
