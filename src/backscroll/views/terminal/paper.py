"""Lines of styled spans, and `Paper`: the properties of the output that a view needs.

A view makes lines from data with `ink` and `word`, which make text safe; the caller turns styles into colours or
drops them.  Nothing here depends on a terminal: the width of a character and the colours of code are functions of the
`Paper`.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from backscroll.safe_text import one_line, printable


class Span(NamedTuple):
    """A run of safe characters in one style; styles are names, such as `dim`, `error` or `added`."""

    text: str
    style: str = ""


Line = list[Span]
Highlight = Callable[[str, str], Iterable[Line]]
"""Code and the name of its language or file to coloured lines; the code is safe already."""


class Paper(NamedTuple):
    """The paper of a view; `width` None means a pipe: nothing is wrapped, cut or made relative to now."""

    width: int | None = None
    now: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    zone: tzinfo | None = None
    """The zone that times are shown in; None is that of the machine."""
    home: str | None = None
    """The directory that is shown as `~`."""
    base: str | None = None
    """The directory that paths of calls are shown relative to: the session's own."""
    is_full: bool = False
    """Show everything: whole results, thinking, and the program's own messages."""
    measure: Callable[[str], int] = len
    """A function that returns the number of columns of a text."""
    highlight: Highlight | None = None
    has_colour: bool = False
    command: str = "backscroll"
    """The program name in hints, with the given root."""

    def inset(self, columns: int) -> "Paper":
        """Return the paper with a margin of some columns."""
        return self if self.width is None else self._replace(width=max(self.width - columns, 16))

    def local(self, time: datetime) -> datetime:
        """Return `time` in the time zone of the paper."""
        try:
            return time.astimezone(self.zone)
        except (OverflowError, OSError, ValueError):  # the first and last hours of the calendar
            return time


def ink(text: str, style: str = "") -> Span:
    """Return foreign text as a safe span; it may hold line feeds."""
    return Span(printable(text), style)


def word(text: str | None, style: str = "") -> Span:
    """Return foreign text as a span on one line; unknown text is empty."""
    return Span(one_line(text or ""), style)


def plain(line: Line) -> str:
    """Return a line without its styles."""
    return "".join(span.text for span in line)


def width_of(line: Line, paper: Paper) -> int:
    """Return the number of columns of a line."""
    return sum(paper.measure(span.text) for span in line)


def fit(text: str, width: int, paper: Paper) -> str:
    """Return `text` cut to `width` columns, the cut shown by an ellipsis."""
    if paper.measure(text) <= width:
        return text
    return head(text, width - 1, paper) + "…" if width > 0 else ""


def head(text: str, width: int, paper: Paper) -> str:
    """Return the longest beginning of `text` that takes no more than `width` columns."""
    if text.isascii():
        return text[: max(width, 0)]
    low, high = 0, min(len(text), max(width, 0) * 8)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if paper.measure(text[:middle]) <= width else (low, middle - 1)
    return text[:low]


def cut(line: Line, paper: Paper) -> Line:
    """Return a line cut to the width of the paper."""
    if paper.width is None or width_of(line, paper) <= paper.width:
        return line
    left = paper.width
    spans: Line = []
    for span in line:
        size = paper.measure(span.text)
        if size > left or (size == left and span is not line[-1]):
            spans.append(Span(fit(span.text + "…", left, paper), span.style))
            break
        spans.append(span)
        left -= size
    return spans


def pad(span: Span, width: int, paper: Paper, *, right: bool = False) -> Span:
    """Return a span fitted into exactly `width` columns."""
    text = fit(span.text, width, paper)
    blank = " " * (width - paper.measure(text))
    return Span(blank + text if right else text + blank, span.style)


def split_lines(spans: Iterable[Span]) -> Iterator[Line]:
    """Break spans at their line feeds; tabs become blanks up to the next column of four."""
    line: Line = []
    for text, style in spans:
        first, *others = text.split("\n")
        _append(line, first, style)
        for other in others:
            yield line
            line = []
            _append(line, other, style)
    yield line


def _append(line: Line, text: str, style: str) -> None:
    if "\t" in text:
        text = _expand(text, sum(len(span.text) for span in line))
    if text:
        line.append(Span(text, style))


def wrap(line: Line, width: int | None, paper: Paper, hang: str = "") -> Iterator[Line]:
    """Break a line between words, or inside one that is too long; later lines begin with `hang`.

    Without a width, as on a pipe, the line stays whole.
    """
    if width is None or width_of(line, paper) <= width:
        yield line
        return
    lead: Line = []
    current: Line = []
    room = width
    for piece, style in _pieces(line, max(width - len(hang), 8), paper):
        if current and paper.measure(piece.rstrip(" ")) > room:
            yield [*lead, *trimmed(current)]
            lead = [Span(hang)] if hang else []
            current, room = [], width - len(hang)
        current.append(Span(piece, style))
        room -= paper.measure(piece)
    if trimmed(current):
        yield [*lead, *trimmed(current)]


def _pieces(line: Line, width: int, paper: Paper) -> Iterator[Span]:
    """Cut spans into words, and words into pieces no wider than `width`."""
    for span in _words(line):
        if len(span.text) * 2 <= width or paper.measure(span.text.rstrip(" ")) <= width:
            yield span
            continue
        start = 0
        while start < len(span.text):
            piece = head(span.text[start : start + width], width, paper) or span.text[start]
            yield Span(piece, span.style)
            start += len(piece)


def _words(line: Line) -> Iterator[Span]:
    """Cut spans after each run of blanks."""
    for span in line:
        start = 0
        text = span.text
        while start < len(text):
            blank = text.find(" ", start)
            end = len(text) if blank < 0 else blank + 1
            while 0 < end < len(text) and text[end] == " ":
                end += 1
            yield Span(text[start:end], span.style)
            start = end


def trimmed(line: Line) -> Line:
    """Return a line without the blanks at its end."""
    while line and not line[-1].text.rstrip(" "):
        line = line[:-1]
    return [*line[:-1], Span(line[-1].text.rstrip(" "), line[-1].style)] if line else []


def _expand(text: str, column: int) -> str:
    return (" " * (column % 4) + text).expandtabs(4)[column % 4 :]


def rule(text: str, paper: Paper, style: str = "rule") -> Line:
    """Return a ruled line that carries a remark: `── compacted here ──`."""
    label = f"── {one_line(text)} "
    size = paper.measure(label)
    if paper.width is None:
        return [Span(label + "──", style)]
    return cut([Span(label + "─" * max(2, min(paper.width, 100) - size), style)], paper)
