"""Blame: for each line of a version of a file, the version that added it.

An unchanged line keeps its origin; a new line has the version that added it.  Lines of versions that no tool of
Claude's made are `outside`.  Lines of the file on the disk that the last version lacks are `disk`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from backscroll.errors import NotFoundError, QueryError
from backscroll.formats.diffs import EQUAL, compare
from backscroll.recovery.content import Content, from_bytes
from backscroll.recovery.model import Blame, BlameLine, Version
from backscroll.recovery.replay import FileState
from backscroll.sessions.file_changes.statements import EDIT, WRITE

DISK = "disk"


@dataclass(frozen=True, slots=True)
class _Origin:
    """The version that added a line; None for the disk."""

    version: Version | None
    exact: bool


def blame(path: str, states: Iterable[FileState], chosen: int, disk: bytes | None) -> Blame:
    """Return the lines of version `chosen`, or of the bytes on the disk, each with the version that added it."""
    lines: list[str] = []
    origins: list[_Origin] = []
    is_whole = True
    for state in states:
        if state.version.deleted:
            lines, origins = [], []
            continue
        new = _lines(state.content)
        if new is None:
            is_whole = False
        else:
            origins = _carried(lines, origins, new, _Origin(state.version, state.version.exact and is_whole))
            lines, is_whole = new, state.content.lines is None
        if state.version.n == chosen:
            break
    if disk is not None and (now := _lines(from_bytes(disk))) is not None:
        origins = _carried(lines, origins, now, _Origin(None, exact=True))
        lines = now
    if not lines and not origins:
        raise NotFoundError(
            "no line of this version is known", path, "Run `backscroll recover PATH` to see its versions."
        )
    return Blame(path, chosen, [_line(n, *pair) for n, pair in enumerate(zip(lines, origins, strict=True), 1)])


def chosen_lines(found: Blame, asked: str | None) -> Blame:
    """Return only some lines: 12, 12-20 or 12:20, counted from 1."""
    if asked is None:
        return found
    first, _, last = asked.replace(":", "-").partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise QueryError(f"not a range of lines: {asked}", remedy="Use 12 or 12-20.")
    start, end = int(first), int(last or first)
    chosen = [line for line in found.lines if start <= line.n <= end]
    if found.lines and not chosen:
        remedy = f"Its lines are {found.lines[0].n} to {found.lines[-1].n}."
        raise QueryError(f"this file has no lines {asked}", found.path, remedy)
    return Blame(found.path, found.version, chosen)


def _lines(content: Content) -> list[str] | None:
    """Return the known lines of a state; None if no line is known."""
    if content.lines is not None:
        return [line for line in content.lines if line is not None]
    if content.text is None:
        return None
    return content.text.removesuffix("\n").split("\n") if content.text else []


def _carried(old: list[str], origins: list[_Origin], new: list[str], origin: _Origin) -> list[_Origin]:
    """Return the origins of lines: an unchanged line keeps its own, any other gets this version."""
    found = [origin] * len(new)
    for run in compare(old, new).runs:
        if run.kind == EQUAL:
            found[run.new_start : run.new_end] = origins[run.old_start : run.old_end]
    return found


def _line(n: int, text: str, origin: _Origin) -> BlameLine:
    version = origin.version
    if version is None:
        return BlameLine(n, text, None, None, None, DISK, exact=True, version=None)
    is_own = version.how in (WRITE, EDIT) and not version.outside
    session, message = (version.session, version.message) if is_own else (None, None)
    return BlameLine(n, text, session, message, version.time, version.how, origin.exact, version.n)
