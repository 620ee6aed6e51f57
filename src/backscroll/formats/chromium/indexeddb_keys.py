"""IndexedDB's keys: those of its LevelDB (comparator idb_cmp1), and the page's own keys inside them.

key        prefix, then a rest that depends on the prefix
prefix     1 byte: 3 bits bytes of the database's number - 1, 3 of the object store's, 2 of the index's;
           then the three numbers, lowest byte first
(0,0,0)    the store's own; 1 byte kind
(d,0,0)    of database d; 1 byte kind
(d,s,1)    a record of object store s; its key
(d,s,2)    "exists" entry of a record; its key
(d,s,3)    the blobs of a record; its key
(d,s,30…)  an entry of an index; its key, and the record's key

the page's own key    1 byte kind: 0 none, 1 text (count of characters, UTF-16, highest byte first), 2 date and
                      3 number (double), 4 array (count, keys), 5 lowest, 6 bytes (count, bytes)

… in SQLite, sortable as bytes
10 number, 20 date    double, highest byte first, sign bit set; of negative ones all bits turned
30 text               each character 1 byte (+ 1), 2 bytes (80 | high, low) or FF and 2 bytes; then 00
40 bytes              00; or pieces of 09 and 8 bytes, then the number of the last 8 that count
50 array              keys, then 00
"""

import struct
from typing import Any, NamedTuple

import orjson

from backscroll.formats.chromium.v8_tags import bytes_shown, date_shown, number_shown
from backscroll.formats.cursor import Cursor, MalformedError, little

RECORD, EXISTS, BLOBS = 1, 2, 3
SCOPES, DATABASE_NAME = 50, 201
ORIGIN_NAME, NAME, STORE_META, STORE_NAME = 0, 1, 50, 0

_GLOBAL = {
    0: "schema version",
    1: "highest database",
    2: "data version",
    3: "blobs to recover",
    4: "blobs in use",
    5: "earliest sweep",
    6: "earliest compaction",
    SCOPES: "scopes",
    100: "free database",
    DATABASE_NAME: "database name",
}
_DATABASE = {
    ORIGIN_NAME: "origin",
    NAME: "name",
    2: "text version",
    3: "highest object store",
    4: "version",
    5: "next blob",
    STORE_META: "object store",
    100: "index",
    150: "free object store",
    151: "free index",
    200: "object store name",
    201: "index name",
}
_RESERVED = {RECORD: "record", EXISTS: "exists", BLOBS: "blobs"}
_DEEPEST = 50


class Prefix(NamedTuple):
    """The owner of a key: numbers of database, object store and index; 0 for metadata."""

    database: int
    object_store: int
    index_id: int


def read_prefix(cursor: Cursor) -> Prefix:
    """Read the first bytes of a key."""
    widths = cursor.byte()
    database = little(cursor.take((widths >> 5) + 1))
    object_store = little(cursor.take((widths >> 2 & 7) + 1))
    return Prefix(database, object_store, little(cursor.take((widths & 3) + 1)))


def label(key: bytes) -> str:
    """Return a text with the meaning of an internal key."""
    cursor = Cursor(key)
    try:
        prefix = read_prefix(cursor)
        if prefix.index_id:
            kind = _RESERVED.get(prefix.index_id, f"index {prefix.index_id}")
            return (
                f"database {prefix.database}, object store {prefix.object_store}, {kind}: {key_text(read_key(cursor))}"
            )
        if not prefix.database:
            return _GLOBAL.get(cursor.byte(), "unknown") + _rest(cursor)
        return f"database {prefix.database}, {_DATABASE.get(cursor.byte(), 'unknown')}{_rest(cursor)}"
    except MalformedError:
        return f"unknown key {key.hex()}"


def _rest(cursor: Cursor) -> str:
    return f" {cursor.take(cursor.left).hex()}" if cursor.left else ""


def read_key(cursor: Cursor, depth: int = 0) -> Any:
    """Read one of the page's own keys, in the form of `v8_tags`."""
    kind = cursor.byte()
    if kind == 0:
        return None
    if kind == 1:
        return read_text(cursor)
    if kind == 2:
        return date_shown(cursor.double())
    if kind == 3:
        return number_shown(cursor.double())
    if kind == 4:
        count = cursor.varint()
        if depth == _DEEPEST or count > cursor.left:
            raise MalformedError("array as key is too deep or cut short")
        return [read_key(cursor, depth + 1) for _ in range(count)]
    if kind == 6:
        return bytes_shown(cursor.prefixed(), "ArrayBuffer")
    raise MalformedError(f"key of unknown kind {kind}")


def read_text(cursor: Cursor) -> str:
    """Read a text after the count of its characters."""
    return text_be(cursor.take(2 * cursor.varint()))


def text_be(data: bytes) -> str:
    """Return the text of UTF-16, highest byte first."""
    if len(data) % 2:
        raise MalformedError("half a character")
    return data.decode("utf-16-be", "surrogatepass")


def read_sortable(cursor: Cursor, depth: int = 0) -> Any:
    """Read one of the page's own keys in the form of SQLite."""
    kind = cursor.byte()
    if kind == 0x10:
        return number_shown(_sortable_double(cursor))
    if kind == 0x20:
        return date_shown(_sortable_double(cursor))
    if kind == 0x30:
        return _sortable_text(cursor)
    if kind == 0x40:
        return bytes_shown(_sortable_bytes(cursor), "ArrayBuffer")
    if kind == 0x50:
        if depth == _DEEPEST:
            raise MalformedError("array as key is too deep")
        keys = []
        while cursor.peek() != 0:
            keys.append(read_sortable(cursor, depth + 1))
        cursor.byte()
        return keys
    raise MalformedError(f"key of unknown kind {kind:#04x}")


def key_text(key: Any) -> str:
    """Return a key as text: a text unchanged, anything else as JSON."""
    if isinstance(key, str):
        return key
    try:
        return orjson.dumps(key).decode()
    except TypeError:  # a lone surrogate inside an array
        return repr(key)


def _sortable_double(cursor: Cursor) -> float:
    bits = int.from_bytes(cursor.take(8), "big")
    bits = bits ^ 1 << 63 if bits >> 63 else bits ^ (1 << 64) - 1
    value: float = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    return value


def _sortable_text(cursor: Cursor) -> str:
    units = bytearray()
    while first := cursor.byte():
        if first < 0x80:
            units += bytes([0, first - 1])
        elif first < 0xC0:
            units += bytes([first & 0x3F, cursor.byte()])
        elif first == 0xFF:
            units += cursor.take(2)
        else:
            raise MalformedError(f"character of unknown width {first:#04x}")
    return text_be(bytes(units))


def _sortable_bytes(cursor: Cursor) -> bytes:
    found = b""
    while (count := cursor.byte()) == 9:
        found += cursor.take(8)
    if count > 8 or bool(count) != bool(found):
        raise MalformedError("bytes as key do not add up")
    return found[: len(found) - 8 + count] if found else found
