"""Restore: recovered files back onto disk, safely, with a report of what was and was not written, and why.

Into a new or empty directory under safe names; or in place after a plan was shown, with what is there kept beside it.
No file gets an executable bit, and nothing is ever written into a directory of Claude's.
"""

import os
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from backscroll.errors import RefusedError
from backscroll.files import open_readonly, reason_of
from backscroll.newfiles import NewTree, replace_keeping
from backscroll.sessions.filepaths import below, is_windows
from backscroll.stores.base import is_inside
from backscroll.value import NamedTuple
from backscroll.versions.model import GAP, PARTIAL, Version, WritePlan, Written
from backscroll.versions.names import Names, is_repository, safe_parts, this_system
from backscroll.versions.replay import State

__all__ = ["Ground", "Wish", "in_place", "this_system", "write_into"]
PLANNED, WRITTEN, SAME, SKIPPED = "planned", "written", "same", "skipped"
_RISKY = re.compile(
    r"(?:^|/)(?:\.ssh|\.gnupg|\.aws|\.kube|autostart|LaunchAgents|LaunchDaemons|cron[^/]*|systemd)(?:/|$)"
    r"|(?:^|/)\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin|kshrc|cshrc|tcshrc"
    r"|login|logout|inputrc|xinitrc|xprofile|vimrc|exrc|emacs|gitconfig|gitmodules|npmrc|pypirc|netrc|envrc|pythonrc"
    r"|mcp\.json|claude\.json)$"
    r"|(?:^|/)\.claude/(?:settings[^/]*\.json|hooks/|commands/|agents/|skills/|plugins/)"
    r"|(?:^|/)\.(?:vscode|idea|husky|githooks)/|(?:^|/)(?:sitecustomize|usercustomize|conftest)\.py$",
    re.IGNORECASE,
)


class Wish(NamedTuple):
    """A file to write: its recorded path, its project, and the state it was in; None where it was not there."""

    path: str
    project: str | None
    state: State | None


def write_into(directory: Path, wishes: Iterable[Wish], forbidden: list[str], system: str, *, risky: bool) -> WritePlan:
    """Write files into a new or empty directory."""
    _refuse_stores(directory, forbidden)
    names = Names(system)
    with NewTree(directory) as tree:
        report = [_write_one(tree, names, wish, risky=risky) for wish in wishes]
    return WritePlan(str(directory), report, applied=True)


def _write_one(tree: NewTree, names: Names, wish: Wish, *, risky: bool) -> Written:
    version = wish.state.version if wish.state else None
    why = _obstacle(wish.state)
    inner = (below(wish.path, wish.project) if wish.project else None) or wish.path
    if why is None and is_repository(safe_parts(inner, "posix")) and not risky:
        why = "its directory runs programs when git looks at it; --risky writes it"
    if why is not None or wish.state is None:
        return Written(wish.path, None, version, SKIPPED, why)
    is_partial = wish.state.version.sure == PARTIAL
    parts = names.for_path(inner + ".partial" if is_partial else inner)
    try:
        tree.write(parts, wish.state.content.known_bytes() or b"")
    except OSError as error:
        return Written(wish.path, None, version, SKIPPED, f"cannot be written: {reason_of(error)}")
    gaps = ", ".join(f"{first}–{last or 'end'}" for first, last in wish.state.version.missing)
    note = f"only in part: lines {gaps} are missing" if is_partial else None
    return Written(wish.path, str(tree.directory.joinpath(*parts)), version, WRITTEN, note)


def _obstacle(state: State | None) -> str | None:
    if state is None:
        return "nothing is known of it at that time"
    if state.version.deleted:
        return "it was deleted then"
    return "its content is not known" if state.version.sure == GAP else None


class Ground(NamedTuple):
    """Where files may be put in place: what is only read, what is the user's own, and whether all of it may."""

    forbidden: list[str]
    home: str
    risky: bool = False


def in_place(wishes: Iterable[Wish], ground: Ground, now: datetime, *, apply: bool) -> WritePlan:
    """Plan to write files where they were, or do it; what is there stays beside under a name of its own."""
    return WritePlan(None, [_place_one(wish, ground, now, apply=apply) for wish in wishes], applied=apply)


def _place_one(wish: Wish, ground: Ground, now: datetime, *, apply: bool) -> Written:
    version = wish.state.version if wish.state else None
    data = wish.state.content.to_bytes() if wish.state else None
    why = _obstacle(wish.state) or _danger(wish.path, ground)
    if why is None and data is None:
        why = "only a part of it is known"
    if why is not None or data is None:
        return Written(wish.path, None, version, SKIPPED, why)
    held = _held(wish.path)
    if held == data:
        return Written(wish.path, wish.path, version, SAME, "it is there already")
    kept = f"{os.path.basename(wish.path)}.before-{now:%Y%m%d-%H%M%S}"
    note = None if held is None else f"what is there is kept as {kept}"
    if not apply:
        return Written(wish.path, wish.path, version, PLANNED, note)
    return _replace(wish.path, data, kept, version)


def _replace(path: str, data: bytes, kept: str, version: Version | None) -> Written:
    try:
        was_there = replace_keeping(Path(path), data, kept)
    except RefusedError as error:
        return Written(path, None, version, SKIPPED, error.what)
    except OSError as error:
        return Written(path, None, version, SKIPPED, f"cannot be written: {reason_of(error)}")
    return Written(path, path, version, WRITTEN, f"what was there is kept as {kept}" if was_there else None)


def _danger(path: str, ground: Ground) -> str | None:
    """Return why a file must not, or not without being asked for by name, be written in place."""
    if not os.path.isabs(path) or is_windows(path) != (os.name == "nt") or "\0" in path:
        return "its path is not one of this system"
    real = os.path.realpath(os.path.dirname(path))
    if any(is_inside(place, directory) for directory in ground.forbidden for place in (path, real)):
        return "it lies in a directory of Claude's, which is only read"
    slashes = path.replace("\\", "/")
    if ground.risky:
        return None
    if not is_inside(path, ground.home):
        return "it lies outside your home directory; --risky writes it"
    is_dangerous = _RISKY.search(slashes) or is_repository(slashes.split("/"))
    return "it can run programs or open doors where it lies; --risky writes it" if is_dangerous else None


def _held(path: str) -> bytes | None:
    try:
        with open_readonly(path) as file:
            return file.read()
    except OSError:
        return None


def _refuse_stores(directory: Path, forbidden: list[str]) -> None:
    real = os.path.realpath(directory)
    if any(is_inside(real, os.path.realpath(place)) for place in forbidden):
        raise RefusedError("this directory is Claude's, and only read", str(directory), "Name another one.")
