"""Tool statistics for people: tables with bars, and CSV."""

from collections.abc import Iterator, Sequence

from backscroll.stats.model import ToolReport, ToolUse
from backscroll.views import csv
from backscroll.views.call_summary import tool_name
from backscroll.views.figures import count, duration_of
from backscroll.views.terminal.charts import bar, chart_paper
from backscroll.views.terminal.listing import limit_lines
from backscroll.views.terminal.paper import Line, Paper, Span, word, wrap
from backscroll.views.terminal.table import Column, table

_BAR = 20
_CSV = ("calls", "errors", "refusals", "unanswered", "sessions", "seconds", "slowest", "files")


def tool_report(report: ToolReport, paper: Paper, limit: int | None = None) -> Iterator[Line]:
    """Yield the answer of `tools`, with at most `limit` tools."""
    if not report.tools:
        yield [Span("No calls found.")]
        return
    on_chart = chart_paper(paper)
    if paper.width is not None:
        failed = f", {count(report.total.errors, 'error')}" if report.total.errors else ""
        rest = f"  of {count(len(report.tools), 'tool')} in {count(report.total.sessions, 'session')}{failed}"
        yield from wrap([Span(count(report.total.calls, "call"), "heading"), Span(rest, "dim")], paper.width, paper)
        yield []
    shown = report.tools[:limit]
    yield from _table("tool", shown, on_chart)
    yield from limit_lines(len(shown), len(report.tools), "tool", paper)
    for title, uses in (("MCP server", report.servers), ("skill", report.skills), ("agent type", report.agents)):
        if uses:
            yield []
            yield from _table(title, uses, on_chart)


def _table(title: str, uses: Sequence[ToolUse], paper: Paper) -> Iterator[Line]:
    columns = [
        Column(title),
        Column("calls", most=9, right=True),
        Column("errors", most=8, right=True),
        Column("refused", most=8, right=True, shown_from=90),
        Column("sessions", most=8, right=True, shown_from=60),
        Column("time", most=12, right=True, shown_from=70),
        Column("slowest", most=10, right=True, shown_from=100),
        Column("files", most=7, right=True, shown_from=80),
        *([Column("", most=_BAR, shown_from=110)] if paper.width is not None else []),
    ]
    greatest = max(use.calls for use in uses)
    yield from table(columns, [_row(use, greatest, paper) for use in uses], paper)


def _row(use: ToolUse, greatest: int, paper: Paper) -> list[Span]:
    is_piped = paper.width is None
    return [
        word(use.name if is_piped else tool_name(use.name), "tool"),
        Span(str(use.calls) if is_piped else f"{use.calls:,}"),
        Span(str(use.errors) if use.errors or is_piped else "", "error"),
        Span(str(use.refusals) if use.refusals or is_piped else "", "warn"),
        Span(str(use.sessions), "dim"),
        Span(_time(use.seconds, is_piped=is_piped)),
        Span(_time(use.slowest, is_piped=is_piped), "dim"),
        Span("" if use.files is None else str(use.files), "dim"),
        Span(bar(use.calls, greatest, _BAR), "bar"),
    ]


def _time(seconds: float | None, *, is_piped: bool) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.1f}" if is_piped else duration_of(seconds)


def csv_document(report: ToolReport) -> Iterator[str]:
    """Yield tools, servers, skills and types of agents as CSV, each row with its kind."""
    kinds = (("tool", report.tools), ("server", report.servers), ("skill", report.skills), ("agent", report.agents))
    rows = ([kind, use.name, *(getattr(use, name) for name in _CSV)] for kind, uses in kinds for use in uses)
    return csv.lines(["kind", "name", *_CSV], rows)
