"""The terminal: its width and colours, and a `Paper` with both for the views.

Our own colours are the only escapes that reach it: views make text safe, and styles are names until here.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from backscroll.cli.settings import Settings
from backscroll.lazy import lazily
from backscroll.views.terminal.paper import Line, Paper

if TYPE_CHECKING:
    from backscroll.cli import pager
else:
    pager = lazily("backscroll.cli.pager")

_COLOURS = {
    "added": "32",
    "agent": "35",
    "assistant": "1;35",
    "bar": "36",
    "bullet": "2",
    "call": "32",
    "code": "36",
    "dim": "2",
    "emphasis": "3",
    "error": "31",
    "head": "2",
    "heading": "1",
    "heat.1": "38;5;22",
    "heat.2": "38;5;28",
    "heat.3": "38;5;34",
    "heat.4": "38;5;46",
    "hunk": "36",
    "id": "33",
    "image": "35",
    "kept": "2",
    "link": "4",
    "match": "1;31",
    "project": "36",
    "quote": "3",
    "removed": "31",
    "rule": "2",
    "strong": "1",
    "system": "1;33",
    "thinking": "2;3",
    "time": "32",
    "title": "1",
    "tool": "1",
    "user": "1;36",
    "warn": "33",
    "syntax.comment": "2",
    "syntax.function": "34",
    "syntax.keyword": "35",
    "syntax.name": "36",
    "syntax.number": "36",
    "syntax.string": "32",
}
_NARROWEST = 40
_AT_ONCE = 100
"""Lines that are written together: one at a time they take a third longer."""


def has_colour(settings: Settings) -> bool:
    """Return True if the output should have colours: on a terminal, unless the user or the terminal forbids it."""
    return (
        settings.color and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()
    )


def is_terminal() -> bool:
    """Return True if a person, not a program, reads standard output."""
    return sys.stdout.isatty()


def make_paper(settings: Settings, *, is_full: bool = False, is_document: bool = False) -> Paper:
    """Return the paper for standard output."""
    is_terminal = sys.stdout.isatty() and not is_document
    return Paper(
        width=max(terminal_size().columns, _NARROWEST) if is_terminal else None,
        now=datetime.now().astimezone(),
        home=None if settings.root else os.path.expanduser("~"),  # noqa: PTH111  (never raises)
        is_full=is_full,
        measure=columns if is_terminal else len,
        highlight=highlight if is_terminal and has_colour(settings) else None,
        has_colour=is_terminal and has_colour(settings),
        command=settings.command,
    )


def coloured(line: Line) -> str:
    """Return a line with its styles as colours."""
    return "".join(
        f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if style in _COLOURS and text else text for text, style in line
    )


def columns(text: str) -> int:
    """Return the number of columns of a safe text."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  (28 ms, and only for characters beyond ASCII)

    return cell_len(text)


def highlight(code: str, label: str) -> Iterable[Line]:
    """Yield code in colours, if its language is known and it is not too long."""
    from backscroll.cli import syntax  # noqa: PLC0415  (Pygments costs 20 ms, and only code needs it)

    return syntax.lines_of(code, label)


def terminal_size(stream: int = 1) -> os.terminal_size:
    """Return the size of the terminal of a stream; COLUMNS and LINES in the environment win."""
    try:
        found = os.get_terminal_size(stream)
    except OSError:
        found = os.terminal_size((80, 24))
    said = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    return os.terminal_size(
        int(word) if word.isdecimal() and int(word) else size or usual
        for word, size, usual in zip(said, found, (80, 24), strict=True)
    )


def print_lines(lines: Iterable[Line], settings: Settings, *, may_page: bool = True) -> None:
    """Print an answer for people: in colours, and through a pager if it is longer than the screen."""
    pieces = _printed(lines, colour=has_colour(settings))
    if may_page and settings.pager and sys.stdout.isatty():
        pager.page(pieces, write, terminal_size().lines)
    else:
        write(pieces)


def _printed(lines: Iterable[Line], *, colour: bool) -> Iterator[str]:
    for line in lines:
        yield (coloured(line) if colour else "".join(span.text for span in line)) + "\n"


def write(pieces: Iterable[str]) -> None:
    """Write pieces to standard output; characters outside its encoding become escapes."""
    stream = sys.stdout
    iterator = iter(pieces)
    while some := "".join(islice(iterator, _AT_ONCE)):
        stream.buffer.write(some.encode(stream.encoding, "backslashreplace"))
    stream.flush()
