"""Axes of time have no holes."""

import pytest

from backscroll.views.time_axis import every_key


@pytest.mark.parametrize(
    "by, keys, expected",
    [
        ("day", ["2026-02-27", "2026-03-01"], ["2026-02-27", "2026-02-28", "2026-03-01"]),
        ("week", ["2026-W53", "2027-W02"], ["2026-W53", "2027-W01", "2027-W02"]),
        ("month", ["2027-01", "2026-11"], ["2026-11", "2026-12", "2027-01"]),
        (
            "hour",
            ["2026-05-01 23:00", "2026-05-02 01:00"],
            ["2026-05-01 23:00", "2026-05-02 00:00", "2026-05-02 01:00"],
        ),
        ("block", ["2026-05-01 09:00", "2026-05-01 19:00"], ["2026-05-01 09:00", "2026-05-01 19:00"]),
        ("day", ["2026-05-01"], ["2026-05-01"]),
        ("day", [], []),
        ("day", ["0100-01-01", "2026-05-01"], ["0100-01-01", "2026-05-01"]),
    ],
)
def test_every_key_between_the_first_and_the_last_is_there(by: str, keys: list[str], expected: list[str]) -> None:
    """Blocks have no fixed length, and an axis of thousands of keys keeps its holes."""
    assert expected == every_key(by, keys)
