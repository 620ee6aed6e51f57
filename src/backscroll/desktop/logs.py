"""Logs: what Desktop and Cowork complained about while a session was held."""

from collections.abc import Iterator
from datetime import timedelta, tzinfo

from backscroll.index import query
from backscroll.index.db import Connection
from backscroll.records import Damage
from backscroll.sessions.desktop_model import LogLine
from backscroll.sessions.model import Session
from backscroll.stores import logs

NEAR = timedelta(minutes=5)
"""So long before a session's first and after its last word an error may still be about it."""


def errors_near(database: Connection, session: Session, zone: tzinfo | None) -> Iterator[LogLine | Damage]:
    """Yield the errors in Desktop's logs that lie near a session's time, or that name it."""
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
    """Return where the logs of Desktop and Cowork lie."""
    return query.settings_and_logs(database, "log")
