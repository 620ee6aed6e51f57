"""Local Storage and Session Storage in LevelDB."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from leveldb_make import Files, Write, batch, log, store, table, varint

from backscroll.formats.chromium.local_storage import UNKNOWN_KEY, read_local_storage, read_session_storage
from backscroll.formats.chromium.records import UNKNOWN_TEXT, StorageRecord
from backscroll.formats.state import State
from backscroll.records import Damage

ORIGIN = b"https://claude.ai"
TAB = b"0a1b2c3d_0000_4000_8000_000000000001"


def key(name: bytes, storage_key: bytes = ORIGIN) -> bytes:
    """Write a key of a page."""
    return b"_" + storage_key + b"\0" + name


def meta(day: int, storage_key: bytes = ORIGIN) -> Write:
    """Write the record that ends a commit made on a day of May 2026."""
    moment = datetime(2026, 5, day, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)
    return b"META:" + storage_key, b"\x08" + varint(moment // timedelta(microseconds=1)) + b"\x10" + varint(99)


def logged(*batches: Sequence[Write]) -> dict[str, bytes]:
    """Write a store of one log with these batches."""
    records, sequence = [], 1
    for writes in batches:
        records.append(batch(sequence, writes))
        sequence += len(writes)
    return store({3: log(records)})


def local(files: dict[str, bytes]) -> list[StorageRecord]:
    """Read Local Storage without damage."""
    items = list(read_local_storage(Files(files), "ls/"))

    assert not any(isinstance(item, Damage) for item in items)
    return [item for item in items if isinstance(item, StorageRecord)]


def session(files: dict[str, bytes]) -> list[StorageRecord]:
    """Read Session Storage."""
    return [item for item in read_session_storage(Files(files)) if isinstance(item, StorageRecord)]


def test_values_of_a_page() -> None:
    """Keys and values of both codings, JSON and plain, with origin, partition and place."""
    other = b"https://a.example/^0https://claude.ai"
    files = logged([(key(b"\x01\xe9"), b'\x01{"a":1}'), (key(b"\x00\xe5\x65", other), b"\x00x\0")])
    first, second = local(files)

    assert ("local-storage", "é", '{"a":1}', {"a": 1}, True) == (
        *(first.kind, first.key, first.text, first.json),
        first.has_json,
    )
    assert ("https://claude.ai", None) == (first.origin, first.partition)
    assert ("https://a.example", "https://claude.ai", "日", "x") == (
        second.origin,
        second.partition,
        second.key,
        second.text,
    )
    assert ("ls/000003.log", State.LIVE, 2) == (second.place.path, second.state, second.sequence)


def test_key_is_cut_at_the_first_nul() -> None:
    """A name may be empty or hold NUL itself."""
    found = local(logged([(key(b"\x01"), b"\x01a"), (key(b"\x01nul\0key"), b"\x01nul\0value")]))

    assert [("", "a"), ("nul\0key", "nul\0value")] == [(record.key, record.text) for record in found]


def test_deleted_value_is_found() -> None:
    """A removed key shows its last value as deleted, and the deletion without a value."""
    found = local(logged([(key(b"\x01k"), b"\x01secret")], [(key(b"\x01k"), None)]))

    assert [("secret", State.DELETED), (None, State.DELETED)] == [(record.text, record.state) for record in found]
    assert [b"\x01secret", None] == [record.value_bytes for record in found]


def test_time_is_that_of_the_commit() -> None:
    """A record's time is that of the first META of its storage key behind it, not of the one before."""
    found = local(
        logged(
            [(key(b"\x01k"), b"\x01one"), meta(1)],
            [(key(b"\x01k", b"https://b.example"), b"\x01other"), meta(7, b"https://b.example")],
            [(key(b"\x01k"), b"\x01two"), meta(2)],
            [(key(b"\x01k"), b"\x01three")],
        )
    )
    times = {record.text: (record.time and record.time.day, record.has_exact_time) for record in found}

    assert {"one": (1, True), "two": (2, True), "other": (7, True), "three": (None, False), None: (2, True)} == times


def test_time_behind_a_gap_is_not_exact() -> None:
    """Where a compaction dropped numbers in between, the commit may have been an earlier one."""
    rows = [(key(b"\x01k"), 1, b"\x01v"), (meta(9)[0], 8, meta(9)[1])]
    found = local(store({}, {5: table(rows)}))

    assert [(9, False)] == [(r.time.day, r.has_exact_time) for r in found if r.kind == "local-storage" and r.time]


def test_metadata() -> None:
    """What the browser keeps for itself is metadata, with its time where it has one."""
    access = b"METAACCESS:" + ORIGIN
    found = local(logged([(b"VERSION", b"1"), meta(3), (access, b"\x08\x05"), (meta(3)[0], b"\xff"), (b"odd", b"x")]))

    assert {"metadata"} == {record.kind for record in found}
    assert ["VERSION", "META", "METAACCESS", "META", "odd"] == [record.key for record in found]
    assert [None, 3, 1, None, None] == [record.time and record.time.day for record in found]
    assert [None, None, None, None, UNKNOWN_KEY] == [record.note for record in found]


def test_unknown_coding_is_noted() -> None:
    """A value or a name in an unknown coding keeps its bytes and has a note; a key without NUL is none of a page."""
    value, name, bare = local(logged([(key(b"\x01k"), b"\x07x"), (key(b"\x07k"), b"\x01x"), (b"_no nul", b"\x01x")]))

    assert (None, b"\x07x", UNKNOWN_TEXT) == (value.text, value.value_bytes, value.note)
    assert ("_https://claude.ai\0\x07k", "x", UNKNOWN_TEXT) == (name.key, name.text, name.note)
    assert ("metadata", UNKNOWN_KEY) == (bare.kind, bare.note)


def test_damage_is_passed_on() -> None:
    """Damage of the files comes through, for both kinds of storage."""
    files = store({3: b"noise that is no log"})

    assert [Damage] == [type(item) for item in read_local_storage(Files(files))]
    assert [Damage] == [type(item) for item in read_session_storage(Files(files))]


def test_session_storage() -> None:
    """Maps are joined to their tab and storage key; names are UTF-8, values UTF-16."""
    found = session(
        logged(
            [
                (b"version", b"1"),
                (b"next-map-id", b"2"),
                (b"namespace-" + TAB + b"-https://claude.ai/", b"1"),
                (b"map-1-caf\xc3\xa9", '{"a": "日"}'.encode("utf-16-le")),
                (b"map-7-k", b"v\0!"),
                (b"map-1-caf\xc3\xa9", None),
                (b"namespace-" + TAB + b"-https://claude.ai/", None),
                (b"what", b"?"),
            ]
        )
    )
    value = next(record for record in found if record.kind == "session-storage" and record.json)

    assert ("session-storage", "café", State.DELETED) == (value.kind, value.key, value.state)
    assert ("https://claude.ai", TAB.decode(), {"a": "日"}) == (value.origin, value.database, value.json)
    assert ["version", "next-map-id", "namespace", "namespace", "what"] == [
        record.key for record in found if record.kind == "metadata"
    ]
    assert "odd last byte in UTF-16, map of an unknown tab" == next(r.note for r in found if r.key == "k")
