"""Tables: blocks of every packing, and that no block is believed whose checksum does not match."""

import io
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leveldb_make import (
    MAGIC,
    Row,
    block_of,
    internal,
    packed,
    prefixed,
    sorted_rows,
    stored_block,
    table,
    varint,
    zstd_packed,
)

from backscroll.formats.leveldb import table as leveldb_table
from backscroll.formats.leveldb.log import KeyVersion
from backscroll.formats.leveldb.table import BAD_CHECKSUM, NO_FOOTER, NOT_WALKED, table_versions
from backscroll.records import Damage

ROWS: list[Row] = [
    *((b"key-%03d" % n, 1000 + n, b"value %d " % n * (n % 40)) for n in range(300)),
    (b"key-007", 900, b"older"),
    (b"key-008", 2000, None),
]

PLAIN, PACKED = table(ROWS, pack=None), table(ROWS)


def read(data: bytes) -> list[KeyVersion | Damage]:
    """Read a table."""
    return list(table_versions(io.BytesIO(data), "x.ldb", len(data)))


def rows(data: bytes) -> list[Row]:
    """Return what was read as rows."""
    return [(v.key, v.sequence, v.value) for v in read(data) if isinstance(v, KeyVersion)]


def reasons(data: bytes) -> list[str]:
    """Return the reasons of all damage."""
    return [item.reason for item in read(data) if isinstance(item, Damage)]


def noise(length: int) -> bytes:
    """Return bytes without any order, the same each time."""
    return random.Random(1).randbytes(length)  # noqa: S311 the same each time


def footer(index: bytes) -> bytes:
    """Write a footer with this handle of the index."""
    return (b"\0\0" + index).ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def with_index(*handles: tuple[int, int], before: bytes = b"") -> bytes:
    """Write a table whose index has these handles."""
    items = [(internal(b"k%d" % n, 1, b""), varint(o) + varint(s)) for n, (o, s) in enumerate(handles)]
    index = block_of(items, 1)
    return before + stored_block(index) + footer(varint(len(before)) + varint(len(index)))


@pytest.mark.parametrize("pack, kind", [(None, 0), (packed, 1), (zstd_packed, 2)], ids=["plain", "snappy", "zstd"])
def test_every_row_is_read(pack: None, kind: int) -> None:
    """All versions and deletions come out in the table's order, however the blocks are packed."""
    data = table(ROWS, pack=pack, kind=kind)

    assert sorted_rows(ROWS) == rows(data)
    assert [] == reasons(data)


def test_places_can_be_checked_by_hand() -> None:
    """In a plain block the offset is the entry's own, in a packed one the block's."""
    plain = [v for v in read(table(ROWS, pack=None)) if isinstance(v, KeyVersion)]
    snappy = [v for v in read(table(ROWS)) if isinstance(v, KeyVersion)]

    assert table(ROWS, pack=None)[plain[0].offset :].startswith(b"\x00\x0f\x00key-000")
    assert {False} == {v.is_compressed for v in plain}
    assert {True} == {v.is_compressed for v in snappy}
    assert 1 < len({v.offset for v in snappy}) < len(snappy)


def test_flipped_block_is_dropped_alone() -> None:
    """A byte flipped in a block of data costs that block; the damage is exactly its place."""
    data = bytearray(table(ROWS, pack=None))
    data[6000] ^= 4
    found = [item for item in read(bytes(data)) if isinstance(item, Damage)]

    assert [BAD_CHECKSUM] == [item.reason for item in found]
    assert (found[0].place.offset or 0) <= 6000 < (found[0].place.offset or 0) + (found[0].place.length or 0)
    assert len(rows(bytes(data))) > 200
    assert set(rows(bytes(data))) <= set(ROWS)


@pytest.mark.parametrize("pack", [None, packed], ids=["plain", "snappy"])
@pytest.mark.parametrize("what", ["footer", "index", "cut"])
def test_without_index_the_blocks_are_walked(pack: None, what: str) -> None:
    """A table that lost its index or its end still gives every block that is whole, and nothing of the index."""
    data = bytearray(table(ROWS, pack=pack))
    if what == "footer":
        data[-1] ^= 1
    elif what == "index":
        data[-60] ^= 1
    else:
        del data[-200:]

    assert sorted_rows(ROWS) == rows(bytes(data))
    assert reasons(bytes(data))


def test_walk_ends_where_a_block_is_damaged() -> None:
    """Without index, what lies behind a damaged block cannot be told apart, and is damage as a whole."""
    data = bytearray(table(ROWS, pack=None))[:-48]
    data[9000] ^= 1
    items = read(bytes(data))

    assert [NO_FOOTER, NOT_WALKED] == reasons(bytes(data))
    assert isinstance(items[-1], Damage)
    assert len(data) == (items[-1].place.offset or 0) + (items[-1].place.length or 0)
    assert sorted_rows(ROWS)[: len(rows(bytes(data)))] == rows(bytes(data))
    assert rows(bytes(data))


def test_filter_is_not_taken_for_data() -> None:
    """A filter is passed over, and stops a walk without being read."""
    data = table(ROWS, filter_block=noise(500) + b"\x0b")

    assert sorted_rows(ROWS) == rows(data)
    assert sorted_rows(ROWS) == rows(data[:-48])
    assert [NO_FOOTER, NOT_WALKED] == reasons(data[:-48])


def test_table_too_large_to_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that cannot be held in memory is not walked, but named."""
    monkeypatch.setattr(leveldb_table, "MAX_BLOCK", 1000)

    assert [NO_FOOTER, NOT_WALKED] == reasons(table(ROWS)[:-48])


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", NO_FOOTER),
        (b"short", NO_FOOTER),
        (footer(b"\xff" * 12), "64 bits"),
        (footer(varint(5000) + varint(10)), "over the end"),
        (with_index((0, 10_000)), "over the end"),
        (with_index((0, 8), (0, 8), before=stored_block(bytes(4) + b"\1\0\0\0")), "overlaps"),
        (with_index((0, 3), before=stored_block(b"abc")), "restart points"),
        (with_index((0, 4), before=stored_block(b"\xff\xff\xff\xff")), "restart points"),
        (with_index((0, 3), before=stored_block(b"abc", 7)), "unknown way"),
        (with_index((0, 3), before=stored_block(b"\x05ab", 1)), "before the beginning"),
        (with_index((0, 3), before=stored_block(b"abc", 2)), "Zstandard: "),
        (with_index((0, 14), before=stored_block(b"\0\3\0abc" + block_of([]))), "sequence number"),
        (with_index((0, 18), before=stored_block(block_of([(b"\7" * 7, b"")]))), "sequence number"),
        (with_index((0, 22), before=stored_block(block_of([(b"key" + b"\7" * 8, b"")]))), "sequence number"),
        (with_index((0, 11), before=stored_block(b"\5\0\0" + block_of([]))), "shares more"),
        (with_index((0, 11), before=stored_block(b"\0\x7f\0" + block_of([]))), "127 bytes wanted"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    """Blocks and entries that are not what they say are damage, even with the right checksum."""
    assert reason in reasons(data)[0]
    assert [] == rows(data)


def test_block_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block larger than the cap is not read."""
    monkeypatch.setattr(leveldb_table, "MAX_BLOCK", 1000)

    assert any("larger than" in reason for reason in reasons(table([(b"k", 1, b"x" * 5000)], pack=None)))


def test_keys_that_unfold_without_end() -> None:
    """Entries of a few bytes that each share a huge key are stopped before they fill the memory."""
    key = b"k" * 100_000 + struct.pack("<Q", 1 << 8 | 1)
    bomb = varint(0) + varint(len(key)) + varint(0) + key + (varint(len(key)) + b"\0\0") * 50_000
    bomb += struct.pack("<II", 0, 1)
    data = with_index((0, len(bomb)), before=stored_block(bomb))

    assert any("out of proportion" in reason for reason in reasons(data))


@pytest.mark.slow
@given(st.integers(min_value=0), st.integers(1, 255), st.booleans())
def test_every_flip_is_accounted_for(at: int, bits: int, is_packed: bool) -> None:
    """A changed byte lies in a range of damage, or changes nothing."""
    data = bytearray(PACKED if is_packed else PLAIN)
    at %= len(data)
    data[at] ^= bits
    items = read(bytes(data))
    ranges = [item.place for item in items if isinstance(item, Damage)]
    found = [(v.key, v.sequence, v.value) for v in items if isinstance(v, KeyVersion)]

    assert set(found) <= set(ROWS)
    assert found == sorted_rows(ROWS) or any((p.offset or 0) <= at < (p.offset or 0) + (p.length or 0) for p in ranges)


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.binary(max_size=20), st.integers(1, 1 << 50), st.none() | st.binary(max_size=200)), max_size=40
    )
)
def test_writing_comes_back(written: list[Row]) -> None:
    """Any rows written to a table are read from it, with index and without."""
    data = table(written, size=300)

    assert sorted_rows(written) == rows(data)
    assert sorted_rows(written)[: len(rows(data[:-48]))] == rows(data[:-48])


def test_prefixed_is_not_a_table() -> None:
    """Random bytes give damage only."""
    assert [] == rows(prefixed(noise(3000)))
