"""The figures of a status line: costs from the index without an update, and the size of a session's context."""

import json
import os
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backscroll.files import open_readonly
from backscroll.index import db
from backscroll.index.db import Connection
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.queries.usage import QUARTER, UsageFilter, quarters
from backscroll.sessions.transcript.token_counts import believed
from backscroll.stats.costs import BLOCK, block_starts, total_cost
from backscroll.stats.prices import Prices

_TAIL = 1 << 18
"""Bytes at the end of a transcript in which the last answer is looked for."""


@dataclass(frozen=True, slots=True)
class Status:
    """Figures for a status line; None is unknown."""

    session: float | None = None
    today: float | None = None
    block: float | None = None
    block_end: datetime | None = None


def read_status(path: Path, session: str | None, prices: Prices, now: datetime) -> Status:
    """Return the figures from an index without an update; none without an index."""
    if not path.exists():
        return Status()
    with closing(db.open_index(path)) as database, db.in_use(database, path):
        return _status(database, session, prices, now)


def _status(database: Connection, session: str | None, prices: Prices, now: datetime) -> Status:
    """Return the costs of a session, of today and of the present block."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start = _block_start(database, min(midnight, now - 2 * BLOCK) - timedelta(days=1), now)
    of_session = UsageFilter(SessionFilter(session=session))
    return Status(
        session=total_cost(database, of_session, prices) if session else None,
        today=total_cost(database, UsageFilter(since=midnight), prices),
        block=total_cost(database, UsageFilter(since=start), prices) if start else None,
        block_end=start + BLOCK if start else None,
    )


def _block_start(database: Connection, since: datetime, now: datetime) -> datetime | None:
    """Return the start of the block that is active now."""
    starts = block_starts(quarters(database, UsageFilter(since=since))).values()
    moments = (datetime.fromtimestamp(start * QUARTER, UTC) for start in starts)
    return next((start for start in moments if start <= now < start + BLOCK), None)


def context_tokens(path: str) -> int | None:
    """Return the tokens in the context of the last answer of a transcript; None if there is none."""
    try:
        with open_readonly(path) as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(file.tell() - _TAIL, 0))
            lines = file.read(_TAIL).split(b"\n")
    except (OSError, ValueError):
        return None
    return next((tokens for line in reversed(lines) if (tokens := _context(line)) is not None), None)


def _context(line: bytes) -> int | None:
    if b'"usage"' not in line or b'"isSidechain":true' in line:
        return None
    try:
        usage = json.loads(line)["message"]["usage"]
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return sum(believed(usage.get(name)) or 0 for name in names) or None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
