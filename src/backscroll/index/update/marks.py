"""Take Desktop's marks into the index: read when its browser storage changes, or its settings."""

import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING

from backscroll.index.marks import Marks, bare, canonical
from backscroll.index.update.units import Found, state_of, storable
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores import BrowserStore, Store, browser_stores

if TYPE_CHECKING:
    from backscroll.sessions import marks
else:
    marks = lazily("backscroll.sessions.marks")


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
        "pinned": None if read.pinned is None else [bare(name) for name in read.pinned],
        "unread": None if read.unread is None else [bare(name) for name in read.unread],
        "groups": None if read.groups is None else [[bare(g.session), g.name, g.scope] for g in read.groups],
        "panes": {bare(name): layout for name, layout in (read.panes or {}).items()},
        "branches": {canonical(path): status for path, status in (read.branches or {}).items()},
    }
