"""IndexedDB in LevelDB, with its directory of blobs, to `StorageRecord`s.

Records of object stores are decoded down to their values; all other data of the browser is metadata.
Names of databases and object stores come from all versions, so that records of a deleted
database have names too.  Undo records hold values from before a transaction: values without another copy
are superseded versions.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from backscroll.files import reason_of
from backscroll.formats.chromium.blink_values import Blob, blob_name, read_blobs, replacement, unwrap
from backscroll.formats.chromium.indexeddb_keys import (
    BLOBS,
    DATABASE_NAME,
    NAME,
    RECORD,
    STORE_META,
    STORE_NAME,
    Prefix,
    key_text,
    label,
    read_key,
    read_prefix,
    read_text,
    text_be,
)
from backscroll.formats.chromium.records import StorageRecord, joined, json_of
from backscroll.formats.chromium.v8 import decode
from backscroll.formats.cursor import Cursor, MalformedError, fields, little
from backscroll.formats.directory import Directory, file_size
from backscroll.formats.leveldb.log import KeyVersion
from backscroll.formats.leveldb.store import Database, KeyEntry
from backscroll.formats.state import State
from backscroll.records import Damage

MAX_BLOB = 256 << 20

UNDO = "from before a transaction"
BLOB_GONE = "the file of its blob is gone"

_UNDO = bytes.fromhex("000000003202")


def read_indexeddb(
    directory: Directory, blobs: Directory, origin: tuple[str | None, str | None], path: str = ""
) -> Iterator[StorageRecord | Damage]:
    """Yield every version of every record; `origin` is origin and partition, and `path` is only for places."""
    return _Reader(directory, blobs, origin, path).read()


class Value(NamedTuple):
    """The content of a record of an object store, as the parts of a StorageRecord."""

    text: str | None = None
    json: Any = None
    has_json: bool = False
    raw: bytes = b""
    note: str | None = None

    def put_into(self, record: StorageRecord) -> StorageRecord:
        """Return the record with this value."""
        text, json, has_json, raw, note = self
        note = joined(record.note, note)
        return replace(record, text=text, json=json, has_json=has_json, value_bytes=raw, note=note)


def value_of(raw: bytes, externals: list[Any]) -> Value:
    """Decode a plain value."""
    value, text, note = decode(raw, externals)
    if text is None:
        return Value(orjson.dumps(value).decode(), value, has_json=True, raw=raw, note=note)
    json, has_json, repair = json_of(text)
    return Value(text, json, has_json, raw, joined(note, repair))


class _Reader:
    def __init__(
        self, directory: Directory, blobs: Directory, origin: tuple[str | None, str | None], path: str
    ) -> None:
        self._blobs, self._origin = blobs, origin
        self._databases: dict[int, str] = {}
        self._stores: dict[tuple[int, int], str] = {}
        self._blob_lists: dict[bytes, list[tuple[int, bytes]]] = {}
        """By the key of the record that has the blobs."""
        self._seen: set[int] = set()
        self._database = Database(directory, path, self._watch)

    def read(self) -> Iterator[StorageRecord | Damage]:
        for lists in self._blob_lists.values():
            lists.sort()
        for item in self._database:
            if isinstance(item, Damage):
                yield item
            elif (undo := self._undone(item)) is not None:
                yield from self._records(undo, UNDO)
                yield self._metadata(item)
            else:
                yield from self._records(item)

    def _watch(self, version: KeyVersion) -> None:
        """Collect the facts of one version that other versions need."""
        if version.value is None:
            return
        try:
            cursor = Cursor(version.key)
            prefix = read_prefix(cursor)
            if prefix.index_id == RECORD:
                self._seen.add(hash((version.key, version.value)))
            elif prefix.index_id == BLOBS:
                lists = self._blob_lists.setdefault(_record_key(version.key), [])
                lists.append((version.sequence, version.value))
            elif prefix == (0, 0, 0) and cursor.byte() == DATABASE_NAME:
                read_text(cursor)
                self._databases[little(version.value[:8])] = read_text(cursor)
            elif prefix.database and prefix[1:] == (0, 0):
                self._learn_name(prefix.database, cursor, version.value)
        except MalformedError:
            return

    def _learn_name(self, database: int, cursor: Cursor, value: bytes) -> None:
        kind = cursor.byte()
        if kind == NAME:
            self._databases.setdefault(database, text_be(value))
        elif kind == STORE_META:
            number = cursor.varint()
            if cursor.byte() == STORE_NAME:
                self._stores[database, number] = text_be(value)

    def _undone(self, entry: KeyEntry) -> KeyEntry | None:
        """Return the record that an undo record would restore, unless that record exists by itself."""
        if not entry.key.startswith(_UNDO) or entry.value is None:
            return None
        try:
            put = fields(entry.value).get(1)
            found = fields(put) if isinstance(put, bytes) else {}
            key, value = found.get(1), found.get(2)
            if not isinstance(key, bytes) or not isinstance(value, bytes):
                return None
            if read_prefix(Cursor(key)).index_id != RECORD or hash((key, value)) in self._seen:
                return None
        except MalformedError:
            return None
        self._seen.add(hash((key, value)))
        return entry._replace(key=key, value=value, state=State.SUPERSEDED)

    def _records(self, entry: KeyEntry, note: str | None = None) -> Iterator[StorageRecord | Damage]:
        cursor = Cursor(entry.key)
        try:
            prefix = read_prefix(cursor)
            if prefix.index_id != RECORD:
                yield self._metadata(entry)
                return
            key = read_key(cursor)
        except MalformedError as error:
            yield self._metadata(entry, f"key is malformed: {error}")
            return
        value, fault = self._value(entry, prefix)
        if fault is not None and entry.state is State.LIVE:
            yield Damage(entry.place, fault)
        record = StorageRecord(
            kind="indexeddb",
            key=key_text(key),
            state=entry.state,
            place=entry.place,
            origin=self._origin[0],
            partition=self._origin[1],
            database=self._databases.get(prefix.database, f"#{prefix.database}"),
            object_store=self._stores.get(prefix[:2], f"#{prefix.object_store}"),
            key_bytes=entry.key,
            sequence=entry.sequence,
            note=note,
        )
        yield record if value is None else value.put_into(record)

    def _value(self, entry: KeyEntry, prefix: Prefix) -> tuple[Value | None, str | None]:
        """Return the value of a record, and the reason why it cannot be read; a deletion has no value."""
        if entry.value is None:
            return None, None
        cursor = Cursor(entry.value)
        try:
            cursor.varint()
            stored = entry.value[cursor.position :]
            blobs = self._blobs_of(entry, replacement(stored))
            raw = unwrap(stored, lambda size, index: self._fetch(prefix.database, blobs, size, index))
        except MalformedError as error:
            return Value(raw=entry.value, note=str(error)), str(error)
        return value_of(raw, [_blob_shown(prefix.database, blob) for blob in blobs]), None

    def _blobs_of(self, entry: KeyEntry, replaced: tuple[int, int] | None) -> list[Blob]:
        """Return the blobs of one version of a record: they were written after it, and before the next version."""
        lists = self._blob_lists.get(entry.key, [])
        place = bisect_right(lists, entry.sequence, key=lambda found: found[0])
        for _, data in lists[place : place + 1] or lists[place - 1 :][:1]:
            blobs = read_blobs(data)
            if replaced is None or (replaced[1] < len(blobs) and blobs[replaced[1]].size == replaced[0]):
                return blobs
        return []

    def _fetch(self, database: int, blobs: list[Blob], size: int, index: int) -> bytes:
        number = blobs[index].number if index < len(blobs) else None
        if number is None:
            raise MalformedError("the blob that holds the value is unknown")
        if size > MAX_BLOB:
            raise MalformedError(f"blob larger than {MAX_BLOB >> 20} MiB")
        try:
            with self._blobs.open(blob_name(database, number)) as file:
                if file_size(file) != size:
                    raise MalformedError(f"the file of a blob does not have {size:,} bytes, as its record says")
                return file.read(size)
        except FileNotFoundError:
            raise MalformedError(BLOB_GONE) from None
        except OSError as error:
            raise MalformedError(f"file of a blob: {reason_of(error)}") from None

    def _metadata(self, entry: KeyEntry, note: str | None = None) -> StorageRecord:
        return StorageRecord(
            kind="metadata",
            key=label(entry.key),
            state=entry.state,
            place=entry.place,
            origin=self._origin[0],
            partition=self._origin[1],
            key_bytes=entry.key,
            value_bytes=entry.value,
            sequence=entry.sequence,
            note=note,
        )


def _blob_shown(database: int, blob: Blob) -> dict[str, Any]:
    return blob.shown() if blob.number is None else {**blob.shown(), "file": blob_name(database, blob.number)}


def _record_key(key: bytes) -> bytes:
    """Return the key of the record that an entry of blobs belongs to; both indexes take one byte."""
    place = 1 + (key[0] >> 5) + 1 + (key[0] >> 2 & 7) + 1
    return key[:place] + bytes([RECORD]) + key[place + 1 :]
