"""Moments: from what a store wrote to an aware UTC `datetime`, and back to text.

In: ISO 8601 strings and epoch numbers of any quality; what a user typed after --since and --until.
Out: aware UTC moments, or None where a stored value is none.  Never the clock: `now` is an argument.
"""

from datetime import UTC, datetime, timedelta

from backscroll.errors import QueryError
from backscroll.lazy import pattern

_FIRST_MILLISECONDS = 100_000_000_000
"""Epoch numbers above this are milliseconds: as seconds they would lie after the year 5138."""

_AGO = pattern(r"([0-9]+)([hdw])")
_MONTH = pattern(r"([0-9]{4})-([0-9]{2})")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def parse(value: object) -> datetime | None:
    """Return the moment that a stored value means, or None; a time without zone is UTC.

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
    """Return the moment that a file system tells, or None where no calendar has it."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def iso(moment: datetime) -> str:
    """Return `moment` as the stores write it: UTC, milliseconds, Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def parse_when(text: str, now: datetime) -> datetime:
    """Return the moment a user means; days and times without zone are those of `now`'s zone.

    Understood: 2026-05-01, 2026-05-01T10:30, 2026-05, today, yesterday, 12h, 3d, 2w.
    """
    try:
        moment = _from_words(text.strip().lower(), now) or datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise QueryError(
            f"not a time: {text}", remedy="Use 2026-05-01, 2026-05-01T10:30, 2026-05, today, yesterday, 12h, 3d or 2w."
        ) from None


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


def _from_words(text: str, now: datetime) -> datetime | None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text == "today":
        return midnight
    if text == "yesterday":
        return midnight - timedelta(days=1)
    if ago := _AGO.fullmatch(text):
        return now - int(ago[1]) * _UNITS[ago[2]]
    if month := _MONTH.fullmatch(text):
        return midnight.replace(year=int(month[1]), month=int(month[2]), day=1)
    return None
