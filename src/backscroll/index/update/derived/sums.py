"""Sums of usage and calls: each API message and each call counts once over all files, for its first session.

A message or call may be in many files: resumes, forks, side agents, earlier versions.  It counts for the first
session only, so that the sums of all sessions add up.  The first is the one that is no
stated copy, then the earliest, then the one whose file began earliest.
The joins are written as CROSS JOIN: without statistics SQLite would start with the largest table.
Copied usage is stored with its owner, to explain totals that differ.
"""

import sqlite3
from collections.abc import Iterable, Mapping

MAIN_AGENT, INTERNAL_AGENT, OTHER_AGENT = "main", "internal", "agent"
"""Names for agents without a type: the session itself, helpers of the program, all others."""

SUMMED = (
    "input",
    "output",
    "cache_write",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "web_searches",
    "web_fetches",
)
EVER = -(1 << 62)
"""A number before every quarter of an hour."""
FIRST = "is_copy, coalesce(time, '~'), coalesce(born, '~'), session, coalesce(agent, ''), id"
"""The order of the copies of one message or call."""

_SEVERAL = {
    table: f"""
INSERT INTO several SELECT key FROM {table} WHERE key IN (
  SELECT {table}.key FROM family CROSS JOIN unit ON unit.session = family.member
    CROSS JOIN {table} ON {table}.unit = unit.id
  WHERE coalesce({table}.quarter, family.since) >= family.since
) GROUP BY key HAVING count(*) > 1
"""
    for table in ("usage", "call")
}
"""The keys of the families with more than one record: all others need no ranking."""

_COUNTED = f"""
CREATE TEMP TABLE counted AS
WITH copies AS (
  SELECT usage.rowid AS id, usage.key AS key, usage.is_copy, usage.time, usage.output, unit.born, unit.session,
    coalesce(usage.agent, unit.agent) AS agent,
    coalesce(usage.request, min(usage.request) OVER (PARTITION BY usage.key), '') AS asked
  FROM several CROSS JOIN usage ON usage.key = several.key CROSS JOIN unit ON unit.id = usage.unit
)
SELECT id, session, agent,
  first_value(id) OVER (PARTITION BY key, asked ORDER BY {FIRST}) AS first,
  first_value(session) OVER (PARTITION BY key, asked ORDER BY {FIRST}) AS owner,
  first_value(agent) OVER (PARTITION BY key, asked ORDER BY {FIRST}) AS first_agent,
  first_value(id) OVER (
    PARTITION BY key, asked ORDER BY coalesce(output, 0) DESC, coalesce(time, '') DESC, session DESC,
      coalesce(agent, ''), id
  ) AS greatest
FROM copies
"""
"""Each record of a message with several: the first of them, its owner, and the one with the greatest output."""

_USAGE_SUMS = f"""
INSERT INTO usage_sum
WITH held AS (
  SELECT family.session AS session, NULL AS owner, coalesce(usage.agent, unit.agent) AS agent, usage.rowid AS first,
    usage.rowid AS greatest
  FROM family CROSS JOIN unit ON unit.session = family.member CROSS JOIN usage ON usage.unit = unit.id
  WHERE usage.key NOT IN (SELECT key FROM several) AND coalesce(usage.quarter, family.since) >= family.since
  UNION ALL
  SELECT session, owner, agent, first, greatest FROM (
    SELECT family.session AS session, CASE WHEN owns.member IS NULL THEN counted.owner END AS owner,
      CASE WHEN owns.member IS NULL THEN counted.agent ELSE counted.first_agent END AS agent, counted.first AS first,
      counted.greatest AS greatest, min(counted.id)
    FROM family JOIN counted ON counted.session = family.member
      LEFT JOIN family AS owns ON owns.session = family.session AND owns.member = counted.owner
    GROUP BY family.session, counted.first
  )
), since AS (
  SELECT DISTINCT session, since FROM family
)
SELECT held.session, held.owner, held.agent,
  CASE WHEN held.agent IS NULL THEN '{MAIN_AGENT}' WHEN agent.is_internal THEN '{INTERNAL_AGENT}'
    ELSE coalesce(nullif(agent.type, ''), '{OTHER_AGENT}') END,
  first.branch, first.quarter, usage.model, usage.tier, usage.speed, usage.geo, usage.context, usage.is_lower_bound,
  count(*), {", ".join(f"sum(usage.{name})" for name in SUMMED)}, sum(usage.cost), count(usage.cost), min(first.time),
  max(first.time)
FROM held JOIN since ON since.session = held.session JOIN usage AS first ON first.rowid = held.first
  JOIN usage ON usage.rowid = held.greatest
  LEFT JOIN agent ON agent.session = held.session AND agent.id = held.agent
WHERE coalesce(first.quarter, since.since) >= since.since
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
"""
_TOOL_SUMS = f"""
INSERT INTO tool_sum
WITH copies AS (
  SELECT call.rowid AS id, call.key AS key, call.is_copy, call.time, call.outcome, call.seconds, unit.born,
    unit.session, coalesce(call.agent, unit.agent) AS agent
  FROM several CROSS JOIN call ON call.key = several.key CROSS JOIN unit ON unit.id = call.unit
), ranked AS (
  SELECT id, session, row_number() OVER (PARTITION BY key ORDER BY {FIRST}) AS place,
    first_value(outcome) OVER (PARTITION BY key ORDER BY outcome IS NULL, {FIRST}) AS outcome,
    first_value(seconds) OVER (PARTITION BY key ORDER BY outcome IS NULL, {FIRST}) AS seconds
  FROM copies
), made AS (
  SELECT family.session AS session, call.rowid AS id, call.outcome AS outcome, call.seconds AS seconds
  FROM family CROSS JOIN unit ON unit.session = family.member CROSS JOIN call ON call.unit = unit.id
  WHERE NOT family.is_folded AND call.key NOT IN (SELECT key FROM several)
    AND coalesce(call.quarter, family.since) >= family.since
  UNION ALL
  SELECT family.session, ranked.id, ranked.outcome, ranked.seconds
  FROM ranked JOIN family ON family.member = ranked.session JOIN call ON call.rowid = ranked.id
  WHERE place = 1 AND NOT family.is_folded AND coalesce(call.quarter, family.since) >= family.since
)
SELECT made.session, coalesce(call.agent, unit.agent), call.quarter, call.name, call.target, count(*),
  count(CASE WHEN made.outcome IN ('error', 'refused') THEN 1 END),
  count(CASE WHEN made.outcome = 'refused' THEN 1 END),
  sum(made.outcome IS NULL), count(made.seconds), total(made.seconds), max(coalesce(made.seconds, 0.0))
FROM made JOIN call ON call.rowid = made.id JOIN unit ON unit.id = call.unit
GROUP BY 1, 2, 3, 4, 5
"""
_TOTALS = (
    "SELECT session, sum(messages), max(is_lower_bound),"
    f" {', '.join(f'sum({name})' for name in SUMMED[:-1])} FROM usage_sum WHERE owner IS NULL"
    " AND session IN (SELECT session FROM family) GROUP BY session"
)


def write_sums(
    database: sqlite3.Connection,
    families: Mapping[str, Iterable[str]],
    folded: set[str],
    since: Mapping[str, int] | None = None,
) -> None:
    """Write the sums of sessions again; a family is a session and its earlier copies.

    `since` is for sessions that only grew: the first quarter of an hour with changed sums.

    An earlier copy has no sums of its own: the session that contains it has them.  The sums of its usage stay
    for `totals`; the caller drops them afterwards.
    """
    database.execute(
        "CREATE TEMP TABLE IF NOT EXISTS family (session TEXT, member TEXT, is_folded INTEGER, since INTEGER)"
    )
    database.execute("CREATE INDEX IF NOT EXISTS temp.family_member ON family (member)")
    database.execute("DELETE FROM family")
    begins = since or {}
    members = [
        (name, member, name in folded, begins.get(name, EVER)) for name, family in families.items() for member in family
    ]
    database.executemany("INSERT INTO family VALUES (?, ?, ?, ?)", members)
    changed = [(name, begins.get(name, EVER)) for name in families]
    database.executemany("DELETE FROM usage_sum WHERE session = ? AND coalesce(quarter, 1 << 62) >= ?", changed)
    database.executemany("DELETE FROM tool_sum WHERE session = ? AND coalesce(quarter, 1 << 62) >= ?", changed)
    database.execute("CREATE TEMP TABLE IF NOT EXISTS several (key BLOB PRIMARY KEY) WITHOUT ROWID")
    database.execute("DROP TABLE IF EXISTS temp.counted")
    _find_several(database, "usage")
    database.execute(_COUNTED)
    database.execute(_USAGE_SUMS)
    database.execute("DROP TABLE temp.counted")
    _find_several(database, "call")
    database.execute(_TOOL_SUMS)


def _find_several(database: sqlite3.Connection, table: str) -> None:
    database.execute("DELETE FROM several")
    database.execute(_SEVERAL[table])


def totals(database: sqlite3.Connection) -> dict[str, tuple[int, bool, list[int | None]]]:
    """Return the usage of each session of the last `write_sums`: messages, whether some are placeholders, amounts."""
    return {name: (count, bool(bound), amounts) for name, count, bound, *amounts in database.execute(_TOTALS)}


def forget_sums(database: sqlite3.Connection, names: Iterable[str]) -> None:
    """Delete the sums of sessions."""
    sessions = [(name,) for name in names]
    database.executemany("DELETE FROM usage_sum WHERE session = ?", sessions)
    database.executemany("DELETE FROM tool_sum WHERE session = ?", sessions)
