"""Make the rows that `list` shows: units joined into sessions, agents, copies, usage, titles, projects.

Only sessions marked dirty are made anew.  Everything comes from the catalogue's own tables; no transcript is read.
"""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from backscroll.index import query
from backscroll.index.schema import COLUMNS, INSERT
from backscroll.index.update.copies import Copies
from backscroll.index.update.known_cwds import KnownCwds, read_known_cwds
from backscroll.index.update.sums import SUMMED, forget_sums, totals, write_sums
from backscroll.index.update.units import Found
from backscroll.sessions import desktop
from backscroll.sessions.agents import AgentFile, Evidence, InlineFacts, join_agents
from backscroll.sessions.model import Agent, Session, Usage
from backscroll.sessions.projects import true_cwd
from backscroll.sessions.titles import TitleFacts, title_of
from backscroll.times import iso, parse
from backscroll.value import NamedTuple

_AT_ONCE = 500
_UNIT_COLUMNS = [name for name in COLUMNS["unit"] if name != "tail"]
_UNITS = (
    f"SELECT {', '.join(_UNIT_COLUMNS)} FROM unit WHERE session IN (SELECT value FROM json_each(?))"
    " ORDER BY session, agent IS NOT NULL, key"
)
_EVIDENCE = (
    "SELECT unit, kind, name, call, prompt, description, type, time FROM evidence WHERE kind != 'notified'"
    " AND unit IN (SELECT value FROM json_each(?)) ORDER BY rowid"
)
_INLINE = "SELECT * FROM inline WHERE unit IN (SELECT value FROM json_each(?)) ORDER BY rowid"
_REPLACE = INSERT["session"].replace("INSERT", "INSERT OR REPLACE", 1)


def make_sessions(database: sqlite3.Connection, found: Found, grown: Mapping[str, int]) -> None:
    """Make the row of every dirty session anew.

    `grown` are sessions that did nothing but grow, and the quarter of an hour from which on their sums are others.
    """
    if database.execute("SELECT 1 FROM meta WHERE name = 'every session is dirty'").fetchone():
        database.execute("INSERT OR IGNORE INTO dirty SELECT DISTINCT session FROM unit")
    dirty = [name for (name,) in database.execute("SELECT session FROM dirty ORDER BY session")]
    if not dirty:
        return
    known_cwds = read_known_cwds(found)
    database.execute("BEGIN IMMEDIATE")
    try:
        copies = Copies(database)
        copies.look_for_sharing(dirty)
        before = [target for name in dirty for target in _containers(database, name)]
        for name in dirty:
            _fold(database, name, copies)
        after = [target for name in dirty for target in _containers(database, name)]
        names = list(dict.fromkeys((*dirty, *sorted({*before, *after}))))
        _Sessions(database, known_cwds, copies, grown).make(names)
        _place_the_unplaced(database)
        database.executemany("INSERT OR IGNORE INTO renamed VALUES (?)", ((name,) for name in names))
        database.execute("DELETE FROM dirty")
        database.execute("DELETE FROM meta WHERE name = 'every session is dirty'")
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


def _fold(database: sqlite3.Connection, name: str, copies: Copies) -> None:
    """Find and write down whether a session is an earlier copy of a later one."""
    target = copies.folded_into(name)
    before = database.execute("SELECT target FROM fold WHERE id = ?", (name,)).fetchone()
    if (before[0] if before else None) == target:
        return
    database.execute("DELETE FROM fold WHERE id = ?", (name,))
    if target is not None:
        database.execute("INSERT INTO fold VALUES (?, ?)", (name, target))
    if before is None or target is None:  # whose words are kept changes with it
        database.execute(
            "UPDATE file SET words = NULL WHERE unit IN (SELECT id FROM unit WHERE session = ?) AND number IS NOT NULL",
            (name,),
        )


def _containers(database: sqlite3.Connection, name: str) -> list[str]:
    """Return the sessions that a session is an earlier copy of, however long the way."""
    found: list[str] = []
    row = (name,)
    while row := database.execute("SELECT target FROM fold WHERE id = ?", row).fetchone():
        if row[0] in found:
            break
        found.append(row[0])
    return found


def _copies_of(database: sqlite3.Connection, name: str) -> set[str]:
    """Return the sessions folded into this one, however long the way."""
    copies: set[str] = set()
    pending = [name]
    while pending:
        for (copy,) in database.execute("SELECT id FROM fold WHERE target = ?", (pending.pop(),)):
            if copy not in copies and copy != name:
                copies.add(copy)
                pending.append(copy)
    return copies


class _Made(NamedTuple):
    """A session whose row is being made."""

    session: Session
    unit: Mapping[str, Any]
    """The session's own unit, or the first of its agents'."""
    released: str | None


class _Sessions:
    """Makes the rows of sessions, some hundreds at a time."""

    def __init__(
        self, database: sqlite3.Connection, known_cwds: KnownCwds, copies: Copies, grown: Mapping[str, int]
    ) -> None:
        self._database = database
        self._since = dict(grown)
        self._known_cwds = known_cwds
        self._copies = copies
        self._has_folds = database.execute("SELECT 1 FROM fold LIMIT 1").fetchone() is not None

    def make(self, names: list[str]) -> None:
        """Make sessions anew; those without any unit are deleted."""
        for start in range(0, len(names), _AT_ONCE):
            self._make(names[start : start + _AT_ONCE])

    def _make(self, names: list[str]) -> None:
        units = self._units(names)
        gone = [name for name in names if name not in units]
        self._forget(gone)
        evidence = self._evidence([row["id"] for rows in units.values() for row in rows])
        inline = self._inline([row["id"] for rows in units.values() for row in rows])
        counts = self._damage([row["id"] for rows in units.values() for row in rows])
        made = [self._session(name, rows, evidence, inline, counts) for name, rows in units.items()]
        folded = {name for name in units if _containers(self._database, name)} if self._has_folds else set()
        families = {item.session.id: [item.session.id, *item.session.copies] for item in made}
        write_sums(self._database, families, folded, self._since)
        spent = totals(self._database)
        forget_sums(self._database, folded)
        for item in made:
            item.session.usage = _usage(*spent[item.session.id]) if item.session.id in spent else Usage()
        rows = [self._row(item) for item in made]
        self._database.executemany(_REPLACE, rows)

    def _forget(self, names: list[str]) -> None:
        for name in names:
            self._database.execute("DELETE FROM session WHERE id = ?", (name,))
            self._database.execute("DELETE FROM agent WHERE session = ?", (name,))
            self._database.execute("DELETE FROM fold WHERE id = ?", (name,))
        forget_sums(self._database, names)

    def _units(self, names: list[str]) -> dict[str, list[Mapping[str, Any]]]:
        rows = self._database.execute(_UNITS, (json.dumps(names),))
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            unit = dict(zip(_UNIT_COLUMNS, row, strict=True))
            unit["side"] = json.loads(unit["side"])
            found.setdefault(unit["session"], []).append(unit)
        return {name: found[name] for name in names if name in found}

    def _evidence(self, numbers: list[int]) -> dict[int, Evidence]:
        found: dict[int, Evidence] = defaultdict(Evidence)
        for number, *row in self._database.execute(_EVIDENCE, (json.dumps(numbers),)):
            found[number].add(*row)
        return found

    def _inline(self, numbers: list[int]) -> dict[int, list[InlineFacts]]:
        found: dict[int, list[InlineFacts]] = defaultdict(list)
        for number, *row in self._database.execute(_INLINE, (json.dumps(numbers),)):
            found[number].append(InlineFacts(*row))
        return found

    def _damage(self, numbers: list[int]) -> dict[int, tuple[int, int]]:
        rows = self._database.execute(
            "SELECT unit, sum(NOT is_note), sum(is_note) FROM damage WHERE unit IN (SELECT value FROM json_each(?))"
            " GROUP BY unit",
            (json.dumps(numbers),),
        )
        return {number: (damage, notes) for number, damage, notes in rows}

    def _session(
        self,
        name: str,
        units: list[Mapping[str, Any]],
        evidence: dict[int, Evidence],
        inline: dict[int, list[InlineFacts]],
        counts: dict[int, tuple[int, int]],
    ) -> _Made:
        main = next((unit for unit in units if unit["agent"] is None), None)
        first = main or units[0]
        paths = self._paths([unit["id"] for unit in units])
        files = [
            _agent_file(unit, evidence[unit["id"]], paths[unit["id"]]) for unit in units if unit["agent"] is not None
        ]
        agents = join_agents(evidence[main["id"]] if main else None, inline[main["id"]] if main else [], files)
        self._write_agents(name, agents)
        session = _session(name, main, units, agents, paths)
        session.damage = sum(counts.get(unit["id"], (0, 0))[0] for unit in units)
        session.notes = sum(counts.get(unit["id"], (0, 0))[1] for unit in units)
        rows = query.rows_of_session(self._database, name)
        released = main["side"].get("released") if main else None
        has_transcript = bool(main and paths[main["id"]])
        state = _state(main, has_transcript=has_transcript, damage=counts.get(first["id"], (0, 0))[0])
        session.state = desktop.state_of(state, rows, released, has_transcript=has_transcript)
        desktop.apply_rows(session, rows)
        session.copies = sorted(_copies_of(self._database, name)) if self._has_folds else []
        self._place(session, first)
        session.parent, session.copied = self._copies.origin_of(
            name, session.copies, main["forked_from"] if main else None
        )
        session.title, session.title_source = self._title(session, first)
        return _Made(session, first, first["side"].get("released"))

    def _paths(self, numbers: list[int]) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {number: [] for number in numbers}
        for number, path in self._database.execute(
            "SELECT unit, path FROM file WHERE unit IN (SELECT value FROM json_each(?)) AND number IS NOT NULL"
            " ORDER BY unit, number",
            (json.dumps(numbers),),
        ):
            found[number].append(query.path_of(path))
        return found

    def _write_agents(self, name: str, agents: list[Agent]) -> None:
        asked = "SELECT id, is_internal, type FROM agent WHERE session = ? ORDER BY number"
        if self._database.execute(asked, (name,)).fetchall() != [(a.id, a.is_internal, a.type) for a in agents]:
            self._since.pop(name, None)  # earlier sums may name another type of agent
        self._database.execute("DELETE FROM agent WHERE session = ?", (name,))
        if agents:
            columns = COLUMNS["agent"][2:]
            rows = (
                (name, number, *(_agent_value(agent, column) for column in columns))
                for number, agent in enumerate(agents)
            )
            self._database.executemany(INSERT["agent"], rows)

    def _place(self, session: Session, unit: Mapping[str, Any]) -> None:
        """Find out where the session was held."""
        known = desktop.hints_of(session.rows)
        if hint := self._known_cwds.by_session.get(session.id):
            known.append((hint, "index"))
        known += [(cwd, "config") for cwd in self._known_cwds.known]
        place = true_cwd(unit["project_key"], json.loads(unit["cwds"]), unit["relocated"], known)
        place = place or desktop.cwd_of(session.rows)
        session.cwd, session.project_source = place or (None, None)
        session.project = desktop.project_by_rows(session, session.rows, unit["worktree_of"])

    def _title(self, session: Session, unit: Mapping[str, Any]) -> tuple[str | None, str | None]:
        summary = self._database.execute(
            "SELECT summary.text FROM unit JOIN message ON message.unit = unit.id JOIN summary"
            " ON summary.leaf = message.last WHERE unit.session = ? AND unit.agent IS NULL"
            " ORDER BY message.rowid DESC, summary.text LIMIT 1",
            (session.id,),
        ).fetchone()
        row, is_typed = desktop.title_by_rows(session.rows)
        facts = TitleFacts(*(unit[name] for name in TitleFacts._fields))
        title = title_of(
            facts, unit["side"].get("title"), summary[0] if summary else unit["own_summary"], row, is_typed_row=is_typed
        )
        return title or (None, None)

    def _row(self, made: _Made) -> tuple[Any, ...]:
        session, unit, released = made
        folded_into = next(iter(_containers(self._database, session.id)), None) if self._has_folds else None
        values = {name: _plain(getattr(session, name, None)) for name in COLUMNS["session"]}
        values |= {
            "folded_into": folded_into,
            "own_project": session.project,
            "own_cwd": session.cwd,
            "own_project_source": session.project_source,
            "project_key": unit["project_key"],
            "stores": " ".join(session.stores),
            "accounts": _accounts(session),
            "mtime": unit["mtime"],
            "config": unit["config"],
            "released": released,
        }
        values["check_sum"] = query.sum_of(values)
        return tuple(values[name] for name in COLUMNS["session"])


def _agent_value(agent: Agent, column: str) -> Any:
    value = getattr(agent, column)
    return os.fsencode(value) if column == "transcript" and value is not None else _plain(value)


def _plain(value: Any) -> Any:
    """Return a value of a session as a column holds it."""
    if isinstance(value, Usage):
        return json.dumps(vars(value))
    if isinstance(value, list):
        return json.dumps(value)
    return iso(value) if hasattr(value, "isoformat") else value


def _usage(count: int, is_lower_bound: bool, amounts: list[int | None]) -> Usage:
    usage = Usage(messages=count, lower_bound=is_lower_bound)
    for name, amount in zip(SUMMED[:-1], amounts, strict=True):
        setattr(usage, name, amount)
    return usage


def _agent_file(unit: Mapping[str, Any], evidence: Evidence, paths: list[str]) -> AgentFile:
    meta = unit["side"].get("meta")
    return AgentFile(
        id=unit["agent"] or "",
        kind=unit["kind"],
        path=paths[-1] if paths else "",
        messages=unit["messages"],
        calls=unit["calls"],
        started=unit["started"],
        updated=unit["updated"],
        first_text=unit["first_text"],
        is_internal=bool(unit["is_internal"]),
        evidence=evidence,
        meta=meta if isinstance(meta, dict) else {},
        run=unit["side"].get("run"),
    )


def _session(
    name: str,
    main: Mapping[str, Any] | None,
    units: list[Mapping[str, Any]],
    agents: list[Agent],
    paths: dict[int, list[str]],
) -> Session:
    first = main or units[0]
    nothing: dict[str, Any] = dict.fromkeys(first)
    own = main or nothing | dict.fromkeys(("messages", "calls", "branches", "compactions", "prompts"), 0)
    talking = [agent for agent in agents if not agent.is_internal]
    models = json.loads(own["models"] or "[]") or [model for unit in units for model in json.loads(unit["models"])]
    return Session(
        id=name,
        title=None,
        project=None,
        cwd=None,
        stores=sorted({unit["store"] for unit in units}),
        state="live",
        started=parse(min((unit["started"] for unit in units if unit["started"]), default=None)),
        updated=parse(max((unit["updated"] for unit in units if unit["updated"]), default=None)),
        messages=own["messages"] + sum(agent.messages for agent in talking),
        calls=own["calls"] + sum(agent.calls for agent in talking),
        agents=len(talking),
        branches=own["branches"],
        compactions=own["compactions"],
        damage=0,
        model=models[0] if models else None,
        models=list(dict.fromkeys(models)),
        usage=Usage(),
        branch=own["git_branch"] or first["git_branch"],
        version=own["version"] or first["version"],
        account=own["account"],
        rows=[],
        parent=None,
        transcripts=[path for unit in units if unit["agent"] is None for path in reversed(paths[unit["id"]])],
        expires=None,
        prompts=own["prompts"],
        entrypoint=own["entrypoint"] or first["entrypoint"],
        bytes=sum(unit["bytes"] for unit in units),
        tag=own["tag"],
        internal_agents=len(agents) - len(talking),
        project_key=first["project_key"],
    )


def _state(main: Mapping[str, Any] | None, *, has_transcript: bool, damage: int) -> str:
    if main is None or not has_transcript:
        return "orphan"
    if main["records"] == 0 and damage:
        return "damaged"
    if main["side"].get("archived") is True:
        return "archived"
    return "remote" if (main["project_key"] or "").startswith("ssh-") else "live"


def _place_the_unplaced(database: sqlite3.Connection) -> None:
    """Give sessions without a fitting directory of their own that of a sibling in the same project directory."""
    database.execute(  # what a sibling said before may hold no longer
        "UPDATE session SET cwd = own_cwd, project = own_project, project_source = own_project_source"
        " WHERE project_source = 'sibling'"
    )
    database.execute(
        "UPDATE session SET cwd = sibling.cwd, project = sibling.project, project_source = 'sibling' FROM ("
        " SELECT project_key AS of_key, min(cwd) AS cwd, min(project) AS project FROM session"
        " WHERE project_source IN ('record', 'relocated') GROUP BY project_key HAVING count(DISTINCT cwd) = 1"
        ") AS sibling WHERE sibling.of_key = session.project_key"
        " AND (project_source IS NULL OR project_source = 'elsewhere')"
    )


def _accounts(session: Session) -> str:
    """Return every account that a session is known under, each after a blank."""
    names = dict.fromkeys([session.account, *(row["account"] for row in session.rows)])
    return "".join(f" {name}" for name in names if name)
