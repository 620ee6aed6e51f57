"""Markdown as lines: blocks, wrapped and styled; on a pipe the unchanged source."""

from collections.abc import Iterable, Iterator

from backscroll.safe_text import printable
from backscroll.views.blocks import TextBlock, inline, parse
from backscroll.views.terminal.paper import Line, Paper, Span, plain, split_lines, width_of, wrap

_MEASURE = 100
"""The greatest width of prose, on any paper."""


def prose(text: str, paper: Paper) -> Iterator[Line]:
    """Yield a Markdown text as lines."""
    clean = printable(text).strip("\n")
    if paper.width is None:
        yield from split_lines([Span(clean)])
        return
    before = ""
    for block in parse(clean):
        if before and not (before == block.kind == "item"):
            yield []
        yield from _block(block, paper)
        before = block.kind


def words(text: str, paper: Paper, style: str = "") -> Iterator[Line]:
    """Yield text that is not Markdown as lines: prompts, thinking, notices."""
    for line in split_lines([Span(printable(text).strip("\n"), style)]):
        yield from wrap(line, _prose_width(paper), paper)


def code(text: str, label: str, paper: Paper) -> Iterator[Line]:
    """Yield safe code as lines, coloured where the paper can."""
    lines: Iterable[Line] = (
        paper.highlight(text, label) if paper.highlight else split_lines([Span(text, "code" if paper.width else "")])
    )
    for line in lines:
        yield from wrap(line, paper.width, paper)


def _prose_width(paper: Paper) -> int | None:
    return min(paper.width, _MEASURE) if paper.width else None


def _block(block: TextBlock, paper: Paper) -> Iterator[Line]:
    if block.kind == "fence":
        inner = [[Span("  "), *line] for line in code(block.text, block.label, paper.inset(2))]
        yield from inner or [[]]
    elif block.kind == "heading":
        yield from _flow(block.text, paper, base="heading")
    elif block.kind == "item":
        yield from _item(block, paper)
    elif block.kind == "quote":
        for line in _flow(block.text, paper.inset(2), base="quote"):
            yield [Span("│ ", "dim"), *line]
    elif block.kind == "table":
        yield from _table(block, paper)
    elif block.kind == "rule":
        yield [Span("─" * min(paper.width or 40, 40), "dim")]
    else:
        yield from _flow(block.text, paper)


def _flow(text: str, paper: Paper, base: str = "") -> Iterator[Line]:
    for line in split_lines(_spans(text, base)):
        yield from wrap(line, _prose_width(paper), paper)


def _spans(text: str, base: str = "") -> Iterator[Span]:
    for run in inline(text):
        yield Span(run.text, run.style or base)
        if run.url and run.url != run.text:
            yield Span(f" ({run.url})", "dim")


def _item(block: TextBlock, paper: Paper) -> Iterator[Line]:
    bullet = "•" if block.label in ("-", "*", "+", "•") else block.label
    margin = "  " * block.level
    hang = " " * (len(margin) + len(bullet) + 1)
    narrow = paper.inset(len(hang))
    for number, line in enumerate(_flow(block.text, narrow)):
        yield [Span(hang) if number else Span(f"{margin}{bullet} ", "bullet"), *line]


def _table(block: TextBlock, paper: Paper) -> Iterator[Line]:
    """Yield a table in columns, or row by row if it is too wide for the paper."""
    rows = [[list(_spans(cell)) for cell in row] for row in block.rows]
    columns = max(len(row) for row in rows)
    widths = [max((width_of(row[n], paper) for row in rows if n < len(row)), default=0) for n in range(columns)]
    if sum(widths) + 3 * (columns - 1) > (paper.width or 10**9):
        yield from _records(rows, paper)
        return
    for number, row in enumerate(rows):
        yield _table_row(row, widths, paper, is_head=number == 0)
        if number == 0:
            yield [Span("─┼─".join("─" * width for width in widths), "dim")]


def _table_row(row: list[Line], widths: list[int], paper: Paper, *, is_head: bool) -> Line:
    line: Line = []
    for number, width in enumerate(widths):
        cell = row[number] if number < len(row) else []
        styled = [Span(span.text, "strong") for span in cell] if is_head else cell
        blank = " " * (width - width_of(cell, paper)) if number + 1 < len(widths) else ""
        line += [*([Span(" │ ", "dim")] if number else []), *styled, Span(blank)]
    return line


def _records(rows: list[list[Line]], paper: Paper) -> Iterator[Line]:
    head = [plain(cell) for cell in rows[0]]
    for number, row in enumerate(rows[1:]):
        if number:
            yield []
        for column, cell in enumerate(row):
            label = f"{head[column]}: " if column < len(head) and head[column] else ""
            yield from wrap([Span(label, "strong"), *cell], _prose_width(paper), paper, hang="  ")
