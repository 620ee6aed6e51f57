"""Claude Desktop's own files: rows of the Code tab, manifests of Cowork with their private directories, logs.

    <data>/claude-code-sessions/<account>/<organization>/local_<uuid>.json          row
    <data>/local-agent-mode-sessions/<account>/<organization>/[agent/]local_*.json  row: a Cowork manifest
    ….json.tmp                        row-tmp: a row being written, or left by a crash
    …/deleted_<id>                    tombstone
    …/remote-session-spaces.json      cloud-list: sessions that are in the cloud only
    …/imported-staging/<id>.jsonl     transcript
    …/<session directory>/.claude/    a private configuration directory: transcripts and side files as anywhere else
    …/<session directory>/audit.jsonl audit

Old versions put rows of both products into both directories, so the fields of a row decide its product, not its place
(`rows.py`).  This walk skips the files that a session made or got (`outputs/`, `uploads/`).
docs/formats.md, "Desktop rows" and "Cowork".
"""

import os
from collections.abc import Iterator
from pathlib import Path

from backscroll.records import Damage
from backscroll.stores import code, side
from backscroll.stores.base import DiskStore, FileEntry, FoundFile, Label, Walk, closed, found, is_there
from backscroll.stores.browser import STORAGE_NAMES

CODE_ROWS, COWORK_ROWS = "claude-code-sessions", "local-agent-mode-sessions"
_IN_COWORK = os.path.join(os.sep, COWORK_ROWS, "")
LOGS = "logs"

_SETTINGS = {
    "config.json": "desktop-config",
    "claude_desktop_config.json": "desktop-settings",
    "git-worktrees.json": "worktrees",
    "buddy-tokens.json": "counter",
    "plan-usage-history.json": "counter",
}
_NAMED = {
    "archived-sessions.idx": "archived-index",
    "audit.jsonl": "audit",
    "remote-session-spaces.json": "cloud-list",
    "scheduled-tasks.json": "schedule",
    "spaces.json": "spaces",
}
LEFT_ALONE = {
    "Claude Extensions": "extensions: programs, no sessions",
    "Claude Extensions Settings": "settings of extensions, no sessions",
    "extensions-installations.json": "the list of extensions, no sessions",
    "claude-code": "the Claude Code that Desktop runs: a program",
    "claude-code-vm": "the Claude Code that Cowork's VM runs: a program",
    "vm_bundles": "disk images of Cowork's VM",
    "Local State": "settings of the browser and its key",
    "Preferences": "settings of the browser",
    "Crashpad": "reports of crashes",
    "sentry": "reports of crashes",
    "window-state.json": "the place and size of the window",
    "Cookies": "cookies: secrets",
    "Cookies-journal": "cookies: secrets",
    "Network": "cookies and the state of connections: secrets",
    "Cache": "a cache of the browser",
    "Code Cache": "a cache of the browser",
    "GPUCache": "a cache of the browser",
    "DawnGraphiteCache": "a cache of the browser",
    "DawnWebGPUCache": "a cache of the browser",
    "Shared Dictionary": "a cache of the browser",
    "Service Worker": "programs of pages",
    "blob_storage": "the browser's temporary files",
}
"""Known places in Desktop's data that are not read: they hold secrets, or nothing about sessions."""
_NOT_KNOWN = "not known to hold sessions"
_NOT_WALKED = side.PROGRAMS | {
    "outputs": "files that the session made; `cowork ID` lists them",
    "uploads": "files that the session got; `cowork ID` lists them",
    "skills-plugin": "skills: texts for Claude, no sessions",
    "imported-backups": "backups of imported sessions",
}
"""Directories among the rows that are not walked."""
_TOO_DEEP = "deeper than any known file of a session"
_DEEPEST = 6
"""<account>/<organization>/agent/<session>/.claude has five levels."""
_PRIVATE = ".claude"


class DesktopStore(DiskStore):
    """The rows in one of Desktop's two directories; the store of the Code tab also has the settings and logs."""

    def __init__(self, kind: str, data: Path, home: Path, own: Path | None = None) -> None:
        self.kind = kind
        """desktop or cowork."""
        self.data = data
        self.home = home
        self.own = own

    @property
    def path(self) -> Path:
        """The data directory of Desktop, or Cowork's directory in it."""
        return self.data if self.kind == "desktop" else self.data / COWORK_ROWS

    @property
    def top(self) -> Path:
        """The directory of rows, to which the paths of its files are relative."""
        return self.data / (CODE_ROWS if self.kind == "desktop" else COWORK_ROWS)

    def named(self, entry: FileEntry) -> FoundFile:
        """Return an entry below the directory of rows as a file with its kind."""
        return _labelled(entry, str(self.data))

    def left_alone(self) -> list[tuple[str, str]]:
        """Return the directories among the rows that are not walked, each with the reason."""
        left: list[tuple[str, str]] = []

        def descend(parts: tuple[str, ...]) -> bool:
            if not (is_walked := _is_walked(parts)):
                left.append((os.path.join(self.top, *parts), _NOT_WALKED.get(parts[-1], _TOO_DEEP)))
            return is_walked

        for _ in Walk(str(self.top), str(self.home), str(self.own) if self.own else None).below(descend):
            pass
        return left

    def entries(self) -> Iterator[FileEntry | FoundFile | Damage]:
        """Yield the files in the order of the walk; the place of settings and logs gives their kind."""
        if damage := closed(self.data):
            yield damage
            return
        walk = Walk(str(self.top), str(self.home), str(self.own) if self.own else None)
        if os.path.lexists(self.top):
            yield from walk.below(_is_walked)
        if self.kind == "desktop":
            yield from self._beside(walk)

    def _beside(self, walk: Walk) -> Iterator[FoundFile | Damage]:
        for name, kind in _SETTINGS.items():
            yield from _all_of(walk.one(str(self.data / name)), kind, str(self.data))
        for directory in log_directories(self.data):
            logs = Walk(str(directory), str(self.home), str(self.own) if self.own else None)
            yield from _all_of(logs.below(), "log", str(self.data))


def _all_of(entries: Iterator[FileEntry | Damage], kind: str, data: str) -> Iterator[FoundFile | Damage]:
    for entry in entries:
        yield entry if isinstance(entry, Damage) else found(entry, Label(kind), data)


def log_directories(data: Path) -> list[Path]:
    """Return the log directories of this Desktop: below its data or, on macOS, in the Library."""
    return [place for place in _log_places(data) if os.path.isdir(place)]


def _log_places(data: Path) -> list[Path]:
    library = data.parent.parent / "Logs" / data.name
    return [data / LOGS, *([library] if data.parent.name == "Application Support" else [])]


def is_of_cowork(path: str) -> bool:
    """Return True if a file lies among the private directories of Cowork's sessions."""
    return _IN_COWORK in path


def is_data_directory(path: Path) -> bool:
    """Return True if a directory is the data of a Claude Desktop: it has rows, or settings that only Desktop has."""
    names = {CODE_ROWS, COWORK_ROWS, *_SETTINGS}
    if not path.name.startswith("Claude"):
        names.discard("config.json")
    return any(is_there(path / name) for name in names)


def places_left_alone(data: str) -> list[tuple[str, str]]:
    """Return the places in Desktop's data directory that are not read, each with the reason."""
    try:
        names = sorted(os.listdir(data))
    except OSError:
        return []
    read = {CODE_ROWS, COWORK_ROWS, LOGS, *_SETTINGS, *STORAGE_NAMES}
    return [(os.path.join(data, name), LEFT_ALONE.get(name, _NOT_KNOWN)) for name in names if name not in read]


def _is_walked(parts: tuple[str, ...]) -> bool:
    if _PRIVATE in parts:
        below = parts[parts.index(_PRIVATE) + 1 :]
        return not below or side.is_data(below) or below[0] == "projects"
    return parts[-1] not in _NOT_WALKED and len(parts) <= _DEEPEST


def _labelled(entry: FileEntry, data: str) -> FoundFile:
    """Return the kind of a file by its path below the directory of rows, private directories included."""
    parts = entry.parts
    if _PRIVATE in parts[:-1]:
        place = parts.index(_PRIVATE)
        config = entry.path
        for _ in parts[place + 1 :]:
            config = os.path.dirname(config)
        return found(entry, _label_private(parts[place + 1 :]), config)
    return found(entry, _label(parts), data)


def _label_private(parts: tuple[str, ...]) -> Label:
    return code.label(parts[1:]) if parts[0] == "projects" and len(parts) > 1 else side.label(parts)


def _label(parts: tuple[str, ...]) -> Label:
    name = parts[-1]
    if name.startswith("local_") and name.endswith((".json", ".json.tmp")):
        return Label("row" if name.endswith(".json") else "row-tmp")
    if name.startswith("deleted_"):
        return Label("tombstone", name.removeprefix("deleted_").removeprefix("local_"))
    if parts[-2:-1] == ("imported-staging",) and name.endswith(".jsonl"):
        return Label("transcript", name[:-6])
    if "memory" in parts[:-1]:
        return Label("memory")
    if parts[-2:] == ("backlog", "tasks.json"):
        return Label("backlog")
    return Label(_NAMED.get(name, "desktop-other"))
