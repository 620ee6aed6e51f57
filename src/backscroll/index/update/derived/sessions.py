"""Make the rows of `list`: units joined into sessions, agents, copies, usage, titles, projects.

Only sessions in `dirty` are made again.  Everything comes from the catalogue's own tables, not from transcripts.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from backscroll.files import DENIED
from backscroll.index.queries import sessions as query
from backscroll.index.schema import COLUMNS, INSERT
from backscroll.index.update.derived.copies import Copies
from backscroll.index.update.derived.folds import Folds
from backscroll.index.update.derived.kept_rows import KeptRows
from backscroll.index.update.derived.known_cwds import KnownCwds, place_the_unplaced, read_known_cwds
from backscroll.index.update.derived.originals import follow_originals
from backscroll.index.update.derived.stored import Stored
from backscroll.index.update.derived.sums import SUMMED, forget_sums, totals, write_sums
from backscroll.index.update.fact_columns import stored_texts
from backscroll.index.update.units import FoundUnits
from backscroll.index.update.unreadable import places_of, state_of
from backscroll.records import fault
from backscroll.sessions.joining import desktop_rows as desktop
from backscroll.sessions.joining.agents import AgentEvidence, AgentFile, join_agents
from backscroll.sessions.joining.projects import true_cwd
from backscroll.sessions.joining.titles import TitleFacts, title_of
from backscroll.sessions.session import Agent, DesktopRow, Session, Usage
from backscroll.stores.desktop import is_of_cowork
from backscroll.times import iso, parse

_AT_ONCE = 500
JOINING = "joining its session"
_FORGET_FAULTS = (
    f"DELETE FROM damage WHERE instr(reason, '{JOINING}') AND unit IN"
    " (SELECT id FROM unit WHERE session IN (SELECT value FROM json_each(?)))"
)
_NOTE_FAULT = (
    "INSERT INTO damage SELECT unit.id, file.path, NULL, NULL, NULL, ?, 0 FROM unit JOIN file ON file.unit = unit.id"
    " WHERE unit.session = ? ORDER BY unit.agent IS NOT NULL, unit.key, file.number DESC LIMIT 1"
)
_REPLACE = INSERT["session"].replace("INSERT", "INSERT OR REPLACE", 1)
_COPIED = (
    *("id", "title", "title_source", "project", "cwd", "project_source", "state", "messages", "prompts", "copied"),
    *("calls", "agents", "internal_agents", "branches", "compactions", "damage", "notes", "bytes", "model", "branch"),
    *("version", "entrypoint", "tag", "account", "parent", "ends_in", "open_call"),
)
"""The columns of a session's row with the value of the attribute of the same name."""
_copied_values = attrgetter(*_COPIED)
_in_order = itemgetter(*COLUMNS["session"])
_USAGE = [field.name for field in fields(Usage)]
_usage_values = attrgetter(*_USAGE)


def make_sessions(database: sqlite3.Connection, found: FoundUnits, grown: Mapping[str, int]) -> None:
    """Make the row of every dirty session again.

    `grown` has the sessions that only grew, each with the first quarter of an hour with changed sums.

    One transaction makes some hundred sessions, so that other processes can write in between.  The table `dirty`
    names the sessions that are left, so neither a kill nor a second indexer loses one.
    """
    follow_originals(database)
    with _transaction(database):
        _mark_others(database)
    archives = (Path(total.path) for total in found.totals if total.kind == "archive")
    beside = _Beside(read_known_cwds(found), KeptRows(archives), places_of(found))
    current = _CurrentCopies(database)
    for names in _slices([*_dirty(database)]):
        with _transaction(database):
            before = Folds(database)
            before.write(names, current.copies(names))
            after = Folds(database)
            marked = {target for name in names for target in (*before.containers(name), *after.containers(name))}
            database.executemany("INSERT OR IGNORE INTO dirty VALUES (?)", ((name,) for name in marked))
    slices = _slices(list(dict.fromkeys((*_dirty(database), *grown))))
    for number, names in enumerate(slices, 1):
        with _transaction(database):
            _Sessions(database, beside, current.copies(names), grown).make(names)
            if number == len(slices):
                place_the_unplaced(database)
            made = [(name,) for name in names]
            database.executemany("INSERT OR IGNORE INTO renamed VALUES (?)", made)
            database.executemany("DELETE FROM dirty WHERE session = ?", made)


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


def _dirty(database: sqlite3.Connection) -> Iterator[str]:
    return (name for (name,) in database.execute("SELECT session FROM dirty ORDER BY session"))


def _slices(names: list[str]) -> list[list[str]]:
    return [names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE)]


class _CurrentCopies:
    """Keeps the answers about copies until another process changes the catalogue."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._version: int | None = None
        self._copies = Copies(database)

    def copies(self, names: list[str]) -> Copies:
        """Return the answers for some sessions, within the caller's transaction."""
        version = self._database.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version, self._copies = version, Copies(self._database)
        self._copies.look_for_sharing(names)
        return self._copies


def _mark_others(database: sqlite3.Connection) -> None:
    """Mark all sessions after a large update; else those that may have another title now."""
    if database.execute("SELECT 1 FROM meta WHERE name = 'every session is dirty'").fetchone():
        database.execute("INSERT OR IGNORE INTO dirty SELECT DISTINCT session FROM unit")
        database.execute("DELETE FROM meta WHERE name = 'every session is dirty'")
    else:
        _mark_titled(database)
    database.execute("DELETE FROM changed_leaf")


def _mark_titled(database: sqlite3.Connection) -> None:
    """Mark the sessions that hold a record whose summary changed: they may have another title now.

    Records have no index by their id, so this reads all of them; only old versions wrote summaries.
    """
    if database.execute("SELECT 1 FROM changed_leaf LIMIT 1").fetchone():
        database.execute(
            "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM record JOIN unit ON unit.id = record.unit"
            " WHERE record.id IN (SELECT id FROM changed_leaf)"
        )


class _Made(NamedTuple):
    """A session whose row is being made."""

    session: Session
    unit: Mapping[str, Any]
    """The session's own unit, or the first of its agents'."""
    released: str | None


class _Beside(NamedTuple):
    """Facts from other files than transcripts and live rows."""

    known_cwds: KnownCwds
    kept_rows: KeptRows
    closed: list[str]
    """The places that backscroll cannot read."""


class _Sessions:
    """Makes the rows of some hundred sessions."""

    def __init__(self, database: sqlite3.Connection, beside: _Beside, copies: Copies, grown: Mapping[str, int]) -> None:
        self._database = database
        self._since = dict(grown)
        self._beside = beside
        self._copies = copies
        self._folds = Folds(database)

    def make(self, names: list[str]) -> None:
        """Make the rows of sessions again; delete those without any unit.

        If that fails, make each alone, and report a session that fails again as damaged.
        """
        self._database.execute(_FORGET_FAULTS, (json.dumps(names),))
        if self._is_made(names):
            return
        for name in names:
            if not self._is_made([name]):
                self._database.execute(_NOTE_FAULT, (fault(self._fault, JOINING), name))
                self._make([name], is_struck=True)

    def _is_made(self, names: list[str]) -> bool:
        """Make sessions; return False, with nothing written, if a bug of ours raises an exception."""
        self._database.execute("SAVEPOINT sessions")
        try:
            self._make(names)
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one session must not affect another
            self._fault = error
            self._database.execute("ROLLBACK TO sessions")
            return False
        finally:
            self._database.execute("RELEASE sessions")
        return True

    def _make(self, names: list[str], *, is_struck: bool = False) -> None:
        stored = Stored(self._database, names)
        self._forget([name for name in names if name not in stored.units])
        make = _bare if is_struck else self._session
        made = [make(name, units, stored) for name, units in stored.units.items()]
        folded = {name for name in stored.units if self._folds.containers(name)}
        families = {item.session.id: [item.session.id, *item.session.copies] for item in made}
        write_sums(self._database, families, folded, self._since)
        spent = totals(self._database)
        forget_sums(self._database, folded)
        for item in made:
            item.session.usage = _usage(*spent[item.session.id]) if item.session.id in spent else Usage()
        rows = [self._row(item) for item in made]
        self._database.executemany(_REPLACE, rows)

    def _forget(self, names: list[str]) -> None:
        gone = [(name,) for name in names]
        self._database.executemany("DELETE FROM session WHERE id = ?", gone)
        self._database.executemany("DELETE FROM agent WHERE session = ?", gone)
        self._database.executemany("DELETE FROM fold WHERE id = ?", gone)
        forget_sums(self._database, names)

    def _session(self, name: str, units: list[Mapping[str, Any]], stored: Stored) -> _Made:
        main = next((unit for unit in units if unit["agent"] is None), None)
        first = main or units[0]
        agents = _agents(main, units, stored)
        self._write_agents(name, agents, stored.agents[name])
        session = _session(name, main, units, agents, stored.paths)
        session.damage = sum(stored.damage_of(unit["id"])[0] for unit in units)
        session.notes = sum(stored.damage_of(unit["id"])[1] for unit in units)
        rows = stored.rows.get(name, [])
        released = main["side"].get("released") if main else None
        has_transcript = bool(main and stored.paths[main["id"]])
        state = _state(main, has_transcript=has_transcript, damage=stored.damage_of(first["id"])[0])
        state = desktop.state_of(state, rows, released, has_transcript=has_transcript)
        if main is not None and main["store"] == "archive" and state in ("live", "archived", "deleted"):
            state = "kept"
        is_denied = state == "damaged" and self._is_denied(first["id"])
        session.state = state_of(state, session.transcripts, self._beside.closed, is_denied=is_denied)
        desktop.apply_rows(session, rows)
        if session.state == "kept" and not desktop.living(rows):
            rows = self._beside.kept_rows.of(name, first["config"])
            session.account = session.account or next((row["account"] for row in rows if row["account"]), None)
        session.copies = self._folds.copies_of(name)
        self._place(session, first, rows)
        session.parent, session.copied = self._copies.origin_of(
            name, session.copies, main["forked_from"] if main else None
        )
        session.title, session.title_source = _title(rows, first, stored.summaries.get(name))
        session.ends_in, session.open_call = stored.ends.get(first["id"], (None, None))
        return _Made(session, first, first["side"].get("released"))

    def _is_denied(self, unit: int) -> bool:
        """Return True if a transcript of a unit cannot be read."""
        asked = "SELECT 1 FROM damage WHERE unit = ? AND reason = ? LIMIT 1"
        return self._database.execute(asked, (unit, DENIED)).fetchone() is not None

    def _write_agents(self, name: str, agents: list[Agent], before: list[tuple[Any, ...]]) -> None:
        if before != [(agent.id, agent.is_internal, agent.type) for agent in agents]:
            self._since.pop(name, None)  # earlier sums may name another type of agent
        if before:
            self._database.execute("DELETE FROM agent WHERE session = ?", (name,))
        if agents:
            columns = COLUMNS["agent"][2:]
            rows = (
                (name, number, *(_agent_value(agent, column) for column in columns))
                for number, agent in enumerate(agents)
            )
            self._database.executemany(INSERT["agent"], rows)

    def _place(self, session: Session, unit: Mapping[str, Any], rows: list[DesktopRow]) -> None:
        """Find the directory of the session."""
        known = desktop.hints_of(rows)
        if hint := self._beside.known_cwds.by_session.get(session.id):
            known.append((hint, "index"))
        known += [(cwd, "config") for cwd in self._beside.known_cwds.known]
        place = true_cwd(unit["project_key"], _texts(unit["cwds"]), unit["relocated"], known)
        place = place or desktop.cwd_of(rows)
        session.cwd, session.project_source = place or (None, None)
        session.project = desktop.project_by_rows(session, rows, unit["worktree_of"])

    def _row(self, made: _Made) -> tuple[Any, ...]:
        session, unit, released = made
        values = dict(zip(_COPIED, _copied_values(session), strict=True))
        values |= {
            "folded_into": next(iter(self._folds.containers(session.id)), None),
            "own_project": session.project,
            "own_cwd": session.cwd,
            "own_project_source": session.project_source,
            "project_key": unit["project_key"],
            "stores": " ".join(session.stores),
            "started": iso(session.started) if session.started else None,
            "updated": iso(session.updated) if session.updated else None,
            "models": stored_texts(tuple(session.models)),
            "accounts": _accounts(session),
            "copies": stored_texts(tuple(session.copies)),
            "transcripts": json.dumps(session.transcripts),
            "usage": json.dumps(dict(zip(_USAGE, _usage_values(session.usage), strict=True))),
            "mtime": unit["mtime"],
            "config": unit["config"],
            "released": released,
        }
        values["check_sum"] = query.sum_of(values)
        row: tuple[Any, ...] = _in_order(values)
        return row


def _bare(name: str, units: list[Mapping[str, Any]], stored: Stored) -> _Made:
    """Return a session without all joined facts, because joining them failed."""
    main = next((unit for unit in units if unit["agent"] is None), None)
    session = _session(name, main, units, [], stored.paths)
    session.state = "damaged"
    session.damage = sum(stored.damage_of(unit["id"])[0] for unit in units)
    return _Made(session, main or units[0], None)


def _agents(main: Mapping[str, Any] | None, units: list[Mapping[str, Any]], stored: Stored) -> list[Agent]:
    files = [
        _agent_file(unit, stored.evidence.get(unit["id"]), stored.paths[unit["id"]])
        for unit in units
        if unit["agent"] is not None
    ]
    if main is None:
        return join_agents(None, [], files)
    return join_agents(stored.evidence.get(main["id"]), stored.inline.get(main["id"], ()), files)


def _title(rows: list[DesktopRow], unit: Mapping[str, Any], summary: str | None) -> tuple[str | None, str | None]:
    row, is_typed = desktop.title_by_rows(rows)
    facts = TitleFacts(*(unit[name] for name in TitleFacts._fields))
    title = title_of(
        facts,
        unit["side"].get("title"),
        summary if summary is not None else unit["own_summary"],
        row,
        is_typed_row=is_typed,
    )
    return title or (None, None)


@lru_cache(1 << 10)
def _texts(stored: str) -> tuple[str, ...]:
    """Return a stored list of texts; most sessions of a project have the same."""
    return tuple(json.loads(stored))


def _agent_value(agent: Agent, column: str) -> Any:
    value = getattr(agent, column)
    if column == "transcript" and value is not None:
        return os.fsencode(value)
    return iso(value) if isinstance(value, datetime) else value


def _usage(count: int, is_lower_bound: bool, amounts: list[int | None]) -> Usage:
    usage = Usage(messages=count, lower_bound=is_lower_bound)
    for name, amount in zip(SUMMED[:-1], amounts, strict=True):
        setattr(usage, name, amount)
    return usage


def _agent_file(unit: Mapping[str, Any], evidence: AgentEvidence | None, paths: list[str]) -> AgentFile:
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


def _stores(store: str, paths: Iterable[str]) -> set[str]:
    """Return the stores of a unit: a transcript of Cowork may have a copy among those of Claude Code."""
    if store not in ("code", "cowork"):
        return {store}
    return {"cowork" if is_of_cowork(path) else "code" for path in paths} or {store}


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
    models = _texts(own["models"] or "[]") or [model for unit in units for model in _texts(unit["models"])]
    return Session(
        id=name,
        title=None,
        project=None,
        cwd=None,
        stores=sorted({store for unit in units for store in _stores(unit["store"], paths[unit["id"]])}),
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


def _accounts(session: Session) -> str:
    """Return every known account of a session, each after a blank."""
    names = dict.fromkeys([session.account, *(row["account"] for row in session.rows)])
    return "".join(f" {name}" for name in names if name)
