"""Find the transcript that fits a row which lost it: by directory and time, or by title."""

import os
from collections.abc import Sequence
from datetime import datetime, timedelta

from backscroll.sessions.session import DesktopRow, Session
from backscroll.times import of_file, parse

CLOSE = timedelta(minutes=10)
"""A row and its transcript were created, and last written, within this time of each other."""


def fitting(row: DesktopRow, sessions: Sequence[Session]) -> Session | None:
    """Return the only session without a row that fits a row; None if there is none, or more than one."""
    free = [one for one in sessions if not one.rows and one.transcripts and "code" in one.stores]
    made = [one for one in free if _fits(row, one)]
    return made[0] if len(made) == 1 else None


def _fits(row: DesktopRow, session: Session) -> bool:
    if row["cwd"] is None and row["created"] is None:  # nothing in it could be read: only its file is left
        return _is_of_desktop(session) and _is_close(_written(row["path"]), session.updated)
    is_there = session.cwd in (row["cwd"], row["worktree"], row["origin"])
    is_titled = row["title"] is not None and row["title"] == session.title
    begins = _is_close(parse(row["created"]), session.started)
    ends = _is_close(parse(row["active"]), session.updated)
    return is_there and (begins or ends or (is_titled and _is_of_desktop(session)))


def _is_of_desktop(session: Session) -> bool:
    return (session.entrypoint or "").startswith("claude-desktop")


def _is_close(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and abs(one - other) <= CLOSE


def _written(path: str) -> datetime | None:
    try:
        return of_file(os.lstat(path).st_mtime)
    except (OSError, ValueError):
        return None
