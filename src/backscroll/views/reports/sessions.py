"""Sessions as CSV."""

from collections.abc import Iterator, Sequence

from backscroll.sessions.session import Session
from backscroll.times import iso
from backscroll.views import csv

_PLAIN = ("id", "title", "project", "cwd", "branch", "state", "model")
_TIMES = ("started", "updated")
_COUNTS = ("messages", "prompts", "calls", "agents")
_AMOUNTS = ("input", "output", "cache_write", "cache_read", "cost")


def csv_document(sessions: Sequence[Session]) -> Iterator[str]:
    """Yield sessions as CSV, one row each."""
    return csv.lines([*_PLAIN, *_TIMES, *_COUNTS, *_AMOUNTS, "resume"], map(_row, sessions))


def _row(session: Session) -> list[csv.Cell]:
    times = [getattr(session, name) for name in _TIMES]
    return [
        *(getattr(session, name) for name in _PLAIN),
        *(None if time is None else iso(time) for time in times),
        *(getattr(session, name) for name in _COUNTS),
        *(getattr(session.usage, name) for name in _AMOUNTS),
        session.resume,
    ]
