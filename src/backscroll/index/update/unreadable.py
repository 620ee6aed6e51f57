"""Files that exist and cannot be read: their rows in the catalogue stay.

A directory without permission (macOS without Full Disk Access, a backup of another user) looks like an empty one.
Files below it are not gone, so their rows stay unchanged, and their sessions get the state `unreadable`.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from backscroll.files import DENIED
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.base import FileEntry, FoundFile, Store, is_inside

if TYPE_CHECKING:
    from backscroll.index.update.units import FoundUnits

Met = FileEntry | FoundFile | Damage
Known = dict[bytes, tuple[Any, ...]]
"""Path of a file that the walk did not meet to the moment of its last look and its state."""

_KEPT = "SELECT kind, config, session FROM file WHERE path = ?"
_HOLDING_SESSIONS = {"code", "cowork"}


def places(damage: Iterable[Damage]) -> list[str]:
    """Return the paths that cannot be read."""
    return [item.place.path for item in damage if item.reason == DENIED]


def places_of(found: "FoundUnits") -> list[str]:
    """Return the unreadable places of the stores that hold transcripts."""
    return [path for total in found.totals if total.kind in _HOLDING_SESSIONS for path in places(total.damage)]


def close(files: Iterable[tuple[list[Met], FileEntry | FoundFile]]) -> Iterator[Damage]:
    """Replace files that were read before and cannot be read now with damage."""
    for items, item in files:
        damage = Damage(Place(item.path), DENIED)
        items[items.index(item)] = damage
        yield damage


def keep(database: sqlite3.Connection, met: list[tuple[Store, list[Met]]], missing: Known) -> Known:
    """Add the missing files below unreadable places to the files of the walk; return the files that are really gone."""
    gone = dict(missing)
    for store, items in met:
        closed = places(item for item in items if isinstance(item, Damage))
        for path in [path for path in gone if any(is_inside(os.fsdecode(path), place) for place in closed)]:
            items.append(_as_known(database, store, path, gone.pop(path)))
    return gone


def _as_known(database: sqlite3.Connection, store: Store, path: bytes, state: tuple[Any, ...]) -> FoundFile:
    """Return a file in the state of the last walk that could read it."""
    name = os.fsdecode(path)
    _, size, mtime, ctime, inode, device = state
    kept = {"size": size, "mtime_ns": mtime, "ctime_ns": ctime, "inode": inode, "device": device}
    top = getattr(store, "top", None)
    if top is not None and is_inside(name, str(top)):
        parts = tuple(os.path.relpath(name, top).split(os.sep))
        return store.named(FileEntry(name, parts, os.stat_result([0] * 10)))._replace(**kept)
    kind, config, session = database.execute(_KEPT, (path,)).fetchone()
    return FoundFile(name, kind, size, mtime, ctime, inode, device, session, None, None, config or "")


def mark_sessions(database: sqlite3.Connection, found: "FoundUnits") -> None:
    """Mark the sessions as dirty that became unreadable, or readable again."""
    closed = places_of(found)
    before = database.execute("SELECT 1 FROM session WHERE state = 'unreadable' LIMIT 1").fetchone()
    if not closed and before is None:
        return
    names = {name for (name,) in database.execute("SELECT id FROM session WHERE state IN ('unreadable', 'ghost')")}
    rows = database.execute("SELECT id, transcripts FROM session WHERE transcripts <> '[]'")
    names |= {name for name, paths in rows if is_any_inside(json.loads(paths), closed)}
    database.executemany("INSERT OR IGNORE INTO dirty VALUES (?)", ((name,) for name in names))


def is_any_inside(paths: Iterable[str], closed: Iterable[str]) -> bool:
    """Return True if any of the paths is below an unreadable place."""
    return any(is_inside(path, place) for path in paths for place in closed)


def state_of(state: str, paths: list[str], closed: list[str], *, is_denied: bool) -> str:
    """Return the state of a session; `is_denied` means that one of its own files cannot be read."""
    is_closed = is_any_inside(paths, closed) or (state == "damaged" and is_denied)
    return "unreadable" if is_closed or (state == "ghost" and closed) else state
