"""Desktop's marks in the index: read when its browser storage or its settings change."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import astuple
from typing import TYPE_CHECKING

from backscroll.index.queries.marks import Marks, bare, canonical
from backscroll.index.update.units import FoundUnits, state_of, storable
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.base import Store
from backscroll.stores.browser import BrowserStore
from backscroll.stores.find import browser_stores

if TYPE_CHECKING:
    from backscroll.sessions.joining import marks
else:
    marks = lazily("backscroll.sessions.joining.marks")


def update_marks(database: sqlite3.Connection, found: FoundUnits, stores: Iterable[Store]) -> None:
    """Update the marks of every Desktop, and add their damage to its store."""
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


def _read(store: BrowserStore, found: FoundUnits, stored: list[str] | None) -> list[str]:
    """Return fingerprint, marks and damage of a store; open it only if something changed."""
    fingerprint = fingerprint_of(store, found)
    if stored is not None and stored[0] == fingerprint:
        return stored
    read = marks.read_desktop_marks(store)
    damage = [[*astuple(item.place), item.reason] for item in read.damage]
    return [fingerprint, json.dumps(_body(read.marks)), json.dumps(damage)]


def fingerprint_of(store: BrowserStore, found: FoundUnits) -> str:
    """Return a text that changes with the browser storage of a Desktop, and with its settings."""
    own = str(store.path)
    files = [file for file in found.browser_files if file.config == own]
    settings = [file for file in found.desktop_files if file.config == own and file.kind == "desktop-settings"]
    return _key(state_of([*files, *settings]))


def _body(read: "marks.Marks") -> Marks:
    """Return marks in the form of the index: by the ids of rows, without their common prefix."""
    return {
        "pinned": None if read.pinned is None else [bare(name) for name in read.pinned],
        "unread": None if read.unread is None else [bare(name) for name in read.unread],
        "groups": None if read.groups is None else [[bare(g.session), g.name, g.scope] for g in read.groups],
        "panes": {bare(name): layout for name, layout in (read.panes or {}).items()},
        "branches": {canonical(path): status for path, status in (read.branches or {}).items()},
    }
