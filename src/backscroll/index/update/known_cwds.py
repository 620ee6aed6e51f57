"""KnownCwds: working directories that side files know, and which sessions must be placed anew when they change.

Only a session whose own records do not say where it was held depends on them.
"""

import json
import sqlite3

from backscroll.index.update.units import Found, state_of
from backscroll.stores import side
from backscroll.value import NamedTuple


class KnownCwds(NamedTuple):
    """Working directories that side files know: by session, and for any session."""

    by_session: dict[str, str]
    known: list[str]


def read_known_cwds(found: Found) -> KnownCwds:
    """Read what the side files say."""
    known_cwds = KnownCwds({}, [])
    for path in found.project_indexes:
        known_cwds.by_session.update(side.index_hints(path))
    for path in found.global_configs:
        known_cwds.known.extend(side.known_cwds(path))
    return known_cwds


def mark_unplaced(database: sqlite3.Connection, found: Found) -> None:
    """Mark the sessions that they may place, where they have changed since the last time.

    The files are read only when they changed, and most of their changes say nothing about directories.
    """
    files = state_of(found.hint_files)
    before = dict(database.execute("SELECT name, value FROM meta WHERE name IN ('hint files', 'hints')"))
    if before.get("hint files") == files:
        return
    known_cwds = read_known_cwds(found)
    known = json.dumps([known_cwds.by_session, known_cwds.known])
    database.execute("BEGIN IMMEDIATE")
    if before.get("hints") != known:
        database.execute(
            "INSERT OR IGNORE INTO dirty SELECT id FROM session"
            " WHERE project_source IS NULL OR project_source NOT IN ('record', 'relocated')"
        )
    database.execute("INSERT OR REPLACE INTO meta VALUES ('hint files', ?), ('hints', ?)", (files, known))
    database.execute("COMMIT")
