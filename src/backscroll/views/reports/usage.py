"""Usage for people: a calendar, bars and a table on a terminal, plain columns in a pipe; CSV and SVG."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain

from backscroll.stats.model import Amount, UsageReport, UsageRow
from backscroll.views import csv, svg
from backscroll.views.figures import count, dollars, moment, short, short_models, tilde
from backscroll.views.terminal.charts import bar, calendar, chart_paper, sparkline
from backscroll.views.terminal.paper import Line, Paper, Span, cut, width_of, word, wrap
from backscroll.views.terminal.table import Column, table
from backscroll.views.time_axis import every_key

TIMES = ("day", "week", "month", "hour", "block")
_BAR, _SHORT_BAR = 24, 12
_BAR_FROM, _LONG_BAR_FROM = 96, 120
_CALENDAR_FROM = 8
"""Days of use from which on a calendar says more than the table alone."""
_KEY = 44
UNKNOWN = "unknown"
_FIGURES = ("input", "output", "cache_write", "cache_read")
_CSV = (
    *_FIGURES,
    "cost",
    "messages",
    "cache_write_5m",
    "cache_write_1h",
    "web_searches",
    "lower_bound_messages",
    "lower_bound_output",
)


def usage_report(report: UsageReport, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `usage`."""
    if not report.rows:
        yield [Span("Nothing was spent.")]
        return
    on_chart = chart_paper(paper)
    if paper.width is not None:
        yield from _head(report, on_chart)
        if set(report.by) & set(TIMES):
            report = replace(report, rows=report.rows[::-1])  # the newest are on the first page of a pager
    yield from table(_columns(report, paper), list(_rows(report, on_chart)), on_chart)
    yield from _remarks(report, paper)


def _head(report: UsageReport, paper: Paper) -> Iterator[Line]:
    total = report.total
    tokens = f"  {short(total.tokens)} tokens in {count(total.messages, 'message')}"
    cost = Span(dollars(total.cost) or "no price", "heading")
    line, span = [cost, Span(tokens, "strong")], Span(_span(total, paper), "dim")
    if paper.width is None or width_of([*line, span], paper) <= paper.width:
        yield [*line, span]
    else:
        yield cut(line, paper)
        yield cut([Span(span.text.strip(), "dim")], paper)
    yield []
    if report.by == ["day"] and len(report.rows) >= _CALENDAR_FROM:
        days = {date.fromisoformat(row.key): weight(row) for row in report.rows if row.key}
        yield from (cut(line, paper) for line in calendar(days, paper))
        yield []
    elif len(report.by) == 1 and report.by[0] in TIMES and len(report.rows) > 2:
        known = {row.key: weight(row) for row in report.rows if row.key}
        spark = sparkline(
            [known.get(key, 0.0) for key in every_key(report.by[0], list(known))], (paper.width or 80) - 2
        )
        yield [Span(spark, "bar")]
        yield []


def _span(total: Amount, paper: Paper) -> str:
    if total.first is None or total.last is None:
        return ""
    return f"  {moment(total.first, paper)} – {moment(total.last, paper)}"


def weight(row: Amount) -> float:
    """Return the length of a row's bar: its cost, or without a cost its tokens at a low price."""
    return row.cost if row.cost is not None else row.tokens / 1e6


def _columns(report: UsageReport, paper: Paper) -> list[Column]:
    most = _KEY if len(report.by) == 1 else _KEY // 2
    keys = [Column(key, most=most, is_kept=True, is_path=key == "project") for key in report.by]
    titles = [Column("title")] if "session" in report.by else []
    burn = [Column("per hour", most=9, right=True)] if "block" in report.by else []
    return [
        *keys,
        *titles,
        Column("messages", most=9, right=True, shown_from=60),
        *(Column(name.replace("_", " "), most=13, right=True, shown_from=74) for name in _FIGURES),
        Column("cost", most=12, right=True, is_kept=True),
        *burn,
        *([Column("", most=_BAR, shown_from=_BAR_FROM)] if paper.width is not None else []),
    ]


def _rows(report: UsageReport, paper: Paper) -> Iterator[list[Span]]:
    greatest = max(map(weight, report.rows))
    width = _BAR if (paper.width or 0) >= _LONG_BAR_FROM else _SHORT_BAR
    models = short_models(row.keys.get("model") for row in report.rows)
    for row in report.rows:
        yield [
            *_keys(row, report, paper, models),
            *_figures(row, report, paper),
            Span(bar(weight(row), greatest, width), "bar"),
        ]
    names = [Span("total", "strong"), *[Span("")] * (len(report.by) - 1 + ("session" in report.by))]
    yield [*names, *_figures(report.total, report, paper)]


def _keys(row: UsageRow, report: UsageReport, paper: Paper, models: Mapping[str | None, str]) -> Iterator[Span]:
    for name, key in row.keys.items():
        if key is None:
            yield Span("(unknown)", "dim")
        elif paper.width is None:
            yield word(key)
        elif name == "project":
            yield Span(tilde(key, paper), "project")
        else:
            short_key = models[key] if name == "model" else key[:8] if name == "session" else key
            yield word(short_key, "time" if name in TIMES else "id" if name == "session" else "")
    if "session" in report.by:
        yield word(row.title, "title")


def _figures(row: Amount, report: UsageReport, paper: Paper) -> Iterator[Span]:
    is_piped = paper.width is None
    yield Span(str(row.messages) if is_piped else f"{row.messages:,}")
    for name in _FIGURES:
        amount = getattr(row, name)
        text = ("" if amount is None else str(amount)) if is_piped else short(amount)
        is_bound = name == "output" and row.lower_bound and not is_piped
        yield Span(f"≥ {text}" if is_bound else text, "dim" if name != "output" else "")
    cost = ("" if row.cost is None else f"{row.cost:.6f}") if is_piped else dollars(row.cost)
    yield Span(cost, "strong")
    if "block" in report.by:
        burn = row.burn if isinstance(row, UsageRow) else None
        yield Span(dollars(burn.cost_per_hour) if burn else "", "dim")


def _remarks(report: UsageReport, paper: Paper) -> Iterator[Line]:
    """Yield notes on the figures: lower bounds, missing prices, the active block."""
    if paper.width is None:
        return
    remarks = []
    for row in report.rows:
        if row.burn is not None and row.burn.active and row.burn.projected_cost is not None:
            cost = dollars(row.burn.projected_cost)
            remarks.append(f"At this rate the block until {moment(row.burn.end, paper)} will cost {cost}.")
    if report.total.lower_bound_messages:
        number = count(report.total.lower_bound_messages, "message")
        verb = "carries" if report.total.lower_bound_messages == 1 else "carry"
        remarks.append(f"≥ {number} {verb} a placeholder instead of output, so output and cost are lower bounds.")
    for missing in report.unpriced:
        name = missing.model or "no model"
        remarks.append(f"No price is known for {name} ({count(missing.messages, 'message')}); it is not in the cost.")
    if remarks:
        yield []
    yield from chain.from_iterable(wrap([word(remark, "dim")], paper.width, paper) for remark in remarks)


def csv_document(report: UsageReport) -> Iterator[str]:
    """Yield the rows as CSV."""
    rows = ([*row.keys.values(), *(getattr(row, name) for name in _CSV)] for row in report.rows)
    return csv.lines([*report.by, *_CSV], rows)


def svg_document(report: UsageReport, paper: Paper) -> Iterator[str]:
    """Yield the rows as a chart that stands alone."""
    total = report.total
    title = f"Usage by {' and '.join(report.by)}"
    subtitle = (
        f"{dollars(total.cost) or 'no price'}, {short(total.tokens)} tokens in {count(total.messages, 'message')}"
    )
    items = [svg.Item(_name(row, paper), weight(row), dollars(row.cost) or short(row.tokens)) for row in report.rows]
    if len(report.by) == 1 and report.by[0] in TIMES:
        items = list(_without_holes(report.by[0], items))
    chart = svg.columns if report.by[0] in TIMES and len(report.by) == 1 else svg.rows
    return chart(title, subtitle, items)


def _without_holes(by: str, items: Sequence[svg.Item]) -> Iterator[svg.Item]:
    """Yield the items of an axis of time with those between them on which nothing was spent; unknown times last."""
    known = {item.name: item for item in items if item.name != UNKNOWN}
    for name in every_key(by, list(known)):
        yield known.get(name) or svg.Item(name, 0.0, dollars(0.0))
    yield from (item for item in items if item.name == UNKNOWN)


def _name(row: UsageRow, paper: Paper) -> str:
    names: Sequence[str] = [
        UNKNOWN if key is None else tilde(key, paper) if name == "project" else key for name, key in row.keys.items()
    ]
    return " · ".join(names) if row.title is None else f"{row.title} ({names[0][:8]})"
