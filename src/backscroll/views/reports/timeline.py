"""A session turn by turn: working time, waiting time, and the growth of the context."""

from collections.abc import Iterator

from backscroll.stats.model import Timeline, Turn
from backscroll.views import csv, svg
from backscroll.views.figures import clock, count, dollars, duration_of, moment, short
from backscroll.views.terminal.charts import chart_paper, sparkline
from backscroll.views.terminal.paper import Line, Paper, Span, cut, word, wrap
from backscroll.views.terminal.table import Column, table

_CSV = ("number", "time", "first_answer", "end", "working", "waiting", "tools", "calls", "errors", "context")
_TOKENS = ("input", "output", "cache_write", "cache_read", "cost")


def timeline(found: Timeline, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `usage --timeline`."""
    on_chart = chart_paper(paper)
    if paper.width is not None:
        yield from _head(found, on_chart)
    columns = [
        Column("turn", most=5, right=True),
        Column("began", most=16),
        Column("worked", most=12, right=True),
        Column("tools", most=12, right=True, shown_from=90),
        Column("waited", most=12, right=True, shown_from=70),
        Column("calls", most=6, right=True, shown_from=50),
        Column("context", most=9, right=True, shown_from=60),
        Column("output", most=9, right=True, shown_from=100),
        Column("cost", most=10, right=True, is_kept=True),
        Column("prompt"),
    ]
    yield from table(columns, [_row(turn, paper) for turn in found.turns], on_chart)


def _head(found: Timeline, paper: Paper) -> Iterator[Line]:
    compactions = sum(turn.compactions for turn in found.turns)
    yield cut([word(found.session.title or found.session.id, "heading")], paper)
    words = [
        count(len(found.turns), "turn"),
        f"worked {duration_of(found.working)}, of it {duration_of(found.tools)} in tools",
        f"waited {duration_of(found.waiting)}",
    ]
    yield from wrap([Span("; ".join(words), "dim")], paper.width, paper)
    if found.context:
        sizes = [point.tokens for point in found.context]
        more = f", {count(compactions, 'compaction')}" if compactions else ""
        yield []
        yield [Span("context ", "dim"), Span(sparkline(sizes, (paper.width or 80) - 9), "bar")]
        yield [Span(f"        up to {short(max(sizes))} tokens{more}", "dim")]
    yield []


def _row(turn: Turn, paper: Paper) -> list[Span]:
    is_piped = paper.width is None
    mark = " ▾" if turn.compactions and not is_piped else ""
    return [
        Span(str(turn.number), "dim"),
        Span((moment if is_piped else clock)(turn.time, paper) if turn.time else "", "time"),
        Span(_time(turn.working, is_piped=is_piped)),
        Span(_time(turn.tools or None, is_piped=is_piped), "dim"),
        Span(_time(turn.waiting, is_piped=is_piped), "dim"),
        Span(str(turn.calls) if turn.calls or is_piped else ""),
        Span((str(turn.context or "") if is_piped else short(turn.context)) + mark),
        Span(str(turn.usage.output or "") if is_piped else short(turn.usage.output), "dim"),
        _cost(turn, is_piped=is_piped),
        word(turn.text),
    ]


def _cost(turn: Turn, *, is_piped: bool) -> Span:
    if turn.copied and not turn.usage.messages:
        return Span("copied", "dim")
    if is_piped:
        return Span(f"{turn.usage.cost:.6f}" if turn.usage.cost is not None else "")
    return Span(dollars(turn.usage.cost))


def _time(seconds: float | None, *, is_piped: bool) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.1f}" if is_piped else duration_of(seconds)


def csv_document(found: Timeline) -> Iterator[str]:
    """Yield the turns as CSV."""
    rows = (
        [
            *(_plain(getattr(turn, name)) for name in _CSV),
            *(getattr(turn.usage, name) for name in _TOKENS),
            turn.text,
            turn.copied,
        ]
        for turn in found.turns
    )
    return csv.lines([*_CSV, *_TOKENS, "text", "copied"], rows)


def _plain(value: object) -> csv.Cell:
    return value if value is None or isinstance(value, (int, float)) else str(value)


def svg_document(found: Timeline) -> Iterator[str]:
    """Yield the growth of the context as a chart that stands alone, with a mark at every compaction."""
    title = found.session.title or found.session.id
    marks = [number for number, point in enumerate(found.context) if point.is_compaction]
    subtitle = f"context by API message; {count(len(marks), 'compaction')}"
    return svg.growth(title, subtitle, [point.tokens for point in found.context], marks)
