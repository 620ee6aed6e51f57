"""Times: convert stored times to an aware UTC `datetime`, and back to text.

Input: ISO 8601 strings and epoch numbers of any quality; the values of --since and --until.
Output: aware UTC datetimes, or None if a stored value is no time.  `now` is an argument; nothing here reads the clock.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import cache

from backscroll.errors import QueryError

_FIRST_MILLISECONDS = 100_000_000_000
"""Epoch numbers above this are milliseconds: as seconds they would lie after the year 5138."""

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DAYS = {"today": 0, "yesterday": 1}
_BACK = {"this": 0, "last": 1}
_LONGEST_DATE = 10
"""Characters of 2026-05-01; an ISO date with a time is longer."""
_REMEDY = "Use 2026-05-01, 2026-05-01T10:30, 2026-05, today, yesterday, last week, last month, 12h, 3d, 2w or '3 days'."


@cache
def _ago() -> re.Pattern[str]:
    return re.compile(r"([0-9]+) ?(h|d|w|hours?|days?|weeks?)(?: ago)?")


@cache
def _year_and_month() -> re.Pattern[str]:
    return re.compile(r"([0-9]{4})-([0-9]{2})")


def parse(value: object) -> datetime | None:
    """Return the time of a stored value, or None; a time without zone is UTC.

    >>> parse("2026-05-01T10:00:00.000Z") == parse(1777629600000) == parse(1777629600)
    True
    >>> parse("2026-05-01T23:59:60Z") is None
    True
    """
    if type(value) is str:
        return _from_text(value)
    if type(value) is int or type(value) is float:
        return _from_epoch(value)
    return None


def of_file(seconds: float) -> datetime | None:
    """Return the time of a file, or None if it is outside the range of datetime."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def iso(moment: datetime) -> str:
    """Return `moment` in the form of the stores: UTC, milliseconds, Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def parse_when(text: str, now: datetime) -> datetime:
    """Return the moment a user means, or the start of the time that is named; see `parse_period`."""
    return parse_period(text, now)[0]


def parse_until(text: str, now: datetime) -> datetime:
    """Return the end of the time a user names: a day, a week or a month counts as a whole."""
    return parse_period(text, now)[1]


def parse_period(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Return start and end of the time a user names; for a moment both are equal.

    Days and times without zone are those of `now`'s zone.  Understood: 2026-05-01, 2026-05-01T10:30, 2026-05, today,
    yesterday, this week, last week, this month, last month, 12h, 3d, 2w, 3 days, 3 days ago.
    """
    words = " ".join(text.lower().split())
    try:
        start, end = _from_words(words, now) or _from_calendar(text.strip(), now)
        return _in_utc(start, now), _in_utc(end, now)
    except (ValueError, OverflowError):
        raise QueryError(f"not a time: {text}", remedy=_REMEDY) from None


def _from_text(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is UTC:
            return moment
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _from_epoch(number: float) -> datetime | None:
    if not 0 <= number < float("inf"):
        return None
    try:
        return datetime.fromtimestamp(number / 1000 if number > _FIRST_MILLISECONDS else number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _in_utc(moment: datetime, now: datetime) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)).astimezone(UTC)


def _from_words(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    if ago := _ago().fullmatch(text):
        moment = now - int(ago[1]) * _UNITS[ago[2][0]]
        return moment, moment
    name, _, unit = text.rpartition(" ")
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in _DAYS:
        return _day(midnight - timedelta(days=_DAYS[text]))
    if unit == "week" and name in _BACK:
        monday = midnight - timedelta(days=midnight.weekday() + 7 * _BACK[name])
        return monday, monday + timedelta(days=7)
    if unit == "month" and name in _BACK:
        first = midnight.replace(day=1)
        return _month(first if name == "this" else (first - timedelta(days=1)).replace(day=1))
    return None


def _from_calendar(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Return start and end of an ISO date, month or moment."""
    if month := _year_and_month().fullmatch(text):
        return _month(datetime(int(month[1]), int(month[2]), 1, tzinfo=now.tzinfo))
    moment = datetime.fromisoformat(text)
    return _day(moment) if len(text) <= _LONGEST_DATE else (moment, moment)


def _day(midnight: datetime) -> tuple[datetime, datetime]:
    return midnight, midnight + timedelta(days=1)


def _month(first: datetime) -> tuple[datetime, datetime]:
    return first, (first + timedelta(days=31)).replace(day=1)
