"""Originals of copied records that name the record they were copied from.

A fork of the SDK gives its copies new ids, `/branch` does not.  In a fork of a fork the named record is a copy itself,
so the way to the first original leads through all of them.  A message has the key of the first original that is known.
"""

import sqlite3

_ALL = "SELECT rowid, unit, node, origin, root FROM named_original"
_MARK = (
    "INSERT OR IGNORE INTO dirty SELECT unit.session FROM message JOIN unit ON unit.id = message.unit"
    " WHERE message.key = ?"
)
_ORIGINALS = "SELECT own, min(origin) FROM named_original WHERE own <> origin GROUP BY own"


def follow_originals(database: sqlite3.Connection) -> None:
    """Give copied messages the key of their first original, and mark all that changes with it."""
    originals: dict[bytes, bytes] = dict(database.execute(_ORIGINALS).fetchall())
    rows = database.execute(_ALL).fetchall() if originals else []
    changed = [(row, first) for row in rows if (first := _first(row[3], originals)) != row[4]]
    if changed:
        database.execute("BEGIN IMMEDIATE")
        for (rowid, unit, node, _, root), first in changed:
            database.execute("UPDATE named_original SET root = ? WHERE rowid = ?", (first, rowid))
            database.execute("UPDATE message SET key = ? WHERE unit = ? AND node = ?", (first, unit, node))
            database.execute("UPDATE file SET words = 0 WHERE unit = ? AND number IS NOT NULL", (unit,))
            database.executemany(_MARK, ((root,), (first,)))
        database.execute("COMMIT")


def _first(origin: bytes, originals: dict[bytes, bytes]) -> bytes:
    """Return the first original; copies that name each other have none."""
    seen = [origin]
    while (before := originals.get(seen[-1])) is not None:
        if before in seen:
            return min(seen)
        seen.append(before)
    return seen[-1]
