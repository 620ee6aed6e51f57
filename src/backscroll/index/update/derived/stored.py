"""Stored rows: everything in the catalogue that the rows of some sessions are made from, looked up at once."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from backscroll.index.queries import sessions as query
from backscroll.index.schema import COLUMNS
from backscroll.index.update.derived.ends import ends_of
from backscroll.sessions.joining.agents import AgentEvidence, InlineFacts

_UNIT_COLUMNS = tuple(name for name in COLUMNS["unit"] if name != "tail")
_AGENT_COLUMNS = (
    *("id", "session", "agent", "kind", "store", "side", "started", "updated", "messages", "calls", "bytes"),
    *("models", "first_text", "is_internal"),
)
"""A session may have 50,000 agents, so we keep less of them than of the session's own unit."""
_UNITS = (
    f"SELECT {', '.join(_AGENT_COLUMNS)} FROM unit WHERE session IN (SELECT value FROM json_each(?))"
    " ORDER BY session, agent IS NOT NULL, key"
)
_WHOLE_UNITS = f"SELECT {', '.join(_UNIT_COLUMNS)} FROM unit WHERE id IN (SELECT value FROM json_each(?))"
_SHARED_COLUMNS = [_AGENT_COLUMNS.index(name) for name in ("session", "kind", "store", "models")]
_EVIDENCE = (
    "SELECT unit, kind, name, call, prompt, description, type, time FROM evidence WHERE kind != 'notified'"
    " AND unit IN (SELECT value FROM json_each(?)) ORDER BY rowid"
)
_NO_SIDE: Mapping[str, Any] = MappingProxyType({})
_INLINE = "SELECT * FROM inline WHERE unit IN (SELECT value FROM json_each(?)) ORDER BY rowid"
_DAMAGE = (
    "SELECT unit, sum(NOT is_note), sum(is_note) FROM damage WHERE unit IN (SELECT value FROM json_each(?))"
    " GROUP BY unit"
)
_PATHS = (
    "SELECT unit, path FROM file WHERE unit IN (SELECT value FROM json_each(?)) AND number IS NOT NULL"
    " ORDER BY unit, number"
)
_AGENTS = (
    "SELECT session, id, is_internal, type FROM agent WHERE session IN (SELECT value FROM json_each(?))"
    " ORDER BY session, number"
)
_SUMMARIES = (
    "SELECT unit.session, substr(summary.text, 1, 4096) FROM unit CROSS JOIN record ON record.unit = unit.id"
    " CROSS JOIN summary ON summary.leaf = record.id WHERE unit.session IN (SELECT value FROM json_each(?))"
    " AND unit.agent IS NULL AND record.agent = '' ORDER BY record.node, record.part, 2 DESC"
)
"""The summaries whose leaf, a record of any kind, is in a session; the last one is the title.

One summary may name a record that a thousand sessions hold, so only the part that a title can need is read.
"""
_HAS_SUMMARIES = "SELECT 1 FROM summary LIMIT 1"


class Stored:
    """All rows of some hundred sessions, looked up at once."""

    def __init__(self, database: sqlite3.Connection, names: list[str]) -> None:
        self.units = _units(database, names)
        asked = json.dumps(names)
        units = json.dumps([unit["id"] for units in self.units.values() for unit in units])
        self.evidence: dict[int, AgentEvidence] = defaultdict(AgentEvidence)
        for number, *row in database.execute(_EVIDENCE, (units,)):
            self.evidence[number].add(*row)
        self.inline: dict[int, list[InlineFacts]] = defaultdict(list)
        for number, *row in database.execute(_INLINE, (units,)):
            self.inline[number].append(InlineFacts(*row))
        self.damage = {number: (damage, notes) for number, damage, notes in database.execute(_DAMAGE, (units,))}
        self.paths: dict[int, list[str]] = defaultdict(list)
        for number, path in database.execute(_PATHS, (units,)):
            self.paths[number].append(query.path_of(path))
        self.agents: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for name, *agent in database.execute(_AGENTS, (asked,)):
            self.agents[name].append(tuple(agent))
        own = [unit["id"] for of_session in self.units.values() for unit in of_session if unit["agent"] is None]
        self.ends = ends_of(database, own)
        self.rows = query.rows_of_sessions(database, names)
        has_summaries = database.execute(_HAS_SUMMARIES).fetchone() is not None
        self.summaries: dict[str, str] = dict(database.execute(_SUMMARIES, (asked,))) if has_summaries else {}

    def damage_of(self, number: int) -> tuple[int, int]:
        """Return the number of damaged places of a unit, and of repaired ones."""
        return self.damage.get(number, (0, 0))


def _units(database: sqlite3.Connection, names: list[str]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the units of each session, its own first; the first has all columns, the others a few."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    known: dict[str, str] = {}
    for row in database.execute(_UNITS, (json.dumps(names),)):
        values = list(row)
        for column in _SHARED_COLUMNS:
            values[column] = known.setdefault(values[column], values[column])
        unit = _unit(_AGENT_COLUMNS, values)
        found.setdefault(unit["session"], []).append(unit)
    firsts = {units[0]["id"]: units for units in found.values()}
    for row in database.execute(_WHOLE_UNITS, (json.dumps([*firsts]),)):
        unit = _unit(_UNIT_COLUMNS, row)
        firsts[unit["id"]][0] = unit
    return {name: found[name] for name in names if name in found}


def _unit(columns: Sequence[str], row: Sequence[Any]) -> Mapping[str, Any]:
    unit = dict(zip(columns, row, strict=True))
    unit["side"] = json.loads(unit["side"]) if unit["side"] != "{}" else _NO_SIDE
    return unit
