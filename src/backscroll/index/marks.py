"""Desktop's marks in the index: read when its browser storage changes, put onto sessions when they are asked for.

The marks of each data directory of Desktop are one row.  They name sessions by the ids of their rows, which are
joined with sessions elsewhere, and may be joined otherwise tomorrow; so nothing is joined here beforehand.
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from backscroll.index.units import Found, state_of, storable
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.model import Session
from backscroll.stores import BrowserStore, Store

if TYPE_CHECKING:
    from backscroll.sessions import marks
else:
    marks = lazily("backscroll.sessions.marks")

Marks = dict[str, Any]
"""What one Desktop remembers, as JSON."""


def take_in_marks(database: sqlite3.Connection, found: Found, stores: Iterable[Store]) -> None:
    """Bring the marks of every Desktop up to date, and tell its store what is damaged in it."""
    browsers = {storable(str(store.path)): store for store in stores if isinstance(store, BrowserStore)}
    stored = {path: state for path, *state in database.execute("SELECT path, fingerprint, body, damage FROM marks")}
    if not browsers and not stored:
        return
    fresh = {path: _read(store, found, stored.get(path)) for path, store in browsers.items()}
    if fresh != stored:
        database.execute("BEGIN IMMEDIATE")
        database.execute("DELETE FROM marks")
        database.executemany("INSERT INTO marks VALUES (?, ?, ?, ?)", ((path, *state) for path, state in fresh.items()))
        database.execute("COMMIT")
    for total in found.totals:
        if total.kind == "browser":
            damage = json.loads(fresh[storable(total.path)][2])
            total.damage += [Damage(Place(*item[:4]), item[4]) for item in damage]


def _read(store: BrowserStore, found: Found, stored: list[str] | None) -> list[str]:
    """Return fingerprint, marks and damage of a store; it is opened only where something changed."""
    own = str(store.path)
    files = [file for file in found.browser_files if file.config == own]
    settings = [file for file in found.desktop_files if file.config == own and file.kind == "desktop-settings"]
    fingerprint = storable(state_of([*files, *settings])) or ""
    if stored is not None and stored[0] == fingerprint:
        return stored
    read = marks.read_desktop_marks(store)
    damage = [[*item.place, item.reason] for item in read.damage]
    return [fingerprint, json.dumps(_body(read.marks)), json.dumps(damage)]


def _body(read: "marks.Marks") -> Marks:
    """Return marks as the index keeps them: by the ids of rows, without the prefix that all have."""
    return {
        "pinned": None if read.pinned is None else [_bare(name) for name in read.pinned],
        "unread": None if read.unread is None else [_bare(name) for name in read.unread],
        "groups": None if read.groups is None else [[_bare(g.session), g.name, g.scope] for g in read.groups],
        "panes": {_bare(name): layout for name, layout in (read.panes or {}).items()},
        "branches": {_canonical(path): status for path, status in (read.branches or {}).items()},
    }


def _bare(name: str) -> str:
    return name.removeprefix("local_")


def load_marks(database: sqlite3.Connection) -> list[Marks]:
    """Return what every Desktop remembers."""
    return [json.loads(body) for (body,) in database.execute("SELECT body FROM marks ORDER BY path")]


def mark(session: Session, known: list[Marks]) -> None:
    """Put onto a session what Desktops remember of it, and of the git branch of its directory.

    A session that no Desktop has a row of has no marks.
    """
    directories = _directories(session)
    statuses = (one["branches"].get(directory) for directory in directories for one in known)
    session.branch_status = next((status for status in statuses if status is not None), None)
    if not session.rows:
        return
    names = _names(session)
    scopes = [f"{row['account']}/{row['organization']}" for row in session.rows]
    for one in known:
        session.pinned = _is_among(names, one["pinned"], session.pinned)
        session.unread = _is_among(names, one["unread"], session.unread)
        session.group = session.group or _group(names, scopes, one["groups"] or [])
        session.panes = session.panes or next((one["panes"][name] for name in names if name in one["panes"]), None)


def _directories(session: Session) -> list[str]:
    return [_canonical(path) for path in (session.cwd, session.project) if path]


def _canonical(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")


def pin_position(session: Session, known: list[Marks]) -> int:
    """Return the place of a session among the pinned ones; those that are not pinned come behind all that are."""
    names = _names(session)
    pinned = [name for one in known for name in one["pinned"] or []]
    return next((place for place, name in enumerate(pinned) if name in names), len(pinned))


def _names(session: Session) -> set[str]:
    return {session.id, *session.copies, *(_bare(row["id"]) for row in session.rows)}


def _is_among(names: set[str], marked: list[str] | None, before: bool | None) -> bool | None:
    """Return whether a session is marked, here or by another Desktop; None where none of them knows."""
    return before if marked is None else bool(before) or not names.isdisjoint(marked)


def _group(names: set[str], scopes: list[str], groups: list[list[str]]) -> str | None:
    """Return the group of a session: that of its own account and organisation, if there is one."""
    found = [(scope in scopes, name) for session, name, scope in groups if session in names]
    return max(found, key=lambda group: group[0])[1] if found else None
