"""Desktop's marks in the index, applied to sessions at query time.

The marks of each data directory of Desktop are one row, which `derived/marks` writes.  They name sessions by the ids
of their rows.  Another module joins rows with sessions, and the join may change; so nothing is joined here in
advance.
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from backscroll.sessions.session import Session

Marks = dict[str, Any]
"""The marks of one Desktop, as JSON."""


def bare(name: str) -> str:
    """Return an id without the prefix that Desktop gives it."""
    return name.removeprefix("local_")


def load_marks(database: sqlite3.Connection) -> list[Marks]:
    """Return the marks of every Desktop."""
    return [json.loads(body) for (body,) in database.execute("SELECT body FROM marks ORDER BY path")]


def mark(session: Session, known: list[Marks]) -> None:
    """Set the marks of a session; a session without a row in any Desktop has none."""
    if not session.rows:
        return
    names = _names(session)
    pin = pin_position(session, known)
    session.marks = {
        "pinned": None if all(one["pinned"] is None for one in known) else pin is not None,
        "pin": pin,
        "group": _group(session, known),
        "unread": _is_unread(names, known),
        "panes": _first(one["panes"].get(name) for one in known for name in names),
        "branch_status": _first(one["branches"].get(path) for path in _directories(session) for one in known),
    }


def pin_position(session: Session, known: list[Marks]) -> int | None:
    """Return the position of a session among the pinned ones, from 1; None if it is not pinned."""
    names = _names(session)
    pinned = [name for one in known for name in one["pinned"] or []]
    return next((place for place, name in enumerate(pinned, 1) if name in names), None)


def _names(session: Session) -> set[str]:
    return {session.id, *session.copies, *(bare(row["id"]) for row in session.rows)}


def _directories(session: Session) -> list[str]:
    return [canonical(path) for path in (session.cwd, session.project) if path]


def canonical(path: str) -> str:
    """Return a path in the same form on every system."""
    return path.replace("\\", "/").rstrip("/")


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _is_unread(names: set[str], known: list[Marks]) -> bool | None:
    """Return True if any Desktop marks a session as unread; None if none of them has a mark."""
    told = [one["unread"] for one in known if one["unread"] is not None]
    return any(not names.isdisjoint(unread) for unread in told) if told else None


def _group(session: Session, known: list[Marks]) -> str | None:
    """Return the group of the newest row in one: of the row's own account and organisation, or of the old format."""
    groups: dict[tuple[str, str | None], str] = {
        (name, scope): group for one in known for name, group, scope in one["groups"] or []
    }
    for row in session.rows:
        scope = f"{row['account']}/{row['organization']}"
        name = bare(row["id"])
        if group := groups.get((name, scope)) or groups.get((name, None)):
            return group
    return None
