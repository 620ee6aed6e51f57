"""The records behind the sums: their number, the costs that they state, and their owners."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from backscroll.index.queries.sessions import path_of
from backscroll.sessions.joining import copies as identity


class TokenCounts(NamedTuple):
    """The number of records with usage, of messages in each file, and of messages without cost."""

    records: int
    messages: int
    synthetic: int


class Stated(NamedTuple):
    """The cost of a session according to Claude Code, with its counts by model."""

    session: str
    cost: float
    models: dict[str, Any]
    starts_at_zero: bool = False
    """True if `/branch` made the session: its sum excludes the copied messages."""


class Spent(NamedTuple):
    """The usage of an API message in one unit."""

    session: str
    born: str | None
    agent: str | None
    path: bytes
    key: bytes
    request: str | None
    time: str | None
    quarter: int | None
    is_copy: int
    model: str | None
    input: int | None
    output: int | None
    cache_write: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    is_lower_bound: int
    cost: float | None
    web_searches: int | None
    web_fetches: int | None
    tier: str | None
    speed: str | None
    geo: str | None
    branch: str | None
    context: int
    records: int
    line: int | None

    @property
    def transcript(self) -> str:
        """The file of the record."""
        return path_of(self.path)


class UsageMessage(NamedTuple):
    """One API message: the record of its first session, the record that counts, and all records."""

    first: Spent
    greatest: Spent
    records: list[Spent]


_FAMILY = " WHERE :session IS NULL OR unit.session IN (SELECT value FROM json_each(:family))"
_RECORDS = "SELECT total(usage.records), count(*) FROM usage JOIN unit ON unit.id = usage.unit" + _FAMILY
_SYNTHETIC = "SELECT total(synthetic) FROM unit" + _FAMILY
_STATED = (
    "SELECT unit.session, unit.cost, unit.cost_models, unit.is_branched FROM unit JOIN session"
    " ON session.id = unit.session WHERE unit.cost IS NOT NULL AND unit.agent IS NULL AND session.folded_into IS NULL"
    " AND (:session IS NULL OR unit.session = :session) ORDER BY session.updated, unit.session"
)
_RECORDED = (
    "SELECT session FROM usage_sum WHERE owner IS NULL AND (:session IS NULL OR session = :session)"
    " GROUP BY session HAVING sum(recorded_messages) > 0 ORDER BY min(first), session"
)
_SPENT = (
    "SELECT unit.session, unit.born, coalesce(usage.agent, unit.agent), file.path, "
    + ", ".join(f"usage.{name}" for name in Spent._fields[4:])
    + " FROM usage JOIN unit ON unit.id = usage.unit JOIN file ON file.id = usage.file WHERE usage.key IN"
    " (SELECT mine.key FROM unit AS own JOIN usage AS mine ON mine.unit = own.id"
    " WHERE own.session IN (SELECT value FROM json_each(?))) ORDER BY usage.rowid"
)


def counts(database: sqlite3.Connection, session: str | None) -> TokenCounts:
    """Count the records of all files, or of one session with its earlier copies and its agents."""
    asked = {"session": session, "family": json.dumps(family_of(database, session) if session else [])}
    records, messages = database.execute(_RECORDS, asked).fetchone()
    (synthetic,) = database.execute(_SYNTHETIC, asked).fetchone()
    return TokenCounts(int(records), messages, int(synthetic))


def stated(database: sqlite3.Connection, session: str | None) -> list[Stated]:
    """Return the cost of each session that Claude Code recorded."""
    rows = database.execute(_STATED, {"session": session})
    return [Stated(name, cost, json.loads(models), bool(is_branched)) for name, cost, models, is_branched in rows]


def with_recorded_costs(database: sqlite3.Connection, session: str | None) -> list[str]:
    """Return the sessions with messages that record their price (Claude Code 1.0.0 and older)."""
    return [name for (name,) in database.execute(_RECORDED, {"session": session})]


def messages(database: sqlite3.Connection, session: str) -> Iterator[tuple[UsageMessage, list[Spent]]]:
    """Yield each API message of a session with its records in the session's own files."""
    family = set(family_of(database, session))
    by_key: dict[bytes, list[Spent]] = defaultdict(list)
    for row in database.execute(_SPENT, (json.dumps(sorted(family)),)):
        spent = Spent._make(row)
        by_key[spent.key].append(spent)
    for records in by_key.values():
        for of_request in _by_request(records):
            mine = [spent for spent in of_request if spent.session in family]
            if mine:
                yield _message(of_request), mine


def copied_records(database: sqlite3.Connection, session: str) -> set[tuple[str, int | None]]:
    """Return the file and line of each API message in a session's own files that counts for another session."""
    family = set(family_of(database, session))
    return {
        (spent.transcript, spent.line)
        for message, mine in messages(database, session)
        if message.first.session not in family
        for spent in mine
    }


def _message(records: list[Spent]) -> UsageMessage:
    return UsageMessage(
        first=min(records, key=_precedence),
        greatest=max(records, key=lambda spent: (spent.output or 0, spent.time or "", spent.session)),
        records=records,
    )


def _by_request(records: Iterable[Spent]) -> Iterable[list[Spent]]:
    """Group the records of one message id by request; copies without a request join the first."""
    requests: dict[str | None, list[Spent]] = defaultdict(list)
    for spent in records:
        requests[spent.request].append(spent)
    if None in requests and len(requests) > 1:
        lost = requests.pop(None)
        requests[min(name for name in requests if name is not None)].extend(lost)
    return requests.values()


def _precedence(record: Spent) -> tuple[int, str, str, str]:
    return (record.is_copy, record.time or identity.LATE, record.born or identity.LATE, record.session)


def transcript_of(database: sqlite3.Connection, session: str) -> str | None:
    """Return a session's current transcript."""
    row = database.execute(
        "SELECT file.path FROM unit JOIN file ON file.unit = unit.id AND file.number IS NOT NULL"
        " WHERE unit.session = ? AND unit.agent IS NULL ORDER BY unit.id, file.number DESC LIMIT 1",
        (session,),
    ).fetchone()
    return path_of(row[0]) if row else None


def family_of(database: sqlite3.Connection, session: str) -> list[str]:
    """Return a session and its earlier copies."""
    row = database.execute("SELECT copies FROM session WHERE id = ?", (session,)).fetchone()
    return [session, *(json.loads(row[0]) if row else [])]
