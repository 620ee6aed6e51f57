"""Ask the index for traces: which files there are, and what is recorded of some of them, each call once."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from backscroll.index import query
from backscroll.index.evidence import family_of
from backscroll.times import iso
from backscroll.value import NamedTuple, Value

_LATE = "9999"


class StoredTrace(NamedTuple):
    """A trace as the index keeps it, with the session and the files that it stands in."""

    session: str
    born: str | None
    agent: str | None
    paths: str
    config: str | None
    project: str | None
    key: bytes
    path: str
    folded: str
    kind: str
    tool: str | None
    time: str | None
    is_copy: int
    outcome: str | None
    call: str | None
    message: str | None
    branch: str
    source: int
    offset: int
    length: int
    answer_source: int | None
    answer_offset: int | None
    answer_length: int | None
    before: bytes | None
    after: bytes | None
    is_created: int
    other: str | None

    def file(self, number: int) -> str:
        """Return the transcript of a number."""
        paths: list[str] = json.loads(self.paths)
        return paths[number] if number < len(paths) else ""


class Wanted(Value):
    """Which files to list; None means any."""

    session: str | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class Touched(NamedTuple):
    """A file that passes a filter, and when it was last touched."""

    folded: str
    path: str
    last: str | None


_COLUMNS = (
    "SELECT coalesce((SELECT target FROM fold WHERE fold.id = unit.session), unit.session), unit.born,"
    " coalesce(trace.agent, unit.agent), unit.paths, unit.config,"
    " (SELECT project FROM session WHERE session.id = unit.session),"
    " trace.key, trace.path, trace.folded, trace.kind, trace.tool, trace.time, trace.is_copy, trace.outcome,"
    " trace.call, trace.message, trace.branch, trace.source, trace.offset, trace.length, trace.answer_source,"
    " trace.answer_offset, trace.answer_length, trace.before, trace.after, trace.is_created, trace.other"
    " FROM trace JOIN unit ON unit.id = trace.unit"
)
_OF_PATHS = _COLUMNS + " WHERE trace.folded = ?"
_RENAMED_TO = _COLUMNS + " WHERE trace.kind = 'rename' AND trace.other = ?"
_TOUCHED = (
    "SELECT trace.folded, min(trace.path), max(trace.time) FROM trace JOIN unit ON unit.id = trace.unit"
    " LEFT JOIN session ON session.id = unit.session"
    " WHERE trace.kind NOT IN ('delete', 'rename', 'absent')"
    " AND (:family IS NULL OR unit.session IN (SELECT value FROM json_each(:family)))"
    " AND (:project IS NULL OR instr(lower(coalesce(session.project, '') || char(10) || coalesce(session.cwd, '')"
    " || char(10) || coalesce(session.project_key, '')), lower(:project)) > 0)"
    " AND (:since IS NULL OR trace.time >= :since) AND (:until IS NULL OR trace.time < :until)"
    " GROUP BY trace.folded ORDER BY max(trace.time) IS NULL, max(trace.time) DESC, trace.folded"
)


def touched(database: sqlite3.Connection, wanted: Wanted) -> list[Touched]:
    """Return the files that pass a filter, the last touched first."""
    asked = {
        "family": json.dumps(family_of(database, wanted.session)) if wanted.session else None,
        "project": query.searchable(wanted.project),
        "since": iso(wanted.since) if wanted.since else None,
        "until": iso(wanted.until) if wanted.until else None,
    }
    return [Touched(*row) for row in database.execute(_TOUCHED, asked)]


def ending_in(database: sqlite3.Connection, tail: str) -> list[str]:
    """Return the files whose folded path ends in `tail`."""
    rows = database.execute(
        "SELECT DISTINCT folded FROM trace"
        " WHERE kind NOT IN ('delete', 'rename', 'absent') AND substr(folded, -length(:tail)) = :tail ORDER BY folded",
        {"tail": tail},
    )
    return [name for (name,) in rows]


def of_paths(database: sqlite3.Connection, folded: Iterable[str]) -> list[StoredTrace]:
    """Return all traces of some files, each call and each record once, in the order in which they happened."""
    return _ordered(_rows(database, _OF_PATHS, folded))


def renamed_to(database: sqlite3.Connection, paths: Iterable[str]) -> list[StoredTrace]:
    """Return the renames that led to some paths."""
    return _ordered(_rows(database, _RENAMED_TO, paths))


def removals(database: sqlite3.Connection) -> set[str]:
    """Return the paths, of files or of directories, that commands removed, renamed, or gave to something else."""
    rows = database.execute("SELECT folded, other FROM trace WHERE kind IN ('delete', 'rename') AND outcome = 'ok'")
    return {name for row in rows for name in row if name}


def worktrees(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return working directories that stand for another one: a worktree's, and its repository's."""
    rows = database.execute(
        "SELECT DISTINCT cwd, project FROM session WHERE cwd IS NOT NULL AND project IS NOT NULL AND cwd <> project"
    )
    return list(rows)


def is_known(database: sqlite3.Connection, folded: str) -> bool:
    """Say whether anything is recorded of a file."""
    return database.execute("SELECT 1 FROM trace WHERE folded = ? LIMIT 1", (folded,)).fetchone() is not None


def configs(database: sqlite3.Connection) -> list[str]:
    """Return the configuration directories that transcripts were found in."""
    return [name for (name,) in database.execute("SELECT DISTINCT config FROM unit WHERE config IS NOT NULL")]


def roots(database: sqlite3.Connection) -> list[str]:
    """Return the directories of all projects, the longest first."""
    rows = database.execute("SELECT DISTINCT project FROM session WHERE project IS NOT NULL")
    return sorted((name for (name,) in rows), key=len, reverse=True)


def _rows(database: sqlite3.Connection, statement: str, names: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    # One by one: a list as JSON, which SQLite could take apart, cannot hold every name (NUL).
    return (row for name in dict.fromkeys(names) for row in database.execute(statement, (name,)))


def _ordered(rows: Iterable[tuple[Any, ...]]) -> list[StoredTrace]:
    first: dict[tuple[bytes, str], StoredTrace] = {}
    for row in rows:
        trace = StoredTrace._make(row)
        name = (trace.key, trace.folded)
        known = first.get(name)
        if known is None or _precedence(trace) < _precedence(known):
            first[name] = trace
    return sorted(first.values(), key=_moment)


def _precedence(trace: StoredTrace) -> tuple[bool, int, str, str, str]:
    """Order the copies of one call: an answered one, then the one that was first."""
    return (trace.outcome is None, trace.is_copy, trace.time or _LATE, trace.born or _LATE, trace.session)


def _moment(trace: StoredTrace) -> tuple[str, str, int, int]:
    place = trace.answer_offset if trace.answer_offset is not None else trace.offset
    return (trace.time or trace.born or "", trace.session, trace.source, place)
