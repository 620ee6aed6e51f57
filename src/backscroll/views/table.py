"""Tables: aligned columns that never break the line, whatever stands in them.

On a pipe every column is as wide as its widest cell; on a terminal the columns that the width allows are shown, each
no wider than its share, and one column takes what is left.
"""

from collections.abc import Iterator, Sequence

from backscroll.value import NamedTuple
from backscroll.views.paper import Line, Paper, Span, cut, pad, trimmed

_GAP = "  "


class Column(NamedTuple):
    """One column: how it is headed, aligned, how wide it may grow, and from which width of paper on it is shown."""

    name: str
    most: int = 0
    """The widest it gets on a terminal; 0 for the one that takes what is left."""
    right: bool = False
    shown_from: int = 0


def table(columns: Sequence[Column], rows: Sequence[Sequence[Span]], paper: Paper, indent: str = "") -> Iterator[Line]:
    """Yield the head of a table and its rows; a row with fewer cells than columns leaves the others blank."""
    chosen = [number for number, column in enumerate(columns) if (paper.width or 10_000) >= column.shown_from]
    shown = [columns[number] for number in chosen]
    cells = [[row[number] if number < len(row) else Span("") for number in chosen] for row in rows]
    widths = _widths(shown, cells, paper, len(indent))
    yield _row([Span(column.name, "head") for column in shown], shown, widths, paper, indent)
    for row in cells:
        yield _row(row, shown, widths, paper, indent)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Span]], paper: Paper, indent: int) -> list[int]:
    natural = [
        max([len(column.name), *(paper.measure(row[number].text) for row in rows)])
        for number, column in enumerate(columns)
    ]
    if paper.width is None:
        return natural
    widths = [
        min(wanted, column.most) if column.most else wanted for wanted, column in zip(natural, columns, strict=True)
    ]
    room = paper.width - indent - len(_GAP) * (len(columns) - 1)
    for number, column in enumerate(columns):
        if not column.most:
            others = sum(widths) - widths[number]
            widths[number] = max(8, min(widths[number], room - others))
    return widths


def _row(cells: Sequence[Span], columns: Sequence[Column], widths: Sequence[int], paper: Paper, indent: str) -> Line:
    line = [Span(indent)] if indent else []
    for number, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
        padded = pad(cell, width, paper, right=column.right)
        line += [padded] if number == 0 else [Span(_GAP), padded]
    return cut(trimmed(line), paper)
