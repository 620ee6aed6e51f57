"""Find changed files: one walk through the stores, compared with the table `file`.

A file is unchanged if its size, times, inode and device are the same as when we read it.  A file that had changed
less than two seconds before that look needs another look: a coarse clock may hide a second change.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import time_ns
from typing import NamedTuple

from backscroll.files import open_readonly, read_at
from backscroll.index.update import unreadable
from backscroll.records import Damage
from backscroll.sessions.transcript.fingerprint import fingerprint
from backscroll.stores.base import FileEntry, FoundFile, Opener, Store

SETTLED = 2_000_000_000
"""Nanoseconds after a change in which another change may have the same time."""
CHECKED = 4096
"""The number of bytes at the beginning and before the end of the read part that show if a file only grew."""

_BEYOND = 1 << 63
_CHANGED = 2 if os.name == "posix" else 1
"""The index of the time of change in a state; on Windows the third value is the time of creation."""

Met = FileEntry | FoundFile | Damage
State = tuple[int, int, int, int, int]
"""Size, time of writing, time of change, inode and device."""


class Seen(NamedTuple):
    """The result of one walk, and its differences from the table."""

    met: list[tuple[Store, list[Met]]]
    looked: int
    """The start of the walk, in nanoseconds."""
    changed: set[str]
    """Paths of files that are new, changed, or too recent to be sure."""
    gone: set[str]
    """Paths of files that are in the table and no longer on the disk."""
    is_damage_new: bool
    """True if the unreadable places are not the same as before."""

    @property
    def is_same(self) -> bool:
        """Return True if nothing changed since the last update."""
        return not self.changed and not self.gone and not self.is_damage_new


def look(database: sqlite3.Connection, stores: Iterable[Store]) -> Seen:
    """Walk through all stores once, and compare the files with the table `file`."""
    looked = time_ns()
    met = [(store, list(store.entries())) for store in stores]
    rows = database.execute("SELECT path, looked, size, mtime, ctime, inode, device FROM file WHERE kind <> 'gone'")
    known = {row[0]: row[1:] for row in rows}
    changed: set[str] = set()
    fsencode = os.fsencode
    damage, unsettled, closed = [], [], []
    for _, items in met:
        for item in items:
            if isinstance(item, Damage):
                damage.append(repr(item))
                continue
            before = known.pop(fsencode(item.path), None)
            state = state_of(item)
            if before is not None and before[1:] != state and not os.access(item.path, os.R_OK):
                known[fsencode(item.path)] = before
                closed.append((items, item))
            elif before is None or before[1:] != state:
                changed.add(item.path)
            elif state[_CHANGED] + SETTLED > (before[0] or 0):
                unsettled.append(item.path)
    changed.update(_changed_after_all(database, unsettled, looked))
    damage += map(repr, unreadable.close(closed))
    if damage:
        known = unreadable.keep(database, met, known)
    (stored,) = database.execute("SELECT (SELECT value FROM meta WHERE name = 'walk')").fetchone()
    is_new = stored != walk_state(stores_in(met), damage)
    return Seen(met, looked, changed, set(map(os.fsdecode, known)), is_new)


def _changed_after_all(database: sqlite3.Connection, paths: list[str], looked: int) -> Iterator[str]:
    """Yield the changed files among those whose time proves nothing; remember the others as unchanged."""
    asked = "SELECT coalesce(end, size), checks FROM file WHERE path = ?"
    settled = []
    for path in paths:
        end, checks = database.execute(asked, (os.fsencode(path),)).fetchone()
        if checks and checks_of(path, end) == checks:
            settled.append((looked, os.fsencode(path)))
        else:
            yield path
    if settled:
        database.executemany("UPDATE file SET looked = ? WHERE path = ?", settled)


def stores_in(met: Iterable[tuple[Store, list[Met]]]) -> Iterator[Store]:
    """Yield the stores of a walk."""
    return (store for store, _ in met)


def walk_state(stores: Iterable[Store], damage: list[str]) -> str:
    """Return a text that changes with the list of stores and with the unreadable places."""
    told = repr(([(store.kind, str(store.path)) for store in stores], sorted(damage)))
    return fingerprint(told.encode(errors="replace"), 16).hex()


def damage_in(seen: Seen) -> list[str]:
    """Return the places that a walk could not read."""
    return [repr(item) for _, items in seen.met for item in items if isinstance(item, Damage)]


def state_of(item: FileEntry | FoundFile) -> State:
    """Return the state of a file: it changes whenever the file does."""
    if isinstance(item, FileEntry):
        status = item.status
        state = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
    else:
        state = (item.size, item.mtime_ns, item.ctime_ns, item.inode, item.device)
    return state if max(state) < _BEYOND else tuple(map(_signed, state))  # type: ignore[return-value]


def _signed(number: int) -> int:
    """Return a number in the form of SQLite: signed, with 64 bits."""
    number &= (1 << 64) - 1
    return number if number < _BEYOND else number - (1 << 64)


def checks_of(path: str, end: int, open_file: Opener = open_readonly) -> bytes:
    """Return a key of the first bytes of a file and of those before `end`; nothing if it cannot be read."""
    try:
        with open_file(path) as file:
            return checks_in(partial(read_at, file), end)
    except OSError:
        return b""


def checks_in(read: Callable[[int, int], bytes], end: int) -> bytes:
    """Return the same key from `read`, which returns the bytes of a file at an offset."""
    length = min(CHECKED, end)
    first = fingerprint(read(0, length), 8)
    return first + (fingerprint(read(end - length, length), 8) if end > length else first)
