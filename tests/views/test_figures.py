"""Numbers, moments and paths as people read them."""

from datetime import UTC, datetime, timedelta

import pytest
from views.samples import NOW, TIME, paper

from backscroll.views import figures


@pytest.mark.parametrize(
    "number, text",
    [
        (None, ""),
        (0, "0"),
        (950, "950"),
        (1200, "1.2 k"),
        (34_000, "34 k"),
        (999_600, "1.0 M"),
        (1_234_567, "1.2 M"),
        (5 * 10**9, "5.0 G"),
    ],
)
def test_short_numbers(number: int | None, text: str) -> None:
    """Numbers take three digits or so; the unknown takes none."""
    assert text == figures.short(number)


@pytest.mark.parametrize(
    "number, text", [(0, "0 B"), (512, "512 B"), (48_000, "48 KB"), (1_200_000, "1.2 MB"), (2 * 10**12, "2.0 TB")]
)
def test_sizes(number: int, text: str) -> None:
    """Sizes are bytes in decimal units."""
    assert text == figures.size(number)


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0.42, "420 ms"),
        (1.44, "1.4 s"),
        (12, "12 s"),
        (200, "3 min"),
        (9480, "2 h 38 min"),
        (7200, "2 h"),
        (400_000, "5 d"),
        (-3, "0 ms"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    """A length of time has one or two units."""
    assert text == figures.duration(timedelta(seconds=seconds))


@pytest.mark.parametrize(
    "cost, text", [(None, ""), (0.0, "$0.00"), (0.0042, "$0.004"), (1.234, "$1.23"), (1234.5, "$1,234.50")]
)
def test_dollars(cost: float | None, text: str) -> None:
    """Costs have two decimals, small ones three; the unknown has none."""
    assert text == figures.dollars(cost)


@pytest.mark.parametrize(
    "time, text",
    [
        (NOW, "now"),
        (NOW - timedelta(minutes=5), "5 min ago"),
        (TIME, "2 h ago"),
        (NOW - timedelta(days=3), "3 d ago"),
        (NOW - timedelta(days=40), "24 Mar"),
        (NOW - timedelta(days=400), "29 Mar 2025"),
        (NOW + timedelta(days=2), "5 May"),
        (None, ""),
    ],
)
def test_ago(time: datetime | None, text: str) -> None:
    """What is near is said by its age, what is far by its date."""
    assert text == figures.ago(time, paper())


def test_ago_on_a_pipe_is_a_moment() -> None:
    """A pipe gets the whole moment."""
    assert "2026-05-03 09:30" == figures.ago(TIME, paper(None))


def test_periods() -> None:
    """A period names its days once where they are one, and what is unknown not at all."""
    sheet = paper()

    assert "3 May, 09:30 – 12:00 (2 h 30 min)" == figures.period(TIME, NOW, sheet)
    assert "2 May, 09:30 – 3 May, 12:00 (26 h 30 min)" == figures.period(TIME.replace(day=2), NOW, sheet)
    assert "3 May, 09:30" == figures.period(TIME, None, sheet)
    assert "2026-05-03 12:00" == figures.period(None, NOW, sheet)
    assert "" == figures.period(None, None, sheet)


def test_the_ends_of_the_calendar_are_shown() -> None:
    """A moment that no zone can hold is shown as it is."""
    assert "0001-01-01 00:00" == figures.moment(datetime.min.replace(tzinfo=UTC), paper())


@pytest.mark.parametrize(
    "path, name", [("/a/shop", "shop"), ("C:\\work\\shop\\", "shop"), ("/", "/"), (None, ""), ("a\x1b", "a\\x1b")]
)
def test_last_names(path: str | None, name: str) -> None:
    """The last name of a path of any system says which project it is."""
    assert name == figures.last_name(path)


def test_short_paths_keep_their_end() -> None:
    """A path that is too long is cut in front."""
    assert "…/claude-code-sessions" == figures.short_path("/Users/x/Library/claude-code-sessions", 22, paper())
    assert "~/x" == figures.short_path("/home/me/x", 22, paper(home="/home/me"))


@pytest.mark.parametrize("model, name", [("claude-opus-4-1-20250805", "opus-4-1"), ("gpt", "gpt"), (None, "")])
def test_short_models(model: str | None, name: str) -> None:
    """A model goes without its maker and its date."""
    assert name == figures.short_model(model)


def test_until() -> None:
    """What lies ahead is said in days or hours."""
    sheet = paper()

    assert ("in 6 d", "in 5 h", "overdue") == (
        figures.until(NOW + timedelta(days=6), sheet),
        figures.until(NOW + timedelta(hours=5), sheet),
        figures.until(NOW, sheet),
    )


def test_models_that_shorten_to_one_name_are_told_apart() -> None:
    """Two models that would share a short name keep their dates; all others lose theirs."""
    first, second, other = "claude-sonnet-4-20250514", "claude-sonnet-4-20250601", "claude-opus-4-1-20250805"

    assert {first: "sonnet-4-20250514", second: "sonnet-4-20250601", other: "opus-4-1"} == figures.short_models(
        [first, second, other, first]
    )
