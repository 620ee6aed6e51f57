"""Logs of Desktop and Cowork: the lines that report an error near a time or about a session.

Input: paths of log files of any size.  Output: one value for each line that reports an error or a warning.
A time without a zone is the local time of the machine that wrote it.  docs/formats.md, "Logs".
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from backscroll.files import open_readonly, reason_of
from backscroll.place import Place
from backscroll.records import Damage

LONGEST = 1 << 16
"""A longer line is read in pieces of this size."""
_SHOWN = 2000
_TIME = re.compile(r"\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?) ?(Z|[+-]\d\d:?\d\d)?\]?")
_LEVEL = re.compile(r"\b(error|fatal|panic|critical|warn(?:ing)?)\b", re.IGNORECASE)
_WHERE_LEVELS_STAND = 120


class Line(NamedTuple):
    """A line of a log."""

    place: Place
    time: datetime | None
    level: str
    text: str


def errors(paths: Iterable[str], zone: tzinfo | None = None) -> Iterator[Line | Damage]:
    """Yield every line of the logs that reports an error or a warning, in the order of the files."""
    for path in paths:
        try:
            yield from _errors_of(path, zone)
        except OSError as error:
            yield Damage(Place(path), reason_of(error))


def _errors_of(path: str, zone: tzinfo | None) -> Iterator[Line]:
    number, time = 0, None
    with open_readonly(path) as file:
        while piece := file.readline(LONGEST):
            number += 1
            text = piece.decode("utf-8", "replace").rstrip("\r\n")
            time = _time(text, zone) or time  # a stack trace has the time of the line above it
            level = _LEVEL.search(text[:_WHERE_LEVELS_STAND])
            if level is not None:
                yield Line(Place(path, number), time, _name(level[1]), text[:_SHOWN])


def _name(level: str) -> str:
    return "warning" if level.lower().startswith("warn") else "error"


def _time(text: str, zone: tzinfo | None) -> datetime | None:
    found = _TIME.match(text)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(found[1].replace(",", ".") + (found[2] or "").replace("Z", "+00:00"))
        return (moment if moment.tzinfo or zone is None else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
