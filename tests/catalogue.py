"""All that an index says, to compare one that was brought up to date with one that was made anew."""

import sqlite3
from typing import Any

from searched import Searched

TABLES = {
    "unit": "SELECT key, session, agent, kind, store, project_key, born, paths, side, digest FROM unit",
    "spend": "SELECT unit.key, spend.* FROM unit JOIN spend ON spend.unit = unit.id ORDER BY spend.rowid",
    "call": "SELECT unit.key, call.* FROM unit JOIN call ON call.unit = unit.id ORDER BY call.rowid",
    "trace": "SELECT unit.key, trace.* FROM unit JOIN trace ON trace.unit = unit.id ORDER BY trace.rowid",
    "stated": "SELECT unit.key, stated.* FROM unit JOIN stated ON stated.unit = unit.id ORDER BY stated.rowid",
    "said": "SELECT unit.key, said.* FROM unit JOIN said ON said.unit = unit.id ORDER BY said.rowid",
    "summary": "SELECT unit.key, summary.* FROM unit JOIN summary ON summary.unit = unit.id ORDER BY summary.rowid",
}
JOINED = (
    "SELECT * FROM session ORDER BY id",
    "SELECT * FROM fold ORDER BY id",
    "SELECT * FROM usage ORDER BY session, owner, agent, branch, quarter, model, context, is_lower_bound",
    "SELECT * FROM tool ORDER BY session, agent, quarter, name, target",
)


def dump(database: sqlite3.Connection) -> dict[str, Any]:
    """Return all that an index says, unit by unit in the order of its rows."""
    found: dict[str, Any] = {}
    for name, statement in TABLES.items():
        by_unit: dict[bytes, list[Any]] = {}
        for key, *row in database.execute(statement):
            by_unit.setdefault(key, []).append(row if name == "unit" else row[1:])
        found[name] = by_unit
    return found | {statement: database.execute(statement).fetchall() for statement in JOINED}


def dump_stores(database: sqlite3.Connection) -> list[Any]:
    """Return what an index says of the stores."""
    return database.execute("SELECT * FROM store ORDER BY rowid").fetchall()


def dump_words(searched: Searched) -> dict[str, Any]:
    """Return which messages each unit holds in the full-text index, when they were said, and how many there are."""
    held: dict[bytes, list[int]] = {}
    rows = "SELECT unit.key, passage.key FROM unit JOIN passage ON passage.unit = unit.number ORDER BY 1, 2"
    for unit, key in searched.text.ledger.execute(rows):
        held.setdefault(unit, []).append(key)
    owned = searched.text.ledger.execute("SELECT key FROM owner ORDER BY key").fetchall()
    return {"held": held, "owned": owned, "documents": searched.documents(), "times": searched.times()}
