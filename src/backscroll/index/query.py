"""Ask the index: sessions by filter, one session by its id, stores, units.

Only the standard library is needed here, so that a list on a warm index costs little more than Python.
"""

import json
import os
import sqlite3
import sys
import zlib
from datetime import datetime, timedelta
from typing import Any

from backscroll.errors import NotFoundError, QueryError
from backscroll.index.marks import Marks, load_marks, mark, pin_position
from backscroll.index.schema import COLUMNS
from backscroll.index.session_filter import LISTED, SessionFilter, parameters
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.scrub import one_line
from backscroll.sessions.model import Agent, Session, StoreSummary, Usage
from backscroll.times import of_file, parse
from backscroll.value import NamedTuple

DEFAULT_CLEANUP_DAYS = 30
MOST_CANDIDATES = 10
PROMOTED_DAYS = 30
"""A half-written row that is older is not taken by Desktop."""


_COLUMNS = f"SELECT {', '.join(COLUMNS['session'])} FROM session"
_COUNT = f"SELECT count(*) FROM session WHERE{LISTED}"
_LIST = f"{_COLUMNS} WHERE{LISTED} ORDER BY updated IS NULL, updated DESC, id LIMIT :limit"
_BY_ID = _COLUMNS + " WHERE id = ?"
_AGENT = COLUMNS["agent"][2:]
_AGENTS = f"SELECT {', '.join(_AGENT)} FROM agent WHERE session = ? ORDER BY number"
_BY_ROW = (
    "SELECT DISTINCT desktop_row.session FROM desktop_row, json_each(desktop_row.names) AS name"
    " WHERE name.value = ? AND desktop_row.session IS NOT NULL ORDER BY 1"
)
_BY_PREFIX = (
    "SELECT id FROM session WHERE substr(id, 1, :length) = :prefix"
    " UNION SELECT desktop_row.session FROM desktop_row, json_each(desktop_row.names) AS name"
    " WHERE substr(name.value, 1, :length) = :prefix AND desktop_row.session IS NOT NULL"
    " ORDER BY 1 LIMIT :limit"
)
_FORKS = _COLUMNS + " WHERE parent = ? AND folded_into IS NULL ORDER BY id"
_EXPIRING = (
    _COLUMNS
    + " WHERE folded_into IS NULL AND mtime IS NOT NULL AND state IN ('live', 'damaged', 'deleted') ORDER BY mtime"
)


def count(database: sqlite3.Connection, wanted: SessionFilter) -> int:
    """Return how many sessions pass a filter."""
    return int(database.execute(_COUNT, parameters(wanted)).fetchone()[0])


def sessions(database: sqlite3.Connection, wanted: SessionFilter, limit: int | None) -> list[Session]:
    """Return the sessions that pass a filter, newest first."""
    around = _surroundings(database)
    rows = database.execute(_LIST, parameters(wanted) | {"limit": -1 if limit is None else limit})
    return [_session(row, around, database) for row in rows]


def session(database: sqlite3.Connection, name: str) -> Session:
    """Return the session with exactly this id."""
    return _session(database.execute(_BY_ID, (name,)).fetchone(), _surroundings(database), database)


def expiring(database: sqlite3.Connection, before: datetime) -> list[Session]:
    """Return the sessions whose transcripts Claude Code will delete before a moment, the next one first."""
    around = _surroundings(database)
    found = [_session(row, around, database) for row in database.execute(_EXPIRING)]
    due = [item for item in found if item.expires is not None and item.expires < before]
    return sorted(due, key=lambda item: (item.expires or before, item.id))


def agents(database: sqlite3.Connection, name: str) -> list[Agent]:
    """Return the agents of a session."""
    rows = database.execute(_AGENTS, (name,))
    return [_agent(dict(zip(_AGENT, row, strict=True))) for row in rows]


def resolve(database: sqlite3.Connection, asked: str) -> str:
    """Return the id that a user means: a unique prefix, with or without `local_`, or `latest`."""
    if asked == "latest":
        newest = database.execute(
            "SELECT id FROM session WHERE folded_into IS NULL ORDER BY updated IS NULL, updated DESC, id LIMIT 1"
        ).fetchone()
        if newest is None:
            raise NotFoundError("there are no sessions", remedy="backscroll stores shows where was looked.")
        return str(newest[0])
    asked = one_line(asked)  # as ids are made of file names; what is no text could not even be looked up
    bare = asked.removeprefix("local_")
    found = _by_name(database, asked, bare) or _with_prefix(database, bare) or _with_prefix(database, asked)
    if not found:
        raise NotFoundError("no session has this id", asked, "backscroll list --all shows every session with its id.")
    if len(found) > 1:
        raise QueryError(
            "several sessions have this id", asked, f"Give more of it: {', '.join(found[:MOST_CANDIDATES])}"
        )
    return _unfolded(database, found[0])


def _by_name(database: sqlite3.Connection, asked: str, bare: str) -> list[str]:
    """Return the session with exactly this id, or those whose rows have it; `local_` means a row's own id first."""
    own = [name for name in dict.fromkeys((asked, bare)) if database.execute(_BY_ID, (name,)).fetchone()]
    rows = [name for (name,) in database.execute(_BY_ROW, (bare,))]
    return (rows or own)[:MOST_CANDIDATES] if asked != bare else (own or rows)[:MOST_CANDIDATES]


def _with_prefix(database: sqlite3.Connection, prefix: str) -> list[str]:
    if not prefix:
        return []
    asked = {"length": len(prefix), "prefix": prefix, "limit": MOST_CANDIDATES + 1}
    return [name for (name,) in database.execute(_BY_PREFIX, asked)]


def _unfolded(database: sqlite3.Connection, name: str) -> str:
    """Follow an earlier copy of a session to the session that contains it."""
    seen = {name}
    while target := database.execute("SELECT target FROM fold WHERE id = ?", (name,)).fetchone():
        if target[0] in seen:
            break
        name = str(target[0])
        seen.add(name)
    return name


def stores(database: sqlite3.Connection) -> list[StoreSummary]:
    """Return what was found in each store at the last update."""
    rows = database.execute("SELECT kind, path, files, bytes, sessions, damage FROM store ORDER BY rowid")
    return [
        StoreSummary(kind, json.loads(path), files, size, number, [_damage(item) for item in json.loads(damage)])
        for kind, path, files, size, number, damage in rows
    ]


def desktop_rows(database: sqlite3.Connection) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Return every row of Desktop, and the e-mail address and name that it tells of its account."""
    rows = database.execute("SELECT body, person FROM desktop_row ORDER BY path")
    return [(json.loads(body), json.loads(person)) for body, person in rows]


def rows_with_sessions(database: sqlite3.Connection) -> list[tuple[dict[str, Any], str]]:
    """Return every row that means a session, and its id, the newest first."""
    rows = database.execute("SELECT body, session FROM desktop_row WHERE session IS NOT NULL ORDER BY path")
    found = [(json.loads(body), str(session)) for body, session in rows]
    return sorted(found, key=lambda pair: pair[0]["active"] or "", reverse=True)


def sidebar(database: sqlite3.Connection, account: str, now: datetime) -> list[Session]:
    """Return what Desktop's Code tab would show somebody who is signed in with an account, in its order.

    Desktop takes the rows below that account that it can load and that are not archived, whether their transcripts
    are there or not, and a half-written row that is less than thirty days old where there is no other; what is pinned
    stands first.
    """
    account, _, organization = account.partition("/")
    names: dict[str, None] = {}
    for row, name in rows_with_sessions(database):
        is_own = (row["account"] or "").startswith(account) and (row["organization"] or "").startswith(organization)
        if is_own and _is_in_sidebar(row, now):
            names[name] = None
    around = _surroundings(database)
    found = [_session(row, around, database) for name in names if (row := database.execute(_BY_ID, (name,)).fetchone())]
    return sorted(found, key=lambda session: pin_position(session, around.marks) or sys.maxsize)


def _is_in_sidebar(row: dict[str, Any], now: datetime) -> bool:
    if row["product"] != "code" or row["archived"] or not row["loads"] or row["damage"] is not None:
        return False
    active = parse(row["active"])
    return not row["temporary"] or (active is not None and now - active < timedelta(days=PROMOTED_DAYS))


def sessions_by_account(database: sqlite3.Connection) -> dict[str, int]:
    """Return how many sessions are known to be of each account."""
    rows = database.execute(
        "SELECT account, count(*) FROM session WHERE account IS NOT NULL AND folded_into IS NULL GROUP BY account"
    )
    return dict(rows.fetchall())


def settings_and_logs(database: sqlite3.Connection, kind: str) -> list[str]:
    """Return the paths of one kind of settings, counters or logs, as they were at the last update."""
    row = database.execute("SELECT value FROM meta WHERE name = 'settings and logs'").fetchone()
    return [path for found, path in (json.loads(row[0]) if row else ()) if found == kind]


def rows_of_session(database: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    """Return the rows of Desktop that mean a session, the newest first."""
    stored = database.execute("SELECT body FROM desktop_row WHERE session = ?", (name,))
    rows = [json.loads(body) for (body,) in stored]
    return sorted(rows, key=lambda row: (row["active"] or row["deleted"] or "", row["path"]), reverse=True)


def unit_paths(database: sqlite3.Connection, name: str) -> list[tuple[str | None, list[str]]]:
    """Return (agent, transcripts) of every unit of a session; agent is None for the session itself."""
    rows = database.execute(
        "SELECT unit.id, unit.agent, file.path FROM unit"
        " LEFT JOIN file ON file.unit = unit.id AND file.number IS NOT NULL"
        " WHERE unit.session = ? ORDER BY unit.agent IS NOT NULL, unit.key, file.number",
        (name,),
    )
    found: dict[int, tuple[str | None, list[str]]] = {}
    for number, agent, path in rows:
        paths = found.setdefault(number, (agent, []))[1]
        if path is not None:
            paths.append(path_of(path))
    return list(found.values())


def path_of(stored: bytes) -> str:
    """Return a path as the system names it."""
    return os.fsdecode(stored)


def forks(database: sqlite3.Connection, name: str) -> list[Session]:
    """Return the sessions that were forked from a session."""
    around = _surroundings(database)
    return [_session(row, around, database) for row in database.execute(_FORKS, (name,))]


def totals(database: sqlite3.Connection) -> tuple[int, int]:
    """Return how many messages were said in all sessions, each once, and how many places are damaged."""
    messages, damage = database.execute(
        "SELECT total(messages - copied), total(damage) FROM session WHERE folded_into IS NULL"
    ).fetchone()
    return int(messages), int(damage)


def is_empty(database: sqlite3.Connection) -> bool:
    """Say whether the index has never been filled."""
    return database.execute("SELECT 1 FROM meta WHERE name = 'stores'").fetchone() is None


def _cleanup_days(database: sqlite3.Connection) -> dict[str, int | None]:
    row = database.execute("SELECT value FROM meta WHERE name = 'cleanup days'").fetchone()
    days: dict[str, int | None] = json.loads(row[0]) if row else {}
    return days


class _Surroundings(NamedTuple):
    """What is not kept with a session, because it changes without it."""

    days: dict[str, int | None]
    marks: list[Marks]
    has_rows: bool
    """There are rows of Desktop."""


def _surroundings(database: sqlite3.Connection) -> _Surroundings:
    has_rows = database.execute("SELECT 1 FROM desktop_row LIMIT 1").fetchone() is not None
    return _Surroundings(_cleanup_days(database), load_marks(database), has_rows)


def sum_of(values: dict[str, Any]) -> int:
    """Return the sum by which the row of a session is known to be what was written."""
    told = (values[name] for name in COLUMNS["session"] if name not in _PLACED and name != "check_sum")
    return zlib.crc32("\0".join(map(str, told)).encode(errors="replace"))


_PLACED = ("project", "cwd", "project_source")
"""The columns that may be those of another session of the same project directory."""
_LISTS = ("models", "copies", "transcripts")
_OWN = {
    "folded_into",
    "own_project",
    "own_cwd",
    "own_project_source",
    "accounts",
    "mtime",
    "config",
    "released",
    "check_sum",
}
"""The columns that are not handed out."""


def _session(row: tuple[Any, ...], around: _Surroundings, database: sqlite3.Connection) -> Session:
    values = dict(zip(COLUMNS["session"], row, strict=True))
    if sum_of(values) != values["check_sum"]:
        raise sqlite3.DatabaseError("a session is not what was written")
    value = {name: item for name, item in values.items() if name not in _OWN}
    value |= {name: parse(value[name]) for name in ("started", "updated")}
    value |= {name: json.loads(value[name]) for name in _LISTS}
    value["stores"] = value["stores"].split()
    value["usage"] = Usage(**json.loads(value["usage"]))
    value["rows"] = rows_of_session(database, values["id"]) if around.has_rows else []
    value["expires"] = _expires(value, values["mtime"], around.days.get(values["config"]), values["released"])
    session = Session(**value)
    mark(session, around.marks)
    return session


def _expires(value: dict[str, Any], mtime: float | None, days: int | None, released: str | None) -> datetime | None:
    """Return when Claude Code's clean-up deletes the transcript; None where it does not.

    Transcripts that Claude Desktop made are kept by today's versions until Desktop releases them.
    """
    is_kept = (value["entrypoint"] or "").startswith("claude-desktop") and released is None
    if mtime is None or is_kept or "code" not in value["stores"]:
        return None
    if released == "delete":  # the next clean-up takes it, however young it is
        return parse(mtime)
    kept_for = DEFAULT_CLEANUP_DAYS if days is None else max(days, 1)
    try:
        written = of_file(mtime)
        return written + timedelta(days=kept_for) if written else None
    except OverflowError:
        return None


def _agent(value: dict[str, Any]) -> Agent:
    value |= {name: parse(value[name]) for name in ("started", "updated")}
    value["is_internal"] = bool(value["is_internal"])
    value["transcript"] = path_of(value["transcript"]) if value["transcript"] is not None else None
    return Agent(**value)


def _damage(value: list[Any]) -> Damage:
    return Damage(Place(*value[:4]), value[4])
