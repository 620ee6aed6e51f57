"""Tables: aligned columns that never break the line.

On a pipe every column is as wide as its widest cell.  On a terminal the least important columns give way until the
others fit; each is no wider than its share, and one column takes the rest.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from backscroll.views.figures import cut_path
from backscroll.views.terminal.paper import Line, Paper, Span, cut, pad, trimmed

_GAP = "  "
_LEAST = 9
"""Columns that the text of a row needs on the narrowest terminal."""


class Column(NamedTuple):
    """One column: its head, its alignment, its greatest width, and its importance."""

    name: str
    most: int = 0
    """The greatest width on a terminal; 0 for the column that takes the remaining width."""
    right: bool = False
    shown_from: int = 0
    """The least width of paper; where columns do not fit, the one with the greatest value gives way first."""
    is_kept: bool = False
    """The column never gives way: cost, and the column that takes the rest."""
    is_path: bool = False
    """The cells are paths: they are cut in the middle, and the file name stays whole."""


def table(columns: Sequence[Column], rows: Sequence[Sequence[Span]], paper: Paper, indent: str = "") -> Iterator[Line]:
    """Yield the head of a table and its rows; a row with fewer cells than columns leaves the others blank."""
    chosen = [number for number, column in enumerate(columns) if (paper.width or 10_000) >= column.shown_from]
    chosen = _fitting(chosen, columns, rows, paper, len(indent))
    shown = [columns[number] for number in chosen]
    cells = [[row[number] if number < len(row) else Span("") for number in chosen] for row in rows]
    widths = _widths(shown, cells, paper, len(indent))
    yield _row([Span(column.name, "head") for column in shown], shown, widths, paper, indent)
    for row in cells:
        yield _row(row, shown, widths, paper, indent)


def _fitting(
    chosen: list[int], columns: Sequence[Column], rows: Sequence[Sequence[Span]], paper: Paper, indent: int
) -> list[int]:
    """Return the columns that fit beside each other: the least important give way, the last of equals first."""
    if paper.width is None:
        return chosen
    wanted = {number: _wanted(number, columns[number], rows, paper) for number in chosen}
    while indent + sum(wanted[number] + len(_GAP) for number in chosen) - len(_GAP) > paper.width:
        droppable = [number for number in chosen[1:] if columns[number].most and not columns[number].is_kept]
        if not droppable:
            break
        chosen = [one for one in chosen if one != max(droppable, key=lambda one: (columns[one].shown_from, one))]
    return chosen


def _wanted(number: int, column: Column, rows: Sequence[Sequence[Span]], paper: Paper) -> int:
    """Return the width that a column should have; the one that takes the rest asks for a quarter of the paper."""
    cells = (paper.measure(row[number].text) for row in rows if number < len(row))
    return min(max([len(column.name), *cells]), column.most or max(_LEAST, ((paper.width or 0) - 4) // 4))


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
    excess = sum(widths) - room
    for number in sorted(range(1, len(widths)), key=lambda one: -widths[one]):
        if excess > 0 and not columns[number].is_kept:  # so the kept ones stay on the paper
            less = min(excess, max(widths[number] - 8, 0))
            widths[number] -= less
            excess -= less
    if excess > 0 and widths:
        widths[0] -= min(excess, max(widths[0] - 8, 0))
    return widths


def _row(cells: Sequence[Span], columns: Sequence[Column], widths: Sequence[int], paper: Paper, indent: str) -> Line:
    line = [Span(indent)] if indent else []
    for number, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
        fitting = cell._replace(text=cut_path(cell.text, width, paper)) if column.is_path else cell
        padded = pad(fitting, width, paper, right=column.right)
        line += [padded] if number == 0 else [Span(_GAP), padded]
    return cut(trimmed(line), paper)
