"""One JSON text, however badly written, as one clean value."""

import doctest
import json
import math
import sqlite3
from typing import Any

import orjson
import pytest
from formats.lines import dice, raw, row
from hypothesis import given
from hypothesis import strategies as st

from backscroll.formats.json import lenient
from backscroll.formats.json.lenient import DEEPEST, has_duplicate_keys, value_of

CHUNK = 1 << 20


def depth_of(value: Any) -> int:
    """Return how many levels of lists and objects a value has."""
    depth, level = 0, [value]
    while level := [inner for outer in level for inner in members(outer)]:
        depth += 1
    return depth


def members(value: Any) -> list[Any]:
    """Return the values inside a value."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


def is_clean(value: Any) -> bool:
    """Tell whether every sink can take a value: terminal, orjson and SQLite."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, int):
        sqlite3.connect(":memory:").execute("select ?", (value,)).close()
    return (not isinstance(value, float) or math.isfinite(value)) and all(map(is_clean, members(value)))


def test_examples() -> None:
    """The examples in the module's docstrings give what they say."""
    assert (0, 1) == doctest.testmod(lenient)


@pytest.mark.parametrize(
    "text", [b"{}", b"[]", b"null", b"true", b"42", b"-0", b"1.5e3", b'"s"', b' {"a": [1, {"b": null}]} \r\n']
)
def test_good_text_needs_no_repair(text: bytes) -> None:
    """What orjson reads comes out as it is, without a note."""
    assert (json.loads(text), None) == value_of(text)


@pytest.mark.parametrize(
    "text, value, note",
    [
        (rb'{"a": "x\ud800y"}', {"a": "x\ufffdy"}, "lone surrogate"),
        (rb'{"a": "\udc00\ud83d\ude00\ude00"}', {"a": "\ufffd😀\ufffd"}, "lone surrogate"),
        (rb'{"a": "\uD83D\uD83D\uDE00\ud83d"}', {"a": "\ufffd😀\ufffd"}, "lone surrogate"),
        (rb'{"a": "\\ud83d\ude00"}', {"a": "\\ud83d\ufffd"}, "lone surrogate"),
        (rb'{"\ud800": 1}', {"\ufffd": 1}, "lone surrogate"),
        (rb'{"file_path": "x\ud800"}', {"file_path": r"x\ud800"}, "lone surrogate"),
        (
            rb'{"filePath": "\ud83d\ude00\uDE00", "a": "\ud800"}',
            {"filePath": r"😀\uDE00", "a": "\ufffd"},
            "lone surrogate",
        ),
        (rb'{"path": "a\"\\", "b": "\udbff"}', {"path": 'a"\\', "b": "\ufffd"}, "lone surrogate"),
        (b'{"a": "x\xff\xfe\x80y"}', {"a": r"x\xff\xfe\x80y"}, "invalid UTF-8 bytes"),
        (b'{"a": "\xc0\x80"}', {"a": r"\xc0\x80"}, "invalid UTF-8 bytes"),
        (b'{"a": "\xed\xa0\x80"}', {"a": r"\xed\xa0\x80"}, "invalid UTF-8 bytes"),
        (b'{"a": "\xf5\x80\x80\x80\xe6\x97"}', {"a": r"\xf5\x80\x80\x80\xe6\x97"}, "invalid UTF-8 bytes"),
        (b'{"k\xff": 1}', {r"k\xff": 1}, "invalid UTF-8 bytes"),
        (b'{"a": "\\\xff"}', {"a": r"\\xff"}, "invalid UTF-8 bytes, invalid escape"),
        (b'{"a": "\x1b[31mx\ty\x00"}', {"a": "\x1b[31mx\ty\x00"}, "raw control characters"),
        (b'{"a": NaN, "b": -Infinity}', {"a": None, "b": None}, "not-a-number"),
        (b'{"a": 1e999, "b": -1e999}', {"a": None, "b": None}, "number too large"),
        (b'{"a": 9223372036854775808}', {"a": "9223372036854775808"}, "number too large"),
        (b'{"a": -9223372036854775809}', {"a": "-9223372036854775809"}, "number too large"),
        (b'{"a": [18446744073709551616]}', {"a": ["18446744073709551616"]}, "number too large"),
        (rb'{"a": "\q \u12 \n"}', {"a": "\\q \\u12 \n"}, "invalid escape"),
        (rb'{"a": "\ud800", "b": NaN}', {"a": "\ufffd", "b": None}, "lone surrogate, not-a-number"),
        (rb'{"a": "\ud83d\ude00", "b": NaN}', {"a": "😀", "b": None}, "not-a-number"),
        (b'{"a": "\\q\x01"}', {"a": "\\q\x01"}, "invalid escape, raw control characters"),
    ],
)
def test_repairs(text: bytes, value: Any, note: str) -> None:
    """Each kind of bad writing is repaired in the one way that loses least, and named."""
    assert (value, note) == value_of(text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"{",
        b'{"a": 1',
        b'{"a": "x',
        b'{"a": 1}{"b": 2}',
        b'{"a": 1,}',
        b"{'a': 1}",
        b'{"a": tru}',
        b'\xff{"a": 1}',
        b'{"a": \xff}',
        b'{"a": 1}\x00',
        b"\x00",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b"[" * 200 + b"}" * 200,
        b'{"a":' * 5_000 + b'"}',
        b'"' + b"\\" * 1001 + b'"',
        b"\x80" * 1000,
        b"1\x002\x00",
    ],
)
def test_what_is_not_one_text_is_refused(text: bytes) -> None:
    """Torn, glued and foreign bytes are refused with ValueError, not guessed at."""
    with pytest.raises(ValueError):
        value_of(text)


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63), 10**18, 999_999_999_999_999_999])
def test_integers_of_64_bits_stay_integers(number: int) -> None:
    """An integer that SQLite can hold comes out as an integer."""
    assert ({"n": number}, None) == value_of(b'{"n": %d}' % number)


def test_long_digits_in_text_change_nothing() -> None:
    """Digits inside a string are no number, however many."""
    text = {"a": "1" * 100, "b": ", 11111111111111111111", "c": 12345678901234567890.5}

    assert (text, None) == value_of(json.dumps(text).encode())


def test_5000_digits_are_kept_as_text() -> None:
    """A number beyond all bounds keeps every digit."""
    assert ({"n": "9" * 5000}, "number too large") == value_of(b'{"n": ' + b"9" * 5000 + b"}")


def test_nul_escape_is_text() -> None:
    r"""An escaped NUL is a character like any other, and nothing after it is lost."""
    assert ({"a": "x\x00y"}, None) == value_of(rb'{"a": "x\u0000y"}')


@pytest.mark.parametrize("key", ["__proto__", "constructor", "toString", ""])
def test_keys_have_no_magic(key: str) -> None:
    """Keys that mean something elsewhere are plain data here."""
    assert ({key: {key: 1}}, None) == value_of(json.dumps({key: {key: 1}}).encode())


@pytest.mark.slow
def test_huge_keys_and_many_keys() -> None:
    """A key of one megabyte and an object of 100,000 keys are read like others."""
    value = {"k" * CHUNK: 1, **{f"k{number}": number for number in range(100_000)}}

    assert (value, None) == value_of(json.dumps(value).encode())


@pytest.mark.parametrize("place", range(CHUNK - 4, CHUNK + 4))
def test_characters_across_chunks(place: int) -> None:
    """Where the text is decoded in chunks, a character may lie across two of them, and so may a bad byte."""
    filler = "x" * (place - len('{"a":"'))
    text = b'{"a":"' + filler.encode() + "日".encode() + b'\xff"}'

    assert ({"a": filler + "日" + r"\xff"}, "invalid UTF-8 bytes") == value_of(text)


def test_half_a_character_at_the_end_of_a_chunk() -> None:
    """The last byte is never lost, even where the text ends with a chunk."""
    notes: dict[str, None] = {}

    assert lenient._valid(b"a" * (lenient._CHUNK - 1) + b"\xc3", notes).startswith(b"a" * (lenient._CHUNK - 1) + b"\\")
    assert [lenient.INVALID_UTF8] == list(notes)


@pytest.mark.parametrize("levels", [200, 2_000, 100_000])
@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"x":', b"}"), (b'[{"]":', b"}]")])
def test_deep_values_are_replaced(opening: bytes, closing: bytes, levels: int) -> None:
    """What is nested too deeply becomes a text that says how much is missing; everything beside it is read."""
    deep = opening * levels + b"1" + closing * levels
    value, note = value_of(b'{"before": 1, "deep": ' + deep + b', "after": "2"}')

    assert ({"before", "deep", "after"}, 1, "2") == (set(value), value["before"], value["after"])
    assert "nested too deeply" == note
    assert DEEPEST == depth_of(value)
    assert b"[nested deeper than 100 levels, " in orjson.dumps(value)


def test_nesting_up_to_the_limit_is_kept() -> None:
    """A value of exactly the deepest level is left alone, and the next level is not."""
    inside = b"[" * DEEPEST + b"]" * DEEPEST
    beyond = b"[" + inside + b"]"

    assert (json.loads(inside), None) == value_of(inside)
    assert "nested too deeply" == value_of(beyond)[1]
    assert b'"[nested deeper than 100 levels, 2 bytes]"' in orjson.dumps(value_of(beyond)[0])


def test_wide_values_are_not_deep() -> None:
    """Many brackets beside one another, or inside strings, are not nesting."""
    value = {"a": [[] for _ in range(1000)], "b": "[" * 1000, "c": '"{' * 1000}

    assert (value, None) == value_of(json.dumps(value).encode())


def test_deep_values_side_by_side() -> None:
    """Each of several deep values is replaced on its own."""
    deep = b"[" * 2000 + b"]" * 2000
    value, _ = value_of(b"[" + b",".join([deep, b'"\\"["', deep]) + b"]")

    assert '"[' == value[1]
    assert value[0] == value[2]


def test_duplicate_keys_are_noted() -> None:
    """Of a key that is given twice the last value wins, and the note says so."""
    text = raw(row(1))[:-1] + b',"uuid":"x","type":"system"}'
    value, note = value_of(text)

    assert ("x", "system", "duplicate keys") == (value["uuid"], value["type"], note)


@pytest.mark.parametrize(
    "text, expected",
    [
        (b'{"uuid": 1, "uuid": 2}', True),
        (b'{"sessionId": 1, "a": {}, "sessionId": 2}', True),
        (b'{"uuid": 1, "a": {"uuid": 2}}', False),
        (b'{"a": {"uuid": 1, "uuid": 2}}', False),
        (b'{"uuid": 1, "n": ' + b"9" * 5000 + b', "uuid": 2}', True),
        (b'{"uuid": 1, "uuid": 2', False),
        (b'{"uuid": 1, "a": ' + b"[" * 200_000 + b"]" * 200_000 + b', "uuid": 2}', False),
        (b'{"a": 1, "a": 2}', False),
    ],
)
def test_duplicate_keys_count_at_the_top_only(text: bytes, expected: bool) -> None:
    """Only the outermost object is looked at, and only where an identifier hints at a repetition."""
    assert expected == has_duplicate_keys(text)


def test_repair_keeps_the_note_of_duplicate_keys() -> None:
    """A text that needed another repair is still searched for repeated keys."""
    assert ({"uuid": None}, "not-a-number, duplicate keys") == value_of(b'{"uuid": 1, "uuid": NaN}')


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [rb"\ud800", b"\xff", b"\x1b", rb"\q", rb"\\", rb"\"", b"[", b"9"],
)
def test_a_megabyte_of_anything_takes_little_time(unit: bytes) -> None:
    """Repairs are linear: a megabyte of what each of them looks for is read at once."""
    value, _ = value_of(b'{"a":"' + unit * (CHUNK // len(unit)) + b'"}')

    assert is_clean(value)


WORDS = [b'{"a":', b"}", b"[", b"]", b",", b'"', b"\\", rb"\ud800", rb"\ude00", b"\xff", b"\x1b", b"NaN", b"1e999"]
WORDS += [b"99999999999999999999", b'"uuid":1', b'"x"', b":", b" ", b"null", b"-", b"\xed\xa0\x80", rb"\u", b"[" * 150]


@given(st.lists(st.sampled_from(WORDS) | st.binary(max_size=3), max_size=30).map(b"".join))
def test_every_value_is_clean(text: bytes) -> None:
    """Whatever bytes come in, a clean value comes out of them or ValueError."""
    try:
        value, _ = value_of(text)
    except ValueError:
        return

    assert is_clean(value)
    assert depth_of(value) <= DEEPEST
    orjson.dumps(value)


@given(st.integers(min_value=0), st.integers(min_value=0, max_value=255), st.integers(min_value=0))
def test_every_mutated_record_is_clean(place: int, byte: int, seed: int) -> None:
    """A record with one wrong byte is refused, or read as a clean value that can be written again."""
    text = bytearray(raw(row(dice(seed).randrange(1000), text='q"\\\n\t😀', extra={"n": [1.5, -2, None, True]})))
    text[place % len(text)] = byte
    try:
        value, _ = value_of(bytes(text))
    except ValueError:
        return

    assert is_clean(value)
    assert orjson.loads(orjson.dumps(value)) == value
