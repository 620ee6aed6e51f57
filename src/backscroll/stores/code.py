"""The transcripts of Claude Code: everything below `projects/` of a configuration directory.

    projects/<key>/<stem>.jsonl                                 transcript
    projects/<key>/<stem>.jsonl.superseded-<ms>, .bak, …        superseded: another version of session <stem>
    projects/<key>/agent-<id>.jsonl                             agent (2.0), its session known from its records
    projects/<key>/<session>/subagents/**/agent-<id>.jsonl      agent (2.1), and agent-meta beside it
    projects/<key>/<session>/subagents/workflows/<run>/journal.jsonl      workflow-journal
    projects/<key>/<session>/tool-results/*                     tool-result
    projects/<key>/<session>/workflows/*, scripts/*             script: the steps of a workflow
    projects/<key>/<session>/remote-agents/*, mcp-tasks/*       task-meta: tasks of other agents

docs/formats.md, "projects".  The path alone decides the kind of a file; an unknown file has the kind `other`.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from backscroll.records import Damage
from backscroll.stores.base import DiskStore, FileEntry, FoundFile, Label, Walk, found

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"


@cache
def uuid_pattern() -> re.Pattern[str]:
    """Return the pattern of a session id."""
    return re.compile(_UUID)


# Suffixes that Claude Code, editors and backup tools append to the name of an old version.
@cache
def _set_aside() -> re.Pattern[str]:
    return re.compile(r"\.superseded-.+|\.compact\.tmp.*|\.(?:bak|backup|orig|old|tmp|gz)[\w.-]*|~|\.~\d+~", re.DOTALL)


# Finder, Explorer and iCloud; only after a UUID, because "notes 2.jsonl" may be a name in its own right.
@cache
def _second() -> re.Pattern[str]:
    return re.compile(rf"({_UUID})(?: \d+| \(\d+\)| copy(?: \d+)?| - Copy(?: \(\d+\))?)\.jsonl")


_SYNCTHING = ".sync-conflict-"

_RELEASED = ".desktop-released.json"
_BY_DIRECTORY = {
    "workflows": "script",
    "scripts": "script",
    "remote-agents": "task-meta",
    "mcp-tasks": "task-meta",
}
_SIDECARS = {"custom-title.json": "title", "archived.json": "archived", "resume-head.jsonl": "copy"}


class CodeStore(DiskStore):
    """The sessions below one configuration directory."""

    def __init__(self, kind: str, path: Path, projects: Path, home: Path, own: Path | None = None) -> None:
        self.kind = kind
        self.path = path
        self.projects = projects
        self.home = home
        self.own = own

    @property
    def top(self) -> Path:
        """The directory to which the paths of its files are relative."""
        return self.projects

    def entries(self) -> Iterator[FileEntry | Damage]:
        """Yield everything below `projects`, and the damage."""
        return Walk(str(self.projects), str(self.home), str(self.own) if self.own else None).below()

    def named(self, entry: FileEntry) -> FoundFile:
        """Return an entry as a file with its kind."""
        return found(entry, label(entry.parts), str(self.path))


def label(parts: tuple[str, ...]) -> Label:
    """Return the kind of a file by its path below `projects`."""
    name = parts[-1]
    if len(parts) == 1:
        return _label_in_project(name, None)
    if len(parts) == 2:
        return _label_in_project(name, parts[0])
    if parts[1] == "memory":
        return Label("memory", project_key=parts[0])
    return _label_in_sidecar(parts)


def _label_in_project(name: str, key: str | None) -> Label:
    if version := _version(name):
        return Label("superseded", *version, key)
    if name.endswith(".jsonl"):
        session, agent = _owner(name[:-6])
        return Label("transcript" if agent is None else "agent", session, agent, key)
    if name.endswith(_RELEASED):
        return Label("released", name.removesuffix(_RELEASED), None, key)
    return Label("project-index" if name == "sessions-index.json" else "other", None, None, key)


def _label_in_sidecar(parts: tuple[str, ...]) -> Label:
    key, session, name = parts[0], parts[1], parts[-1]
    if parts[2] == "tool-results":
        return Label("tool-result", session, None, key)
    if len(parts) == 3 and name in _SIDECARS:
        return Label(_SIDECARS[name], session, None, key)
    if name == "journal.jsonl" and "workflows" in parts:
        return Label("workflow-journal", session, None, key)
    if name.startswith("agent-"):
        return _label_agent(name, session, key)
    if parts[2] in _BY_DIRECTORY:
        return Label(_BY_DIRECTORY[parts[2]], session, None, key)
    return Label("other", session if uuid_pattern().fullmatch(session) else None, None, key)


def _label_agent(name: str, session: str, key: str) -> Label:
    if version := _version(name):
        return Label("superseded", session, version[1], key)
    if name.endswith(".jsonl"):
        return Label("agent", session, name[6:-6], key)
    if name.endswith(".meta.json"):
        return Label("agent-meta", session, name[6:-10], key)
    return Label("other", session, None, key)


def _version(name: str) -> tuple[str | None, str | None] | None:
    """Return the session and the agent of an old version, or None for any other name."""
    if name.endswith(".jsonl"):
        stem = _stem_of_conflict(name)
        return _owner(stem) if stem else None
    stem, _, suffix = name.rpartition(".jsonl")
    return _owner(stem) if stem and _set_aside().fullmatch(suffix) else None


def _stem_of_conflict(name: str) -> str | None:
    if _SYNCTHING in name:
        return name.partition(_SYNCTHING)[0]
    if " " not in name:
        return None
    # Dropbox, Nextcloud and Seafile: "<stem> (somebody's conflicted copy 2026-05-01).jsonl".
    stem, _, rest = name.partition(" (")
    if rest.endswith(").jsonl") and "conflict" in rest.lower():
        return stem
    second = _second().fullmatch(name)
    return second[1] if second else None


def _owner(stem: str) -> tuple[str | None, str | None]:
    return (None, stem[6:]) if stem.startswith("agent-") else (stem, None)
