"""What the index knows of one session beyond its row: its files, its damage, what in it is copied."""

import sqlite3

import msgspec

from backscroll.index import query
from backscroll.index.kinship import Kinship
from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions import identity
from backscroll.sessions.digest import Digest, places_told
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
    for (stored,) in database.execute(
        "SELECT digest FROM unit WHERE session = ? ORDER BY agent IS NOT NULL, key", (name,)
    ):
        digest = msgspec.msgpack.decode(stored, type=Digest)
        damage += [Damage(*item) for item in places_told(digest.damage)]
        notes += [Note(*item) for item in places_told(digest.notes)]
    damage += [
        Damage(Place(row["path"]), row["damage"]) for row in query.rows_of_session(database, name) if row["damage"]
    ]
    return damage, notes


def copied_from(database: sqlite3.Connection, name: str) -> dict[bytes, str]:
    """Return for each message of a session that was said elsewhere first, where that was."""
    kinship = Kinship(database)
    kin = kinship.of(name)
    if kin is None:
        return {}
    folded = {copy for (copy,) in database.execute("SELECT id FROM fold WHERE target = ?", (name,))}
    return identity.copied_from(kin, [other for other in kinship.relatives(kin) if other.id not in folded])
