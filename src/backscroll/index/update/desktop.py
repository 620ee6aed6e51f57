"""Rows of Desktop in the index: read when they change, joined with sessions at every look.

A changed row makes the row of its session anew, from digests; no transcript is read for it, unless the row joins
transcripts that were two sessions before.
"""

import json
import os
import sqlite3

from backscroll.index.update import lineage
from backscroll.index.update.units import Found, state_of
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores import FoundFile, rows
from backscroll.stores.rows import Row
from backscroll.value import NamedTuple


class _Stored(NamedTuple):
    """A row as the index keeps it: what was read, and what joining made of it."""

    fingerprint: str
    read: str
    person: str
    session: str | None
    body: str


_INSERT = (
    "INSERT OR REPLACE INTO desktop_row (path, fingerprint, read, person, session, body, names)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def join_rows(database: sqlite3.Connection, found: Found) -> bool:
    """Bring rows up to date and join them with units; say whether other transcripts are one session than before."""
    stored = _stored(database)
    files = {os.fsencode(file.path): file for file in (*found.rows, *found.tombstones)}
    fresh = {key: _read(file, stored.get(key)) for key, file in files.items()}
    for file in found.cloud_lists:
        fresh |= _read_list(file, stored, found)
    read = [json.loads(kept.read) for kept in fresh.values()]
    sessions = lineage.join(found, read)
    joined = {
        key: kept._replace(session=sessions.get(row["path"]), body=json.dumps(row))
        for (key, kept), row in zip(fresh.items(), read, strict=True)
    }
    _write(database, stored, joined)
    _count(found, sessions, read)
    return _is_merged_anew(database, found)


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
        # Desktop sometimes forgets which transcript a row means; what it said before is still true.
        row["lineage"] = json.loads(stored.read)["lineage"]
    return _Stored(fingerprint, json.dumps(row), json.dumps(person), None, "")


def _read_list(file: FoundFile, stored: dict[bytes, _Stored], found: Found) -> dict[bytes, _Stored]:
    """Return the rows of the sessions in the cloud that one file lists, each under a name of its own."""
    fingerprint, prefix = state_of([file]), os.fsencode(file.path) + b"#"
    kept = {key: row for key, row in stored.items() if key.startswith(prefix)}
    if kept and all(row.fingerprint == fingerprint for row in kept.values()):
        return kept
    listed, damage = rows.read_cloud(file.path)
    if damage is not None:
        total = next(total for total in found.totals if file.path in total.cloud_lists)
        total.damage.append(Damage(Place(file.path), damage))
    return {os.fsencode(row["path"]): _Stored(fingerprint, json.dumps(row), "{}", None, "") for row in listed}


def _write(database: sqlite3.Connection, stored: dict[bytes, _Stored], joined: dict[bytes, _Stored]) -> None:
    """Write what changed, and mark the sessions that a change touches, before and after it."""
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
    """Return every name that somebody may ask for the session of a row by."""
    return list(dict.fromkeys([lineage.bare(row["id"]), *row["lineage"], *row["names"]]))


def _count(found: Found, sessions: dict[str, str], read: list[Row]) -> None:
    """Tell each store which sessions its rows are of, and which rows are damaged."""
    reasons = {row["path"]: row["damage"] for row in read if row["damage"] is not None}
    listed = {path: path.partition("#")[0] for path in sessions if "#" in path}
    for total in found.totals:
        own = {sessions[path] for path in total.rows if path in sessions}
        own |= {sessions[path] for path, file in listed.items() if file in total.cloud_lists}
        total.sessions = {found.merged.get(name, name) for name in total.sessions} | own
        total.damage += [Damage(Place(path), reasons[path]) for path in total.rows if path in reasons]


def _is_merged_anew(database: sqlite3.Connection, found: Found) -> bool:
    before = database.execute("SELECT value FROM meta WHERE name = 'merged'").fetchone()
    return bool((before[0] if before else "{}") != json.dumps(found.merged, sort_keys=True))


def remember_merged(database: sqlite3.Connection, found: Found) -> None:
    """Write down which transcripts are one session, once all units have been taken in accordingly."""
    merged = json.dumps(found.merged, sort_keys=True)
    database.execute("INSERT OR REPLACE INTO meta VALUES ('merged', ?)", (merged,))
