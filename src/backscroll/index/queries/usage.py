"""Query the index for sums: usage, tool calls, and the costs that records state.

This module needs only the standard library, and reads only the sums, never single messages.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from math import ceil
from typing import Any, NamedTuple

from backscroll.index.queries.session_filter import LISTED, SessionFilter, parameters, searchable

Connection = sqlite3.Connection
QUARTER = 900
"""The finest time of sums, in seconds."""


class UsageFilter(NamedTuple):
    """A filter for sums; None means all.  Times are exact to the quarter of an hour."""

    sessions: SessionFilter = SessionFilter()
    since: datetime | None = None
    until: datetime | None = None
    model: str | None = None


class Sum(NamedTuple):
    """The usage of one model in one service tier under one set of keys."""

    bucket: str
    session: str | None
    project: str | None
    account: str | None
    agent: str | None
    branch: str | None
    model: str | None
    tier: str | None
    speed: str | None
    geo: str | None
    context: int
    messages: int
    input: int | None
    output: int | None
    cache_write: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    web_searches: int | None
    web_fetches: int | None
    lower_bound_messages: int
    lower_bound_output: int
    recorded: float | None
    recorded_messages: int
    first: str | None
    last: str | None

    @property
    def era(self) -> int:
        """The number at the start of the bucket."""
        return int(self.bucket.partition(" ")[0])


NOTHING = Sum("0 ", *(None,) * 9, 0, 0, *(None,) * 8, 0, 0, None, 0, None, None)
"""An empty sum."""


_AMOUNTS = (
    " sum(usage.messages), sum(input), sum(output), sum(cache_write), sum(cache_read), sum(cache_write_5m),"
    " sum(cache_write_1h), sum(web_searches), sum(web_fetches),"
    " sum(CASE WHEN is_lower_bound THEN usage.messages ELSE 0 END),"
    " sum(CASE WHEN is_lower_bound THEN coalesce(output, 0) ELSE 0 END), sum(recorded), sum(recorded_messages),"
    " min(first), max(last)"
)
_AT_TIMES = " AND (:since IS NULL OR quarter >= :since) AND (:until IS NULL OR quarter < :until)"
_SPENT = (
    " FROM usage_sum AS usage JOIN session ON session.id = usage.session WHERE owner IS NULL AND"
    + LISTED
    + _AT_TIMES
    + " AND (:model IS NULL OR instr(lower(coalesce(usage.model, '')), lower(:model)) > 0)"
)
_SUMS = (
    "SELECT bucket(quarter), CASE WHEN :by_session THEN usage.session END, CASE WHEN :by_project THEN session.project"
    " END, CASE WHEN :by_account THEN session.account END, CASE WHEN :by_agent THEN agent_type END, CASE WHEN"
    " :by_branch THEN usage.branch END, usage.model, tier, speed, geo, context,"
    + _AMOUNTS
    + _SPENT
    + " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
)
_QUARTERS = "SELECT DISTINCT quarter" + _SPENT + " AND quarter IS NOT NULL ORDER BY quarter"
_OF_LISTED = (
    "SELECT bucket(quarter), usage.session, NULL, NULL, NULL, NULL, usage.model,"
    " tier, speed, geo, context,"
    + _AMOUNTS
    + " FROM usage_sum AS usage WHERE owner IS NULL AND usage.session IN (SELECT value FROM json_each(?))"
    " GROUP BY 1, 2, usage.model, tier, speed, geo, context"
)
_COPIED = (
    "SELECT bucket(quarter), usage.session, owner, NULL, NULL, NULL, usage.model,"
    " tier, speed, geo, context," + _AMOUNTS + " FROM usage_sum AS usage JOIN session ON session.id = usage.session"
    " WHERE owner IS NOT NULL AND folded_into IS NULL"
    " GROUP BY 1, 2, 3, usage.model, tier, speed, geo, context"
)
_HELD = (
    "SELECT bucket(quarter), owner, NULL, NULL, NULL, NULL, usage.model, tier, speed, geo, context,"
    + _AMOUNTS
    + " FROM usage_sum AS usage WHERE usage.session = ? GROUP BY 1, 2, usage.model, tier, speed, geo, context"
)
KEYS = ("session", "project", "account", "agent", "branch")
"""The keys of sums besides time and model, which every sum has."""


def sums(
    database: Connection, wanted: UsageFilter, by: Iterable[str], bucket: Callable[[int | None], str]
) -> list[Sum]:
    """Return usage, each API message once, grouped by keys and by the bucket of its quarter of an hour."""
    asked = set(by)
    database.create_function("bucket", 1, bucket, deterministic=True)
    rows = database.execute(_SUMS, _parameters(wanted) | {f"by_{key}": key in asked for key in KEYS})
    return [Sum._make(row) for row in rows]


def quarters(database: Connection, wanted: UsageFilter) -> list[int]:
    """Return the quarters of an hour with any usage, in order."""
    return [number for (number,) in database.execute(_QUARTERS, _parameters(wanted))]


def of_sessions(database: Connection, names: Iterable[str], bucket: Callable[[int | None], str]) -> list[Sum]:
    """Return the usage of each of some sessions."""
    database.create_function("bucket", 1, bucket, deterministic=True)
    rows = database.execute(_OF_LISTED, (json.dumps(list(names)),))
    return [Sum._make(row) for row in rows]


def held_by(database: Connection, name: str, bucket: Callable[[int | None], str]) -> list[Sum]:
    """Return the usage in a session's files: its own, and copies with their owner in `session`."""
    database.create_function("bucket", 1, bucket, deterministic=True)
    return [Sum._make(row) for row in database.execute(_HELD, (name,))]


def copied(database: Connection, bucket: Callable[[int | None], str]) -> list[Sum]:
    """Return the usage that sessions copied from others; `project` is that of the owner."""
    database.create_function("bucket", 1, bucket, deterministic=True)
    return [Sum._make(row) for row in database.execute(_COPIED)]


def titles(database: Connection, names: Iterable[str]) -> dict[str, str | None]:
    """Return the titles of some sessions."""
    rows = database.execute(
        "SELECT id, title FROM session WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(names)),),
    )
    return dict(rows.fetchall())


class ToolSum(NamedTuple):
    """The calls of one tool with one target."""

    name: str
    target: str | None
    calls: int
    errors: int
    refusals: int
    unanswered: int
    timed: int
    seconds: float
    slowest: float


_MADE = " FROM tool_sum AS tool JOIN session ON session.id = tool.session WHERE" + LISTED + _AT_TIMES
_TOOLS = (
    "SELECT name, target, sum(tool.calls), sum(errors), sum(refusals), sum(unanswered),"
    " sum(timed), sum(seconds), max(slowest)" + _MADE + " GROUP BY name, target ORDER BY name, target"
)
_CALLERS = "SELECT DISTINCT name, CASE WHEN instr(:whole, ' ' || name || ' ') THEN target END, tool.session" + _MADE


def tools(database: Connection, wanted: UsageFilter) -> list[ToolSum]:
    """Return the number of calls of each tool with each target, each call once."""
    return [ToolSum._make(row) for row in database.execute(_TOOLS, _parameters(wanted))]


def callers(
    database: Connection, wanted: UsageFilter, told_apart: Iterable[str]
) -> Iterator[tuple[str, str | None, str]]:
    """Yield (tool, target, session) once each; targets only for the tools in `told_apart`."""
    return database.execute(_CALLERS, _parameters(wanted) | {"whole": f" {' '.join(told_apart)} "})


def _parameters(wanted: UsageFilter) -> dict[str, Any]:
    return parameters(wanted.sessions) | {
        "since": int(wanted.since.timestamp() // QUARTER) if wanted.since else None,
        "until": ceil(wanted.until.timestamp() / QUARTER) if wanted.until else None,
        "model": searchable(wanted.model),
    }
