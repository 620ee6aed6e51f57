"""Logs: the errors that Desktop and Cowork logged during a session."""

from collections.abc import Iterator
from datetime import timedelta, tzinfo

from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.records import Damage
from backscroll.sessions.desktop_model import LogLine
from backscroll.sessions.session import Session
from backscroll.stores.desktop_files import logs

NEAR = timedelta(minutes=5)
"""An error may concern a session if it is at most this long before its start or after its end."""


def errors_near(database: Connection, session: Session, zone: tzinfo | None) -> Iterator[LogLine | Damage]:
    """Yield the errors in Desktop's logs that are near in time to a session, or that name it."""
    names = [session.id, *session.copies, *(name for row in session.rows for name in (row["id"], *row["lineage"]))]
    first = session.started - NEAR if session.started else None
    last = session.updated + NEAR if session.updated else None
    for line in logs.errors(log_files(database), zone):
        if isinstance(line, Damage):
            yield line
            continue
        names_session = any(name in line.text for name in names)
        is_near = line.time is not None and first is not None and last is not None and first <= line.time <= last
        if names_session or is_near:
            yield LogLine(line.place.path, line.place.line or 0, line.time, line.level, line.text, names_session)


def log_files(database: Connection) -> list[str]:
    """Return the paths of the logs of Desktop and Cowork."""
    return query.settings_and_logs(database, "log")
