"""KnownCwds: working directories from side files, and the sessions that depend on them.

Only a session whose own records do not name its directory depends on them.
"""

import json
import sqlite3
from typing import NamedTuple

from backscroll.index.update.units import FoundUnits, state_of
from backscroll.stores import side


class KnownCwds(NamedTuple):
    """Working directories from side files: by session, and for any session."""

    by_session: dict[str, str]
    known: list[str]


def read_known_cwds(found: FoundUnits) -> KnownCwds:
    """Read the directories from the side files."""
    known_cwds = KnownCwds({}, [])
    for path in found.project_indexes:
        known_cwds.by_session.update(side.index_hints(path))
    for path in found.global_configs:
        known_cwds.known.extend(side.known_cwds(path))
    return known_cwds


def mark_unplaced(database: sqlite3.Connection, found: FoundUnits) -> None:
    """Mark the sessions that may get another directory, if the side files have changed.

    The files are read only when they changed, and most of their changes do not concern directories.
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


def place_the_unplaced(database: sqlite3.Connection) -> None:
    """Set the directory of sessions without a fitting one from a sibling in the same project directory."""
    database.execute(  # the sibling may have another directory now
        "UPDATE session SET cwd = own_cwd, project = own_project, project_source = own_project_source"
        " WHERE project_source = 'sibling'"
    )
    database.execute(
        "UPDATE session SET cwd = sibling.cwd, project = sibling.project, project_source = 'sibling' FROM ("
        " SELECT project_key AS of_key, min(cwd) AS cwd, min(project) AS project FROM session"
        " WHERE project_source IN ('record', 'relocated') GROUP BY project_key HAVING count(DISTINCT cwd) = 1"
        ") AS sibling WHERE sibling.of_key = session.project_key"
        " AND (project_source IS NULL OR project_source = 'elsewhere')"
    )
