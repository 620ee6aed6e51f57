"""Write recovered files to the disk safely, with a report of each file and the reasons for omissions.

`write_into` writes into a new or empty directory under safe names.  `in_place` writes files to their own paths, after
a plan, and keeps the current files beside them.  docs/recovery.md, "Back to disk", has the rules.
No file gets an executable bit, and nothing is written into a directory of Claude's.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from backscroll.errors import RefusedError
from backscroll.files import open_readonly, reason_of
from backscroll.new_files import NewTree, replace_keeping
from backscroll.recovery.model import GAP, PARTIAL, Version, WritePlan, Written
from backscroll.recovery.names import Names, is_repository, safe_parts, this_system, visible
from backscroll.recovery.replay import FileState
from backscroll.sessions.file_changes.paths import below, is_windows
from backscroll.stores.base import is_inside

__all__ = ["Ground", "WantedFile", "in_place", "this_system", "write_into"]
PLANNED, WRITTEN, SAME, SKIPPED, FAILED = "planned", "written", "same", "skipped", "failed"
_HIDDEN_BY_THE_SYSTEM = {"library", "appdata"}
"""The directories of a home that macOS and Windows hide; programs keep their settings there."""
_SHORT_NAME = re.compile(r"[^.~]{1,6}~\d{1,6}(?:\.[^.]{1,3})?")
"""A name that Windows may take for the short form of another, hidden one: `GIT~1`, `CLAUDE~1.JSO`."""


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file to write: its recorded path, its project, and its state; the state is None if there was no file."""

    path: str
    project: str | None
    state: FileState | None


@dataclass(frozen=True, slots=True)
class Ground:
    """The rules for writing in place."""

    forbidden: list[str]
    """Directories of Claude's stores: nothing is ever written there."""
    home: str
    projects: list[str]
    """The recorded projects."""
    settings: list[str]
    """Directories that the environment names for settings and data of programs."""
    risky: bool = False
    """Write files too that lie elsewhere or are hidden."""


def write_into(
    directory: Path, wanted: Iterable[WantedFile], forbidden: list[str], system: str, *, risky: bool
) -> WritePlan:
    """Write files into a new or empty directory."""
    _refuse_stores(directory, forbidden)
    names = Names(system)
    with NewTree(directory) as tree:
        report = [_write_one(tree, names, file, risky=risky) for file in wanted]
    return WritePlan(str(directory), report, applied=True)


def _write_one(tree: NewTree, names: Names, file: WantedFile, *, risky: bool) -> Written:
    version = file.state.version if file.state else None
    why = _obstacle(file.state)
    inner = (below(file.path, file.project) if file.project else None) or file.path
    if why is None and is_repository(safe_parts(inner, "posix")) and not risky:
        why = "git runs programs from its directory; --risky writes it"
    if why is not None or file.state is None:
        return Written(file.path, None, version, SKIPPED, why)
    is_partial = file.state.version.sure == PARTIAL
    parts = names.for_path(inner + ".partial" if is_partial else inner)
    try:
        tree.write(parts, file.state.content.known_bytes() or b"")
    except OSError as error:
        return Written(file.path, None, version, FAILED, f"cannot be written: {reason_of(error)}")
    gaps = ", ".join(f"{first}–{last or 'end'}" for first, last in file.state.version.missing)
    note = f"only in part: lines {gaps} are missing" if is_partial else None
    return Written(file.path, str(tree.directory.joinpath(*parts)), version, WRITTEN, note)


def _obstacle(state: FileState | None) -> str | None:
    if state is None:
        return "no version of it is known at that time"
    if state.version.deleted:
        return "it was deleted then"
    return "its content is not known" if state.version.sure == GAP else None


def in_place(wanted: Iterable[WantedFile], ground: Ground, now: datetime, *, apply: bool) -> WritePlan:
    """Plan to write files to their own paths, or do it; keep each present file beside under another name."""
    return WritePlan(None, [_place_one(file, ground, now, apply=apply) for file in wanted], applied=apply)


def _place_one(file: WantedFile, ground: Ground, now: datetime, *, apply: bool) -> Written:
    version = file.state.version if file.state else None
    data = file.state.content.to_bytes() if file.state else None
    why = _obstacle(file.state) or _danger(file.path, ground)
    if why is None and data is None:
        why = "only a part of it is known"
    if why is not None or data is None:
        return Written(file.path, None, version, SKIPPED, why)
    held = _current_bytes(file.path)
    if held == data:
        return Written(file.path, file.path, version, SAME, "it is there already")
    kept = f"{os.path.basename(file.path)}.before-{now:%Y%m%d-%H%M%S}"
    if not apply:
        note = None if held is None else f"the current file will be kept as {kept}"
        return Written(file.path, file.path, version, PLANNED, note)
    return _replace(file.path, data, kept, version)


def _replace(path: str, data: bytes, kept: str, version: Version | None) -> Written:
    try:
        was_there = replace_keeping(Path(path), data, kept)
    except RefusedError as error:
        return Written(path, None, version, SKIPPED, error.what)
    except OSError as error:
        return Written(path, None, version, FAILED, f"cannot be written: {reason_of(error)}")
    return Written(path, path, version, WRITTEN, f"the former file is kept as {kept}" if was_there else None)


def _danger(path: str, ground: Ground) -> str | None:
    """Return why a file must not be written in place, or only with `risky`; None if it may."""
    if not os.path.isabs(path) or is_windows(path) != (os.name == "nt") or "\0" in path:
        return "its path is not valid on this system"
    real = os.path.realpath(os.path.dirname(path))
    if any(is_inside(place, directory) for directory in ground.forbidden for place in (path, real)):
        return "it lies in a directory of Claude's, which is only read"
    risk = None if ground.risky else _risk(path, ground)
    return None if risk is None else f"{risk}; --risky writes it"


def _risk(path: str, ground: Ground) -> str | None:
    """Return why a file needs `risky`: only a file of a project that is not hidden does not."""
    home = os.path.normpath(ground.home)
    if os.path.dirname(home) == home:
        return "your home directory is the whole disk"
    inner = below(path, home)
    if inner is None:
        return "it lies outside your home directory"
    projects = [project for project in ground.projects if below(project, home) is not None]
    if not any(below(path, project) is not None for project in projects):
        return "it lies outside of every recorded project"
    if _is_hidden(inner):
        return "it is hidden, or lies in a hidden directory"
    if any(is_inside(path, os.path.normpath(directory)) for directory in ground.settings):
        return "it lies in a directory of settings"
    return None


def _is_hidden(inner: str) -> bool:
    """Return True if a path below a home has a name that is hidden, or that a file system may take for a hidden one."""
    names = [visible(name) for name in inner.split("/")]
    if names[0].casefold() in _HIDDEN_BY_THE_SYSTEM:
        return True
    return any(name.startswith(".") or _SHORT_NAME.fullmatch(name) for name in names)


def _current_bytes(path: str) -> bytes | None:
    try:
        with open_readonly(path) as file:
            return file.read()
    except OSError:
        return None


def _refuse_stores(directory: Path, forbidden: list[str]) -> None:
    real = os.path.realpath(directory)
    if any(is_inside(real, os.path.realpath(place)) for place in forbidden):
        raise RefusedError(
            "this directory belongs to Claude, and backscroll only reads it", str(directory), "Name another one."
        )
