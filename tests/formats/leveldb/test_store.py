"""Whole stores: which version is live, what counts, what survives damage, and a second opinion."""

import errno
import random
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leveldb_make import (
    Files,
    Row,
    Write,
    batch,
    edit,
    log,
    log_of,
    manifest,
    packed,
    records_300,
    store,
    table,
    varint,
)

from backscroll.formats.leveldb import store as leveldb
from backscroll.formats.leveldb.log import INCOMPLETE
from backscroll.formats.leveldb.manifest import MISSING
from backscroll.formats.leveldb.store import TABLE_MISSING, Database, KeyEntry, read
from backscroll.formats.state import State
from backscroll.records import Damage

LIVE, DELETED, SUPERSEDED = State.LIVE, State.DELETED, State.SUPERSEDED


def entries(files: dict[str, bytes]) -> list[KeyEntry]:
    """Return the entries of a store."""
    return [item for item in read(Files(files)) if isinstance(item, KeyEntry)]


def damage(files: dict[str, bytes]) -> list[Damage]:
    """Return the damage of a store."""
    return [item for item in read(Files(files)) if isinstance(item, Damage)]


def live(files: dict[str, bytes]) -> dict[bytes, bytes | None]:
    """Return what the store holds now."""
    return {entry.key: entry.value for entry in entries(files) if entry.state is LIVE}


def states(files: dict[str, bytes]) -> list[tuple[int, bytes | None, State]]:
    """Return sequence, value and state of each entry, by sequence."""
    return sorted((entry.sequence, entry.value, entry.state) for entry in entries(files))


def test_newest_value_is_live() -> None:
    """Of several values of a key the last one written is live, the others are superseded."""
    files = store({3: log_of([(b"k", b"1"), (b"k", b"2"), (b"k", b"3")])})

    assert [(1, b"1", SUPERSEDED), (2, b"2", SUPERSEDED), (3, b"3", LIVE)] == states(files)


def test_deletion_is_a_record() -> None:
    """A key whose last record is a deletion is gone; the deletion and the last value tell so."""
    files = store({3: log_of([(b"k", b"1"), (b"k", b"2"), (b"k", None)])})

    assert [(1, b"1", SUPERSEDED), (2, b"2", DELETED), (3, None, DELETED)] == states(files)


def test_key_that_came_back() -> None:
    """A value written after a deletion is live, and all before it is superseded."""
    files = store({3: log_of([(b"k", b"1"), (b"k", None), (b"k", None), (b"k", b"2")])})

    assert [SUPERSEDED, SUPERSEDED, SUPERSEDED, LIVE] == [state for *_, state in states(files)]


def test_sequence_decides_not_the_file() -> None:
    """A table of a higher number may hold older records: the sequence number decides."""
    files = store({3: log_of([(b"k", b"in log")], 5)}, {9: table([(b"k", 7, b"newest"), (b"k", 2, b"old")])})

    assert {b"k": b"newest"} == live(files)


def test_retired_files_are_history_only() -> None:
    """A value that only a retired table still holds is not live, though its deletion was compacted away."""
    old, now = table([(b"k", 3, b"zombie"), (b"x", 2, b"x")]), table([(b"x", 2, b"x")])
    files = store({8: log_of([])}, {5: old, 7: now}, listed=[7], log_number=8)

    assert {b"x": b"x"} == live(files)
    assert (3, b"zombie", DELETED) in states(files)


def test_retired_log_does_not_count() -> None:
    """A log below the manifest's log number is in tables already, and gives history only."""
    files = store({3: log_of([(b"k", b"1"), (b"k", b"2")]), 6: log_of([(b"j", b"3")], 3)}, log_number=6)

    assert {b"j": b"3"} == live(files)
    assert [SUPERSEDED, DELETED, LIVE] == [state for *_, state in states(files)]


def test_previous_log_counts() -> None:
    """A log that the manifest names as the previous one counts, whatever its number."""
    files = {**manifest(edit(log_number=6) + b"\x09" + varint(3)), "000003.log": log_of([(b"k", b"1")])}

    assert {b"k": b"1"} == live(files)


def test_copied_record_is_one_record() -> None:
    """What a compaction copied to another table is yielded once, from the file that counts."""
    rows: list[Row] = [(b"k", 3, b"v"), (b"k", 1, b"u")]
    found = entries(store({}, {5: table(rows), 7: table(rows)}, listed=[7]))

    assert [("000007.ldb", LIVE), ("000007.ldb", SUPERSEDED)] == [(entry.file, entry.state) for entry in found]


def test_same_number_twice_gives_one_live_value() -> None:
    """Two values under one key and one sequence number, as no writer makes them, are both yielded, one of them live."""
    found = entries(store({}, {5: table([(b"k", 3, b"a")]), 7: table([(b"k", 3, b"b")])}))

    assert [(b"a", LIVE), (b"b", SUPERSEDED)] == [(entry.value, entry.state) for entry in found]


def test_table_being_written_is_no_damage() -> None:
    """A table that the manifest does not list and that has no footer is passed over."""
    files = store({3: log_of([(b"k", b"1")])}, {9: table([(b"k", 1, b"1")])[:-20]}, listed=[])

    assert [] == damage(files)
    assert {b"k": b"1"} == live(files)


def test_edits_add_up() -> None:
    """Tables that later records of the manifest remove do not count."""
    edits = (edit([5, 6]), edit([7], removed=[5], comparator=None) + b"\x05\x01\x01k")
    tables = {f"{n:06}.ldb": table([(b"%d" % n, n, b"v")]) for n in (5, 6, 7)}

    assert {b"6", b"7"} == set(live({**manifest(*edits), **tables}))


def test_names_may_have_more_than_six_digits() -> None:
    """File numbers are decimal, of six digits or more; other files are left alone."""
    files = store({12345678: log_of([(b"k", b"1")]), 10: log_of([(b"j", b"2")], 2)})
    files |= {"LOG": b"text", "LOCK": b"", "0000zz.log": b"noise", "lost/000001.ldb": b"noise", f"{'9' * 30}.log": b"x"}

    directory = Files(files)

    assert {b"k": b"1", b"j": b"2"} == live(files)
    assert [KeyEntry, KeyEntry] == [type(item) for item in read(directory)]
    assert {"CURRENT", "MANIFEST-000001", "12345678.log", "000010.log"} == set(directory.opened)


def test_old_suffix() -> None:
    """Tables of old LevelDBs end in .sst."""
    assert {b"k": b"1"} == live({**manifest(edit([5])), "000005.sst": table([(b"k", 1, b"1")])})


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"CURRENT": None}, MISSING),
        ({"MANIFEST-000001": None}, MISSING),
        ({"CURRENT": b"../../etc/passwd\n"}, "names no manifest"),
        ({"CURRENT": b""}, "names no manifest"),
        ({"MANIFEST-000001": b""}, "unreliable"),
        ({"MANIFEST-000001": log([b"\x63"])}, "unknown kind 99"),
        ({"MANIFEST-000001": log([edit()])[:-30] + bytes(30)}, "unreliable"),
        ({"000005.ldb": None}, TABLE_MISSING),
    ],
)
def test_without_manifest_every_file_counts(change: dict[str, bytes | None], reason: str) -> None:
    """H50, H55: without a manifest to rely on everything is read all the same, and that is said."""
    files = store(
        {3: log_of([(b"a", b"1")]), 6: log_of([(b"b", b"2")], 2)}, {5: table([(b"c", 3, b"3")])}, log_number=6
    )
    files = {name: data for name, data in {**files, **change}.items() if data is not None}

    assert any(reason in item.reason for item in damage(files))
    assert {b"a": b"1", b"b": b"2"}.items() <= live(files).items()


def test_torn_manifest_counts_up_to_its_end() -> None:
    """A manifest whose last record is being written is relied on for the ones before."""
    rows = table([(b"c", 3, b"3")])
    first = edit([5], log_number=6, sizes={5: len(rows)})
    whole, torn = log([first]), log([first, edit([9], comparator=None)])[:-5]
    files = store({3: log_of([(b"a", b"1")])}, {5: rows})
    database = Database(Files({**files, "MANIFEST-000001": torn}))

    assert len(whole) < len(torn)
    assert [INCOMPLETE] == [item.reason for item in database if isinstance(item, Damage)]
    assert {b"c": b"3"} == live({**files, "MANIFEST-000001": torn})


class Vanishing(Files):
    """A directory in which some files cannot be opened."""

    def __init__(self, files: dict[str, bytes], gone: Iterable[str], after: int = 0) -> None:
        super().__init__(files)
        self.gone, self.after = set(gone), after

    def open(self, name: str) -> BinaryIO:
        """Open a file, or fail as a file that was deleted meanwhile does."""
        if name in self.gone and self.opened.count(name) >= self.after:
            raise FileNotFoundError(errno.ENOENT, "No such file", name)
        return super().open(name)


@pytest.mark.parametrize("gone", ["CURRENT", "MANIFEST-000001", "000005.ldb"])
def test_file_that_vanishes(gone: str) -> None:
    """A file that cannot be opened any more is damage with the reason, and the others are read."""
    files = store({3: log_of([(b"a", b"1")])}, {5: table([(b"c", 3, b"3")])})
    items = list(read(Vanishing(files, [gone]), "dir/"))

    assert any(isinstance(i, Damage) and i.place.path == f"dir/{gone}" and "vanished" in i.reason for i in items)
    assert any(isinstance(item, KeyEntry) and item.key == b"a" for item in items)


def test_large_stores_are_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store too large to be held is read again for its values, with the same outcome; it may vanish meanwhile."""
    files = store({3: log_of(records_300())}, {5: table([(b"key-001", 1000, None)])})
    expected = list(read(Files(files)))
    monkeypatch.setattr(leveldb, "_HELD", 1000)

    assert expected == list(read(Files(files)))
    assert any(isinstance(item, Damage) for item in read(Vanishing(files, ["000003.log"], after=1)))


class Late(Files):
    """A directory of which one file can be opened only at the second try."""

    def open(self, name: str) -> BinaryIO:
        """Open a file, or fail."""
        if name == "000005.ldb" and name not in self.opened:
            self.opened.append(name)
            raise FileNotFoundError(errno.ENOENT, "No such file", name)
        return super().open(name)


def test_file_that_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is seen only by the second reading is not called live, for nothing is known of its key."""
    monkeypatch.setattr(leveldb, "_HELD", 0)
    files = store({3: log_of([(b"a", b"1")])}, {5: table([(b"c", 3, b"3"), (b"d", 4, None)])})
    found = [item for item in read(Late(files)) if isinstance(item, KeyEntry)]

    assert {b"a": LIVE, b"c": SUPERSEDED, b"d": SUPERSEDED} == {entry.key: entry.state for entry in found}


def test_entry_knows_its_place() -> None:
    """An entry's place names file and offset, below the path that was given."""
    [entry] = read(Files(store({3: log_of([(b"k", b"v")])})), "Local Storage/leveldb/")

    assert isinstance(entry, KeyEntry)
    assert str(entry.place) == "Local Storage/leveldb/000003.log (byte 19)"


@pytest.mark.slow
def test_survival_of_300_records() -> None:
    """Reliability goal 22: a zeroed block or a bad length costs at most 25 of 300, and nothing is wrong."""
    written = dict(records_300())
    whole = log_of(written.items())
    generator = random.Random(3)  # noqa: S311 the same each time
    for _ in range(20):
        zeroed, wrong = bytearray(whole), bytearray(whole)
        start = generator.randrange(len(whole) // 32768) * 32768
        zeroed[start : start + 32768] = bytes(32768)
        at = generator.randrange(len(whole) - 7)
        wrong[at + 4 : at + 6] = b"\xff\x7f"
        for data in (zeroed, wrong):
            found = live(store({3: bytes(data)}))

            assert len(found) >= 275
            assert found.items() <= written.items()


HISTORY: list[Write] = [
    (b"key-%02d" % (n % 23), None if n % 11 == 5 else b"value %d of %d;" % (n, n % 23) * (n % 60)) for n in range(400)
]


def built() -> dict[str, bytes]:
    """Return a store of two tables, a retired one and a log, and all that was ever written to it."""
    rows = [(key, n + 1, value) for n, (key, value) in enumerate(HISTORY)]
    tables = {5: table(rows[:150]), 7: table(rows[150:280], pack=None), 4: table(rows[:90], pack=packed)}
    return store({8: log(batch(281 + n * 4, HISTORY[280 + n * 4 :][:4]) for n in range(30))}, tables, listed=[5, 7])


BUILT = built()
WRITTEN = {(key, n + 1, value) for n, (key, value) in enumerate(HISTORY)}
WHOLE = live(BUILT)


def test_built_store_is_whole() -> None:
    """The store that is mutated below reads without damage, every version once."""
    assert [] == damage(BUILT)
    assert WRITTEN == {(entry.key, entry.sequence, entry.value) for entry in entries(BUILT)}
    assert len(WRITTEN) == len(entries(BUILT))
    assert WHOLE == {key: value for key, value in dict(HISTORY).items() if value is not None}


mutations = st.lists(
    st.tuples(
        st.sampled_from(sorted(BUILT)),
        st.sampled_from(["flip", "zero", "cut", "insert", "remove", "gone"]),
        st.integers(0, 1 << 20),
        st.integers(1, 255),
        st.integers(1, 40_000),
    ),
    min_size=1,
    max_size=3,
)


def mutated(changes: Iterable[tuple[str, str, int, int, int]]) -> dict[str, bytes]:
    """Damage the built store."""
    files = dict(BUILT)
    for name, what, place, bits, length in changes:
        data = bytearray(files.get(name, b"") or b"\0")
        at = place % len(data)
        if what == "flip":
            data[at] ^= bits
        elif what == "zero":
            data[at : at + length] = bytes(len(data[at : at + length]))
        elif what == "cut":
            del data[at:]
        elif what == "insert":
            data[at:at] = bytes([bits]) * (length % 100)
        elif what == "remove":
            del data[at : at + length]
        files[name] = bytes(data)
        if what == "gone":
            del files[name]
    return files


@pytest.mark.slow
@settings(max_examples=120)
@given(mutations)
def test_no_mutation_gives_a_wrong_value(changes: list[tuple[str, str, int, int, int]]) -> None:
    """Whatever happens to the files, nothing raises, nothing is read that was not written, and losses are named."""
    files = mutated(changes)
    items = list(read(Files(files)))
    found = [item for item in items if isinstance(item, KeyEntry)]
    lost = [item for item in items if isinstance(item, Damage)]
    now = {entry.key: entry.value for entry in found if entry.state is LIVE}
    sizes = {name: len(data) for name, data in files.items()}

    assert {(entry.key, entry.sequence, entry.value) for entry in found} <= WRITTEN
    assert len(now) == sum(entry.state is LIVE for entry in found)
    for item in lost:
        end = (item.place.offset or 0) + (item.place.length or 0)
        assert end <= sizes.get(item.place.path, 0)
    if now != WHOLE:
        assert lost or any(what in {"cut", "gone", "remove"} for _, what, *_ in changes)


def written_by_plyvel(directory: Path, plyvel: ModuleType) -> dict[bytes, bytes]:
    """Let LevelDB itself write a store with tables, deletions and a log; return what it says is in it."""
    generator = random.Random(5)  # noqa: S311 the same each time
    database = plyvel.DB(str(directory), create_if_missing=True, write_buffer_size=65536, block_size=1024)
    for n in range(900):
        key = b"key-%03d" % generator.randrange(200)
        if generator.random() < 0.2:
            database.delete(key)
        else:
            database.put(key, generator.randbytes(300) if n % 3 else b"text %d " % n * 90)
        if n == 500:
            database.compact_range()
    with database.write_batch() as writes:
        writes.put(b"large", b"x" * 100_000)
        writes.delete(b"key-001")
    content = dict(database)
    database.close()
    return content


def test_second_opinion_on_reading(tmp_path: Path) -> None:
    """What LevelDB itself wrote is read as it reads it."""
    plyvel = pytest.importorskip("plyvel", reason="plyvel is not installed: no second opinion on LevelDB")
    expected = written_by_plyvel(tmp_path / "db", plyvel)
    files = Files.of(tmp_path / "db").files

    assert any(name.endswith(".ldb") for name in files)
    assert [] == damage(files)
    assert expected == live(files)


def test_second_opinion_on_building(tmp_path: Path) -> None:
    """What the builder of these tests wrote is read by LevelDB itself, with the same outcome as by us."""
    plyvel = pytest.importorskip("plyvel", reason="plyvel is not installed: no second opinion on LevelDB")
    rows = [(key, n + 1, value) for n, (key, value) in enumerate(HISTORY)]
    tables = {5: table(rows[:150]), 7: table(rows[150:280], pack=None)}
    built = store({8: BUILT["000008.log"]}, tables, log_number=8)
    Files(built).write(tmp_path / "db")
    database = plyvel.DB(str(tmp_path / "db"))
    content = dict(database)
    database.close()

    assert content == live(built)


@pytest.mark.slow
@pytest.mark.parametrize("pack", [None, packed], ids=["plain", "snappy"])
def test_value_of_20_megabytes(pack: None) -> None:
    """H57: a value of 20 MB is read whole from a log and from a table."""
    value = b"0123456789abcdef" * (20_000_000 // 16)
    files = store({8: log_of([(b"big", value)], 9)}, {5: table([(b"other", 3, value)], pack=pack)})

    assert {b"big": value, b"other": value} == live(files)


@pytest.mark.slow
def test_100_000_versions_of_one_key() -> None:
    """H57: of 100,000 versions the one with the highest sequence number is live, and all are there."""
    half = 50_000
    logged = log(batch(half + n * 100, [(b"k", b"%d" % (half + n * 100 + m)) for m in range(100)]) for n in range(500))
    files = store({8: logged}, {5: table([(b"k", n, b"%d" % n) for n in range(half)])})
    found = entries(files)

    assert len(found) == 2 * half
    assert {b"k": b"%d" % (2 * half - 1)} == live(files)
