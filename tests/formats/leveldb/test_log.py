"""Logs: pieces, batches, and that damage costs no more than its block and is always named with its place."""

import io
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leveldb_make import BLOCK, batch, log, log_of, masked, piece, records_300

from backscroll.formats.leveldb import log as leveldb_log
from backscroll.formats.leveldb.log import (
    BAD_CHECKSUM,
    BAD_LENGTH,
    INCOMPLETE,
    TOO_LARGE,
    UNKNOWN_KIND,
    WITHOUT_BEGINNING,
    WITHOUT_END,
    KeyVersion,
    LogRecord,
    log_records,
    log_versions,
)
from backscroll.formats.reasons import NUL_BYTES
from backscroll.place import Place
from backscroll.records import Damage

WRITES = records_300()
SHORT = log_of(WRITES[:60])


def records(data: bytes) -> list[LogRecord | Damage]:
    """Read a log's records."""
    return list(log_records(io.BytesIO(data), "x.log", len(data)))


def versions(data: bytes) -> list[KeyVersion | Damage]:
    """Read a log's writes."""
    return list(log_versions(io.BytesIO(data), "x.log", len(data)))


def damage(data: bytes) -> list[tuple[str, int | None, int | None]]:
    """Return reason, offset and length of each damage."""
    return [(i.reason, i.place.offset, i.place.length) for i in versions(data) if isinstance(i, Damage)]


def good(data: bytes) -> list[KeyVersion]:
    """Return the writes that were read."""
    return [item for item in versions(data) if isinstance(item, KeyVersion)]


def test_holes_change_nothing_but_the_work(tmp_path: Path) -> None:
    """A sparse file gives the same writes and damage as a plain file with the same bytes."""
    path, part, far = tmp_path / "x.log", log_of([(b"key", b"value")]), 64 * BLOCK
    with path.open("wb") as file:
        for start in (0, far + 9, 2 * far):  # data may begin inside a block
            file.seek(start)
            file.write(part)
        file.truncate(3 * far)
    data = path.read_bytes()
    with path.open("rb") as file:
        found = list(log_versions(file, "x.log", len(data)))

    assert versions(data) == found
    assert [19, 2 * far + 19] == [item.offset for item in good(data)]


def test_records_are_joined_over_blocks() -> None:
    """A record may be cut into any number of pieces, and fewer than seven bytes of a block are filling."""
    wanted = [b"a" * (BLOCK - 7 - 10), b"b" * 100_000, b"", b"c"]
    found = [item.data for item in records(log(wanted)) if isinstance(item, LogRecord)]

    assert wanted == found


def test_places_are_exact() -> None:
    """Each write's offset is that of its own first byte, also behind the border of a block."""
    data = log([batch(5, [(b"first", b"x" * 40_000), (b"second", b"y"), (b"third", None)])])
    second = good(data)[1]

    assert [("first", 5), ("second", 6), ("third", 7)] == [(v.key.decode(), v.sequence) for v in good(data)]
    assert data[second.offset :].startswith(b"\x01\x06second\x01y")
    assert good(data)[2].value is None


def test_bad_checksum_costs_its_block() -> None:
    """H53: a flipped byte drops the rest of its block and no more, and no other value changes."""
    data = bytearray(log_of(WRITES))
    data[BLOCK + 5000] ^= 1
    found = {v.key: v.value for v in good(bytes(data))}

    assert len(found) >= 275
    assert all(dict(WRITES)[key] == value for key, value in found.items())
    assert {BAD_CHECKSUM, WITHOUT_BEGINNING, WITHOUT_END} >= {reason for reason, *_ in damage(bytes(data))}


def test_bad_length_costs_its_block() -> None:
    """H54: a length that leads out of its block drops the rest of that block."""
    data = bytearray(log_of(WRITES))
    at = good(bytes(data))[50].offset - 12 - 7
    data[at + 4 : at + 6] = b"\xff\xff"

    assert (BAD_LENGTH, at) in [(reason, offset) for reason, offset, _ in damage(bytes(data))]
    assert len(good(bytes(data))) >= 279


def test_zeroed_block_costs_its_block() -> None:
    """H54: 32 KiB of zeros are NUL bytes, with the record that ended there and the one that began there."""
    data = bytearray(log_of(WRITES))
    data[3 * BLOCK : 4 * BLOCK] = bytes(BLOCK)

    assert (NUL_BYTES, 3 * BLOCK, BLOCK) in damage(bytes(data))
    assert {NUL_BYTES, WITHOUT_END, WITHOUT_BEGINNING} == {reason for reason, *_ in damage(bytes(data))}
    assert len(good(bytes(data))) >= 279


def test_torn_log_keeps_what_came_before() -> None:
    """H52: of a log cut after 200 records those 200 are read, and the rest is noted as incomplete."""
    data = log_of(WRITES)
    cut = good(data)[200].offset + 100

    assert [key for key, _ in WRITES[:200]] == [version.key for version in good(data[:cut])]
    assert {INCOMPLETE} == {reason for reason, *_ in damage(data[:cut])}


@pytest.mark.slow
@given(st.integers(0, 3 * BLOCK))
def test_cut_anywhere(cut: int) -> None:
    """A log cut at any byte gives the same writes before the cut, and one damage that reaches to its end."""
    whole, part = good(SHORT), good(SHORT[:cut])

    assert whole[: len(part)] == part
    assert all(reason == INCOMPLETE for reason, *_ in damage(SHORT[:cut]))
    assert (
        len(whole) == len(part) or cut == 0 or sum(length or 0 for _, _, length in damage(SHORT[:cut])) < BLOCK + 2000
    )


@pytest.mark.slow
@given(st.integers(0, 3 * BLOCK - 1), st.integers(1, 255))
def test_every_flip_is_accounted_for(at: int, bits: int) -> None:
    """A changed byte lies in a range of damage, and what is still read was written."""
    data = bytearray(SHORT)
    at %= len(data)
    data[at] ^= bits
    found = versions(bytes(data))
    ranges = [i.place for i in found if isinstance(i, Damage)]
    is_filling = at % BLOCK > BLOCK - 7 and not any(SHORT[at // BLOCK * BLOCK + BLOCK - 6 :][:6])

    assert is_filling or any((p.offset or 0) <= at < (p.offset or 0) + (p.length or 0) for p in ranges)
    assert all(dict(WRITES)[v.key] == v.value for v in found if isinstance(v, KeyVersion))


def test_writer_that_went_on_behind_a_torn_piece() -> None:
    """After a crash the torn piece's length swallows the next batch: its checksum shows it, the block is dropped."""
    torn = log_of([(b"lost", b"x" * 500)])[:100]
    data = torn + log_of([(b"swallowed", b"y" * 1000)])
    rest = log_of([(b"whole", b"z")])

    assert good(data.ljust(BLOCK, b"!") + rest) == [KeyVersion(b"whole", b"z", 1, BLOCK + 7 + 12)]


@pytest.mark.parametrize(
    "data, expected",
    [
        (piece(3, b"abc") + piece(4, b"d"), [(WITHOUT_BEGINNING, 0, 18)]),
        (piece(2, b"abc") + piece(1, b""), [(WITHOUT_END, 0, 10)]),
        (piece(9, b"abc") + piece(9, b""), [(UNKNOWN_KIND, 0, 17)]),
        (piece(2, b"abc") + piece(9, b""), [(WITHOUT_END, 0, 10), (UNKNOWN_KIND, 10, 7)]),
        (piece(2, b"abc") + piece(3, b"d"), [(INCOMPLETE, 0, 18)]),
        (bytes(100), [(NUL_BYTES, 0, 100)]),
        (bytes(6), []),
        (b"abc", [(INCOMPLETE, 0, 3)]),
        (masked(b"\1abcd") + struct.pack("<HB", 400, 1) + b"abc", [(INCOMPLETE, 0, 10)]),
    ],
)
def test_pieces_that_do_not_fit(data: bytes, expected: list[tuple[str, int, int]]) -> None:
    """A piece without its neighbours is damage with its place; damage of one kind that adjoins is one."""
    assert expected == [(i.reason, i.place.offset, i.place.length) for i in records(data) if isinstance(i, Damage)]


def test_empty_first_piece_is_no_damage() -> None:
    """Old writers ended a block with an empty first piece, and began the record anew in the next block."""
    assert records(piece(2, b"") + piece(1, b"abc")) == [LogRecord(b"abc", [0], [14])]


def test_record_without_end_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that grows beyond all bounds is dropped, not collected."""
    monkeypatch.setattr(leveldb_log, "MAX_RECORD", 50_000)
    items = records(log([b"x" * 200_000, b"y"]))

    assert [TOO_LARGE, WITHOUT_BEGINNING] == [item.reason for item in items if isinstance(item, Damage)]
    assert [b"y"] == [item.data for item in items if isinstance(item, LogRecord)]


@pytest.mark.parametrize(
    "data, count, reason",
    [
        (b"short", 0, "8 bytes wanted"),
        (batch(1, [(b"k", b"v")], count=3), 1, "1 writes in a batch of 3"),
        (batch(1, [(b"k", b"v")]) + b"\x02", 1, "unknown kind 2"),
        (batch(1, [(b"k", b"v")]) + b"\x01\x05ab", 1, "5 bytes wanted"),
        (batch(1, [(b"k", b"v")]) + b"\x01" + b"\xff" * 11, 1, "64 bits"),
    ],
)
def test_malformed_batches(data: bytes, count: int, reason: str) -> None:
    """Of a batch that is not what it says, the writes before the fault are read, and the rest is damage."""
    items = versions(log([data]))

    assert count == sum(isinstance(item, KeyVersion) for item in items)
    assert isinstance(items[-1], Damage)
    assert reason in items[-1].reason


def test_only_the_size_given_is_read() -> None:
    """What is appended after the size was taken belongs to a later reading."""
    data = log_of([(b"a", b"1"), (b"b", b"2")])
    size = len(log_of([(b"a", b"1")]))

    assert [KeyVersion(b"a", b"1", 1, 19)] == list(log_versions(io.BytesIO(data), "x.log", size))
    assert Damage(Place("x.log", None, 0, 5), INCOMPLETE) in list(log_versions(io.BytesIO(data), "x.log", 5))
