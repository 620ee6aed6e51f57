"""IndexedDB in LevelDB: names, values packed and external, history, undo records, and what is missing."""

import errno
from collections.abc import Sequence
from typing import BinaryIO

import pytest
from leveldb_make import Files, Write, batch, idb_key, idb_names, log, packed, prefixed, store, text_be, v8_text, varint

from backscroll.formats.chromium import indexeddb
from backscroll.formats.chromium.blink_values import Blob, blob_name, read_blobs
from backscroll.formats.chromium.indexeddb import BLOB_GONE, UNDO, read_indexeddb
from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.cursor import MalformedError
from backscroll.formats.state import State
from backscroll.records import Damage

K = b"\x01" + text_be("k")
RECORD, BLOBS = idb_key(1, 1, 1, K), idb_key(1, 1, 3, K)
WRAPPED = "application/vnd.blink-idb-value-wrapper"


def read(writes: Sequence[Write], blobs: Files | None = None) -> list[StorageRecord | Damage]:
    """Read a store of one log with these writes, in a batch each."""
    files = store({3: log(batch(n + 1, [write]) for n, write in enumerate(writes))})
    return list(read_indexeddb(Files(files), blobs or Files({}), ("https://a.example", None), "idb/"))


def records(writes: Sequence[Write], blobs: Files | None = None) -> list[StorageRecord]:
    """Return the records of object stores."""
    return [item for item in read(writes, blobs) if isinstance(item, StorageRecord) and item.kind == "indexeddb"]


def blob_entry(number: int, size: int, media_type: str = WRAPPED) -> bytes:
    """Write the list of one blob."""
    return b"\0" + varint(number) + text_be(media_type) + varint(size)


def test_record_has_its_names() -> None:
    """Database, object store, key, text and place of a record."""
    [record] = records([*idb_names(), (RECORD, b"\1" + v8_text('{"a": 1}'))])

    assert ("db", "os", "k", '{"a": 1}', {"a": 1}) == (
        record.database,
        record.object_store,
        record.key,
        record.text,
        record.json,
    )
    assert ("https://a.example", State.LIVE, "idb/000003.log") == (record.origin, record.state, record.place.path)
    assert v8_text('{"a": 1}') == record.value_bytes


def test_value_that_is_no_text() -> None:
    """An object is shown as JSON, and its JSON is the text."""
    [record] = records([(RECORD, b'\1\xff\x0fo"\x01aI\x02{\x01')])

    assert ('{"a":1}', {"a": 1}, True) == (record.text, record.json, record.has_json)
    assert ("#1", "#1") == (record.database, record.object_store)


def test_name_of_a_deleted_database() -> None:
    """Records of a database that was deleted keep its name, also where only its own metadata tells it."""
    names: list[Write] = [(idb_key(1, 0, 0, b"\1"), "gone".encode("utf-16-be")), *idb_names()[1:]]
    found = records([*names, (RECORD, b"\1" + v8_text("x")), *((key, None) for key, _ in names), (RECORD, None)])

    assert [("gone", "x", State.DELETED), ("gone", None, State.DELETED)] == [
        (r.database, r.text, r.state) for r in found
    ]


def test_packed_value() -> None:
    """A value packed with snappy is unpacked."""
    [record] = records([(RECORD, b"\1\xff\x11\x02" + packed(v8_text("abcdefgh" * 50)))])

    assert "abcdefgh" * 50 == record.text


@pytest.mark.parametrize("is_packed", [False, True])
def test_external_value(is_packed: bool) -> None:
    """A value that lies in a file of its own is read from it, packed or not."""
    content = v8_text("external " * 20)
    content = b"\xff\x11\x02" + packed(content) if is_packed else content
    writes: list[Write] = [
        (RECORD, b"\1\xff\x11\x01" + varint(len(content)) + b"\0"),
        (BLOBS, blob_entry(0x1A2, len(content))),
    ]
    [record] = records(writes, Files({"1/01/1a2": content}))

    assert ("external " * 20, None) == (record.text, record.note)


def test_each_version_has_its_own_blob() -> None:
    """The blobs of a version are those written after it and before the next one."""
    old, new = v8_text("old"), v8_text("newer")
    writes: list[Write] = [
        (RECORD, b"\1\xff\x11\x01" + varint(len(old)) + b"\0"),
        (BLOBS, blob_entry(1, len(old))),
        (RECORD, b"\2\xff\x11\x01" + varint(len(new)) + b"\0"),
        (BLOBS, blob_entry(2, len(new))),
    ]

    assert ["old", "newer"] == [r.text for r in records(writes, Files({"1/00/1": old, "1/00/2": new}))]
    assert [None, "newer"] == [r.text for r in records(writes, Files({"1/00/2": new}))]
    assert BLOB_GONE == records(writes, Files({"1/00/2": new}))[0].note


def test_blobs_written_before_their_record() -> None:
    """If no list of blobs follows, the one before is taken."""
    content = v8_text("x")
    writes: list[Write] = [
        (BLOBS, blob_entry(1, len(content))),
        (RECORD, b"\1\xff\x11\x01" + varint(len(content)) + b"\0"),
    ]

    assert ["x"] == [record.text for record in records(writes, Files({"1/00/1": content}))]


class Locked(Files):
    """A directory whose files may not be opened."""

    def open(self, name: str) -> BinaryIO:
        """Refuse."""
        raise PermissionError(errno.EACCES, "Permission denied", name)


@pytest.mark.parametrize(
    "blobs, entry, reason",
    [
        (Files({}), blob_entry(1, 20), BLOB_GONE),
        (Files({"1/00/1": b"short"}), blob_entry(1, 20), "does not have 20 bytes"),
        (Locked({}), blob_entry(1, 20), "permission denied"),
        (Files({"1/00/1": b"x" * 20}), blob_entry(1, 21), "that holds the value is unknown"),
        (Files({"1/00/1": b"x" * 20}), b"\x07" + blob_entry(1, 20)[1:], "unknown kind 7"),
        (Files({"1/00/1": b"x" * 20}), None, "that holds the value is unknown"),
    ],
)
def test_external_value_that_is_lost(blobs: Files, entry: bytes | None, reason: str) -> None:
    """A live value whose file is missing or wrong is damage, and its record has the stored bytes and a note."""
    stored = b"\1\xff\x11\x01\x14\x00"
    items = read([(RECORD, stored), (BLOBS, entry)], blobs)
    damage = [item for item in items if isinstance(item, Damage)]
    [record] = [item for item in items if isinstance(item, StorageRecord) and item.kind == "indexeddb"]

    assert reason in damage[0].reason
    assert (None, stored, False) == (record.text, record.value_bytes, record.has_json)
    assert reason in (record.note or "")


def test_value_too_large_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the cap is not read."""
    monkeypatch.setattr(indexeddb, "MAX_BLOB", 10)
    items = read([(RECORD, b"\1\xff\x11\x01\x14\x00"), (BLOBS, blob_entry(1, 20))], Files({"1/00/1": b"x" * 20}))

    assert any(isinstance(item, Damage) and "larger than" in item.reason for item in items)


def test_damaged_packed_value() -> None:
    """A packed value that cannot be unpacked is damage, not a guess; so is a record without any value."""
    for stored in (b"\1\xff\x11\x02\x7fnoise", b"\x80"):
        items = read([(RECORD, stored)])

        assert [Damage, StorageRecord] == [type(item) for item in items]
        assert isinstance(items[1], StorageRecord)
        assert stored == items[1].value_bytes


def test_blob_in_a_value() -> None:
    """A Blob or File inside a value is shown with its type, size and file."""
    entry = (
        blob_entry(4, 12, "text/plain")
        + b"\1\x05"
        + text_be("")
        + b"\x07"
        + text_be("n.txt")
        + varint(11644473600000000)
    )
    entry += b"\x02" + prefixed(b"token")
    body = b'\1\xff\x0fA\x03\\i\x00\\e\x01"\x01x$\x00\x03'
    [record] = records([(RECORD, body), (BLOBS, entry)])

    assert isinstance(record.json, list)
    assert record.json[:2] == [
        {"$blob": {"kind": "blob", "number": 4, "type": "text/plain", "size": 12, "file": "1/00/4"}},
        {
            "$blob": {
                "kind": "file",
                "number": 5,
                "size": 7,
                "name": "n.txt",
                "modified": "1970-01-01T00:00:00.000Z",
                "file": "1/00/5",
            }
        },
    ]


def test_handles_have_no_file() -> None:
    """A handle of the file system is listed without number."""
    assert [Blob("handle", None)] == read_blobs(b"\x02" + prefixed(b"token"))
    assert {"kind": "handle"} == Blob("handle", None).shown()
    assert "2/01/101" == blob_name(2, 0x101)
    [record] = records([(RECORD, b"\1\xff\x0f\\i\x00"), (BLOBS, b"\x02" + prefixed(b"token"))])
    assert {"$blob": {"kind": "handle"}} == record.json


def test_undo_record_gives_a_lost_version() -> None:
    """A value that only an undo record still holds is a superseded version; one that lies here too is not repeated."""

    def undo(number: int, key: bytes, value: bytes) -> Write:
        put = b"\x0a" + prefixed(key) + b"\x12" + prefixed(value)
        return idb_key(0, 0, 0, b"\x32\x02" + bytes([number])), b"\x0a" + prefixed(put)

    old, now = b"\1" + v8_text("before"), b"\2" + v8_text("now")
    writes = [(RECORD, now), undo(1, RECORD, old), undo(2, RECORD, old), undo(3, RECORD, now), undo(4, BLOBS, b"x")]
    deletion: Write = (idb_key(0, 0, 0, b"\x32\x02\x05"), b"\x12" + prefixed(b"\x0a" + prefixed(RECORD)))
    noise: Write = (idb_key(0, 0, 0, b"\x32\x02\x06"), b"\x0d")
    half: Write = (idb_key(0, 0, 0, b"\x32\x02\x07"), b"\x0a" + prefixed(b"\x0a\x00\x12\x00"))
    found = records([*writes, deletion, noise, half])

    assert [("now", State.LIVE, None), ("before", State.SUPERSEDED, UNDO)] == [(r.text, r.state, r.note) for r in found]


def test_everything_else_is_metadata() -> None:
    """Index entries, counters and keys that are malformed are named, and none is left out."""
    writes: list[Write] = [
        *idb_names(),
        (idb_key(1, 1, 30, K), b"\1"),
        (idb_key(1, 1, 1, b"\x09"), b"\1" + v8_text("x")),
        (b"\xff", b"cut"),
        (idb_key(1, 0, 0, b"\1"), b"odd"),
        (idb_key(1, 0, 0, b"\x32\1\7"), b"\1"),
    ]
    items = read(writes)

    assert len(writes) == len(items)
    assert {"metadata"} == {item.kind for item in items if isinstance(item, StorageRecord)}
    assert any("key is malformed" in (item.note or "") for item in items if isinstance(item, StorageRecord))


def test_blobs_are_refused_that_are_none() -> None:
    """A list of blobs that is cut short is refused."""
    with pytest.raises(MalformedError):
        read_blobs(b"\0\1\x05a")


@pytest.mark.parametrize("database", [b"\x2c", b"\x2c\x01", b"\x2c\x01\x02"])
def test_blobs_of_a_database_with_a_large_number(database: bytes) -> None:
    """The first byte of a key says how many bytes the numbers have; the record's key differs in the last one only."""
    lengths = (len(database) - 1) << 5
    blobs, record = (bytes([lengths]) + database + b"\1" + bytes([index]) + K for index in (3, 1))

    assert record == indexeddb._record_key(blobs)
