"""Rows of Desktop in the index: read when they change, joined with sessions at every update.

A changed row means that its session's row is made again, without reading a transcript; unless the row joins
transcripts that were two sessions before.
"""

import json
import os
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from backscroll.index.update.derived import lineage
from backscroll.index.update.derived.marks import fingerprint_of
from backscroll.index.update.units import FoundUnits, state_of, storable
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.base import FoundFile, Store
from backscroll.stores.browser import BrowserStore
from backscroll.stores.desktop_files import rows
from backscroll.stores.desktop_files.rows import Row

if TYPE_CHECKING:
    from backscroll.stores.desktop_files import page_cache
else:
    page_cache = lazily("backscroll.stores.desktop_files.page_cache")


class _Stored(NamedTuple):
    """A row in the index: as read, and as joined."""

    fingerprint: str
    read: str
    person: str
    session: str | None
    body: str


_INSERT = (
    "INSERT OR REPLACE INTO desktop_row (path, fingerprint, read, person, session, body, names)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def join_rows(database: sqlite3.Connection, found: FoundUnits, stores: Iterable[Store]) -> bool:
    """Update rows and join them with units; return True if other transcripts form a session than before."""
    stored = _stored(database)
    files = {os.fsencode(file.path): file for file in (*found.rows, *found.tombstones)}
    fresh = {key: _read(file, stored.get(key)) for key, file in files.items()}
    for file in found.cloud_lists:
        fresh |= _read_list(file, stored, found)
    for store in stores:
        if isinstance(store, BrowserStore):
            fresh |= _read_pages(database, store, stored, found)
    read = [json.loads(kept.read) for kept in fresh.values()]
    sessions = lineage.join(found, read)
    joined = {
        key: kept._replace(session=sessions.get(row["path"]), body=json.dumps(row))
        for (key, kept), row in zip(fresh.items(), read, strict=True)
    }
    _write(database, stored, joined)
    _count(found, sessions, read)
    return _is_merged_differently(database, found)


def _stored(database: sqlite3.Connection) -> dict[bytes, _Stored]:
    rows = database.execute("SELECT path, fingerprint, read, person, session, body FROM desktop_row")
    return {path: _Stored(*values) for path, *values in rows}


def _read(file: FoundFile, stored: _Stored | None) -> _Stored:
    fingerprint = state_of([file])
    if stored is not None and stored.fingerprint == fingerprint:
        return stored
    if file.kind == "tombstone":
        return _Stored(fingerprint, json.dumps(rows.read_tombstone(file.path, file.session or "")), "{}", None, "")
    row, person = rows.read_row(file.path)
    if stored is not None and not row["lineage"]:
        # Desktop sometimes forgets the transcript of a row; its earlier value is still true.
        row["lineage"] = json.loads(stored.read)["lineage"]
    return _Stored(fingerprint, json.dumps(row), json.dumps(person), None, "")


def _read_list(file: FoundFile, stored: dict[bytes, _Stored], found: FoundUnits) -> dict[bytes, _Stored]:
    """Return the rows of cloud sessions in one file, each under a name of its own."""
    fingerprint, prefix = state_of([file]), os.fsencode(file.path) + b"#"
    kept = {key: row for key, row in stored.items() if key.startswith(prefix)}
    if kept and all(row.fingerprint == fingerprint for row in kept.values()):
        return kept
    listed, damage = rows.read_cloud(file.path)
    if damage is not None:
        total = next(total for total in found.totals if file.path in total.cloud_lists)
        total.damage.append(Damage(Place(file.path), damage))
    return {os.fsencode(row["path"]): _Stored(fingerprint, json.dumps(row), "{}", None, "") for row in listed}


def _read_pages(
    database: sqlite3.Connection, store: BrowserStore, stored: dict[bytes, _Stored], found: FoundUnits
) -> dict[bytes, _Stored]:
    """Return the rows of the sessions that pages cached; they are read when the browser storage changed."""
    own = str(store.path)
    for total in found.totals:
        if total.kind == "browser" and total.path == own:
            total.cloud_lists.append(own)
    fingerprint, prefix = fingerprint_of(store, found), os.fsencode(own) + b"#"
    before = database.execute("SELECT fingerprint FROM marks WHERE path = ?", (storable(own),)).fetchone()
    if before == (fingerprint,):
        return {key: row for key, row in stored.items() if key.startswith(prefix)}
    cached = [rows.read_cached(own, session) for session in page_cache.cached_sessions(store.records())]
    return {os.fsencode(row["path"]): _Stored(fingerprint, json.dumps(row), "{}", None, "") for row in cached}


def _write(database: sqlite3.Connection, stored: dict[bytes, _Stored], joined: dict[bytes, _Stored]) -> None:
    """Write the changed rows, and mark the sessions that they belonged to and now belong to."""
    changed = {key: row for key, row in joined.items() if stored.get(key) != row}
    gone = stored.keys() - joined.keys()
    if not changed and not gone:
        return
    touched = {row.session for row in changed.values()} | {
        stored[key].session for key in gone | changed.keys() & stored.keys()
    }
    database.execute("BEGIN IMMEDIATE")
    database.executemany("DELETE FROM desktop_row WHERE path = ?", ((key,) for key in gone))
    database.executemany(
        _INSERT, ((key, *row, json.dumps(_names(json.loads(row.body)))) for key, row in changed.items())
    )
    database.executemany("INSERT OR IGNORE INTO dirty VALUES (?)", ((name,) for name in touched if name is not None))
    database.execute("COMMIT")


def _names(row: Row) -> list[str]:
    """Return every name that a user may type for the session of a row."""
    return list(dict.fromkeys([lineage.bare(row["id"]), *row["lineage"], *row["names"]]))


def _count(found: FoundUnits, sessions: dict[str, str], read: list[Row]) -> None:
    """Add the sessions and the damaged rows of each store to its total."""
    reasons = {row["path"]: row["damage"] for row in read if row["damage"] is not None}
    listed = {path: path.partition("#")[0] for path in sessions if "#" in path}
    for total in found.totals:
        own = {sessions[path] for path in total.rows if path in sessions}
        own |= {sessions[path] for path, file in listed.items() if file in total.cloud_lists}
        total.sessions = {found.merged.get(name, name) for name in total.sessions} | own
        total.damage += [Damage(Place(path), reasons[path]) for path in total.rows if path in reasons]


def _is_merged_differently(database: sqlite3.Connection, found: FoundUnits) -> bool:
    before = database.execute("SELECT value FROM meta WHERE name = 'merged'").fetchone()
    return bool((before[0] if before else "{}") != json.dumps(found.merged, sort_keys=True))


def remember_merged(database: sqlite3.Connection, found: FoundUnits) -> None:
    """Record which transcripts form one session, after all units are read."""
    merged = json.dumps(found.merged, sort_keys=True)
    database.execute("INSERT OR REPLACE INTO meta VALUES ('merged', ?)", (merged,))
