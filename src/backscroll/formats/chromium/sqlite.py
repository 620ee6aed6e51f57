"""Local Storage, Session Storage and IndexedDB in SQLite, the engine that Chromium is moving to.

SQLite may write to a file that it opens.  So every function gets the path of a private copy, with its -wal or
-journal beside it, and never opens the store.  The schema of a copy is not trusted: only plain tables are read, no
stored code is run, and queries without end are stopped.  SQLite keeps no history in its tables, and no checksums.

    LocalStorage      maps(row_id, storage_key, last_accessed, last_modified, total_size)
                      map_entries(map_id, value_compression_type, key, value)
    SessionStorage    session_metadata(session_id, storage_key, map_id), map_entries
    IndexedDB         indexed_db_metadata(name, version), object_stores(id, name, …),
                      records(row_id, object_store_id, compression_type, key, value),
                      blobs(row_id, object_type, mime_type, size_bytes, file_name, last_modified, bytes),
                      overflow_blob_chunks(blob_row_id, chunk_index, bytes), blob_references(blob_row_id, record_row_id)
    QuotaManager      buckets(id, storage_key, …)

Keys and values have the encoding of LevelDB; compression 1 is Zstandard.  Times are microseconds since 1601.
Entries of indexes only repeat keys, and are not read.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from backscroll.formats.chromium import zstd
from backscroll.formats.chromium.blink_values import unwrap
from backscroll.formats.chromium.indexeddb import Value, value_of
from backscroll.formats.chromium.indexeddb_keys import key_text, read_sortable
from backscroll.formats.chromium.records import (
    Kind,
    StorageRecord,
    joined,
    json_of,
    moment,
    split_storage_key,
    text_of,
    utf16,
)
from backscroll.formats.cursor import Cursor, MalformedError
from backscroll.formats.state import State
from backscroll.place import Place
from backscroll.records import Damage

HEADER = b"SQLite format 3\0"
MAX_VALUE = 256 << 20

_STEPS = 1_000_000
_MOST_STEPS = 2_000
_BLOB_KINDS = {0: "blob", 1: "file", 2: "handle"}

Items = Iterator[StorageRecord | Damage]


def read_local_storage(copy: str, path: str) -> Items:
    """Yield every value of a copy of `LocalStorage`; `path` is the path of the original."""
    return _guarded(_local_storage, copy, path)


def read_session_storage(copy: str, path: str) -> Items:
    """Yield every value of a copy of `SessionStorage`."""
    return _guarded(_session_storage, copy, path)


def read_indexeddb(copy: str, path: str, origin: tuple[str | None, str | None]) -> Items:
    """Yield every record of a copy of one database of IndexedDB."""

    def read(connection: sqlite3.Connection, place: Place) -> Items:
        return _indexeddb(connection, place, origin)

    return _guarded(read, copy, path)


def read_buckets(copy: str, path: str, damage: list[Damage]) -> dict[int, str]:
    """Return the storage key of each numbered directory of WebStorage; add errors to `damage`."""
    buckets: dict[int, str] = {}

    def read(connection: sqlite3.Connection, _: Place) -> Items:
        _require(connection, "buckets")
        for number, storage_key in connection.execute("SELECT id, storage_key FROM buckets"):
            buckets[number] = _text(storage_key)
        yield from ()

    damage += [item for item in _guarded(read, copy, path) if isinstance(item, Damage)]
    return buckets


def _guarded(read: Callable[[sqlite3.Connection, Place], Items], copy: str, path: str) -> Items:
    """Yield the results of `read`; an error of SQLite becomes damage, after all results before it."""
    place = Place(path)
    try:
        with closing(_opened(copy)) as connection:
            yield from read(connection, place)
    except sqlite3.Error as error:
        yield Damage(place, f"SQLite: {error}")
    except UnicodeDecodeError:  # the message quotes the file, and Python takes it for UTF-8
        yield Damage(place, "SQLite: malformed database schema")
    except MalformedError as error:
        yield Damage(place, str(error))


def _opened(copy: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(copy)}?mode=rw", uri=True, isolation_level=None)
    connection.text_factory = bytes
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    for pragma in ("PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA query_only=ON"):
        connection.execute(pragma)
    steps = iter(range(_MOST_STEPS))
    connection.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
    return connection


def _require(connection: sqlite3.Connection, *tables: str) -> None:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    missing = set(tables) - {_text(name) for (name,) in found}
    if missing:
        raise MalformedError(f"no table {', '.join(sorted(missing))}")


def _local_storage(connection: sqlite3.Connection, place: Place) -> Items:
    _require(connection, "maps", "map_entries")
    keys: dict[int, str] = {}
    for number, storage_key, accessed, modified in connection.execute(
        "SELECT row_id, storage_key, last_accessed, last_modified FROM maps"
    ):
        keys[number] = _text(storage_key)
        for label, time in (("META", modified), ("METAACCESS", accessed)):
            when = moment(time) if isinstance(time, int) else None
            record = _record(place, "metadata", label, keys[number])
            yield replace(record, time=when, has_exact_time=when is not None)
    for number, packing, key, value in connection.execute(
        "SELECT map_id, value_compression_type, key, value FROM map_entries ORDER BY map_id, key"
    ):
        name, name_note = text_of(_bytes(key))
        raw, note = _unpacked(packing, _bytes(value))
        text, text_note = (None, None) if note else text_of(raw)
        record = _record(place, "local-storage", _text(key) if name is None else name, keys.get(number))
        yield replace(_with_text(record, text, raw, name_note, note, text_note), key_bytes=_bytes(key))


def _session_storage(connection: sqlite3.Connection, place: Place) -> Items:
    _require(connection, "session_metadata", "map_entries")
    tabs = {
        number: (_text(session), _text(storage_key))
        for session, storage_key, number in connection.execute(
            "SELECT session_id, storage_key, map_id FROM session_metadata"
        )
    }
    for number, packing, key, value in connection.execute(
        "SELECT map_id, value_compression_type, key, value FROM map_entries ORDER BY map_id, key"
    ):
        session, storage_key = tabs.get(number, (None, None))
        raw, note = _unpacked(packing, _bytes(value))
        text, text_note = (None, None) if note else utf16(raw)
        record = _record(place, "session-storage", _bytes(key).decode("utf-8", "surrogateescape"), storage_key)
        yield replace(_with_text(record, text, raw, note, text_note), key_bytes=_bytes(key), database=session)


def _indexeddb(connection: sqlite3.Connection, place: Place, origin: tuple[str | None, str | None]) -> Items:
    _require(connection, "indexed_db_metadata", "object_stores", "records", "blobs", "blob_references")
    named = connection.execute("SELECT name FROM indexed_db_metadata").fetchone()
    database = utf16(_bytes(named[0]))[0] if named else None
    stores = {
        number: utf16(_bytes(name))[0] for number, name in connection.execute("SELECT id, name FROM object_stores")
    }
    for row, store, packing, key, stored in connection.execute(
        "SELECT row_id, object_store_id, compression_type, key, value FROM records ORDER BY object_store_id, key"
    ):
        key_note = None
        try:
            name = key_text(read_sortable(Cursor(_bytes(key))))
        except MalformedError as error:
            name, key_note = _bytes(key).hex(), f"key is malformed: {error}"
        record = StorageRecord(
            kind="indexeddb",
            key=name,
            state=State.LIVE,
            place=place,
            origin=origin[0],
            partition=origin[1],
            database=database,
            object_store=stores.get(store, f"#{store}"),
            key_bytes=_bytes(key),
            note=key_note,
        )
        yield _value(connection, row, packing, _bytes(stored)).put_into(record)


def _value(connection: sqlite3.Connection, row: int, packing: object, stored: bytes) -> Value:
    blobs = list(
        connection.execute(
            "SELECT blobs.row_id, object_type, mime_type, size_bytes, file_name FROM blob_references"
            " JOIN blobs ON blobs.row_id = blob_row_id WHERE record_row_id = ? ORDER BY blob_references.row_id",
            (row,),
        )
    )
    raw, note = _unpacked(packing, stored)
    if note is None:
        try:
            raw = unwrap(raw, lambda size, index: _content(connection, blobs, size, index))
        except MalformedError as error:
            note = str(error)
    if note is not None:
        return Value(raw=raw, note=note)
    return value_of(raw, [_blob_shown(*blob) for blob in blobs])


def _blob_shown(row: int, kind: object, media_type: object, size: object, name: object) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "kind": _BLOB_KINDS.get(kind, "unknown") if isinstance(kind, int) else "unknown",
        "row": row,
    }
    if media_type:
        shown["type"] = _text(media_type)
    if isinstance(size, int):
        shown["size"] = size
    if name:
        shown["name"] = utf16(_bytes(name))[0]
    return shown


def _content(connection: sqlite3.Connection, blobs: list[Any], size: int, index: int) -> bytes:
    if index >= len(blobs):
        raise MalformedError("the blob that holds the value is unknown")
    row = blobs[index][0]
    first = connection.execute("SELECT bytes FROM blobs WHERE row_id = ?", (row,)).fetchone()
    rest = connection.execute(
        "SELECT bytes FROM overflow_blob_chunks WHERE blob_row_id = ? ORDER BY chunk_index", (row,)
    )
    content = b"".join([_bytes(first[0]), *(_bytes(chunk) for (chunk,) in rest)])
    if len(content) != size:
        raise MalformedError(f"a blob does not have {size:,} bytes, as its record says")
    return content


def _unpacked(packing: object, value: bytes) -> tuple[bytes, str | None]:
    """Return the plain value; if it cannot be unpacked, the stored value and the reason."""
    if packing == 0:
        return value, None
    if packing != 1:
        return value, f"compressed in an unknown way ({packing})"
    try:
        return zstd.unpack(value, MAX_VALUE), None
    except MalformedError as error:
        return value, f"compressed value is damaged: {error}"


def _record(place: Place, kind: Kind, key: str, storage_key: str | None) -> StorageRecord:
    origin, partition = (None, None) if storage_key is None else split_storage_key(storage_key)
    return StorageRecord(kind, key, State.LIVE, place, origin, partition)


def _with_text(record: StorageRecord, text: str | None, raw: bytes, *notes: str | None) -> StorageRecord:
    json, has_json, repair = json_of(text)
    note = joined(*notes, repair)
    return replace(record, text=text, json=json, has_json=has_json, value_bytes=raw, note=note)


def _bytes(value: object) -> bytes:
    """Return a stored value of any type as bytes."""
    return value if isinstance(value, bytes) else b"" if value is None else str(value).encode()


def _text(value: object) -> str:
    return _bytes(value).decode("utf-8", "replace")
