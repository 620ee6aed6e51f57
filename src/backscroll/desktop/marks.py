"""Marks on sessions: pins, groups and unread marks of Desktop's sidebar, read when somebody asks for them.

They lie in browser storage, which a running Desktop changes all the time and which takes long to read, so the index
does not keep them.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from backscroll.formats.storage import StorageRecord
from backscroll.sessions.marks import Marks, Setting, read_marks
from backscroll.sessions.model import Session
from backscroll.stores import BrowserStore, DesktopStore, Store


class _Known(NamedTuple):
    """What all Desktops of a home remember together, by the ids of rows."""

    pinned: dict[str, int] | None
    """Row to its place among the pins."""
    groups: dict[tuple[str, str | None], str] | None
    """Row and scope to the name of a group."""
    unread: set[str] | None


def put_marks(sessions: Iterable[Session], stores: Sequence[Store]) -> None:
    """Give each session that has a row its marks; what no Desktop says anything about stays unknown."""
    known = _join([_of_store(store) for store in _desktops(stores)])
    for session in sessions:
        if session.rows:
            session.marks = _marks(session, known)


def pinned_first(sessions: list[Session]) -> list[Session]:
    """Return sessions with the pinned ones in front, in the order of their pins."""
    return sorted(sessions, key=lambda session: (session.marks or {}).get("pin") or _UNPINNED)


_UNPINNED = 1 << 30


def is_pinned(session: Session) -> bool:
    """Say whether a session is known to be pinned."""
    return bool((session.marks or {}).get("pinned"))


def _desktops(stores: Sequence[Store]) -> list[BrowserStore]:
    """Return the storage of every Desktop; one that has none may still have groups in its settings."""
    found = {store.path: store for store in stores if isinstance(store, BrowserStore)}
    for store in stores:
        if isinstance(store, DesktopStore) and store.data not in found:
            found[store.data] = BrowserStore(store.data, store.home, store.own)
    return list(found.values())


def _of_store(store: BrowserStore) -> Marks:
    records = [item for item in store.records() if isinstance(item, StorageRecord)]
    scopes = store.group_scopes()
    return read_marks(records, Setting(*scopes) if scopes else None)


def _join(marks: list[Marks]) -> _Known:
    pins = [found.pinned for found in marks if found.pinned is not None]
    groups = [found.groups for found in marks if found.groups is not None]
    unread = [found.unread for found in marks if found.unread is not None]
    order = dict.fromkeys(name for names in pins for name in names)
    return _Known(
        {name: place for place, name in enumerate(order, 1)} if pins else None,
        {(one.session, one.scope): one.name for found in groups for one in found} if groups else None,
        {name for names in unread for name in names} if unread else None,
    )


def _marks(session: Session, known: _Known) -> dict[str, Any]:
    names = [row["id"] for row in session.rows]
    pin = min((known.pinned[name] for name in names if name in known.pinned), default=None) if known.pinned else None
    return {
        "pinned": None if known.pinned is None else pin is not None,
        "pin": pin,
        "group": None if known.groups is None else _group(session, known.groups),
        "unread": None if known.unread is None else not known.unread.isdisjoint(names),
    }


def _group(session: Session, groups: dict[tuple[str, str | None], str]) -> str | None:
    """Return the group of a session's newest row that has one: in the row's own scope, or in none."""
    for row in session.rows:
        scope = f"{row['account']}/{row['organization']}"
        name = groups.get((row["id"], scope)) or groups.get((row["id"], None))
        if name is not None:
            return name
    return None
