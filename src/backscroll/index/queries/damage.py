"""List and count the places that could not be read: in one session, or in all stores."""

import json
import sqlite3

from backscroll.index.queries.sessions import path_of, rows_of_session
from backscroll.place import Place
from backscroll.records import Damage, Note

_IN_SESSION = (
    "SELECT count(*) FROM damage JOIN unit ON unit.id = damage.unit WHERE unit.session = ? AND NOT damage.is_note"
)
_LISTED = (
    "SELECT damage.path, line, offset, length, reason FROM damage JOIN unit ON unit.id = damage.unit"
    " WHERE is_note = :is_note AND substr(reason, 1, length(:beginning)) = :beginning"
    " AND (:sessions IS NULL OR unit.session IN (SELECT value FROM json_each(:sessions)))"
    " ORDER BY damage.path, offset, damage.rowid"
)


def damage_and_notes(database: sqlite3.Connection, name: str) -> tuple[list[Damage], list[Note]]:
    """Return the damage of a session, and the repairs that its readers made."""
    damage: list[Damage] = []
    notes: list[Note] = []
    for path, line, offset, length, reason, is_note in database.execute(
        "SELECT path, line, offset, length, reason, is_note FROM damage JOIN unit ON unit.id = damage.unit"
        " WHERE session = ? ORDER BY agent IS NOT NULL, key, damage.rowid",
        (name,),
    ):
        place = Place(path_of(path), line, offset, length)
        if is_note:
            notes.append(Note(place, reason))
        else:
            damage.append(Damage(place, reason))
    damage += [Damage(Place(row["path"]), row["damage"]) for row in rows_of_session(database, name) if row["damage"]]
    return damage, notes


def places_in_session(database: sqlite3.Connection, name: str) -> int:
    """Return the number of damaged places in the files and rows of a session."""
    (found,) = database.execute(_IN_SESSION, (name,)).fetchone()
    return int(found) + sum(row["damage"] is not None for row in rows_of_session(database, name))


def sessions_with_damage(database: sqlite3.Connection) -> list[str]:
    """Return the sessions with damaged places in their transcripts, newest first."""
    found = database.execute(
        "SELECT id FROM session WHERE id IN"
        " (SELECT unit.session FROM damage JOIN unit ON unit.id = damage.unit WHERE NOT damage.is_note)"
        " ORDER BY updated DESC, id"
    )
    return [name for (name,) in found]


def places_in_transcripts(database: sqlite3.Connection) -> int:
    """Return the number of damaged places in all transcripts."""
    (found,) = database.execute("SELECT count(*) FROM damage WHERE NOT is_note").fetchone()
    return int(found)


def places_beside_transcripts(database: sqlite3.Connection) -> set[Damage]:
    """Return the damage of all other files: files that a walk could not read, rows, browser storage."""
    stored = database.execute("SELECT damage FROM store UNION ALL SELECT damage FROM marks")
    return {Damage(Place(*item[:4]), item[4]) for (text,) in stored for item in json.loads(text)}


def damage_of(database: sqlite3.Connection, sessions: list[str] | None) -> list[Damage]:
    """Return the damage in the transcripts of some sessions, or of all."""
    asked = {"is_note": 0, "beginning": "", "sessions": None if sessions is None else json.dumps(sessions)}
    return [Damage(Place(path_of(path), *place), reason) for path, *place, reason in database.execute(_LISTED, asked)]


def notes_of(database: sqlite3.Connection, sessions: list[str] | None, beginning: str) -> list[Note]:
    """Return the notes of some sessions, or of all, whose reason has a certain beginning."""
    asked = {"is_note": 1, "beginning": beginning, "sessions": None if sessions is None else json.dumps(sessions)}
    return [Note(Place(path_of(path), *place), reason) for path, *place, reason in database.execute(_LISTED, asked)]
