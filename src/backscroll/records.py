"""Record, Damage and Note: what a store's file is made of, with nothing left out.

A reader of a format yields a stream of `Record | Damage`.  Together with the blank bytes that it
counts, they cover every byte of the file.  A `Record` keeps its raw bytes; what had to be repaired
to read it is said in its `note`.
"""

from typing import Any

from backscroll.place import Place
from backscroll.value import NamedTuple


class Record(NamedTuple):
    """One stored unit: the bytes of one top-level JSON object, where they lie, and their value."""

    line: int
    offset: int
    length: int
    raw: bytes
    value: Any
    """What the reader's decoder made of `raw`, or a plain dict where only the lenient ladder could read it."""
    note: str | None = None


class Damage(NamedTuple):
    """Bytes that could not be read as a record, or a file that could not be read at all."""

    place: Place
    reason: str


class Note(NamedTuple):
    """A record that was read, but only after a repair that its reader should know of."""

    place: Place
    reason: str
