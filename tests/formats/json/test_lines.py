"""JSON lines as records and damage, with every byte accounted for."""

import io
import json
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from formats.lines import BOM, good, notes, raw, raws, read, reasons, row, span

from backscroll.formats.json.lines import INCOMPLETE, TOO_LONG, Scan, scan
from backscroll.place import Place
from backscroll.records import Damage, Record

LINES = good(6)
TEXT = b"".join(LINES)
RAWS = [line[:-1] for line in LINES]


class Head(msgspec.Struct):
    """A typed decoder as a caller would bring it."""

    type: str | None = None
    uuid: str | None = None
    message: msgspec.Raw = msgspec.Raw()


decode_head = msgspec.json.Decoder(Head).decode


def test_good_lines() -> None:
    """Each line is a record with its number, place, bytes and value, and without a note."""
    account, items = read(TEXT)
    offset = len(LINES[0])

    assert RAWS == raws(items)
    assert Record(2, offset, len(RAWS[1]), RAWS[1], json.loads(RAWS[1]), None) == items[1]
    assert (len(TEXT) - 6, 0, 6) == (account.record_bytes, account.damage_bytes, account.blank_bytes)
    assert (len(TEXT), 7, None) == (account.end, account.next_line, account.open_tail)


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\r\n", b" \t \n", BOM, BOM + b"\n", b" " * 100])
def test_files_without_records(data: bytes) -> None:
    """A file of blanks has neither records nor damage."""
    account, items = read(data)

    assert ([], len(data), None) == (items, account.blank_bytes, account.open_tail)


def test_scan_is_iterated_once() -> None:
    """A second iteration finds nothing, and changes no figure."""
    account, items = read(TEXT)

    assert (6, []) == (len(items), list(account))
    assert len(TEXT) == account.end


def test_ten_thousand_blank_lines() -> None:
    """Blank lines count as lines and as blank bytes."""
    account, items = read(LINES[0] + b"\n" * 10_000 + LINES[1])

    assert [1, 10_002] == [item.line for item in items if isinstance(item, Record)]
    assert 10_002 == account.blank_bytes


@pytest.mark.parametrize("end", [b"\r\n", b" \n", b"\t\r\n", b"\n\n", b"\n \r\n"])
def test_line_ends_and_blanks_are_no_part_of_a_record(end: bytes) -> None:
    """White space around an object is blank, and the record's place is that of the object alone."""
    data = end.join(RAWS) + end
    account, items = read(b"  " + data)

    assert RAWS == raws(items)
    assert 2 + 6 * len(end) == account.blank_bytes
    assert 2 == span(items[0])[0]


def test_lone_carriage_returns() -> None:
    """Objects between which only a carriage return is left are records all the same."""
    _, items = read(b"\r".join(RAWS) + b"\r")

    assert RAWS == raws(items)
    assert {1} == {item.line for item in items if isinstance(item, Record)}


def test_only_a_newline_ends_a_line() -> None:
    """Other characters that end lines elsewhere may stand inside a record."""
    record = raw(row(1, text="a\u2028b\u2029c\u0085d\x0be\x0cf"))

    assert [record] == raws(read(record + b"\n")[1])


def test_byte_order_mark_is_blank_and_noted() -> None:
    """A mark before the first record costs nothing, not even the caller's decoder."""
    account, items = read(BOM + TEXT, decode_head)

    assert RAWS == raws(items)
    assert ["byte order mark", None] == notes(items)[:2]
    assert isinstance(items[0], Record)
    assert isinstance(items[0].value, Head)
    assert len(BOM) + 6 == account.blank_bytes


@pytest.mark.parametrize(
    "line, reason",
    [
        (b"null", "not an object: null"),
        (b"true", "not an object: true"),
        (b"false", "not an object: false"),
        (b"42", "not an object: number"),
        (b"-1.5e3", "not an object: number"),
        (b"NaN", "not an object: number"),
        (b'"s"', "not an object: string"),
        (b"[]", "not an object: array"),
        (b'[{"type":"user"}]', "not an object: array"),
        (b"{}", "empty object"),
        (b" { \t} ", "empty object"),
        (b"\0\0\0", "NUL bytes"),
        (b'{"type":"us', "torn record"),
        (b'"}],"uuid":"x"}', "not a record"),
        (b"\xff\xfe\xfd", "not a record"),
    ],
)
@pytest.mark.parametrize("decode", [None, decode_head, msgspec.json.decode])
def test_lines_that_are_no_records(line: bytes, reason: str, decode: Any) -> None:
    """Whatever the decoder makes of it, a line that holds no object with a key is damage."""
    _, items = read(LINES[0] + line + b"\n" + LINES[1], decode)

    assert RAWS[:2] == raws(items)
    assert [reason] == reasons(items)
    assert line.strip() == (LINES[0] + line)[slice(span(items[1])[0], sum(span(items[1])))]


def test_damage_says_where_it_is() -> None:
    """A Damage names the path that was given, its line, its offset and its length."""
    _, items = read(LINES[0] + b"\n  oops  \n")

    assert Damage(Place("s.jsonl", 3, len(LINES[0]) + 3, 4), "not a record") == items[1]


def test_touching_damage_is_one() -> None:
    """Damaged lines with one reason and only blanks between them are one range, and the blanks belong to it."""
    account, items = read(LINES[0] + b"oops\n\r\n oops \noops\n" + LINES[1] + b"oops\n")

    assert [Damage(Place("s.jsonl", 2, len(LINES[0]), 18), "not a record")] == items[1:2]
    assert ["not a record", "not a record"] == reasons(items)
    assert 22 == account.damage_bytes


def test_damage_of_two_kinds_is_two() -> None:
    """Different reasons are never merged."""
    _, items = read(b"oops\n\0\0\nnull\nnull\n")

    assert ["not a record", "NUL bytes", "not an object: null"] == reasons(items)


def test_nul_run_is_one_damage() -> None:
    """NUL bytes are one Damage, whatever their number and over however many lines."""
    account, items = read(LINES[0] + b"\0" * 143_000 + b"\n" + b"\0" * 7 + b"\n" + LINES[1])

    assert ["NUL bytes"] == reasons(items)
    assert 143_008 == account.damage_bytes


@pytest.mark.parametrize("cut", [1, 2, 30, -1])
def test_incomplete_last_line(cut: int) -> None:
    """A last line that is cut off may still be being written, and a later scan begins at it."""
    account, items = read(TEXT + RAWS[0][:cut])

    assert RAWS == raws(items)
    assert [INCOMPLETE] == reasons(items)
    assert (len(TEXT), 7) == (account.open_tail, account.next_line)


def test_complete_last_line_without_newline() -> None:
    """A whole object at the end is a record, and its line is not over."""
    account, items = read(TEXT[:-1])

    assert RAWS == raws(items)
    assert (None, 6, len(TEXT) - 1) == (account.open_tail, account.next_line, account.end)


def test_record_and_stub_at_the_end() -> None:
    """Of a last line with a whole record and a stub only the stub is left for a later scan."""
    account, items = read(TEXT + RAWS[0] + b'{"type":"us')

    assert [*RAWS, RAWS[0]] == raws(items)
    assert ([INCOMPLETE], len(TEXT) + len(RAWS[0])) == (reasons(items), account.open_tail)


def test_nul_bytes_at_the_end() -> None:
    """NUL bytes at the end are called that, stay apart from those of earlier lines, and are read again."""
    account, items = read(TEXT + b"\0\n\0\0")

    assert ["NUL bytes", "NUL bytes"] == reasons(items)
    assert len(TEXT) + 2 == account.open_tail


@pytest.mark.parametrize("tail", [b"null", b"42", b"{}", b"oops"])
def test_anything_else_at_the_end_is_incomplete(tail: bytes) -> None:
    """What is no record yet may become one."""
    account, items = read(TEXT + tail)

    assert ([INCOMPLETE], len(TEXT)) == (reasons(items), account.open_tail)


def test_scan_goes_on_where_the_last_one_ended() -> None:
    """Cut anywhere, a file read in two scans gives the same records, lines and places as in one."""
    _, whole = read(TEXT)
    for cut in range(len(TEXT)):
        first, before = read(TEXT[:cut])
        start = first.end if first.open_tail is None else first.open_tail
        kept = [item for item in before if span(item)[0] < start]
        _, after = read(TEXT, start=start, line=first.next_line)

        assert whole == kept + after, cut


def test_bytes_appended_while_reading_are_left_for_later() -> None:
    """What a writer appends after the end was seen is not read as a line of its own."""

    class Growing(io.BytesIO):
        def readline(self, size: int | None = -1) -> bytes:
            line = super().readline(size)
            if not line.endswith(b"\n"):
                place = self.tell()
                self.write(RAWS[1][40:] + b"\n" + LINES[2])
                self.seek(place)
            return line

        def __next__(self) -> bytes:
            line = self.readline()
            if not line:
                raise StopIteration
            return line

    file = Growing(LINES[0] + RAWS[1][:40])
    account = scan(file, "s.jsonl")
    first = list(account)
    later = scan(file, "s.jsonl", start=account.open_tail or 0, line=account.next_line)

    assert (RAWS[:1], [INCOMPLETE]) == (raws(first), reasons(first))
    assert RAWS[1:3] == raws(list(later))[:2]


def test_reading_may_stop_anywhere() -> None:
    """The figures hold for what was read when a reader stops early."""
    data = TEXT + b"oops\n" + TEXT + RAWS[0] + RAWS[1]
    for count in range(16):
        account = scan(io.BytesIO(data), "s.jsonl")
        items = iterate(account, count)

        assert account.record_bytes == sum(item.length for item in items if isinstance(item, Record)) or count > 13
        assert account.end - account.start == account.record_bytes + account.damage_bytes + account.blank_bytes
        assert 0 <= account.blank_bytes <= 13


def iterate(account: Scan, count: int) -> list[Record | Damage]:
    """Take some items of a scan, then give up."""
    with closing(account._items) as items:  # type: ignore[type-var]
        return list(islice(items, count))


def test_typed_decoder() -> None:
    """The caller's decoder makes the value of every line that it can read."""
    _, items = read(TEXT, decode_head)

    assert [Head] * 6 == [type(item.value) for item in items if isinstance(item, Record)]


@pytest.mark.parametrize(
    "line, note",
    [
        (raw(row(1, type=5)), None),
        (raw(row(1)).replace(b"hello", rb"\ud800"), "lone surrogate"),
        (raw(row(1)).replace(b"hello", b"\x1b"), "raw control characters"),
        (raw(row(1)).replace(b"false", b"NaN"), "not-a-number"),
        (raw(row(1)).replace(b'"user"', b'"us\xffer"', 1), "invalid UTF-8 bytes"),
        (raw(row(1)).replace(b"false", b"[" * 100_000 + b"]" * 100_000), "nested too deeply"),
    ],
)
def test_typed_decoder_that_refuses_a_line(line: bytes, note: str | None) -> None:
    """What the decoder refuses and the lenient reader can read has a plain dict as its value."""
    _, items = read(LINES[0] + line + b"\n", decode_head)
    record = items[1]

    assert isinstance(record, Record)
    assert (line, note, dict) == (record.raw, record.note, type(record.value))
    assert "uuid-1" == record.value["uuid"]


def test_decoder_makes_the_values_of_salvaged_records() -> None:
    """A record found in a damaged line has the same kind of value as any other."""
    _, items = read(b'{"type":"us' + LINES[0] + RAWS[1] + LINES[2], decode_head)

    assert [Head] * 3 == [type(item.value) for item in items if isinstance(item, Record)]


def test_decoder_may_return_nothing() -> None:
    """A decoder that makes None of a line has still read it."""
    _, items = read(BOM + TEXT + RAWS[0], lambda line: orjson.loads(line) and None)

    assert [None] * 7 == [item.value for item in items if isinstance(item, Record)]


@pytest.mark.parametrize("size", [n + d for n in (1 << 12, 1 << 13, 1 << 16, 1 << 20) for d in (-1, 0, 1)])
def test_no_line_length_is_special(size: int, tmp_path: Path) -> None:
    """Lines as long as any buffer, one byte less and one byte more, are read alike."""
    line = raw(row(1, text="x" * (size - len(raw(row(1, text=""))) - 1))) + b"\n"
    path = tmp_path / "s.jsonl"
    path.write_bytes(line * 2 + LINES[0])
    with path.open("rb", buffering=1 << 20) as file:
        items = list(scan(file, str(path)))

    assert size == len(line)
    assert [line[:-1], line[:-1], RAWS[0]] == raws(items)


@pytest.mark.parametrize("size", [12_800_000, pytest.param(70_000_000, marks=pytest.mark.slow)])
def test_long_lines(size: int) -> None:
    """A line of many megabytes is a record, torn or not the others around it are unharmed."""
    long = raw(row(9, text="x" * size))

    assert [RAWS[0], long, RAWS[1]] == raws(read(LINES[0] + long + b"\n" + LINES[1])[1])
    assert [RAWS[0], RAWS[1], RAWS[2]] == raws(read(LINES[0] + long[:-9] + LINES[1] + LINES[2])[1])


def bounded(data: bytes, max_line: int) -> tuple[Scan, list[Record | Damage]]:
    """Scan with a lower limit than the real one."""
    account = Scan(io.BytesIO(data), "s.jsonl", orjson.loads, max_line=max_line)
    return account, list(account)


def test_line_beyond_the_limit_is_passed_over() -> None:
    """A line too long to be held in memory is one Damage, and the next line is read."""
    long = raw(row(9, text="x" * 3_000_000))
    account, items = bounded(LINES[0] + long + b"\n" + LINES[1], 1_000_000)

    assert RAWS[:2] == raws(items)
    assert [Damage(Place("s.jsonl", 2, len(LINES[0]), len(long)), TOO_LONG)] == items[1:2]
    assert (3, 4) == (account.blank_bytes, account.next_line)


def test_line_at_the_limit_is_read() -> None:
    """The longest line that is allowed is a record, with its newline and without."""
    data = b"".join([LINES[1], LINES[2], RAWS[3]])

    assert RAWS[1:4] == raws(bounded(data, len(RAWS[1]))[1])
    assert [] == raws(bounded(data, len(RAWS[1]) - 1)[1])


def test_line_beyond_the_limit_at_the_end() -> None:
    """A line too long that has no newline yet is read again by a later scan."""
    account, items = bounded(LINES[0] + b'{"a":"' + b"x" * 3_000_000, 1_000_000)

    assert [TOO_LONG] == reasons(items)
    assert (len(LINES[0]), 2, 1) == (account.open_tail, account.next_line, account.blank_bytes)


@pytest.mark.parametrize("byte, expected", [(b" ", []), (b"\0", ["NUL bytes"])])
def test_blanks_and_nul_bytes_have_no_limit(byte: bytes, expected: list[str]) -> None:
    """Any number of blanks is blank, and any number of NUL bytes is just that."""
    for end in (b"\n" + LINES[1], b""):
        account, items = bounded(LINES[0] + byte * 5_000_000 + end, 1_000_000)

        assert expected == reasons(items)
        assert account.end == account.record_bytes + account.damage_bytes + account.blank_bytes


@pytest.mark.slow
@pytest.mark.parametrize("byte, expected", [(b" ", []), (b"\0", ["NUL bytes"]), (b"x", [TOO_LONG])])
def test_600_megabytes_on_one_line(byte: bytes, expected: list[str], tmp_path: Path) -> None:
    """The real limit holds in a real file."""
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.write(LINES[0])
        for _ in range(600):
            file.write(byte * (1 << 20))
        file.write(b"\n" + LINES[1])
    with path.open("rb", buffering=1 << 20) as file:
        items = list(scan(file, str(path)))

    assert (RAWS[:2], expected) == (raws(items), reasons(items))


def test_two_files_in_one_and_one_file_twice() -> None:
    """Concatenated files give all their records, a byte order mark between them being no harm."""
    other = b"".join(good(3, start=50))

    assert [*RAWS, *raws(read(other)[1])] == raws(read(TEXT + BOM + other)[1])
    assert RAWS * 2 == raws(read(TEXT * 2)[1])
    assert RAWS * 2 == raws(read(TEXT[:-1] + BOM + TEXT)[1])


def test_interleaved_writers() -> None:
    """Of two writers whose blocks are mixed every record is found that is in one piece."""
    long = raw(row(9, text="x" * 10_000)) + b"\n"
    _, items = read(TEXT + long[:4096] + LINES[0] + long[4096:8192] + LINES[1] + long[8192:] + TEXT)

    assert [*RAWS, RAWS[0], RAWS[1], *RAWS] == raws(items)
    assert ["torn record", "not a record"] == reasons(items)[:2]


def test_noise_is_little_damage() -> None:
    """Random bytes make few ranges of damage, not one for each line."""
    noise = b"".join(bytes([byte % 251 + 2]) for byte in range(256)) * 500
    _, items = read(noise + b"\n" + TEXT)

    assert RAWS == raws(items)
    assert len(reasons(items)) < 20


def test_unread_file_position_does_not_matter() -> None:
    """A scan begins where it is told to, wherever the file stands."""
    file = io.BytesIO(TEXT)
    file.seek(17)

    assert RAWS == raws(list(scan(file, "s.jsonl")))
    assert RAWS[1:] == raws(list(scan(file, "s.jsonl", start=len(LINES[0]), line=2)))
