"""What the sums are made of: how many records carry usage, what the records state, who wrote what first."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from backscroll.index.spending import Message, Shared, Spent, messages_of
from backscroll.value import NamedTuple


class Counts(NamedTuple):
    """How many records carry usage, how many messages they make in each file, and how many cost nothing."""

    records: int
    messages: int
    synthetic: int


class Stated(NamedTuple):
    """What Claude Code itself wrote down as the cost of a session, with its counts by model."""

    session: str
    cost: float
    models: dict[str, Any]


_RECORDS = (
    "SELECT total(records), count(*) FROM spend JOIN unit ON unit.id = spend.unit"
    " WHERE :session IS NULL OR unit.session IN (SELECT value FROM json_each(:family))"
)
_SYNTHETIC = (
    "SELECT total(synthetic) FROM stated JOIN unit ON unit.id = stated.unit"
    " WHERE :session IS NULL OR unit.session IN (SELECT value FROM json_each(:family))"
)
_STATED = (
    "SELECT unit.session, stated.cost, stated.models FROM stated JOIN unit ON unit.id = stated.unit"
    " JOIN session ON session.id = unit.session"
    " WHERE stated.cost IS NOT NULL AND unit.agent IS NULL AND session.folded_into IS NULL"
    " AND (:session IS NULL OR unit.session = :session) ORDER BY session.updated, unit.session"
)
_RECORDED = (
    "SELECT session FROM usage WHERE owner IS NULL AND (:session IS NULL OR session = :session)"
    " GROUP BY session HAVING sum(recorded_messages) > 0 ORDER BY min(first), session"
)


def counts(database: sqlite3.Connection, session: str | None) -> Counts:
    """Count the records of all files, or of one session with its earlier copies and its agents."""
    asked = {"session": session, "family": json.dumps(family_of(database, session) if session else [])}
    records, messages = database.execute(_RECORDS, asked).fetchone()
    (synthetic,) = database.execute(_SYNTHETIC, asked).fetchone()
    return Counts(int(records), messages, int(synthetic))


def stated(database: sqlite3.Connection, session: str | None) -> list[Stated]:
    """Return what Claude Code wrote down as the cost of each session, where it did."""
    rows = database.execute(_STATED, {"session": session})
    return [Stated(name, cost, json.loads(models)) for name, cost, models in rows]


def with_recorded_costs(database: sqlite3.Connection, session: str | None) -> list[str]:
    """Return the sessions some of whose messages carry their price (Claude Code 1.0.0 and older)."""
    return [name for (name,) in database.execute(_RECORDED, {"session": session})]


def messages(database: sqlite3.Connection, session: str) -> Iterator[tuple[Message, list[Spent]]]:
    """Yield each API message of a session with those of its records that stand in the session's own files."""
    family = set(family_of(database, session))
    for message, _ in messages_of(Shared(database), family):
        mine = [spent for spent in message.records if spent.session in family]
        if mine:
            yield message, mine


def path_of(spent: Spent) -> str:
    """Return the file that a record of usage lies in."""
    paths: list[str] = json.loads(spent.paths)
    return paths[spent.source] if spent.source < len(paths) else ""


def transcript_of(database: sqlite3.Connection, session: str) -> str | None:
    """Return a session's present transcript."""
    row = database.execute(
        "SELECT paths FROM unit WHERE session = ? AND agent IS NULL ORDER BY id LIMIT 1", (session,)
    ).fetchone()
    paths: list[str] = json.loads(row[0]) if row else []
    return paths[-1] if paths else None


def family_of(database: sqlite3.Connection, session: str) -> list[str]:
    """Return a session and the earlier copies of it."""
    row = database.execute("SELECT json_extract(body, '$.copies') FROM session WHERE id = ?", (session,)).fetchone()
    return [session, *(json.loads(row[0]) if row and row[0] else [])]
