"""Make the rows that `list` shows: units joined into sessions, agents, kinship, usage, titles, projects.

Only sessions marked dirty are made anew.  Everything is computed from digests; no transcript is read.
"""

import json
import os
import sqlite3
from datetime import datetime
from typing import Any

import msgspec

from backscroll.index import query
from backscroll.index.hints import Hints, read_hints
from backscroll.index.kinship import Kinship
from backscroll.index.spending import Shared, forget_sums, write_sums
from backscroll.index.units import Found
from backscroll.sessions import desktop, identity
from backscroll.sessions.agents import AgentFile, join_agents
from backscroll.sessions.digest import Counts, Digest
from backscroll.sessions.model import Agent, Session, Usage
from backscroll.sessions.projects import true_cwd
from backscroll.sessions.titles import title_of
from backscroll.times import iso, parse
from backscroll.value import NamedTuple, Value

GONE = Digest(counts=Counts())


class _UnitRow(Value):
    """A unit as the index keeps it."""

    id: int
    agent: str | None
    kind: str
    store: str
    config: str | None
    project_key: str | None
    mtime: float | None
    paths: list[str]
    side: dict[str, Any]
    digest: Digest


class _Context(NamedTuple):
    """What the making of all sessions in one update shares."""

    hints: Hints
    kinship: Kinship
    shared: Shared


def make_sessions(database: sqlite3.Connection, found: Found) -> None:
    """Make the row of every dirty session anew, and write down when."""
    if database.execute("SELECT 1 FROM meta WHERE name = 'every session is dirty'").fetchone():
        database.execute("INSERT OR IGNORE INTO dirty SELECT DISTINCT session FROM unit")
    dirty = [name for (name,) in database.execute("SELECT session FROM dirty ORDER BY session")]
    if not dirty:
        return
    hints = read_hints(found)
    database.execute("BEGIN IMMEDIATE")
    try:
        kinship, shared = Kinship(database), Shared(database)
        before = [target for name in dirty for target in _containers(database, name)]
        for name in dirty:
            _fold(database, name, kinship)
        after = [target for name in dirty for target in _containers(database, name)]
        number = _count_up(database)
        for name in dict.fromkeys((*dirty, *sorted({*before, *after}))):
            _make_session(database, name, _Context(hints, kinship, shared))
            database.execute("INSERT OR REPLACE INTO made VALUES (?, ?)", (name, number))
        _place_the_unplaced(database)
        database.execute("DELETE FROM dirty")
        database.execute("DELETE FROM meta WHERE name = 'every session is dirty'")
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


def _count_up(database: sqlite3.Connection) -> int:
    """Return the number of this update, which the words are told of: `index:number`, for another index counts anew."""
    row = database.execute("SELECT value FROM meta WHERE name = 'sessions made'").fetchone()
    index, _, before = (row[0] if row else os.urandom(8).hex()).partition(":")
    number = int(before or 0) + 1
    database.execute("INSERT OR REPLACE INTO meta VALUES ('sessions made', ?)", (f"{index}:{number}",))
    return number


def _units(database: sqlite3.Connection, session: str) -> list[_UnitRow]:
    rows = database.execute(
        "SELECT id, agent, kind, store, config, project_key, mtime, paths, side, digest FROM unit"
        " WHERE session = ? ORDER BY agent IS NOT NULL, key",
        (session,),
    )
    return [_unit_row(*row) for row in rows]


def _unit_row(*row: Any) -> _UnitRow:
    unit = _UnitRow(*row)
    unit.paths, unit.side = json.loads(row[7]), json.loads(row[8])
    unit.digest = msgspec.msgpack.decode(row[9], type=Digest)
    return unit


def _fold(database: sqlite3.Connection, name: str, kinship: Kinship) -> None:
    """Find and write down whether a session is an earlier copy of a later one."""
    kin = kinship.of(name)
    target = identity.folded_into(kin, kinship.relatives(kin)) if kin else None
    database.execute("DELETE FROM fold WHERE id = ?", (name,))
    if target is not None:
        database.execute("INSERT INTO fold VALUES (?, ?)", (name, target))


def _containers(database: sqlite3.Connection, name: str) -> list[str]:
    """Return the sessions that a session is an earlier copy of, however long the way."""
    found: list[str] = []
    row = (name,)
    while row := database.execute("SELECT target FROM fold WHERE id = ?", row).fetchone():
        if row[0] in found:
            break
        found.append(row[0])
    return found


def _make_session(database: sqlite3.Connection, name: str, context: _Context) -> None:
    units = _units(database, name)
    if not units:
        database.execute("DELETE FROM session WHERE id = ?", (name,))
        database.execute("DELETE FROM fold WHERE id = ?", (name,))
        forget_sums(database, name)
        return
    main = next((unit for unit in units if unit.agent is None), None)
    agents = join_agents(main.digest if main else None, [_agent_file(unit) for unit in units if unit.agent is not None])
    copies, folded_into = _copies(database, name), next(iter(_containers(database, name)), None)
    rows = query.rows_of_session(database, name)
    session = _session(name, main, units, agents)
    session.state = desktop.state_of(session.state, rows, _released(main), has_transcript=bool(main and main.paths))
    desktop.apply_rows(session, rows)
    session.copies = sorted(copies)
    session.usage = write_sums(context.shared, name, {name, *copies}, agents, is_folded=folded_into is not None)
    _place(session, main or units[0], context.hints)
    _relate(session, copies, context.kinship)
    session.title, session.title_source = _title(database, session, main or units[0])
    _write_session(database, session, main or units[0], agents, folded_into)


def _released(main: _UnitRow | None) -> str | None:
    return main.side.get("released") if main else None


def _copies(database: sqlite3.Connection, name: str) -> set[str]:
    """Return the sessions folded into this one, however long the way."""
    copies: set[str] = set()
    pending = [name]
    while pending:
        for (copy,) in database.execute("SELECT id FROM fold WHERE target = ?", (pending.pop(),)):
            if copy not in copies and copy != name:
                copies.add(copy)
                pending.append(copy)
    return copies


def _agent_file(unit: _UnitRow) -> AgentFile:
    meta = unit.side.get("meta")
    path = unit.paths[-1] if unit.paths else ""
    return AgentFile(
        unit.agent or "", unit.kind, path, unit.digest, meta if isinstance(meta, dict) else {}, unit.side.get("run")
    )


def _session(name: str, main: _UnitRow | None, units: list[_UnitRow], agents: list[Agent]) -> Session:
    digest = main.digest if main else GONE
    first = main or units[0]
    talking = [agent for agent in agents if not agent.is_internal]
    moments = [_span(unit.digest.counts) for unit in units]
    models = digest.models or [model for unit in units for model in unit.digest.models]
    return Session(
        id=name,
        title=None,
        project=None,
        cwd=None,
        stores=sorted({unit.store for unit in units}),
        state=_state(main),
        started=min((start for start, _ in moments if start), default=None),
        updated=max((end for _, end in moments if end), default=None),
        messages=digest.counts.messages + sum(agent.messages for agent in talking),
        calls=digest.counts.calls + sum(agent.calls for agent in talking),
        agents=len(talking),
        branches=digest.counts.branches,
        compactions=digest.counts.compactions,
        damage=sum(len(unit.digest.damage) for unit in units),
        model=models[0] if models else None,
        models=list(dict.fromkeys(models)),
        usage=Usage(),
        branch=digest.git_branch or first.digest.git_branch,
        version=digest.version or first.digest.version,
        account=digest.account,
        rows=[],
        parent=None,
        transcripts=[path for unit in units if unit.agent is None for path in reversed(unit.paths)],
        expires=None,
        prompts=digest.counts.prompts,
        entrypoint=digest.entrypoint or first.digest.entrypoint,
        bytes=sum(unit.digest.size for unit in units),
        notes=sum(len(unit.digest.notes) for unit in units),
        tag=digest.tag,
        internal_agents=len(agents) - len(talking),
        project_key=first.project_key,
    )


def _span(counts: Counts) -> tuple[datetime | None, datetime | None]:
    return parse(counts.started), parse(counts.updated)


def _state(main: _UnitRow | None) -> str:
    if main is None or not main.paths:
        return "orphan"
    if main.digest.records == 0 and main.digest.damage:
        return "damaged"
    if main.side.get("archived") is True:
        return "archived"
    if (main.project_key or "").startswith("ssh-"):
        return "remote"
    return "live"


def _place(session: Session, unit: _UnitRow, hints: Hints) -> None:
    """Find out where the session was held."""
    known = desktop.hints_of(session.rows)
    if hint := hints.by_session.get(session.id):
        known.append((hint, "index"))
    known += [(cwd, "config") for cwd in hints.known]
    place = true_cwd(unit.project_key, unit.digest.cwds, unit.digest.relocated, known) or desktop.cwd_of(session.rows)
    session.cwd, session.project_source = place or (None, None)
    session.project = desktop.project_by_rows(session, session.rows, unit.digest.worktree_of)


def _place_the_unplaced(database: sqlite3.Connection) -> None:
    """Give sessions without a fitting directory of their own that of a sibling in the same project directory."""
    database.execute(  # what a sibling said before may hold no longer
        "UPDATE session SET cwd = json_extract(body, '$.cwd'), project = json_extract(body, '$.project'),"
        " cwd_source = json_extract(body, '$.project_source') WHERE cwd_source = 'sibling'"
    )
    database.execute(
        "UPDATE session SET cwd = sibling.cwd, project = sibling.project, cwd_source = 'sibling' FROM ("
        " SELECT project_key AS of_key, min(cwd) AS cwd, min(project) AS project FROM session"
        " WHERE cwd_source IN ('record', 'relocated') GROUP BY project_key HAVING count(DISTINCT cwd) = 1"
        ") AS sibling WHERE sibling.of_key = session.project_key AND (cwd_source IS NULL OR cwd_source = 'elsewhere')"
    )


def _relate(session: Session, copies: set[str], kinship: Kinship) -> None:
    """Find the session that this one was forked from, and how much of it was copied."""
    kin = kinship.of(session.id)
    if kin is None:
        return
    others = [other for other in kinship.relatives(kin) if other.id not in copies]
    session.parent = identity.parent_of(kin, others, kin.forked_from)
    session.copied = len(identity.copied_from(kin, others))


def _title(database: sqlite3.Connection, session: Session, unit: _UnitRow) -> tuple[str | None, str | None]:
    summary = database.execute(
        "SELECT summary.text FROM unit JOIN said ON said.unit = unit.id JOIN summary ON summary.leaf = said.last"
        " WHERE unit.session = ? AND unit.agent IS NULL ORDER BY said.rowid DESC, summary.text LIMIT 1",
        (session.id,),
    ).fetchone()
    own = next(reversed(unit.digest.summaries.values()), None) if not unit.digest.counts.messages else None
    row, is_typed = desktop.title_by_rows(session.rows)
    title = title_of(unit.digest, unit.side.get("title"), summary[0] if summary else own, row, is_typed_row=is_typed)
    return title or (None, None)


def _accounts(session: Session) -> str:
    """Return every account that a session is known under, each after a blank."""
    names = dict.fromkeys([session.account, *(row["account"] for row in session.rows)])
    return "".join(f" {name}" for name in names if name)


def _write_session(
    database: sqlite3.Connection, session: Session, unit: _UnitRow, agents: list[Agent], folded_into: str | None
) -> None:
    body = json.dumps(session, default=_plain)
    database.execute(
        "INSERT OR REPLACE INTO session (id, folded_into, updated, state, project, cwd, cwd_source, project_key,"
        " account, accounts, parent, messages, damage, stores, mtime, config, released, body, body_sum, agents)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session.id,
            folded_into,
            iso(session.updated) if session.updated else None,
            session.state,
            session.project,
            session.cwd,
            session.project_source,
            unit.project_key,
            session.account,
            _accounts(session),
            session.parent,
            session.messages - session.copied,
            session.damage,
            " ".join(session.stores),
            unit.mtime,
            unit.config,
            unit.side.get("released"),
            body,
            query.sum_of(body),
            json.dumps(agents, default=_plain),
        ),
    )


def _plain(value: Value | datetime) -> dict[str, Any] | str:
    """Return what JSON has no form for in one that it has."""
    return iso(value) if isinstance(value, datetime) else vars(value)
