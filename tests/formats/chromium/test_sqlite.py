"""Chromium's SQLite engine: its tables, its packing, and files that are not what they should be."""

import sqlite3
import struct
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from leveldb_make import v8_text, varint

from backscroll.formats.chromium import sqlite as webstorage_sqlite
from backscroll.formats.chromium.records import UNKNOWN_TEXT, StorageRecord
from backscroll.formats.chromium.sqlite import read_buckets, read_indexeddb, read_local_storage, read_session_storage
from backscroll.formats.state import State
from backscroll.records import Damage

LOCAL = """
CREATE TABLE maps(row_id INTEGER PRIMARY KEY, storage_key BLOB, last_accessed INTEGER, last_modified INTEGER,
  total_size INTEGER);
CREATE TABLE map_entries(map_id INTEGER, value_compression_type INTEGER, key BLOB, value BLOB,
  PRIMARY KEY(map_id, key)) WITHOUT ROWID;
"""
SESSION = """
CREATE TABLE session_metadata(session_id TEXT, storage_key BLOB, map_id INTEGER);
CREATE TABLE map_entries(map_id INTEGER, value_compression_type INTEGER, key BLOB, value BLOB);
"""
INDEXEDDB = """
CREATE TABLE indexed_db_metadata(name BLOB, version INTEGER);
CREATE TABLE object_stores(id INTEGER PRIMARY KEY, name BLOB);
CREATE TABLE records(row_id INTEGER PRIMARY KEY, object_store_id INTEGER, compression_type INTEGER, key BLOB,
  value BLOB);
CREATE TABLE blobs(row_id INTEGER PRIMARY KEY, object_type INTEGER, mime_type TEXT, size_bytes INTEGER, file_name BLOB,
  last_modified INTEGER, bytes BLOB);
CREATE TABLE overflow_blob_chunks(row_id INTEGER PRIMARY KEY, blob_row_id INTEGER, chunk_index INTEGER, bytes BLOB);
CREATE TABLE blob_references(row_id INTEGER PRIMARY KEY, blob_row_id INTEGER, record_row_id INTEGER);
"""


def database(directory: Path, schema: str, **rows: Sequence[tuple[object, ...]]) -> str:
    """Make a database with these rows by table."""
    path = directory / "made"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema)
        for table, values in rows.items():
            for row in values:
                connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)  # noqa: S608
    return str(path)


def frame(data: bytes) -> bytes:
    """Wrap bytes as a Zstandard frame without packing them."""
    return bytes.fromhex("28b52ffd0000") + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def test_local_storage(tmp_path: Path) -> None:
    """Values plain and packed, of an origin and of a partition, and when each map changed."""
    maps = [
        (1, b"https://claude.ai/", 5, 13439249011796995, 9),
        (2, b"https://a.example/^0https://claude.ai", None, None, 1),
    ]
    entries = [
        (1, 0, b"\x01", b"\x01the empty key"),
        (1, 1, b"\x01k", frame(b'\x01{"a": 1}')),
        (1, 1, b"\x01torn", b"noise"),
        (1, 7, b"\x01other", b"\x01x"),
        (2, 0, b"\x00\xe5\x65", b"\x07x"),
        (2, 0, b"\x07", b"\x01x"),
        (3, 0, b"\x01lost", b"\x01x"),
    ]
    items = list(read_local_storage(database(tmp_path, LOCAL, maps=maps, map_entries=entries), "LocalStorage"))
    found = {item.key: item for item in items if isinstance(item, StorageRecord) and item.kind == "local-storage"}

    assert len(items) == len(found) + 4
    assert ("https://claude.ai", "the empty key") == (found[""].origin, found[""].text)
    assert ({"a": 1}, b'\x01{"a": 1}', State.LIVE) == (found["k"].json, found["k"].value_bytes, found["k"].state)
    assert "compressed value is damaged" in (found["torn"].note or "")
    assert (None, "compressed in an unknown way (7)") == (found["other"].text, found["other"].note)
    assert ("https://claude.ai", UNKNOWN_TEXT) == (found["日"].partition, found["日"].note)
    assert (None, "x") == (found["lost"].origin, found["lost"].text)
    assert UNKNOWN_TEXT == found["\x07"].note
    assert [2026, 1601, None, None] == [r.time and r.time.year for r in items[:4] if isinstance(r, StorageRecord)]


def test_session_storage(tmp_path: Path) -> None:
    """Values are joined to their tab; a map without one is shown all the same."""
    metadata = [("tab", b"https://claude.ai/", 1)]
    entries = [(1, 0, b"k", b"v\0"), (2, 0, b"lost", b"v\0"), (2, 1, b"torn", b"v")]
    copy = database(tmp_path, SESSION, session_metadata=metadata, map_entries=entries)
    found = [item for item in read_session_storage(copy, "SessionStorage") if isinstance(item, StorageRecord)]

    assert [("https://claude.ai", "tab", "k", "v"), (None, None, "lost", "v"), (None, None, "torn", None)] == [
        (item.origin, item.database, item.key, item.text) for item in found
    ]


def test_indexeddb(tmp_path: Path) -> None:
    """Records plain, packed, external and with a blob, each with its names."""
    external = v8_text("in a blob")
    blob = b"\xff\x0f\\i\x00"
    copy = database(
        tmp_path,
        INDEXEDDB,
        indexed_db_metadata=[("db".encode("utf-16-le"), 1)],
        object_stores=[(1, "os".encode("utf-16-le"))],
        records=[
            (1, 1, 0, b"0b\x00", v8_text("plain")),
            (2, 1, 1, b"0c\x00", frame(v8_text("packed"))),
            (3, 1, 0, b"0d\x00", b"\xff\x11\x01" + varint(len(external)) + b"\0"),
            (4, 1, 0, b"0e\x00", blob),
            (5, 9, 0, b"\x99", v8_text("odd")),
            (6, 1, 0, b"0f\x00", b"\xff\x11\x01\x05\x00"),
            (7, 1, 0, b"0g\x00", b"\xff\x11\x01\x05\x00"),
        ],
        blobs=[
            (1, 0, "", len(external), None, None, external[:5]),
            (2, 1, "text/plain", 3, "n".encode("utf-16-le"), None, b"abc"),
            (3, 8, None, "x", None, None, b"ab"),
        ],
        overflow_blob_chunks=[(1, 1, 1, external[9:]), (2, 1, 0, external[5:9])],
        blob_references=[(1, 1, 3), (2, 2, 4), (3, 3, 7)],
    )
    items = list(read_indexeddb(copy, "x", ("https://claude.ai", None)))
    found = {item.key: item for item in items if isinstance(item, StorageRecord)}

    assert ["plain", "packed", "in a blob"] == [found[key].text for key in "abc"]
    assert {"$blob": {"kind": "file", "row": 2, "type": "text/plain", "size": 3, "name": "n"}} == found["d"].json
    assert ("db", "os", "https://claude.ai") == (found["a"].database, found["a"].object_store, found["a"].origin)
    assert ("#9", "odd") == (found["99"].object_store, found["99"].text)
    assert "key is malformed" in (found["99"].note or "")
    assert "that holds the value is unknown" in (found["e"].note or "")
    assert "does not have 5 bytes" in (found["f"].note or "")


def test_blob_of_an_unknown_kind(tmp_path: Path) -> None:
    """What is not known of a blob is not made up."""
    copy = database(
        tmp_path,
        INDEXEDDB,
        records=[(1, 1, 0, b"0b\x00", b"\xff\x0f\\i\x00")],
        blobs=[(1, 8, None, "x", None, None, b"ab")],
        blob_references=[(1, 1, 1)],
    )
    [item] = read_indexeddb(copy, "x", (None, None))

    assert isinstance(item, StorageRecord)
    assert ({"$blob": {"kind": "unknown", "row": 1}}, None) == (item.json, item.database)


def test_buckets(tmp_path: Path) -> None:
    """The quota manager names the storage key of each bucket."""
    damage: list[Damage] = []
    copy = database(tmp_path, "CREATE TABLE buckets(id INTEGER, storage_key TEXT)", buckets=[(1, "https://a.example/")])

    assert {1: "https://a.example/"} == read_buckets(copy, "QuotaManager", damage)
    assert [] == damage


def test_not_yet_checkpointed(tmp_path: Path) -> None:
    """What stands only in the write-ahead log of the copy is read."""
    path = Path(database(tmp_path, LOCAL, maps=[(1, b"https://claude.ai/", 1, 1, 1)]))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("INSERT INTO map_entries VALUES (1, 0, X'016B', X'0176')")
        connection.commit()
        (tmp_path / "copy").write_bytes(path.read_bytes())
        (tmp_path / "copy-wal").write_bytes(Path(f"{path}-wal").read_bytes())
    items = list(read_local_storage(str(tmp_path / "copy"), "LocalStorage"))

    assert ["v"] == [i.text for i in items if isinstance(i, StorageRecord) and i.kind == "local-storage"]


@pytest.mark.parametrize(
    "schema, reason",
    [
        ("SELECT 1", "no table map_entries, maps"),
        ("CREATE TABLE maps(x)", "no table map_entries"),
        ("CREATE TABLE t(x); CREATE VIEW maps AS SELECT * FROM t; CREATE TABLE map_entries(x)", "no table maps"),
    ],
)
def test_schema_is_not_trusted(tmp_path: Path, schema: str, reason: str) -> None:
    """A table that is missing, or is a view, is damage."""
    items = list(read_local_storage(database(tmp_path, schema), "x"))

    assert [reason] == [item.reason for item in items if isinstance(item, Damage)]


def test_schema_that_is_noise(tmp_path: Path) -> None:
    """A schema that SQLite cannot even quote in its complaint is damage."""
    schema = "PRAGMA writable_schema=ON; CREATE TABLE maps(x); UPDATE sqlite_master SET sql = CAST(X'43A6A6' AS TEXT)"
    copy = database(tmp_path, schema + ", name = CAST(X'A6' AS TEXT)")

    assert ["SQLite: malformed database schema"] == [
        item.reason for item in read_local_storage(copy, "x") if isinstance(item, Damage)
    ]


def test_table_of_other_columns(tmp_path: Path) -> None:
    """Columns that are not there are damage in SQLite's own words."""
    copy = database(tmp_path, "CREATE TABLE maps(x); CREATE TABLE map_entries(x)")

    assert ["SQLite: no such column: row_id"] == [
        item.reason for item in read_local_storage(copy, "x") if isinstance(item, Damage)
    ]


def test_damaged_file_keeps_what_came_before(tmp_path: Path) -> None:
    """Of a file whose later pages are noise, what SQLite still reads is kept, and the rest is damage."""
    maps = [(1, b"https://claude.ai/", 1, 1, 1)]
    entries = [(1, 0, b"\x01%04d" % n, b"\x01" + b"x" * 500) for n in range(300)]
    path = Path(database(tmp_path, LOCAL, maps=maps, map_entries=entries))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 20_000] = b"\xa5" * 20_000
    path.write_bytes(data)
    items = list(read_local_storage(str(path), "LocalStorage"))
    texts = {item.text for item in items if isinstance(item, StorageRecord) and item.kind == "local-storage"}

    assert isinstance(items[-1], Damage)
    assert texts == {"x" * 500}


def test_file_that_is_gone(tmp_path: Path) -> None:
    """A copy that is not there is damage, and no empty database is made in its place."""
    damage: list[Damage] = []

    assert {} == read_buckets(str(tmp_path / "none"), "QuotaManager", damage)
    assert ["SQLite: unable to open database file"] == [item.reason for item in damage]
    assert [] == list(tmp_path.iterdir())


def test_work_without_end_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that keeps SQLite busy for too long is damage."""
    monkeypatch.setattr(webstorage_sqlite, "_STEPS", 10)
    monkeypatch.setattr(webstorage_sqlite, "_MOST_STEPS", 1)
    copy = database(tmp_path, LOCAL, maps=[(n, b"%d" % n, 1, 1, 1) for n in range(1, 500)])

    assert any(isinstance(i, Damage) and i.reason == "SQLite: interrupted" for i in read_local_storage(copy, "x"))
