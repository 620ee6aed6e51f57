"""What the index knows of one session beyond its row: its files, its damage, what in it is copied."""

import sqlite3

import msgspec

from backscroll.index import query
from backscroll.index.assemble import kin_of, relatives_of
from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions import identity
from backscroll.sessions.digest import Digest
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
    for (stored,) in database.execute("SELECT digest FROM unit WHERE session = ? ORDER BY id", (name,)):
        digest = msgspec.msgpack.decode(stored, type=Digest)
        damage += [Damage(Place(*item[:4]), item[4]) for item in digest.damage]
        notes += [Note(Place(*item[:4]), item[4]) for item in digest.notes]
    return damage, notes


def copied_from(database: sqlite3.Connection, name: str) -> dict[bytes, str]:
    """Return for each message of a session that was said elsewhere first, where that was."""
    kin = kin_of(database, name)
    if kin is None:
        return {}
    folded = {copy for (copy,) in database.execute("SELECT id FROM fold WHERE target = ?", (name,))}
    return identity.copied_from(kin, [other for other in relatives_of(database, kin) if other.id not in folded])
