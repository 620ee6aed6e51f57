"""Did anything change?  One walk through the stores, compared with the table `file`, gives the answer.

A file is unchanged where its size, times, inode and device are equal to those that it was taken in with; unless it had
changed less than two seconds before it was looked at then: a coarse clock may not tell two changes apart.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from time import time_ns

from backscroll.files import open_readonly
from backscroll.records import Damage
from backscroll.sessions.fingerprint import fingerprint
from backscroll.stores import FoundFile, Store
from backscroll.stores.base import Entry, Opener
from backscroll.value import NamedTuple

SETTLED = 2_000_000_000
"""Nanoseconds after a change within which another one may bear the same time."""
CHECKED = 4096
"""How many bytes at the beginning and before the end of what was read tell whether a file only grew."""

_BEYOND = 1 << 63
_CHANGED = 2 if os.name == "posix" else 1
"""Which part of a state says when a file was last changed: elsewhere the third is when it was made."""

Met = Entry | FoundFile | Damage
State = tuple[int, int, int, int, int]
"""Size, time of writing, time of change, inode and device."""


class Seen(NamedTuple):
    """What one walk met, and how that differs from the table."""

    met: list[tuple[Store, list[Met]]]
    looked: int
    """When the walk began, in nanoseconds."""
    changed: set[str]
    """Paths of files that are new, changed, or not settled."""
    gone: set[str]
    """Paths of files that the table has and the walk did not meet."""
    is_damage_new: bool
    """Places that could not be looked at are others than before."""

    @property
    def is_same(self) -> bool:
        """Whether nothing changed since the catalogue was brought up to date."""
        return not self.changed and not self.gone and not self.is_damage_new


def look(database: sqlite3.Connection, stores: Iterable[Store]) -> Seen:
    """Walk through all stores once, and compare what is met with the table `file`."""
    looked = time_ns()
    met = [(store, list(store.entries())) for store in stores]
    rows = database.execute("SELECT path, looked, size, mtime, ctime, inode, device FROM file WHERE kind <> 'gone'")
    known = {path: (at, *state) for path, at, *state in rows}
    changed: set[str] = set()
    fsencode = os.fsencode
    damage, unsettled = [], []
    for _, items in met:
        for item in items:
            if isinstance(item, Damage):
                damage.append(repr(item))
                continue
            before = known.pop(fsencode(item.path), None)
            state = state_of(item)
            if before is None or before[1:] != state:
                changed.add(item.path)
            elif state[_CHANGED] + SETTLED > (before[0] or 0):
                unsettled.append(item.path)
    changed.update(_changed_after_all(database, unsettled, looked))
    (stored,) = database.execute("SELECT (SELECT value FROM meta WHERE name = 'walk')").fetchone()
    is_new = stored != walk_state(stores_in(met), damage)
    return Seen(met, looked, changed, set(map(os.fsdecode, known)), is_new)


def _changed_after_all(database: sqlite3.Connection, paths: list[str], looked: int) -> Iterator[str]:
    """Yield those of some files whose time tells nothing that are not as they were; remember that the others are."""
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
    """Yield the stores that a walk went through."""
    return (store for store, _ in met)


def walk_state(stores: Iterable[Store], damage: list[str]) -> str:
    """Return a text that changes with the list of stores and with the places that could not be looked at."""
    told = repr(([(store.kind, str(store.path)) for store in stores], sorted(damage)))
    return fingerprint(told.encode(errors="replace"), 16).hex()


def damage_in(seen: Seen) -> list[str]:
    """Return the places that a walk could not look at."""
    return [repr(item) for _, items in seen.met for item in items if isinstance(item, Damage)]


def state_of(item: Entry | FoundFile) -> State:
    """Return the state of a file: it changes whenever the file does."""
    if isinstance(item, Entry):
        status = item.status
        state = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
    else:
        state = (item.size, item.mtime_ns, item.ctime_ns, item.inode, item.device)
    return state if max(state) < _BEYOND else tuple(map(_signed, state))  # type: ignore[return-value]


def _signed(number: int) -> int:
    """Return a number as SQLite keeps it: with 64 bits, the highest of which is a sign."""
    number &= (1 << 64) - 1
    return number if number < _BEYOND else number - (1 << 64)


def checks_of(path: str, end: int, open_file: Opener = open_readonly) -> bytes:
    """Return a key of the first bytes of a file and of those before `end`; nothing where it cannot be read."""
    try:
        with open_file(path) as file:
            head = file.read(min(CHECKED, end))
            file.seek(max(end - CHECKED, 0))
            tail = file.read(min(CHECKED, end))
    except OSError:
        return b""
    return fingerprint(head, 8) + fingerprint(tail, 8)
