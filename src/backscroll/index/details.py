"""What the catalogue knows of one session beyond its row: its files, its damage, which of its messages are copies."""

import sqlite3

from backscroll.index import query
from backscroll.index.update.copies import Copies
from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions.reader import SessionFiles


def files_of(database: sqlite3.Connection, name: str) -> SessionFiles:
    """Return where the pieces of a session lie; its transcripts in the order in which they are read."""
    files = SessionFiles([])
    for agent, paths in query.unit_paths(database, name):
        if agent is None:
            files.transcripts += paths
        else:
            files.agents[agent] = paths
    return files


def damage_and_notes(database: sqlite3.Connection, name: str) -> tuple[list[Damage], list[Note]]:
    """Return what could not be read of a session, and what was read only after a repair."""
    damage: list[Damage] = []
    notes: list[Note] = []
    for path, line, offset, length, reason, is_note in database.execute(
        "SELECT path, line, offset, length, reason, is_note FROM damage JOIN unit ON unit.id = damage.unit"
        " WHERE session = ? ORDER BY agent IS NOT NULL, key, damage.rowid",
        (name,),
    ):
        place = Place(query.path_of(path), line, offset, length)
        if is_note:
            notes.append(Note(place, reason))
        else:
            damage.append(Damage(place, reason))
    damage += [
        Damage(Place(row["path"]), row["damage"]) for row in query.rows_of_session(database, name) if row["damage"]
    ]
    return damage, notes


def copied_from(database: sqlite3.Connection, name: str) -> dict[bytes, str]:
    """Return for each message of a session that was said elsewhere first, where that was."""
    folded = {copy for (copy,) in database.execute("SELECT id FROM fold WHERE target = ?", (name,))}
    return Copies(database).copied_from(name, folded)
