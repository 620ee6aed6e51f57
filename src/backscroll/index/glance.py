"""A glance: everything that the walk through the stores meets, and one number for all of it.

The catalogue keeps the number of what it is in step with, and so does the ledger of the words: while the disk gives
the same one, an update costs the walk and nothing more.  Whatever is written into either of them empties its table
`glance` in the same transaction, by triggers; and a number is kept only by a transaction that found all in step
itself.  So neither a kill nor two updates at once leave a number behind that says too much.
"""

import marshal
import sqlite3
from collections.abc import Callable, Iterable
from typing import NamedTuple

from backscroll.records import Damage
from backscroll.sessions.fingerprint import fingerprint
from backscroll.stores import FoundFile, Store
from backscroll.stores.base import Entry
from backscroll.version import __version__

Met = Entry | FoundFile | Damage


class Glance(NamedTuple):
    """What the walk through each store has met, and the number of it all."""

    met: list[tuple[Store, list[Met]]]
    number: str


def glance(stores: Iterable[Store]) -> Glance:
    """Walk through all stores."""
    met: list[tuple[Store, list[Met]]] = [(store, list(store.entries())) for store in stores]
    states = [(store.kind, str(store.path), list(map(_state, items))) for store, items in met]
    return Glance(met, fingerprint(marshal.dumps((__version__, states), 2), 16).hex())


def _state(item: Met) -> object:
    """Return what changes whenever a file does, or what its names make of it."""
    if not isinstance(item, Entry):
        return repr(item)
    path, parts, status = item
    return path, parts, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def files_in_step(connection: sqlite3.Connection, number: str) -> int | None:
    """Return how many transcripts there are, where a catalogue or ledger is in step with a glance; else None."""
    row = connection.execute("SELECT files FROM glance WHERE number = ?", (number,)).fetchone()
    return row[0] if row else None


def keep(connection: sqlite3.Connection, number: str, files: int, is_in_step: Callable[[], bool]) -> None:
    """Keep the number of a glance where all is in step with it; not where somebody writes meanwhile."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN")
        if is_in_step():
            connection.execute("DELETE FROM glance")
            connection.execute("INSERT INTO glance VALUES (?, ?)", (number, files))
        connection.execute("COMMIT")
    except sqlite3.OperationalError:
        connection.rollback()  # the next update will keep it
    finally:
        connection.execute("PRAGMA busy_timeout = 30000")  # as catalogue and ledger are opened
