"""Git worktrees that Claude Desktop made for its sessions, from its registry `git-worktrees.json`.

    {"schemaVersion": 2, "worktrees": {<name>: {"name", "path", "leasedBy", "baseRepo", "branch", …}}, …}
    {"worktrees": {…}}              version 1
    {<id of a row>: {"path", …}}    the oldest ones

docs/formats.md, "Worktrees of Desktop".
"""

import ntpath
import os
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.side import read_object
from backscroll.times import parse

REGISTRY = "git-worktrees.json"

_NOT_WORKTREES = {"schemaVersion", "untrackedDirGc", "worktrees"}
_ROW = "local_"


@dataclass(frozen=True, slots=True)
class Worktree:
    """One worktree of the registry."""

    name: str
    path: str
    branch: str | None
    base: str | None
    """The repository that it belongs to."""
    row: str | None
    """The row of the session that leases it; None if no session does."""
    exists: bool | None
    """True if the directory exists; None for a path of another system."""
    source_branch: str | None
    created: datetime | None
    status: str | None
    registry: str
    session: str | None = None
    """The session that ran in it, by its id in lists."""


@dataclass(frozen=True, slots=True)
class WorktreeReport:
    """All worktrees, and the damage."""

    worktrees: list[Worktree]
    damage: list[Damage]


def read_worktrees(desktops: Iterable[Path]) -> WorktreeReport:
    """Return the worktrees in the registry of every Desktop, of any version; other entries are damage."""
    report = WorktreeReport([], [])
    for path in (str(desktop / REGISTRY) for desktop in desktops):
        registry = read_object(path, report.damage) if os.path.lexists(path) else {}
        listed = registry.get("worktrees")
        if not isinstance(listed, dict):
            listed = {key: value for key, value in registry.items() if key not in _NOT_WORKTREES}
        for key, value in listed.items():
            if isinstance(value, dict) and isinstance(value.get("path"), str):
                report.worktrees.append(_worktree(key, value, path))
            else:
                report.damage.append(Damage(Place(path), f"no worktree under {key!r}: it has no path"))
    return report


def _worktree(key: str, value: dict[str, Any], registry: str) -> Worktree:
    path = value["path"]
    row = _text(value.get("leasedBy")) or _text(value.get("sessionId")) or (key if key.startswith(_ROW) else None)
    return Worktree(
        name=_text(value.get("name")) or (_last_name(path) if row == key else key),
        path=path,
        branch=_text(value.get("branch")),
        base=_text(value.get("baseRepo")),
        row=row,
        exists=os.path.isdir(path) if is_local(path) else None,
        source_branch=_text(value.get("sourceBranch")),
        created=parse(value.get("createdAt")),
        status=_text(value.get("status")),
        registry=registry,
    )


def is_local(path: str, os_name: str = os.name) -> bool:
    r"""Return True if a path belongs to this kind of system: `C:\work` does not on Linux, `/home` not on Windows.

    >>> is_local("/home/ann", "posix"), is_local("C:\\work", "posix"), is_local("C:\\work", "nt")
    (True, False, True)
    """
    if "\0" in path:
        return False
    return posixpath.isabs(path) if os_name == "posix" else bool(ntpath.splitdrive(path)[0])


def _last_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
