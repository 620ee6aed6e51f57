"""Moments: which times are believed, how they are kept, and in which quarter of an hour they lie."""

import pytest

from backscroll.sessions.transcript.moments import moment_of, quarter_of, stored_moment

TIME = "2026-05-01T10:00:00.000Z"


def test_implausible_moments() -> None:
    """A time before Claude Code or far in the future is none."""
    assert [None, None, None] == [moment_of("1999-01-01T00:00:00Z"), moment_of("2101-01-01T00:00:00Z"), moment_of(None)]


@pytest.mark.parametrize(
    "value, kept",
    [
        (TIME, TIME),
        ("2026-05-01T12:00:00+02:00", TIME),
        (1777629600000, TIME),
        ("2026-13-45T99:00:00.000Z", None),
        ("2099-12-31T23:59:59.999Z", "2099-12-31T23:59:59.999Z"),
        ("1970-01-01T00:00:00.000Z", None),
        ("soon", None),
        (None, None),
    ],
)
def test_moments_as_they_are_kept(value: str | float | None, kept: str | None) -> None:
    """Every plausible time is kept in one spelling, so that texts compare as the times do; any other is none."""
    assert kept == stored_moment(value)


def test_quarters() -> None:
    """A moment that is none has no quarter; a quarter begins with its first second."""
    assert (None, 0, 1) == (
        quarter_of(None),
        quarter_of("1970-01-01T00:14:59.000Z"),
        quarter_of("1970-01-01T00:15:00Z"),
    )
