"""The lines of a file with the sessions that wrote them, for people and for scripts."""

from collections.abc import Iterator

from backscroll.recovery.blame import DISK
from backscroll.recovery.model import Blame, BlameLine
from backscroll.times import iso
from backscroll.views.figures import ago, cut_path, tilde
from backscroll.views.json.sessions import Object, dumps
from backscroll.views.terminal.listing import short_ids
from backscroll.views.terminal.paper import Line, Paper, Span, cut, ink, pad, word

OUTSIDE = "outside"
_NAME, _TIME, _SURE = 9, 17, 2
_NARROW = 60
"""Below this number of columns the times are left out."""


def line_object(line: BlameLine) -> Object:
    """Return one line with the keys of docs/json.md."""
    return {
        "n": line.n,
        "text": line.text,
        "session": line.session,
        "message": line.message,
        "time": None if line.time is None else iso(line.time),
        "how": line.how,
        "exact": line.exact,
        "version": line.version,
    }


def blame_document(found: Blame) -> Iterator[str]:
    """Yield the answer of `blame` as JSON."""
    lines = [line_object(line) for line in found.lines]
    yield dumps({"path": found.path, "version": found.version, "lines": lines}) + "\n"


def blame_lines(found: Blame, paper: Paper) -> Iterator[Line]:
    """Yield each line after its session, time and number; a question mark means that the line is inferred."""
    names = short_ids(line.session for line in found.lines if line.session)
    if paper.width is not None:
        version = f"  version {found.version}"
        path = cut_path(word(tilde(found.path, paper)).text, paper.width - len(version), paper)
        yield cut([Span(path, "heading"), Span(version, "dim")], paper)
    digits = len(str(found.lines[-1].n)) if found.lines else 1
    for line in found.lines:
        yield cut([*_margin(line, names, paper), Span(f"{line.n:>{digits}} ", "dim"), ink(line.text)], paper)
    if any(not line.exact for line in found.lines) and paper.width is not None:
        yield cut([Span("? lines of versions that are partly inferred", "dim")], paper)


def _margin(line: BlameLine, names: dict[str, str], paper: Paper) -> Line:
    if line.session is not None:
        who = word(names[line.session] if paper.width is not None else line.session, "id")
    else:
        who = Span("on disk" if line.how == DISK else OUTSIDE, "warn")
    width = _NAME if paper.width is not None else 36
    sure = Span("  " if line.exact else "? ", "warn")
    if paper.width is not None and paper.width < _NARROW:
        return [pad(who, width, paper), sure]
    time = Span(ago(line.time, paper) if line.time else "", "time")
    room = 11 if paper.width is not None else _TIME
    return [pad(who, width, paper), Span(" "), pad(time, room, paper), sure]
