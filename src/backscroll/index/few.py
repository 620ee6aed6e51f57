"""Few: an update that looks only at the sessions whose files changed, where these are few.

While Claude works, every command finds one transcript that has grown, and perhaps an agent's file that is new.  What
all the others are need not be found out again for that: the last glance says which files changed, their names say
which sessions those belong to, and of these alone units are made.

That this gives the same units as sorting everything is not taken on trust.  The files of these sessions as they were
then must give exactly what the catalogue holds of them; if not (rows of Desktop join some of them with others, say),
or where sessions come or go, everything is sorted.

The words may follow later.  So the catalogue writes down which files it met changed: `index:number` in its table meta
says how far it is, with another `index` after every update that sorted everything.
"""

import os
import sqlite3
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from backscroll.index.glance import Difference, Glance, Met, difference
from backscroll.index.units import Found, sort
from backscroll.stores import FoundFile, Store
from backscroll.stores.base import Entry
from backscroll.stores.code import UUID
from backscroll.value import NamedTuple

MOST = 16
"""Sessions; of more than these everything is sorted."""
_WHOLE = {"side", "desktop", "cowork", "browser"}
"""The stores of which everything is sorted in any case."""
_NARROWED = {"code", "side"}
"""The stores of which a few files may have changed."""
_INDEX = "sessions-index.json"
_UUID_LENGTH = 36


class Few(NamedTuple):
    """What an update looks at, where few sessions changed."""

    found: Found
    """The units of these sessions, and all files that are not of a single session."""
    known: dict[bytes, bytes]
    """What the catalogue knows of these units: key to fingerprint."""
    files: int
    """How many transcripts there are in all."""
    changed: set[str]
    """The paths of the files that changed since the catalogue was in step."""
    unsaid: set[str]
    """The same since the words were."""
    seen: Glance

    def texts(self, more: AbstractSet[str]) -> list[FoundFile]:
        """Return the files beside transcripts that changed since the words were in step, and more by their paths."""
        met = ((store, item) for store, items in self.seen.met for item in items) if more else ()
        others = [store.named(item) for store, item in met if isinstance(item, Entry) and item.path in more]
        return [*(file for file in self.found.texts if file.path in self.unsaid), *others]


def few_changes(database: sqlite3.Connection, seen: Glance, unsaid: AbstractSet[str] = frozenset()) -> Few | None:
    """Return what changed since the catalogue was in step; None where it was not, or where that is much.

    `unsaid` are the files that changed before, since the words were in step.
    """
    counted = database.execute("SELECT files FROM glance").fetchone()
    changes = difference(database, seen)
    if counted is None or changes is None:
        return None
    sessions = _sessions_of(changes)
    if sessions is None or len(sessions) > MOST:
        return None
    changed = {entry.path for _, entry in (*changes.fresh, *changes.gone)}
    found = _sorted_of(sessions, seen.met, changed | unsaid)
    before = _sorted_of(sessions, _as_it_was(sessions, seen, changes))
    known = _known(database, {*found.units, *before.units})
    if known != {key: unit.fingerprint() for key, unit in before.units.items()}:
        return None
    if _session_keys(found) != _session_keys(before) or not all(unit.files for unit in found.units.values()):
        return None
    files = counted[0] + _files_in(found) - _files_in(before)
    return Few(found, known, files, changed, changed | unsaid, seen)


def _sessions_of(changes: Difference) -> set[str] | None:
    """Return the sessions that changed files belong to by their names; None where that is not plain to see."""
    sessions: set[str] = set()
    for store, entry in (*changes.fresh, *changes.gone):
        if store.kind not in _NARROWED:
            return None
        if store.kind == "side":
            continue
        file = store.named(entry)
        if file.session is not None and UUID.fullmatch(file.session):
            sessions.add(file.session)
        elif file.kind not in ("project-index", "memory"):
            return None
    return sessions


def _sorted_of(
    sessions: set[str], met: Iterable[tuple[Store, list[Met]]], paths: AbstractSet[str] = frozenset()
) -> Found:
    """Sort the files of some sessions, some more by their paths, and all that no single session has."""
    narrowed = [(store, items if store.kind in _WHOLE else _of(sessions, items, paths)) for store, items in met]
    found = sort(narrowed)
    for key in [key for key in found.units if not _is_unit_of(key, sessions)]:
        del found.units[key]
    return found


def _of(sessions: set[str], items: list[Met], paths: AbstractSet[str]) -> list[Met]:
    return [
        item
        for item in items
        if isinstance(item, Entry)
        and (_is_named(item.parts, sessions) or item.parts[-1] == _INDEX or item.path in paths)
    ]


def _is_named(parts: tuple[str, ...], sessions: set[str]) -> bool:
    """Say whether the names that lead to a file hold one of some ids: of a directory, or as its own begins."""
    return parts[-1][:_UUID_LENGTH] in sessions or not sessions.isdisjoint(parts)


def _is_unit_of(key: bytes, sessions: set[str]) -> bool:
    """Say whether a unit is one of some sessions, or of an agent of theirs."""
    kind, _, rest = os.fsdecode(key).partition(":")
    return (rest if kind == "s" else rest.partition("\0")[0]) in sessions


def _as_it_was(sessions: set[str], seen: Glance, changes: Difference) -> list[tuple[Store, list[Met]]]:
    """Return the files of some sessions as they were before the changes."""
    fresh = {id(entry) for _, entry in changes.fresh}
    return [
        (
            store,
            [
                *(item for item in _of(sessions, items, frozenset()) if id(item) not in fresh),
                *(entry for of, entry in changes.gone if of is store),
            ],
        )
        for store, items in seen.met
    ]


def _known(database: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, bytes]:
    asked = ((key, database.execute("SELECT fingerprint FROM unit WHERE key = ?", (key,)).fetchone()) for key in keys)
    return {key: row[0] for key, row in asked if row is not None}


def _files_in(found: Found) -> int:
    return sum(len(unit.files) for unit in found.units.values())


def _session_keys(found: Found) -> set[bytes]:
    return {key for key, unit in found.units.items() if unit.agent is None}


def log_changes(database: sqlite3.Connection, few: Few | None) -> None:
    """Write down which files changed, for words that follow later; or that it may be any of them."""
    if few is None:
        database.execute("DELETE FROM changed")
        database.execute("INSERT OR REPLACE INTO meta VALUES ('changes', hex(randomblob(8)) || ':0')")
        return
    index, _, number = changes_logged(database).partition(":")
    paths = ((os.fsencode(path), int(number) + 1) for path in few.changed)
    database.executemany("INSERT OR REPLACE INTO changed VALUES (?, ?)", paths)
    database.execute("INSERT OR REPLACE INTO meta VALUES ('changes', ?)", (f"{index}:{int(number) + 1}",))


def changes_logged(database: sqlite3.Connection) -> str:
    """Return how far the catalogue has written down what changed."""
    row = database.execute("SELECT value FROM meta WHERE name = 'changes'").fetchone()
    return str(row[0]) if row else ""


def changed_since(database: sqlite3.Connection, state: str) -> set[str] | None:
    """Return the paths of the files that changed since the catalogue was so far; None where nobody can tell."""
    index, _, number = state.partition(":")
    if not number.isdecimal() or changes_logged(database).partition(":")[0] != index:
        return None
    rows = database.execute("SELECT path FROM changed WHERE number > ?", (int(number),))
    return {os.fsdecode(path) for (path,) in rows}
