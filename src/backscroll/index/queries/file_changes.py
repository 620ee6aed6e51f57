"""Query the catalogue for file changes: all touched files, and the changes of some of them, each call once."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import WHERE, SessionFilter, parameters
from backscroll.index.queries.usage_records import family_of
from backscroll.times import iso

_LATE = "9999"


class StoredChange(NamedTuple):
    """A change from the index, with its session and its files."""

    session: str
    born: str | None
    agent: str | None
    file: bytes
    """The transcript of the change, and for a call that of its result."""
    number: int | None
    """The position of that transcript among those of its session."""
    answer_file: bytes | None
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
    offset: int
    length: int
    answer_offset: int | None
    answer_length: int | None
    before: bytes | None
    after: bytes | None
    is_created: int
    other: str | None

    @property
    def transcript(self) -> str:
        """The transcript of the change."""
        return query.path_of(self.file)

    @property
    def answer_transcript(self) -> str | None:
        """The transcript of its result."""
        return None if self.answer_file is None else query.path_of(self.answer_file)


class FileFilter(NamedTuple):
    """A filter of files; None means any."""

    sessions: SessionFilter = SessionFilter()
    since: datetime | None = None
    until: datetime | None = None


class Touched(NamedTuple):
    """A file that passes a filter, and the time of its last change."""

    folded: str
    path: str
    last: str | None


_COLUMNS = (
    "SELECT coalesce((SELECT target FROM fold WHERE fold.id = unit.session), unit.session), unit.born,"
    " coalesce(change.agent, unit.agent), file.path, file.number, answer.path, unit.config,"
    " (SELECT project FROM session WHERE session.id = unit.session),"
    " change.key, change.path, change.folded, change.kind, change.tool, change.time, change.is_copy, change.outcome,"
    " change.call, change.message, change.branch, change.offset, change.length,"
    " change.answer_offset, change.answer_length, change.before, change.after, change.is_created, change.other"
    " FROM change JOIN unit ON unit.id = change.unit JOIN file ON file.id = change.file"
    " LEFT JOIN file AS answer ON answer.id = change.answer_file"
)
_OF_PATHS = _COLUMNS + " WHERE change.folded = ?"
_RENAMED_TO = _COLUMNS + " WHERE change.kind = 'rename' AND change.other = ?"
_TOUCHED = (
    "SELECT change.folded, min(change.path), max(change.time) FROM change JOIN unit ON unit.id = change.unit"
    " JOIN session ON session.id = unit.session"
    " WHERE change.kind NOT IN ('delete', 'rename', 'absent')"
    f" AND (:family IS NULL OR unit.session IN (SELECT value FROM json_each(:family))) AND {WHERE}"
    " AND (:since IS NULL OR change.time >= :since) AND (:until IS NULL OR change.time < :until)"
    " GROUP BY change.folded ORDER BY max(change.time) IS NULL, max(change.time) DESC, change.folded"
)


def touched(database: sqlite3.Connection, wanted: FileFilter) -> list[Touched]:
    """Return the files that pass a filter, the most recent first."""
    session = wanted.sessions.session
    asked = parameters(wanted.sessions._replace(session=None)) | {
        "family": json.dumps(family_of(database, session)) if session else None,
        "since": iso(wanted.since) if wanted.since else None,
        "until": iso(wanted.until) if wanted.until else None,
    }
    return [Touched(*row) for row in database.execute(_TOUCHED, asked)]


def ending_in(database: sqlite3.Connection, tail: str) -> list[str]:
    """Return the files whose folded path ends in `tail`."""
    rows = database.execute(
        "SELECT DISTINCT folded FROM change"
        " WHERE kind NOT IN ('delete', 'rename', 'absent') AND substr(folded, -length(:tail)) = :tail ORDER BY folded",
        {"tail": tail},
    )
    return [name for (name,) in rows]


def of_paths(database: sqlite3.Connection, folded: Iterable[str]) -> list[StoredChange]:
    """Return all changes of some files, each call and each record once, in order of time."""
    return _ordered(_rows(database, _OF_PATHS, folded))


def renamed_to(database: sqlite3.Connection, paths: Iterable[str]) -> list[StoredChange]:
    """Return the renames to some paths."""
    return _ordered(_rows(database, _RENAMED_TO, paths))


def removals(database: sqlite3.Connection) -> set[str]:
    """Return the paths of files or directories that commands removed, renamed or replaced."""
    rows = database.execute("SELECT folded, other FROM change WHERE kind IN ('delete', 'rename') AND outcome = 'ok'")
    return {name for row in rows for name in row if name}


def worktrees(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return pairs of equivalent working directories: a worktree and its repository."""
    rows = database.execute(
        "SELECT DISTINCT cwd, project FROM session WHERE cwd IS NOT NULL AND project IS NOT NULL AND cwd <> project"
    )
    return list(rows)


def is_known(database: sqlite3.Connection, folded: str) -> bool:
    """Return True if the index has changes of a file."""
    return database.execute("SELECT 1 FROM change WHERE folded = ? LIMIT 1", (folded,)).fetchone() is not None


def configs(database: sqlite3.Connection) -> list[str]:
    """Return the configuration directories of all transcripts."""
    return [name for (name,) in database.execute("SELECT DISTINCT config FROM unit WHERE config IS NOT NULL")]


def archives(database: sqlite3.Connection) -> list[Path]:
    """Return the parts of our archive that the last update read."""
    return [Path(json.loads(path)) for (path,) in database.execute("SELECT path FROM store WHERE kind = 'archive'")]


def roots(database: sqlite3.Connection, *, sure: bool = False) -> list[str]:
    """Return the directories of all projects, the longest first; `sure` leaves out those that only a record claims."""
    rows = database.execute(
        "SELECT DISTINCT project FROM session"
        " WHERE project IS NOT NULL AND (NOT ? OR project_source IS NOT 'elsewhere')",
        (sure,),
    )
    return sorted((name for (name,) in rows), key=len, reverse=True)


def _rows(database: sqlite3.Connection, statement: str, names: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    # One query per path: JSON, which SQLite could split, cannot hold every name (NUL).
    return (row for name in dict.fromkeys(names) for row in database.execute(statement, (name,)))


def _ordered(rows: Iterable[tuple[Any, ...]]) -> list[StoredChange]:
    first: dict[tuple[bytes, str], StoredChange] = {}
    for row in rows:
        change = StoredChange._make(row)
        name = (change.key, change.folded)
        known = first.get(name)
        if known is None or _precedence(change) < _precedence(known):
            first[name] = change
    return sorted(first.values(), key=_moment)


def _precedence(change: StoredChange) -> tuple[bool, int, str, str, str]:
    """Return the sort key of a copy of a call: answered ones first, then by time."""
    return (change.outcome is None, change.is_copy, change.time or _LATE, change.born or _LATE, change.session)


def _moment(change: StoredChange) -> tuple[str, str, int, int]:
    place = change.answer_offset if change.answer_offset is not None else change.offset
    return (change.time or change.born or "", change.session, change.number or 0, place)
