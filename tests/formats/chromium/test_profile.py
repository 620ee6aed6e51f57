"""A whole profile: which stores are found, whose they are, and reading it while it changes."""

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pytest
from leveldb_make import Files, beneath, idb_key, idb_names, log, log_of, store, text_be, v8_text

from backscroll.formats.chromium.profile import CHANGING, STALE, origin_of, read_profile
from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.place import Place
from backscroll.records import Damage

NAME = "A" * 52
RECORD = idb_key(1, 1, 1, b"\x01" + text_be("k"))
LOCAL = store({3: log_of([(b"_https://claude.ai\0\x01k", b"\x01v")])})
INDEXEDDB = store({3: log_of([*idb_names(), (RECORD, b"\1" + v8_text("v"))])})


def records(profile: Files) -> list[StorageRecord]:
    """Return what pages stored, without metadata."""
    return [i for i in read_profile(profile) if isinstance(i, StorageRecord) and i.kind != "metadata"]


def sqlite(directory: Path, script: str) -> bytes:
    """Make a database and return its bytes."""
    with closing(sqlite3.connect(directory / "made")) as connection, connection:
        connection.executescript(script)
    data = (directory / "made").read_bytes()
    (directory / "made").unlink()
    return data


@pytest.fixture
def moved(tmp_path: Path) -> bytes:
    """Return a Local Storage in SQLite."""
    return sqlite(
        tmp_path,
        "CREATE TABLE maps(row_id, storage_key, last_accessed, last_modified, total_size);"
        "CREATE TABLE map_entries(map_id, value_compression_type, key, value);"
        "INSERT INTO maps VALUES (1, CAST('https://claude.ai/' AS BLOB), 1, 1, 1);"
        "INSERT INTO map_entries VALUES (1, 0, X'016B', X'016E6577');",
    )


@pytest.fixture
def quota(tmp_path: Path) -> bytes:
    """Return a quota manager that knows bucket 7."""
    return sqlite(
        tmp_path,
        "CREATE TABLE buckets(id INTEGER, storage_key TEXT);"
        "INSERT INTO buckets VALUES (7, 'https://a.example/^0https://claude.ai');",
    )


def test_stores_are_found_at_any_depth() -> None:
    """Electron's Partitions hold whole profiles; what is no store of pages is left alone."""
    profile = Files(
        beneath("Local Storage/leveldb/", LOCAL)
        | beneath("Partitions/one/Local Storage/leveldb/", LOCAL)
        | beneath("shared_proto_db/", LOCAL)
        | {"Cookies": b"SQLite format 3\0", "local_1.json": b"{}"}
    )

    assert ["Local Storage/leveldb/000003.log", "Partitions/one/Local Storage/leveldb/000003.log"] == [
        record.place.path for record in records(profile)
    ]
    assert not any(name.startswith(("shared_proto_db", "Cookies", "local_1")) for name in profile.opened)


def test_indexeddb_of_an_origin_and_of_a_partition(quota: bytes) -> None:
    """The directory's name tells the origin; in WebStorage the quota manager does."""
    profile = Files(
        beneath("IndexedDB/https_claude.ai_0.indexeddb.leveldb/", INDEXEDDB)
        | beneath("WebStorage/7/IndexedDB/indexeddb.leveldb/", INDEXEDDB)
        | beneath("WebStorage/8/IndexedDB/indexeddb.leveldb/", INDEXEDDB)
        | {"WebStorage/QuotaManager": quota}
    )

    assert [("https://claude.ai", None), ("https://a.example", "https://claude.ai"), (None, None)] == [
        (record.origin, record.partition) for record in records(profile)
    ]
    assert {("db", "os", "k", "v")} == {(r.database, r.object_store, r.key, r.text) for r in records(profile)}


def test_session_storage_is_found() -> None:
    """Session Storage lies in a directory of its own."""
    files = store({3: log_of([(b"map-1-k", b"v\0")])})

    assert ["session-storage"] == [record.kind for record in records(Files(beneath("Session Storage/", files)))]


def test_external_values_are_fetched() -> None:
    """The directory of blobs stands beside that of the records."""
    content = v8_text("external")
    blob = (idb_key(1, 1, 3, b"\x01" + text_be("k")), b"\0\1" + text_be("t") + bytes([len(content)]))
    files = store({3: log_of([(RECORD, b"\1\xff\x11\x01" + bytes([len(content), 0])), blob])})
    profile = Files(
        beneath("IndexedDB/https_claude.ai_0.indexeddb.leveldb/", files)
        | {"IndexedDB/https_claude.ai_0.indexeddb.blob/1/00/1": content}
    )

    assert ["external"] == [record.text for record in records(profile)]


def test_sqlite_wins(moved: bytes) -> None:
    """Where Local Storage has moved to SQLite, the LevelDB that stayed behind is stale."""
    profile = Files(beneath("Local Storage/leveldb/", LOCAL) | {"LocalStorage": moved})

    assert [("new", State.LIVE, None), ("v", State.SUPERSEDED, STALE)] == [
        (record.text, record.state, record.note) for record in records(profile)
    ]


def test_unreadable_sqlite_does_not_win() -> None:
    """A file that is no SQLite is damage, and the LevelDB beside it stays live."""
    profile = Files(beneath("Local Storage/leveldb/", LOCAL) | {"LocalStorage": b"not SQLite", "SessionStorage": b""})

    assert [State.LIVE] == [record.state for record in records(profile)]
    assert ["LocalStorage", "SessionStorage"] == [i.place.path for i in read_profile(profile) if isinstance(i, Damage)]


def test_stale_damage_and_deletions_stay_as_they_are(moved: bytes) -> None:
    """Only what would be live is called stale."""
    deleted = store({3: log_of([(b"_https://claude.ai\0\x01k", None)]) + b"torn"})
    items = list(read_profile(Files(beneath("Local Storage/leveldb/", deleted) | {"LocalStorage": moved})))

    assert any(isinstance(item, Damage) for item in items)
    assert State.DELETED in [item.state for item in items if isinstance(item, StorageRecord)]


def test_indexeddb_and_sessions_in_sqlite(tmp_path: Path, quota: bytes) -> None:
    """Databases of an origin and of a partition, and sessions, are found by their names."""
    database = sqlite(
        tmp_path,
        "CREATE TABLE indexed_db_metadata(name, version); CREATE TABLE object_stores(id, name);"
        "CREATE TABLE records(row_id, object_store_id, compression_type, key, value);"
        "CREATE TABLE blobs(row_id, object_type, mime_type, size_bytes, file_name, last_modified, bytes);"
        "CREATE TABLE overflow_blob_chunks(row_id, blob_row_id, chunk_index, bytes);"
        "CREATE TABLE blob_references(row_id, blob_row_id, record_row_id);"
        "INSERT INTO records VALUES (1, 1, 0, X'306C00', X'FF0F4902');",
    )
    sessions = sqlite(
        tmp_path,
        "CREATE TABLE session_metadata(session_id, storage_key, map_id);"
        "CREATE TABLE map_entries(map_id, value_compression_type, key, value);"
        "INSERT INTO map_entries VALUES (1, 0, X'6B', X'7600');",
    )
    profile = Files(
        {
            f"IndexedDB/https_claude.ai_0/{NAME}": database,
            f"IndexedDB/https_claude.ai_0/{NAME}-wal": b"",
            f"WebStorage/7/IndexedDB/{NAME}": database,
            "WebStorage/QuotaManager": quota,
            "SessionStorage": sessions,
        }
    )

    assert [(None, "k", "v"), ("https://claude.ai", "k", "1"), ("https://a.example", "k", "1")] == [
        (record.origin, record.key, record.text) for record in records(profile)
    ]


class Refusing(Files):
    """A profile of which no copy can be made."""

    def open(self, name: str) -> BinaryIO:
        """Fail as a full disk does, once the head of the file has been read."""
        if name in self.opened:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().open(name)


def test_copy_that_fails(moved: bytes) -> None:
    """If no copy can be made, that is damage with the reason."""
    items = list(read_profile(Refusing({"LocalStorage": moved})))

    assert [Damage(Place("LocalStorage"), "no space left on device")] == items


class Changing(Files):
    """A profile that the browser changes each time its names are asked for, for a while."""

    def __init__(self, times: int, change: Callable[[dict[str, bytes]], object]) -> None:
        super().__init__(beneath("Local Storage/leveldb/", LOCAL))
        self.times, self.change = times, change

    def names(self) -> list[str]:
        """Let the browser write before answering."""
        if self.times > 0:
            self.times -= 1
            self.change(self.files)
        return super().names()


LOG, MANIFEST = "Local Storage/leveldb/000003.log", "Local Storage/leveldb/MANIFEST-000001"


def append(files: dict[str, bytes]) -> None:
    """Write one more value."""
    files[LOG] += log_of([(b"_https://claude.ai\0\x01k", b"\x01w")], 2)


def tear(files: dict[str, bytes]) -> None:
    """Write a part of a value more each time."""
    files[LOG] += b"\1"


def compact(files: dict[str, bytes]) -> None:
    """Write to the manifest, as a compaction does."""
    files[MANIFEST] += log([b"\x03\x64"])


@pytest.mark.parametrize("change", [append, compact])
def test_reading_until_nothing_changes(change: Callable[[dict[str, bytes]], object]) -> None:
    """A store that changes is read again until it is whole."""
    items = list(read_profile(Changing(8, change)))

    assert not any(isinstance(item, Damage) for item in items)
    assert 1 == sum(isinstance(i, StorageRecord) and (i.kind, i.state) == ("local-storage", State.LIVE) for i in items)


def test_a_log_that_only_grows_is_a_moment_of_the_store() -> None:
    """A browser that never stops writing does not keep us from reading, as long as nothing is torn."""
    items = list(read_profile(Changing(1000, append)))

    assert not any(isinstance(item, Damage) for item in items)
    assert any(isinstance(i, StorageRecord) and (i.text, i.state) == ("w", State.LIVE) for i in items)


@pytest.mark.parametrize("change", [tear, compact])
def test_store_that_never_stops_changing(change: Callable[[dict[str, bytes]], object]) -> None:
    """What cannot be read at one moment is said to change; what was read is there."""
    items = list(read_profile(Changing(1000, change), "profile/", attempts=2))

    assert Damage(Place("profile/Local Storage/leveldb/"), CHANGING) in items
    assert any(isinstance(item, StorageRecord) and item.text == "v" for item in items)


@pytest.mark.parametrize(
    "identifier, expected",
    [
        ("https_claude.ai_0", "https://claude.ai"),
        ("http_localhost_8080", "http://localhost:8080"),
        ("https_a_b.example_0@1", "https://a_b.example"),
        ("file__0", "file://"),
        ("noise", None),
    ],
)
def test_origins(identifier: str, expected: str | None) -> None:
    """The name of a directory of IndexedDB is scheme, host and port."""
    assert expected == origin_of(identifier)


def test_empty_profile() -> None:
    """Nothing is found where nothing is."""
    assert [] == list(read_profile(Files({})))
