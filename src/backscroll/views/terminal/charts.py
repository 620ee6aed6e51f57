"""Charts of characters: bars, sparklines and a calendar of days, for a terminal of any width.

Input: numbers.  Output: lines of spans, made of blocks that every terminal's font has.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise

from backscroll.views.terminal.paper import Line, Paper, Span

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_STEPS = "▁▂▃▄▅▆▇█"
_SHADES = "·░▒▓█"
_PLAIN = frozenset(_EIGHTHS + _STEPS + _SHADES + "≥└…–")
_DAYS = ("Mon", "", "Wed", "", "Fri", "", "")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEK = timedelta(days=7)
_MOST_WEEKS = 53
_LABEL = 5


def chart_paper(paper: Paper) -> Paper:
    """Return the paper with a measure that knows the characters of charts, so that nothing is imported for them."""

    def measure(text: str) -> int:
        foreign = (character for character in text if not character.isascii())
        return len(text) if text.isascii() or _PLAIN.issuperset(foreign) else paper.measure(text)

    return paper if paper.width is None else paper._replace(measure=measure)


def bar(value: float, greatest: float, width: int) -> str:
    """Return a bar of at most `width` columns, to an eighth of one; anything at all shows."""
    if value <= 0 or greatest <= 0:
        return ""
    eighths = max(1, round(min(value / greatest, 1.0) * width * 8))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def sparkline(values: Sequence[float], width: int) -> str:
    """Return values as a row of steps; if they do not fit, the greatest value of each piece."""
    if not values or width <= 0:
        return ""
    pieces = min(len(values), width)
    edges = [number * len(values) // pieces for number in range(pieces + 1)]
    tops = [max(values[start:end]) for start, end in pairwise(edges)]
    greatest = max(tops)
    if greatest <= 0:
        return _STEPS[0] * pieces
    return "".join(_STEPS[min(int(top / greatest * 8), 7)] if top > 0 else " " for top in tops)


def calendar(amounts: Mapping[date, float], paper: Paper) -> Iterator[Line]:
    """Yield a calendar: a column for each week, a row for each day of the week, darker where more was spent."""
    if not amounts:
        return
    last = max(amounts)
    room = ((paper.width or 80) - _LABEL) // 2
    first = _monday(max(min(amounts), last - _WEEK * (min(room, _MOST_WEEKS) - 1)))
    weeks = [first + _WEEK * number for number in range((_monday(last) - first).days // 7 + 1)]
    levels = _levels([amount for day, amount in amounts.items() if amount > 0 and day >= first])
    yield [Span(" " * _LABEL + _month_names(weeks), "dim")]
    for weekday, name in enumerate(_DAYS):
        line = [Span(name.ljust(_LABEL), "dim")]
        for week in weeks:
            day = week + timedelta(days=weekday)
            line.append(_cell(amounts.get(day, 0.0), levels) if min(amounts) <= day <= last else Span("  "))
        yield line
    shades = [Span(shade * 2, f"heat.{level}") for level, shade in enumerate(_SHADES[1:], 1)]
    yield [Span(" " * _LABEL + "less ", "dim"), *shades, Span(" more", "dim")]


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _levels(amounts: Sequence[float]) -> tuple[float, float, float]:
    """Return the limits that divide the days with messages into four groups of equal size."""
    ordered = sorted(amounts) or [0.0]
    return (ordered[len(ordered) // 4], ordered[len(ordered) // 2], ordered[len(ordered) * 3 // 4])


def _cell(amount: float, levels: tuple[float, float, float]) -> Span:
    if amount <= 0:
        return Span("· ", "dim")
    level = 1 + sum(amount >= limit for limit in levels)
    return Span(_SHADES[level] * 2, f"heat.{level}")


def _month_names(weeks: Sequence[date]) -> str:
    """Name each month above the first week that begins in it, or the next one that has room for the name."""
    text = ""
    month = 0
    for number, week in enumerate(weeks):
        if week.month != month and len(text) <= number * 2:
            text = text.ljust(number * 2) + _MONTHS[week.month - 1] + " "
            month = week.month
    return text.rstrip()
