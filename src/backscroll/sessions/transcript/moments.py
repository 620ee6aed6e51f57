"""Times of records: which stored times are plausible, and their form in the index."""

from datetime import datetime
from functools import lru_cache

from backscroll.times import iso, parse

FIRST_PLAUSIBLE_YEAR, LAST_PLAUSIBLE_YEAR = 2020, 2100
QUARTER = 900
"""The finest time of sums, in seconds; the days of every time zone start at a multiple of it."""
_MINUTE = len("2026-11-16T12:34")


def moment_of(value: str | float | None) -> datetime | None:
    """Return a record's time if it is plausible: clocks and writers make mistakes."""
    moment = parse(value)
    return moment if moment is not None and FIRST_PLAUSIBLE_YEAR <= moment.year <= LAST_PLAUSIBLE_YEAR else None


def stored_moment(value: str | float | None) -> str | None:
    """Return a record's time for the index, or None if it is not plausible."""
    if type(value) is str and len(value) == 24 and value[-1] == "Z" and value[:2] == "20":
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return None
        return value
    moment = moment_of(value)
    return iso(moment) if moment else None


def milliseconds_of(time: str | None) -> int | None:
    """Return a stored moment as milliseconds since 1970."""
    moment = parse(time)
    return None if moment is None else round(moment.timestamp() * 1000)


def quarter_of(time: str | None) -> int | None:
    """Return the number of a stored moment's quarter of an hour."""
    if time is None:
        return None
    quarter = _quarter(time[:_MINUTE])
    return _quarter(time) if quarter is None else quarter


@lru_cache(1 << 14)
def _quarter(time: str) -> int | None:
    moment = parse(time)
    return None if moment is None else int(moment.timestamp() // QUARTER)
