"""A glance: everything that the walk through the stores meets, and one number for all of it.

The catalogue keeps what it is in step with, and so does the ledger of the words: while the disk gives the same
number, an update costs the walk and nothing more, and else `difference` says what changed.  Where a second look at what
the walk looked at finds nothing changed, not even the walk is needed.

Whatever is written into catalogue or ledger empties its table `glance` in the same transaction, by triggers; and a
glance is kept only by a transaction that found all in step itself.  So neither a kill nor two updates at once leave
one behind that says too much.
"""

import marshal
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from backscroll.records import Damage
from backscroll.sessions.fingerprint import fingerprint
from backscroll.stores import FoundFile, Store
from backscroll.stores.base import Entry
from backscroll.stores.trail import FileState, Trail, still_holds
from backscroll.value import NamedTuple
from backscroll.version import __version__

Met = Entry | FoundFile | Damage
State = Any
"""Of a file a tuple, of anything else a text."""


class Glance(NamedTuple):
    """What the walk through each store has met, its state, and the number of it all."""

    met: list[tuple[Store, list[Met]]]
    states: list[tuple[str, str, list[State]]]
    """By store: its kind, its path and the states of what was met."""
    packed: bytes
    number: str
    trail: bytes
    """What a second look needs."""

    def remembered(self) -> "Remembered":
        """Return what is kept of it, without all that was met."""
        packed, trail = (zlib.compress(data, zlib.Z_BEST_SPEED) for data in (self.packed, self.trail))
        return Remembered(self.number, packed, trail)

    def kept(self, files: int) -> "Kept":
        """Return what is kept of it where so many transcripts are in step with it."""
        return Kept(self.number, files, self.packed, self.trail)


class Remembered(NamedTuple):
    """What is kept of a glance, in little room while everything is read."""

    number: str
    packed: bytes
    trail: bytes

    def kept(self, files: int) -> "Kept":
        """Do as a glance."""
        return Kept(self.number, files, zlib.decompress(self.packed), zlib.decompress(self.trail))


class Kept(NamedTuple):
    """What is kept of a glance."""

    number: str
    files: int
    """How many transcripts there are."""
    state: bytes
    """In the catalogue everything that was met; in the ledger how far it has followed the catalogue."""
    trail: bytes = b""


class Difference(NamedTuple):
    """The files that are not as they were."""

    fresh: list[tuple[Store, Entry]]
    """New or changed, as they are now."""
    gone: list[tuple[Store, Entry]]
    """Gone or changed, as they were."""


def glance(stores: Sequence[Store], watched: Callable[[Iterator[Met]], Iterator[Met]] = iter) -> Glance:
    """Walk through all stores; `watched` is given what is met, and passes it on."""
    trail = Trail()
    met = [(store, list(watched(store.entries(trail)))) for store in stores]
    states = [(store.kind, str(store.path), list(map(_state, items))) for store, items in met]
    packed = marshal.dumps((__version__, states), 2)
    files = (_file_state(item) for _, items in met for item in items if not isinstance(item, Damage))
    return Glance(met, states, packed, _number(packed), trail.packed(_walked(stores), files))


def second_look(database: sqlite3.Connection, stores: Sequence[Store]) -> str | None:
    """Return the number that a glance would have, where nothing changed since the catalogue was in step; else None."""
    row = database.execute("SELECT number, trail FROM glance").fetchone()
    return row[0] if row and still_holds(row[1], _walked(stores)) else None


def keep_trail(database: sqlite3.Connection, seen: Glance) -> None:
    """Keep the trail of a glance that met what is known already; not where somebody writes meanwhile."""
    if seen.trail and files_in_step(database, seen.number) is not None:
        with suppress(sqlite3.OperationalError), _not_waiting(database):
            database.execute("UPDATE glance SET trail = ? WHERE number = ?", (seen.trail, seen.number))


def _walked(stores: Iterable[Store]) -> str:
    """Return what tells one list of stores from another."""
    return repr([__version__, *stores])


def _file_state(item: Entry | FoundFile) -> FileState:
    if isinstance(item, Entry):
        status = item.status
        times = status.st_mtime_ns, status.st_ctime_ns
        return item.path, status.st_size, *times, status.st_ino, status.st_dev
    return item.path, item.size, item.mtime_ns, item.ctime_ns, item.inode, item.device


def _number(packed: bytes) -> str:
    return fingerprint(packed, 16).hex()


def _state(item: Met) -> State:
    """Return what changes whenever a file does, or what its names make of it."""
    if not isinstance(item, Entry):
        return repr(item)
    path, *state = _file_state(item)
    return path, item.parts, *state


def files_in_step(connection: sqlite3.Connection, number: str) -> int | None:
    """Return how many transcripts there are, where a catalogue or ledger is in step with a glance; else None."""
    row = connection.execute("SELECT files FROM glance WHERE number = ?", (number,)).fetchone()
    return row[0] if row else None


def difference(database: sqlite3.Connection, seen: Glance) -> Difference | None:
    """Return what changed since the catalogue was in step; None where it is not, or where not only files changed."""
    row = database.execute("SELECT number, state FROM glance").fetchone()
    if row is None or _number(row[1]) != row[0]:
        return None
    version, then = marshal.loads(row[1])  # noqa: S302 - our own, and not a byte of it is another
    if version != __version__ or [item[:2] for item in then] != [item[:2] for item in seen.states]:
        return None
    found = Difference([], [])
    for (store, items), (_, _, now), (_, _, before) in zip(seen.met, seen.states, then, strict=True):
        fresh, gone = _changed(before, now)
        if any(isinstance(state, str) for state in (*gone, *(now[place] for place in fresh))):
            return None
        found.fresh.extend((store, item) for place in fresh if isinstance(item := items[place], Entry))
        found.gone.extend((store, _entry(state)) for state in gone)
    return found


def _changed(before: list[State], now: list[State]) -> tuple[list[int], list[State]]:
    """Return the places of what is new in a list, and what is gone from it."""
    least = min(len(before), len(now))
    begin = next((place for place in range(least) if before[place] != now[place]), least)
    end = next((place for place in range(least - begin) if before[~place] != now[~place]), least - begin)
    known, present = set(before[begin : len(before) - end]), set(now[begin : len(now) - end])
    fresh = [place for place in range(begin, len(now) - end) if now[place] not in known]
    return fresh, [state for state in before[begin : len(before) - end] if state not in present]


def _entry(state: tuple[Any, ...]) -> Entry:
    path, parts, size, modified, changed, inode, device = state
    times = {"st_mtime_ns": modified, "st_ctime_ns": changed}
    return Entry(path, parts, os.stat_result((0, inode, device, 0, 0, 0, size, 0, 0, 0), times))


def version_of(connection: sqlite3.Connection) -> int:
    """Return a number that changes when anybody else writes into a database."""
    number: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return number


def keep(
    connection: sqlite3.Connection, kept: Kept, is_in_step: Callable[[], bool], and_do: Callable[[], object] = tuple
) -> None:
    """Keep a glance where all is in step with it, and do something with it; not where somebody writes meanwhile."""
    with _not_waiting(connection):
        try:
            connection.execute("BEGIN")
            if is_in_step():
                connection.execute("DELETE FROM glance")
                connection.execute("INSERT INTO glance VALUES (?, ?, ?, ?)", kept)
                and_do()
            connection.execute("COMMIT")
        except sqlite3.OperationalError:
            connection.rollback()  # the next update will keep it


@contextmanager
def _not_waiting(connection: sqlite3.Connection) -> Iterator[None]:
    """Have the database refuse at once what would have to wait for somebody else."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        connection.execute("PRAGMA busy_timeout = 30000")  # as catalogue and ledger are opened
