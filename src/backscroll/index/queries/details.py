"""Details of one session beyond its row: its files, and the originals of its copied messages."""

import sqlite3
from typing import TYPE_CHECKING

from backscroll.index.queries import sessions as query
from backscroll.index.update.derived.copies import Copies
from backscroll.lazy import lazily
from backscroll.sessions.reading.reader import SessionFiles

if TYPE_CHECKING:
    from backscroll.stores.desktop_files import rows as desktop_rows
else:
    desktop_rows = lazily("backscroll.stores.desktop_files.rows")


def files_of(database: sqlite3.Connection, name: str) -> SessionFiles:
    """Return the files of a session; its transcripts come in reading order."""
    files = SessionFiles([])
    for agent, paths in query.unit_paths(database, name):
        if agent is None:
            files.transcripts += paths
        else:
            files.agents[agent] = paths
    if not files.transcripts:
        rows = query.rows_of_session(database, name)
        files.transcripts += [row["path"] for row in rows if row["product"] == desktop_rows.PAGE]
    return files


def copied_from(database: sqlite3.Connection, name: str) -> dict[bytes, str]:
    """Return the session of the original for each copied message of a session, by the key of the message."""
    folded = {copy for (copy,) in database.execute("SELECT id FROM fold WHERE target = ?", (name,))}
    owners = Copies(database).copied_from(name, folded)
    copies = database.execute(
        "SELECT origin, root FROM named_original JOIN unit ON unit.id = named_original.unit WHERE session = ?", (name,)
    )
    return owners | {origin: owners[root] for origin, root in copies if root in owners}


def directories_of_transcripts(database: sqlite3.Connection) -> dict[str, str | None]:
    """Return the path of every transcript, agents included, and the working directory of its session."""
    rows = database.execute(
        "SELECT file.path, session.cwd FROM file JOIN unit ON unit.id = file.unit"
        " JOIN session ON session.id = unit.session"
    )
    return {query.path_of(path): cwd for path, cwd in rows}
