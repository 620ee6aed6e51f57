"""Convert a record's value in IndexedDB to the bytes for `v8`: unpack Blink's compression, and fetch blobs from files.

    version     varint, of the record; not in SQLite
    value       the bytes for `v8`, or one of
                FF 11 01, size, index: the value is the content of the record's blob with that index
                FF 11 02: the bytes for `v8`, compressed by snappy

    blobs of a record    for each: 1 byte kind (0 blob, 1 file, 2 handle), number, type, size; of a file also name and
                         time in microseconds; of a handle only its token

A blob's file is <database>/<second lowest byte of its number, two digits>/<number>, all in base 16.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from backscroll.formats.chromium.indexeddb_keys import read_text
from backscroll.formats.chromium.records import moment
from backscroll.formats.cursor import Cursor, MalformedError
from backscroll.formats.leveldb import snappy
from backscroll.times import iso

_REPLACED, _SNAPPY = b"\xff\x11\x01", b"\xff\x11\x02"


class Blob(NamedTuple):
    """The store's facts about a blob."""

    kind: str
    number: int | None
    type: str = ""
    size: int | None = None
    name: str | None = None
    modified: str | None = None

    def shown(self) -> dict[str, Any]:
        """Return the known facts, for `v8` to show instead of the blob."""
        return {key: value for key, value in self._asdict().items() if value not in (None, "")}


def read_blobs(data: bytes) -> list[Blob]:
    """Read the list of a record's blobs."""
    cursor, blobs = Cursor(data), []
    while cursor.left:
        kind = cursor.byte()
        if kind == 2:
            cursor.prefixed()
            blobs.append(Blob("handle", None))
            continue
        number, media_type, size = cursor.varint(), read_text(cursor), cursor.varint()
        if kind == 0:
            blobs.append(Blob("blob", number, media_type, size))
        elif kind == 1:
            name, time = read_text(cursor), moment(cursor.varint())
            blobs.append(Blob("file", number, media_type, size, name, None if time is None else iso(time)))
        else:
            raise MalformedError(f"blob of unknown kind {kind}")
    return blobs


def blob_name(database: int, number: int) -> str:
    """Return the name of a blob's file below the directory of blobs."""
    return f"{database:x}/{number >> 8 & 0xFF:02x}/{number:x}"


def replacement(value: bytes) -> tuple[int, int] | None:
    """Return size and index of the blob that holds the value, if one does."""
    if not value.startswith(_REPLACED):
        return None
    cursor = Cursor(value, len(_REPLACED))
    return cursor.varint(), cursor.varint()


def unwrap(value: bytes, fetch: Callable[[int, int], bytes]) -> bytes:
    """Return the plain value; `fetch` returns the content of a blob by size and index.  Raise MalformedError."""
    replaced = replacement(value)
    if replaced is not None:
        value = fetch(*replaced)
    return snappy.unpack(value[len(_SNAPPY) :]) if value.startswith(_SNAPPY) else value
