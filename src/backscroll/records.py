"""Record, Damage and Note: the pieces of a store's file, with nothing left out.

A reader of a format yields a stream of `Record | Damage`.  Together with the blank bytes that it
counts, they cover every byte of the file.  A `Record` keeps its raw bytes, and its `note` names
the repairs that its reader made.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from backscroll.place import Place

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
"""A decoded JSON value that another program wrote; it may have any shape."""


class Record(NamedTuple):
    """One stored unit: the bytes of one top-level JSON object, their place and their value."""

    line: int
    offset: int
    length: int
    raw: bytes
    value: Any
    """The value that the reader decoded from `raw`; a plain dict if only the lenient decoder could read it."""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that could not be read as a record, or a whole file that could not be read."""

    place: Place
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """A repair that the reader made to read a record."""

    place: Place
    reason: str


FAULT = "backscroll failed while"
"""The reason of every damage that a bug of ours causes starts with this."""


def fault(error: Exception, doing: str) -> str:
    """Return the reason of damage that a bug of ours causes, with the type of the exception."""
    return f"{FAULT} {doing}: {type(error).__name__}: {error}"[:500].encode(errors="replace").decode()
