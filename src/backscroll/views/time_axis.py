"""Axes of time without holes: every day, week, month or hour between the first key and the last."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

_STEPS = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=31), "hour": timedelta(hours=1)}
_FORMATS = {"day": "%Y-%m-%d", "month": "%Y-%m", "hour": "%Y-%m-%d %H:00"}
_MOST = 4000
"""Keys of an axis: beyond them the holes stay."""


def every_key(by: str, keys: Sequence[str]) -> list[str]:
    """Return the keys of a report by time in order, with those between them; blocks have no fixed length."""
    ordered = sorted(keys)
    if by not in _STEPS or len(ordered) < 2:
        return ordered
    axis = list(_between(by, _begin(by, ordered[0]), ordered[-1]))
    return axis if set(ordered) <= set(axis) else ordered


def _between(by: str, moment: datetime, last: str) -> Iterator[str]:
    for _ in range(_MOST):
        key = _key(by, moment)
        yield key
        if key >= last:
            return
        moment += _STEPS[by]
        if by == "month":
            moment = moment.replace(day=1)


def _begin(by: str, key: str) -> datetime:
    return datetime.strptime(f"{key}-1", "%G-W%V-%u") if by == "week" else datetime.strptime(key, _FORMATS[by])  # noqa: DTZ007  (a key, no moment)


def _key(by: str, moment: datetime) -> str:
    return moment.strftime("%G-W%V" if by == "week" else _FORMATS[by])
