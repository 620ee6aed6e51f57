"""Moments: what a store wrote and what a user typed become aware UTC times, or a plain no."""

import timeit
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll import times
from backscroll.errors import QueryError

TEN = datetime(2026, 5, 1, 10, tzinfo=UTC)
NOW = datetime(2026, 5, 15, 1, 30, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    "stored",
    [
        "2026-05-01T10:00:00.000Z",
        "2026-05-01T10:00:00Z",
        "2026-05-01T12:00:00+02:00",
        "2026-05-01T10:00:00",
        "2026-05-01 10:00",
        1777629600,
        1777629600000,
        1777629600000.0,
    ],
)
def test_the_same_moment_in_every_spelling(stored: object) -> None:
    """ISO text with Z, an offset or none, and epoch seconds and milliseconds, mean one moment."""
    assert times.parse(stored) == TEN


@pytest.mark.parametrize(
    "stored",
    [
        None,
        True,
        "",
        "yesterday",
        "2026-05-01T23:59:60Z",
        "+010000-01-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-05-01T10:00:00.000Z trailing",
        "0001-01-01T00:00:00+14:00",
        "\ud800",
        -1,
        10**18,
        10**400,
        float("nan"),
        float("inf"),
        -float("inf"),
        [],
        {"$date": 1},
        b"2026-05-01",
    ],
)
def test_what_is_no_time_is_none(stored: object) -> None:
    """Garbage, leap seconds and times out of range are None, never an exception."""
    assert times.parse(stored) is None


@given(st.one_of(st.text(), st.integers(), st.floats(), st.binary(), st.booleans(), st.lists(st.text())))
def test_parse_never_raises(stored: Any) -> None:
    """Any value at all gives None or an aware UTC time."""
    moment = times.parse(stored)

    assert moment is None or moment.utcoffset() == timedelta(0)


@given(st.integers(min_value=0, max_value=200_000_000_000_000))
def test_iso_and_parse_are_inverse(milliseconds: int) -> None:
    """A time written by `iso` is read back to the millisecond."""
    moment = datetime(1971, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds, microseconds=milliseconds % 1000)
    expected = moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    assert times.parse(times.iso(moment)) == expected


def test_iso_is_what_the_stores_write() -> None:
    """`iso` gives UTC with milliseconds and Z, whatever the zone."""
    assert times.iso(NOW) == "2026-05-14T23:30:00.000Z"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2026-05-01", "2026-04-30T22:00:00.000Z"),
        ("2026-05-01T10:30", "2026-05-01T08:30:00.000Z"),
        ("2026-05-01T10:30Z", "2026-05-01T10:30:00.000Z"),
        ("2026-05", "2026-04-30T22:00:00.000Z"),
        ("today", "2026-05-14T22:00:00.000Z"),
        (" Yesterday ", "2026-05-13T22:00:00.000Z"),
        ("12h", "2026-05-14T11:30:00.000Z"),
        ("3d", "2026-05-11T23:30:00.000Z"),
        ("2w", "2026-04-30T23:30:00.000Z"),
    ],
)
def test_what_a_user_may_type(text: str, expected: str) -> None:
    """Dates, times, months, days by name and spans are understood in the zone of `now`."""
    assert times.iso(times.parse_when(text, NOW)) == expected


@pytest.mark.parametrize(
    "text, start, end",
    [
        ("2026-05-01", "2026-04-30T22:00", "2026-05-01T22:00"),
        ("2026-02", "2026-01-31T22:00", "2026-02-28T22:00"),
        ("2026-12", "2026-11-30T22:00", "2026-12-31T22:00"),
        ("yesterday", "2026-05-13T22:00", "2026-05-14T22:00"),
        ("this week", "2026-05-10T22:00", "2026-05-17T22:00"),
        ("Last  Week", "2026-05-03T22:00", "2026-05-10T22:00"),
        ("last month", "2026-03-31T22:00", "2026-04-30T22:00"),
        ("this month", "2026-04-30T22:00", "2026-05-31T22:00"),
        ("2026-05-01T10:30", "2026-05-01T08:30", "2026-05-01T08:30"),
        ("3 days", "2026-05-11T23:30", "2026-05-11T23:30"),
        ("1 week ago", "2026-05-07T23:30", "2026-05-07T23:30"),
        ("12 hours", "2026-05-14T11:30", "2026-05-14T11:30"),
    ],
)
def test_periods(text: str, start: str, end: str) -> None:
    """A day, a week or a month has a start and an end; a moment is both."""
    found = times.parse_period(text, NOW)

    assert [f"{start}:00.000Z", f"{end}:00.000Z"] == [times.iso(moment) for moment in found]
    assert found == (times.parse_when(text, NOW), times.parse_until(text, NOW))


@pytest.mark.parametrize(
    "text", ["", "soon", "3", "3y", "-3d", "2026-13", "99999999999999d", "9999-12-31T23:59-14:00", "next week"]
)
def test_what_a_user_may_not_type(text: str) -> None:
    """Anything else is wrong use, with the forms that are understood."""
    with pytest.raises(QueryError) as caught:
        times.parse_when(text, NOW)

    assert caught.value.remedy is not None


def test_parse_is_quick() -> None:
    """A time costs less than five microseconds: it is read for every message."""
    assert min(timeit.repeat(lambda: times.parse("2026-05-01T10:00:00.000Z"), number=1000, repeat=5)) < 0.005


@pytest.mark.parametrize("seconds, year", [(0, 1970), (-1e9, 1938), (3e11, None), (-3e11, None), (1e30, None)])
def test_of_file(seconds: float, year: int | None) -> None:
    """What a file system tells may be beyond any calendar."""
    moment = times.of_file(seconds)
    assert year == (moment.year if moment else None)
