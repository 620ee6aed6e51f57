"""Charts of characters: bars, sparklines and the calendar."""

from datetime import UTC, date, datetime, timedelta

import pytest

from backscroll.views.terminal.charts import bar, calendar, chart_paper, sparkline
from backscroll.views.terminal.paper import Paper, plain

PAPER = Paper(width=80, now=datetime(2026, 5, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "value, expected", [(0, ""), (-1, ""), (100, "████"), (50, "██"), (200, "████"), (0.001, "▏"), (62.5, "██▌")]
)
def test_bars(value: float, expected: str) -> None:
    """A bar is as long as its share, to an eighth of a column; whatever is not nothing shows."""
    assert expected == bar(value, 100, 4)


def test_a_bar_of_nothing() -> None:
    """Where the greatest is nothing, no bar is drawn."""
    assert "" == bar(1, 0, 4)


@pytest.mark.parametrize(
    "values, width, expected",
    [
        ([], 5, ""),
        ([1, 2, 4, 8], 0, ""),
        ([1, 2, 4, 8], 10, "▂▃▅█"),
        ([0, 0], 10, "▁▁"),
        ([0, 8], 10, " █"),
        ([1, 8, 1, 1], 2, "█▂"),
    ],
)
def test_sparklines(values: list[float], width: int, expected: str) -> None:
    """A value is a step; where they are too many, each piece shows its greatest."""
    assert expected == sparkline(values, width)


def test_calendar_of_two_weeks() -> None:
    """Each week is a column, each weekday a row; a day without anything is a dot, days outside are blank."""
    amounts = {date(2026, 4, 29) + timedelta(days=number): float(number) for number in range(8)}
    lines = [plain(line) for line in calendar(amounts, PAPER)]

    assert 9 == len(lines)
    assert "     less ░░▒▒▓▓██ more" == lines[8]
    assert "     Apr" == lines[0]
    assert lines[1].startswith("Mon    ")
    assert "Wed  · ██" == lines[3]


def test_calendar_shades() -> None:
    """A quarter of the days each has one of four shades."""
    amounts = {date(2026, 5, 4) + timedelta(days=number): float(number + 1) for number in range(4)}
    styles = [
        span.style for line in list(calendar(amounts, PAPER))[:-1] for span in line if span.style.startswith("heat")
    ]

    assert ["heat.1", "heat.2", "heat.3", "heat.4"] == styles


def test_calendar_fits_the_paper() -> None:
    """On a narrow paper the oldest weeks are left out."""
    amounts = {date(2026, 1, 1) + timedelta(days=number): 1.0 for number in range(300)}
    widths = {len(plain(line)) for line in calendar(amounts, Paper(width=41))}

    assert max(widths) <= 41
    assert [] == list(calendar({}, PAPER))


def test_months_are_named_where_there_is_room() -> None:
    """A month that begins too close to the last name is named a week later."""
    amounts = {date(2026, 4, 27): 1.0, date(2026, 7, 12): 1.0}

    assert "     Apr May   Jun       Jul" == plain(next(calendar(amounts, PAPER)))


def test_the_measure_of_charts_asks_nobody_about_blocks() -> None:
    """Characters of charts are one column wide without asking; anything else is asked about."""
    asked: list[str] = []

    def measure(text: str) -> int:
        asked.append(text)
        return 7

    paper = chart_paper(Paper(width=80, measure=measure))

    assert (3, 4, 7) == (paper.measure("▏█≥"), paper.measure("abc█"), paper.measure("日本"))
    assert ["日本"] == asked
    assert Paper() == chart_paper(Paper())
