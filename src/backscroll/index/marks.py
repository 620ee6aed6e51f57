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
from backscroll.stores import BrowserStore, Store, browser_stores

if TYPE_CHECKING:
    from backscroll.sessions import marks
else:
    marks = lazily("backscroll.sessions.marks")

Marks = dict[str, Any]
"""What one Desktop remembers, as JSON."""


def take_in_marks(database: sqlite3.Connection, found: Found, stores: Iterable[Store]) -> None:
    """Bring the marks of every Desktop up to date, and tell its store what is damaged in it."""
    browsers = {_key(str(store.path)): store for store in browser_stores(stores)}
    stored = {path: state for path, *state in database.execute("SELECT path, fingerprint, body, damage FROM marks")}
    fresh = {path: _read(store, found, stored.get(path)) for path, store in browsers.items()}
    if fresh != stored:
        database.execute("BEGIN IMMEDIATE")
        database.execute("DELETE FROM marks")
        database.executemany("INSERT INTO marks VALUES (?, ?, ?, ?)", ((path, *state) for path, state in fresh.items()))
        database.execute("COMMIT")
    for total in found.totals:
        if total.kind == "browser":
            damage = json.loads(fresh[_key(total.path)][2])
            total.damage += [Damage(Place(*item[:4]), item[4]) for item in damage]


def _key(path: str) -> str:
    return storable(path) or ""


def _read(store: BrowserStore, found: Found, stored: list[str] | None) -> list[str]:
    """Return fingerprint, marks and damage of a store; it is opened only where something changed."""
    own = str(store.path)
    files = [file for file in found.browser_files if file.config == own]
    settings = [file for file in found.desktop_files if file.config == own and file.kind == "desktop-settings"]
    fingerprint = _key(state_of([*files, *settings]))
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
    """Put onto a session what Desktops remember of it; one that none of them has a row of has no marks."""
    if not session.rows:
        return
    names = _names(session)
    pin = pin_position(session, known)
    session.marks = {
        "pinned": None if all(one["pinned"] is None for one in known) else pin is not None,
        "pin": pin,
        "group": _group(session, known),
        "unread": _is_unread(names, known),
        "panes": _first(one["panes"].get(name) for one in known for name in names),
        "branch_status": _first(one["branches"].get(path) for path in _directories(session) for one in known),
    }


def pin_position(session: Session, known: list[Marks]) -> int | None:
    """Return the place of a session among the pinned ones, from 1; None where it is not pinned."""
    names = _names(session)
    pinned = [name for one in known for name in one["pinned"] or []]
    return next((place for place, name in enumerate(pinned, 1) if name in names), None)


def _names(session: Session) -> set[str]:
    return {session.id, *session.copies, *(_bare(row["id"]) for row in session.rows)}


def _directories(session: Session) -> list[str]:
    return [_canonical(path) for path in (session.cwd, session.project) if path]


def _canonical(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _is_unread(names: set[str], known: list[Marks]) -> bool | None:
    """Return whether any Desktop marks a session as unread; None where none of them says anything."""
    told = [one["unread"] for one in known if one["unread"] is not None]
    return any(not names.isdisjoint(unread) for unread in told) if told else None


def _group(session: Session, known: list[Marks]) -> str | None:
    """Return the group of the newest row that is in one, of the row's own account and organisation or of old days."""
    groups: dict[tuple[str, str | None], str] = {
        (name, scope): group for one in known for name, group, scope in one["groups"] or []
    }
    for row in session.rows:
        scope = f"{row['account']}/{row['organization']}"
        name = _bare(row["id"])
        if group := groups.get((name, scope)) or groups.get((name, None)):
            return group
    return None
