"""Query the index: sessions by filter, one session by its id, stores, units.

This module needs only the standard library, so that a list on a warm index costs little more than Python.
"""

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll.errors import NotFoundError, QueryError
from backscroll.files import DENIED
from backscroll.index.queries.marks import Marks, load_marks, mark, pin_position
from backscroll.index.queries.session_filter import LISTED, SessionFilter, parameters
from backscroll.index.schema import COLUMNS
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.safe_text import one_line
from backscroll.sessions.session import Agent, DesktopRow, Session, Usage
from backscroll.times import of_file, parse

if TYPE_CHECKING:
    from backscroll.sessions import summaries
else:
    summaries = lazily("backscroll.sessions.summaries")

DEFAULT_CLEANUP_DAYS = 30
MOST_CANDIDATES = 10
PROMOTED_DAYS = 30
"""Desktop ignores a half-written row that is older than this."""


_COLUMNS = f"SELECT {', '.join(COLUMNS['session'])} FROM session"
_COUNT = f"SELECT count(*) FROM session WHERE{LISTED}"
_LIST = f"{_COLUMNS} WHERE{LISTED} ORDER BY updated IS NULL, updated DESC, id LIMIT :limit OFFSET :offset"
_BY_ID = _COLUMNS + " WHERE id = ?"
_BY_IDS = _COLUMNS + " WHERE id IN (SELECT value FROM json_each(?))"
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
_MAY_EXPIRE = (
    " WHERE folded_into IS NULL AND state IN ('live', 'damaged', 'deleted') AND mtime IS NOT NULL"
    " AND (mtime < ? OR released = 'delete')"
)
_EXPIRING = _COLUMNS + _MAY_EXPIRE + " ORDER BY mtime"
_EXPIRING_BRIEFLY = "SELECT entrypoint, state, stores, mtime, config, released FROM session" + _MAY_EXPIRE
_KEPT = "SELECT DISTINCT session FROM file WHERE kind = 'kept'"


def count(database: sqlite3.Connection, wanted: SessionFilter) -> int:
    """Return the number of sessions that pass a filter."""
    return int(database.execute(_COUNT, parameters(wanted)).fetchone()[0])


def sessions(database: sqlite3.Connection, wanted: SessionFilter, limit: int | None, offset: int = 0) -> list[Session]:
    """Return the sessions that pass a filter, newest first."""
    rows = database.execute(_LIST, parameters(wanted) | {"limit": -1 if limit is None else limit, "offset": offset})
    return _sessions(database, rows)


def session(database: sqlite3.Connection, name: str) -> Session:
    """Return the session with exactly this id."""
    return _sessions(database, database.execute(_BY_ID, (name,)))[0]


def named(database: sqlite3.Connection, names: Iterable[str]) -> list[Session]:
    """Return the sessions with these ids, as far as they exist; one question for all of them."""
    return _sessions(database, database.execute(_BY_IDS, (json.dumps([*names]),)))


def expiring(database: sqlite3.Connection, before: datetime) -> list[Session]:
    """Return the sessions whose transcripts Claude Code will delete before a moment, the most urgent first."""
    asked = (_written_before(_cleanup_days(database), before),)
    found = _sessions(database, database.execute(_EXPIRING, asked))
    due = [item for item in found if item.expires is not None and item.expires < before]
    return sorted(due, key=lambda item: (item.expires or before, item.id))


def count_expiring(database: sqlite3.Connection, before: datetime) -> int:
    """Return the number of those sessions; it reads a few columns only."""
    days = _cleanup_days(database)
    found = 0
    asked = (_written_before(days, before),)
    for entrypoint, state, stores, mtime, config, released in database.execute(_EXPIRING_BRIEFLY, asked):
        value = {"entrypoint": entrypoint, "state": state, "stores": stores.split()}
        expires = _expires(value, mtime, days.get(config), released)
        found += expires is not None and expires < before
    return found


def _written_before(days: dict[str, int | None], before: datetime) -> float:
    """Return a time; Claude Code keeps every transcript that was written later until `before`."""
    shortest = min([DEFAULT_CLEANUP_DAYS, *(max(number, 1) for number in days.values() if number is not None)])
    return (before - timedelta(days=shortest)).timestamp()


def agents(database: sqlite3.Connection, name: str) -> list[Agent]:
    """Return the agents of a session."""
    rows = database.execute(_AGENTS, (name,))
    return [_agent(dict(zip(_AGENT, row, strict=True))) for row in rows]


def resolve(database: sqlite3.Connection, asked: str) -> str:
    """Return the session id for a unique prefix, with or without `local_`, or for `latest`."""
    if asked == "latest":
        newest = database.execute(
            "SELECT id FROM session WHERE folded_into IS NULL ORDER BY updated IS NULL, updated DESC, id LIMIT 1"
        ).fetchone()
        if newest is None:
            raise NotFoundError("there are no sessions", remedy="Run `backscroll stores` to see where it looked.")
        return str(newest[0])
    asked = one_line(asked)  # ids are file names; SQLite cannot look up undecodable bytes
    bare = asked.removeprefix("local_")
    found = _by_name(database, asked, bare) or _with_prefix(database, bare) or _with_prefix(database, asked)
    if len(found) > 1:
        raise QueryError("this id fits several sessions", asked, f"Give the id of one:\n{_candidates(database, found)}")
    if not found and len(found := _with_title(database, asked)) > 1:
        raise QueryError("several titles contain this", asked, f"Give the id of one:\n{_candidates(database, found)}")
    if not found:
        _refuse_agent(database, bare)
        remedy = "Run `backscroll list --all` to see every session with its id."
        raise NotFoundError("no session has this id or title", asked, remedy)
    return _unfolded(database, found[0])


def _refuse_agent(database: sqlite3.Connection, asked: str) -> None:
    """Raise NotFoundError if an agent has this id: its messages are in its session."""
    wanted = asked.removeprefix("agent-")
    row = database.execute("SELECT session FROM agent WHERE substr(id, 1, ?) = ? LIMIT 1", (len(wanted), wanted))
    if wanted and (found := row.fetchone()):
        remedy = f"Run `backscroll show {_unfolded(database, str(found[0]))}` to see its messages."
        raise NotFoundError("this is an agent, not a session", asked, remedy)


def _with_title(database: sqlite3.Connection, asked: str) -> list[str]:
    """Return the sessions with exactly this title, or else those whose titles hold it, newest first."""
    wanted = asked.casefold().strip()
    rows = database.execute(
        "SELECT id, title FROM session WHERE title IS NOT NULL AND folded_into IS NULL ORDER BY updated DESC, id"
    )
    titles = {name: title.casefold() for name, title in rows}
    exact = [name for name, title in titles.items() if title == wanted]
    return exact or [name for name, title in titles.items() if wanted and wanted in title]


def _candidates(database: sqlite3.Connection, names: list[str]) -> str:
    """Return a line with id, date and title for each of the first sessions."""
    lines = []
    for name in names[:MOST_CANDIDATES]:
        updated, title = database.execute("SELECT updated, title FROM session WHERE id = ?", (name,)).fetchone()
        lines.append(f"  {name}  {(updated or '')[:10] or 'no date   '}  {one_line(title or '(no title)')}")
    more = len(names) - MOST_CANDIDATES
    return "\n".join([*lines, f"  and {more} more"] if more > 0 else lines)


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
    """Return the session that contains an earlier copy, or the session itself."""
    seen = {name}
    while target := database.execute("SELECT target FROM fold WHERE id = ?", (name,)).fetchone():
        if target[0] in seen:
            break
        name = str(target[0])
        seen.add(name)
    return name


def stores(database: sqlite3.Connection) -> "list[summaries.StoreSummary]":
    """Return the contents of each store at the last update."""
    rows = database.execute("SELECT kind, path, files, bytes, sessions, damage FROM store ORDER BY rowid")
    return [
        summaries.StoreSummary(
            kind, json.loads(path), files, size, number, [_damage(item) for item in json.loads(damage)]
        )
        for kind, path, files, size, number, damage in rows
    ]


def unreadable_paths(database: sqlite3.Connection) -> list[str]:
    """Return the paths that could not be read at the last update for want of permission."""
    stored = [json.loads(damage) for (damage,) in database.execute("SELECT damage FROM store ORDER BY rowid")]
    of_stores = [item.place.path for items in stored for item in map(_damage, items) if item.reason == DENIED]
    rows = database.execute("SELECT DISTINCT path FROM damage WHERE reason = ? ORDER BY path", (DENIED,))
    return list(dict.fromkeys([*of_stores, *(path_of(path) for (path,) in rows)]))


def desktop_rows(database: sqlite3.Connection) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Return every row of Desktop, with the e-mail address and name of its account."""
    rows = database.execute("SELECT body, person FROM desktop_row ORDER BY path")
    return [(json.loads(body), json.loads(person)) for body, person in rows]


def rows_with_sessions(database: sqlite3.Connection) -> list[tuple[DesktopRow, str]]:
    """Return every row of a session, with its id, the newest first."""
    rows = database.execute("SELECT body, session FROM desktop_row WHERE session IS NOT NULL ORDER BY path")
    found = [(json.loads(body), str(session)) for body, session in rows]
    return sorted(found, key=lambda pair: pair[0]["active"] or "", reverse=True)


def sidebar(database: sqlite3.Connection, account: str, now: datetime) -> list[Session]:
    """Return the sessions in Desktop's Code tab for an account, in Desktop's order.

    Desktop shows the rows of that account that it can load and that are not archived, with or without transcripts.
    It also shows a half-written row that is less than thirty days old, if there is no other.  Pinned rows come first.
    """
    account, _, organization = account.partition("/")
    names: dict[str, None] = {}
    for row, name in rows_with_sessions(database):
        is_own = (row["account"] or "").startswith(account) and (row["organization"] or "").startswith(organization)
        if is_own and _is_in_sidebar(row, now):
            names[name] = None
    rows = (database.execute(_BY_ID, (name,)).fetchone() for name in names)
    found, marks = _sessions(database, filter(None, rows)), load_marks(database)
    return sorted(found, key=lambda session: pin_position(session, marks) or sys.maxsize)


def _is_in_sidebar(row: DesktopRow, now: datetime) -> bool:
    if row["product"] != "code" or row["archived"] or not row["loads"] or row["damage"] is not None:
        return False
    active = parse(row["active"])
    return not row["temporary"] or (active is not None and now - active < timedelta(days=PROMOTED_DAYS))


def sessions_by_account(database: sqlite3.Connection) -> dict[str, int]:
    """Return the number of sessions of each account."""
    rows = database.execute(
        "SELECT account, count(*) FROM session WHERE account IS NOT NULL AND folded_into IS NULL GROUP BY account"
    )
    return dict(rows.fetchall())


def settings_and_logs(database: sqlite3.Connection, kind: str) -> list[str]:
    """Return the paths of one kind of settings, counters or logs at the last update."""
    row = database.execute("SELECT value FROM meta WHERE name = 'settings and logs'").fetchone()
    return [path for found, path in (json.loads(row[0]) if row else ()) if found == kind]


def rows_of_session(database: sqlite3.Connection, name: str) -> list[DesktopRow]:
    """Return the rows of a session in Desktop, the newest first."""
    return rows_of_sessions(database, [name]).get(name, [])


def rows_of_sessions(database: sqlite3.Connection, names: list[str]) -> dict[str, list[DesktopRow]]:
    """Return the rows of several sessions in Desktop, the newest first."""
    found: dict[str, list[DesktopRow]] = {}
    asked = "SELECT session, body FROM desktop_row WHERE session IN (SELECT value FROM json_each(?))"
    for name, body in database.execute(asked, (json.dumps(names),)):
        found.setdefault(name, []).append(json.loads(body))
    for rows in found.values():
        rows.sort(key=lambda row: (row["active"] or row["deleted"] or "", row["path"]), reverse=True)
    return found


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
    """Return a path in the form of the system."""
    return os.fsdecode(stored)


def forks(database: sqlite3.Connection, name: str) -> list[Session]:
    """Return the forks of a session."""
    return _sessions(database, database.execute(_FORKS, (name,)))


def totals(database: sqlite3.Connection) -> tuple[int, int]:
    """Return the number of messages in all sessions, each once, and the number of damaged places."""
    messages, damage = database.execute(
        "SELECT total(messages - copied), total(damage) FROM session WHERE folded_into IS NULL"
    ).fetchone()
    return int(messages), int(damage)


def is_empty(database: sqlite3.Connection) -> bool:
    """Return True if the index is new and empty."""
    return database.execute("SELECT 1 FROM meta WHERE name = 'stores'").fetchone() is None


def _cleanup_days(database: sqlite3.Connection) -> dict[str, int | None]:
    row = database.execute("SELECT value FROM meta WHERE name = 'cleanup days'").fetchone()
    days: dict[str, int | None] = json.loads(row[0]) if row else {}
    return days


class _Surroundings(NamedTuple):
    """Facts that a session's row does not hold, because they change independently."""

    days: dict[str, int | None]
    marks: list[Marks]
    has_rows: bool
    """True if there are rows of Desktop."""
    kept: set[str]
    """The live sessions that the archive has too."""


def _surroundings(database: sqlite3.Connection) -> _Surroundings:
    has_rows = database.execute("SELECT 1 FROM desktop_row LIMIT 1").fetchone() is not None
    kept = {name for (name,) in database.execute(_KEPT)}
    return _Surroundings(_cleanup_days(database), load_marks(database), has_rows, kept)


def sum_of(values: dict[str, Any]) -> int:
    """Return the checksum of a session's row."""
    return zlib.crc32("\0".join(map(str, _checked(values))).encode(errors="replace"))


_PLACED = ("project", "cwd", "project_source")
"""The columns that may come from another session of the same project directory."""
_checked = itemgetter(*(name for name in COLUMNS["session"] if name not in (*_PLACED, "check_sum")))
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
"""The internal columns."""


def _sessions(database: sqlite3.Connection, found: Iterable[tuple[Any, ...]]) -> list[Session]:
    """Return the sessions of rows of the catalogue; one question brings the rows of Desktop of all."""
    around, rows = _surroundings(database), list(found)
    of_desktop = rows_of_sessions(database, [name for name, *_ in rows]) if around.has_rows else {}
    return [_session(row, around, of_desktop.get(row[0], [])) for row in rows]


def _session(row: tuple[Any, ...], around: _Surroundings, of_desktop: list[DesktopRow]) -> Session:
    values = dict(zip(COLUMNS["session"], row, strict=True))
    if sum_of(values) != values["check_sum"]:
        raise sqlite3.DatabaseError("the row of a session fails its checksum")
    value = {name: item for name, item in values.items() if name not in _OWN}
    value |= {name: parse(value[name]) for name in ("started", "updated")}
    value |= {name: json.loads(value[name]) for name in _LISTS}
    value["stores"] = value["stores"].split()
    if values["id"] in around.kept and "archive" not in value["stores"]:
        value["stores"] = sorted([*value["stores"], "archive"])
    value["usage"] = Usage(**json.loads(value["usage"]))
    value["rows"] = of_desktop
    value["expires"] = _expires(value, values["mtime"], around.days.get(values["config"]), values["released"])
    session = Session(**value)
    mark(session, around.marks)
    return session


def _expires(value: dict[str, Any], mtime: float | None, days: int | None, released: str | None) -> datetime | None:
    """Return the time at which Claude Code deletes the transcript; None if it does not.

    Current versions keep transcripts that Claude Desktop made until Desktop releases them.
    """
    is_kept = (value["entrypoint"] or "").startswith("claude-desktop") and released is None
    if mtime is None or is_kept or value["state"] == "kept" or "code" not in value["stores"]:
        return None
    if released == "delete":  # the next clean-up deletes it at any age
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
