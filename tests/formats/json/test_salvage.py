"""Whole records found in damaged lines, and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import shared_path
from formats.lines import BOM, SESSION, dice, raw, row
from hypothesis import given
from hypothesis import strategies as st

from backscroll.formats.json.salvage import COMPANIONS, Piece, has_shape, salvage

RECORD = raw(row(1))
OTHER = raw(row(2, text="another"))
STUB = b'{"type":"pr-link","sessionId":"x","prNu'
METADATA = raw({"type": "mode", "mode": "normal", "sessionId": SESSION})
ODD = raw({"some": "thing"})

PROGRESS = raw(
    row(
        3,
        type="progress",
        data={
            "type": "agent_progress",
            "message": {"type": "assistant", "message": {"role": "assistant"}, "uuid": "i", "timestamp": "t"},
            "normalizedMessages": [{"type": "user", "uuid": "j", "message": {"role": "user"}}],
        },
    )
)
SNAPSHOT = raw(
    {
        "type": "file-history-snapshot",
        "messageId": "u1",
        "snapshot": {"messageId": "u1", "trackedFileBackups": {"a.py": {"version": 1}}, "timestamp": "t"},
        "isSnapshotUpdate": False,
    }
)
WORKTREE = raw({"type": "worktree-state", "worktreeSession": {"sessionId": SESSION, "a": {}}, "sessionId": SESSION})
BLOB = raw({"type": "api-request-blob", "sessionId": "S", "message": {"role": "user", "content": [{"type": "text"}]}})
WHOLE = [RECORD, OTHER, METADATA, PROGRESS, SNAPSHOT, WORKTREE, BLOB]


def pieces_of(line: bytes) -> list[Piece]:
    """Salvage a line, and fail unless the pieces cover it byte by byte."""
    pieces = salvage(line)
    position = 0
    for piece in pieces:
        assert position == piece.offset
        assert 0 < piece.length
        position += piece.length

    assert len(line) == position
    return pieces


def told(line: bytes) -> list[bytes | str]:
    """Return what is in a line: records as bytes, damage as its reason."""
    return [
        line[piece.offset : piece.offset + piece.length] if piece.value is not None else str(piece.note)
        for piece in pieces_of(line)
        if piece.value is not None or piece.note is not None
    ]


def found(line: bytes) -> list[bytes]:
    """Return the bytes of the records in a line."""
    return [item for item in told(line) if isinstance(item, bytes)]


@pytest.mark.parametrize(
    "line, expected",
    [
        (STUB + RECORD, ["torn record", RECORD]),
        (RECORD + STUB, [RECORD, "torn record"]),
        (RECORD + OTHER, [RECORD, OTHER]),
        (RECORD + OTHER + METADATA + b"\n", [RECORD, OTHER, METADATA]),
        (STUB + RECORD + STUB + OTHER, ["torn record", RECORD, "torn record", OTHER]),
        (RECORD + b"\r" + OTHER + b"\r\n", [RECORD, OTHER]),
        (RECORD + b" \t " + OTHER, [RECORD, OTHER]),
        (BOM + RECORD + BOM + OTHER, [RECORD, OTHER]),
        (RECORD + b"\0" * 9000, [RECORD, "NUL bytes"]),
        (b"\0" * 4096 + RECORD, ["NUL bytes", RECORD]),
        (b"\0 \0" + ODD + b"\0", ["NUL bytes", ODD, "NUL bytes"]),
        (RECORD + b"\0" * 100 + OTHER, [RECORD, "NUL bytes", OTHER]),
        (STUB + b"\0" * 100 + RECORD, ["torn record", "NUL bytes", RECORD]),
        (STUB + b"\0\0" + RECORD, ["torn record", RECORD]),
        (b"\0" * 100 + STUB + b"\0" * 100, ["NUL bytes", "torn record", "NUL bytes"]),
        (b"noise" + RECORD, ["not a record", RECORD]),
        (RECORD + b"\xff\xfe noise", [RECORD, "not a record"]),
        (b"null" + RECORD, ["not a record", RECORD]),
        (b"{}" + RECORD, ["empty object", RECORD]),
        (ODD + METADATA, [ODD, METADATA]),
        (ODD + ODD, [ODD, "torn record"]),
        (RECORD + b'{"type":"new-kind"}', [RECORD, b'{"type":"new-kind"}']),
        (STUB + b'{"type":"new-kind"}', ["torn record"]),
        (STUB, ["torn record"]),
        (b"[" + RECORD, ["not a record", RECORD]),
        (RECORD + b"]", [RECORD, "not a record"]),
        (RECORD + b"x" + OTHER, [RECORD, "not a record", OTHER]),
        (RECORD + b"}" + OTHER, ["torn record", OTHER]),
        (b"\0\0\0", ["NUL bytes"]),
        (b"", []),
        (b" \r\n", []),
        (BOM, []),
    ],
)
def test_lines(line: bytes, expected: list[bytes | str]) -> None:
    """Records come out whole and in order, and what lies between them has a reason."""
    assert expected == told(line)


@pytest.mark.parametrize("record", WHOLE)
def test_stub_cut_anywhere_never_hides_the_next_record(record: bytes) -> None:
    """Wherever a record is cut off, the one glued to it is found, and only that one."""
    for cut in range(1, len(record)):
        assert [OTHER] == found(record[:cut] + OTHER), cut


@pytest.mark.parametrize("record", WHOLE)
def test_no_part_of_a_torn_record_is_a_record(record: bytes) -> None:
    """Wherever a record is cut off, at its end or at its beginning, nothing inside it is taken for a record."""
    for cut in range(1, len(record)):
        assert [] == found(record[:cut]), cut
        assert [] == found(record[cut:]), cut


@pytest.mark.parametrize("record", WHOLE)
@pytest.mark.parametrize("blank", [b"", b" ", b"\0" * 70, b"\r"])
def test_parts_stay_parts_whatever_follows(record: bytes, blank: bytes) -> None:
    """A torn record gives up no inner object either when blanks, NUL bytes or another stub come after the cut."""
    for cut in range(1, len(record)):
        assert [] == found(record[:cut] + blank + STUB), cut


@pytest.mark.parametrize("record", [RECORD, json.dumps(row(1, cost=123, todos=[], more={})).encode()])
def test_early_end_is_no_record(record: bytes) -> None:
    """A brace that closes a record before its last fields makes no shorter record of it."""
    for place in range(1, len(record)):
        line = record[:place] + b"}" + record[place + 1 :]

        assert found(line) in ([], [line]), place


def test_open_line_waits() -> None:
    """While a line may still be written, what could be a member of an unfinished object is no record yet."""
    begun = b'{"type":"progress","data":{"message":' + RECORD

    assert [RECORD] == found(begun)
    assert [] == [piece for piece in salvage(begun, is_open=True) if piece.value is not None]
    assert [RECORD] == found(STUB + RECORD)
    assert [RECORD] == [piece.value and RECORD for piece in salvage(STUB + RECORD, is_open=True) if piece.value]


def test_interleaved_writers() -> None:
    """A record that another process wrote between two halves of a longer one is found; the halves are damage."""
    long = raw(row(1, text="x" * 10_000))
    lines = (long[:4096] + OTHER + b"\n" + long[4096:8192] + METADATA + b"\n" + long[8192:]).split(b"\n")

    assert [["torn record", OTHER], ["not a record", METADATA], ["not a record"]] == [told(line) for line in lines]


def test_notes() -> None:
    """A note tells how each record was found, and what had to be repaired in it besides."""
    bad = RECORD.replace(b"hello", b"\xff")
    notes = [piece.note for piece in pieces_of(BOM + bad + OTHER + STUB + bad) if piece.value is not None]

    assert [
        "byte order mark, invalid UTF-8 bytes",
        "more than one record on the line",
        "found in a damaged line, invalid UTF-8 bytes",
    ] == notes


@pytest.mark.parametrize(
    "change",
    [
        (b"hello", b"\xff\xc0\x80"),
        (b"hello", b"\x1b[31m\t"),
        (b"hello", rb"\ud800"),
        (b"false", b"NaN"),
        (b"false", b"9" * 5000),
        (b"false", b"[" * 3000 + b"]" * 3000),
        (b"hello", rb"\\\" {\" { {\"type\":\"user\"}"),
        (b"hello", b"text that ends in {"),
    ],
)
def test_repairable_records_are_found(change: tuple[bytes, bytes]) -> None:
    """A record that needs the lenient reader is found like any other."""
    record = RECORD.replace(*change)

    assert [record, OTHER] == found(record + OTHER)
    assert [record] == found(STUB + record)
    assert [OTHER] == found(record[:-20] + OTHER)


def test_quoted_records_are_text() -> None:
    """A transcript quoted inside a string is no record, torn or not."""
    quoting = raw(row(1, text=RECORD.decode() + "\n" + OTHER.decode()))

    assert [quoting, METADATA] == found(quoting + METADATA)
    assert [METADATA] == found(quoting[:-10] + METADATA)
    assert [] == found(quoting[:-10])


def examples() -> list[dict[str, Any]]:
    """Return the minimal example of each record type from formats.md 3.2."""
    text = shared_path("formats.md").read_text(encoding="utf-8")
    block = re.search(r"^## 3\.2.*?```json\n(.*?)```", text, re.DOTALL | re.MULTILINE)

    assert block is not None
    return [json.loads(line) for line in block[1].splitlines()]


def test_every_documented_example_has_the_shape(shared: Path) -> None:
    """Every example of formats.md is found after a torn record."""
    lost = [example["type"] for example in examples() if [raw(example)] != found(STUB + raw(example))]

    assert [] == lost


def test_every_documented_type_is_known(shared: Path) -> None:
    """Every record type that formats.md lists has its companions here, but for one that never stands in a file."""
    text = shared_path("formats.md").read_text(encoding="utf-8")
    table = text.split("## 3.1", 1)[1].split("## 3.2", 1)[0]
    names = {name for line in table.splitlines() for name in re.findall(r"`([a-z_-]+)`", "".join(line.split("|")[1:2]))}

    assert {"agent_metadata"} == names - COMPANIONS.keys()


@pytest.mark.parametrize(
    "value, expected",
    [
        (row(1), True),
        (row(1, type="not yet invented"), True),
        ({"type": "user", "uuid": "u", "sessionId": "s"}, False),
        ({"type": "assistant", "message": {}, "uuid": "u", "timestamp": "t"}, False),
        ({"type": "text", "text": "x"}, False),
        ({"type": ["user"], "uuid": "u", "parentUuid": "p", "sessionId": "s"}, False),
        ({"uuid": "u", "parentUuid": "p", "sessionId": "s"}, False),
        ({"type": "summary", "summary": "s", "leafUuid": "l"}, True),
        ({"type": "summary", "summary": "s"}, False),
        ({"type": "mode", "mode": "normal"}, False),
        ({"display": "d", "pastedContents": {}, "timestamp": 1, "project": "/p"}, True),
        ({"type": "result", "_audit_timestamp": "t"}, True),
        ({}, False),
    ],
)
def test_shape(value: dict[str, Any], expected: bool) -> None:
    """A record has a type, and with it the keys that its type never lacks."""
    assert expected == has_shape(value)


HOSTILE = [
    b'{"type":',
    b'{"',
    b"{",
    b"[",
    b'"',
    b"\\",
    rb"\"",
    b"{}",
    b'{"a":1}',
    b'{"type":"x"},',
    RECORD + b",",
    b"\0x",
    b"\0" * 64 + b"x",
    b'[{"type":"user"},',
    b'{"type":[',
    BOM,
    b"}",
    b'{"a":"x',
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_half_a_megabyte_of_anything_takes_little_time(unit: bytes) -> None:
    """The work is linear, so a record at the end of a hostile line is still found, and found soon."""
    line = unit * (500_000 // len(unit)) + RECORD

    assert RECORD in found(line)[-1:] or unit in (b"\\", b'"', rb"\"")
    pieces_of(line + b"," + unit)


WORDS = [RECORD, METADATA, ODD, STUB, BOM, b"\0" * 70, b"{", b"}", b'"', b"\\", b",", b" ", b"\r", b"[", b"]", b'{"a":']


@given(st.lists(st.sampled_from(WORDS) | st.binary(max_size=4), max_size=12).map(b"".join))
def test_every_record_found_is_an_object_of_the_line(line: bytes) -> None:
    """Whatever the line, the pieces cover it and each record's bytes are one whole object."""
    for piece in pieces_of(line):
        if piece.value is not None:
            text = line[piece.offset : piece.offset + piece.length]

            assert b"{}" == text[:1] + text[-1:]
            assert piece.value


def test_noise_holds_no_records() -> None:
    """Random bytes, and random pieces of syntax, give no records."""
    chance = dice(6)
    for _ in range(300):
        assert [] == found(chance.randbytes(300))
        assert [] == [text for text in found(bytes(chance.choices(b'{}[]",:\\ a1\0', k=300))) if b"type" in text]
