"""V8's values: every kind as JSON shows it, every format from 9 to 16, and that nothing ever raises."""

import json
import shutil
import struct
import subprocess
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from leveldb_make import prefixed, v8_text, varint

from backscroll.formats.chromium.v8 import BYTES_LEFT, COUNT_DIFFERS, DecodedValue, decode
from backscroll.formats.json.lenient import DUPLICATE_KEYS, INVALID_UTF8, LONE_SURROGATE, TOO_DEEP

HOLE, UNDEFINED, UNREAD = {"$hole": True}, {"$undefined": True}, {"$unread": True}


def double(value: float) -> bytes:
    """Write a double."""
    return struct.pack("<d", value)


def shown(body: bytes, version: int = 15, externals: tuple[Any, ...] = ()) -> Any:
    """Decode a value that must be read without a note."""
    decoded = decode(b"\xff" + bytes([version]) + body, externals)

    assert decoded.note is None
    return decoded.value


@pytest.mark.parametrize(
    "body, expected",
    [
        (b"_", UNDEFINED),
        (b"0", None),
        (b"T", True),
        (b"F", False),
        (b"I\x02", 1),
        (b"I\x0d", -7),
        (b"U\xff\xff\xff\xff\x0f", 4294967295),
        (b"N" + double(1.5), 1.5),
        (b"N" + double(1777000000000), 1777000000000),
        (b"N" + double(-3), -3),
        (b"N" + double(2.0**60), 2.0**60),
        (b"N" + double(float("nan")), {"$number": "NaN"}),
        (b"N" + double(float("inf")), {"$number": "Infinity"}),
        (b"N" + double(float("-inf")), {"$number": "-Infinity"}),
        (b"Z\x10" + struct.pack("<Q", 12345678901234567890), {"$bigint": "12345678901234567890"}),
        (b"Z\x03\x05", {"$bigint": "-5"}),
        (b"Z" + varint(2 * 2000) + b"\x11" * 2000, {"$bigint": "0x" + "11" * 2000}),
        (b'"\x04caf\xe9', "café"),
        (b"S\x05caf\xc3\xa9", "café"),
        (b"c\x04\xe5\x65\x2c\x67", "日本"),
        (b"\0\0c\x02a\0", "a"),
        (b"?\x07I\x02", 1),
        (b"o{\x00", {}),
        (b'o"\x01aI\x02I\x04"\x01b{\x02', {"a": 1, "2": "b"}),
        (b"A\x02I\x02-$\x00\x02", [1, HOLE]),
        (b'A\x01I\x02"\x01pT$\x01\x01', {"$array": [1], "properties": {"p": True}}),
        (b'a\x03I\x00I\x02I\x04"\x01x@\x02\x03', [1, HOLE, "x"]),
        (b"a\xa1\x8d\x06I\xc0\x9a\x0cI\x02@\x01\xa1\x8d\x06", {"$array": {"100000": 1}, "length": 100001}),
        (b'a\x01I\x00I\x02"\x01pT@\x02\x01', {"$array": [1], "properties": {"p": True}}),
        (b';"\x01kI\x02:\x02', {"$map": [["k", 1]]}),
        (b"'I\x02\"\x03two,\x02", {"$set": [1, "two"]}),
        (b"D" + double(1777000000000), {"$date": "2026-04-24T03:06:40.000Z"}),
        (b"D" + double(-1), {"$date": "1969-12-31T23:59:59.999Z"}),
        (b"D" + double(float("nan")), {"$date": None}),
        (b"D" + double(8.64e15), {"$date": 8.64e15}),
        (b'R"\x03a+b\x03', {"$regexp": "a+b", "flags": "gi"}),
        (b"B\x03\x01\x02\x03", {"$bytes": "AQID", "type": "ArrayBuffer"}),
        (b"~\x03\x08\x01\x02\x03", {"$bytes": "AQID", "type": "ArrayBuffer"}),
        (b"B\x03\x01\x02\x03VB\x01\x02\x00", {"$bytes": "AgM=", "type": "Uint8Array"}),
        (b"y", {"$boxed": True}),
        (b"x", {"$boxed": False}),
        (b"n" + double(3), {"$boxed": 3}),
        (b"z\x02\x07", {"$boxed": {"$bigint": "7"}}),
        (b's"\x01s', {"$boxed": "s"}),
        (b'rRm"\x03bads"\x01x.', {"$error": "RangeError", "message": "bad", "stack": "x"}),
        (b"rco{\x00.", {"$error": "Error", "cause": {}}),
        (b"t\x01", {"$host": "ArrayBuffer", "values": [1]}),
        (b"u\x02", {"$host": "SharedArrayBuffer", "values": [2]}),
        (b"p\x03", {"$host": "shared object", "values": [3]}),
        (b"\\i\x01", {"$blob": {"index": 1}}),
        (b"\\L\x02\x00\x01", {"$host": "FileList", "values": [{"$blob": {"size": 5}}, {"$blob": {"index": 1}}]}),
        (b"\\Q" + double(1) * 4, {"$host": "DOMPoint", "values": [1, 1, 1, 1]}),
        (b"\\n\x01f\x02", {"$host": "FileSystemFileHandle", "values": ["f", 2]}),
        (b"\\x\x01a\x01b\x00", {"$host": "DOMException", "values": ["a", "b", ""]}),
    ],
)
def test_each_kind(body: bytes, expected: object) -> None:
    """Each kind of value is shown as the table in v8_tags says."""
    assert expected == shown(body, externals=({"size": 5},))


def test_minus_zero_keeps_its_sign() -> None:
    """Minus zero is no integer."""
    assert str(shown(b"N" + double(-0.0))) == "-0.0"


@pytest.mark.parametrize(
    "head",
    [b"\xff\x0f", b"\xff\x10", b"\xff\x14\xff\x0f", b"\xff\x15\xfe" + bytes(12) + b"\xff\x10", b"\xff\x10\xff\x0d"],
)
def test_envelopes(head: bytes) -> None:
    """V8 alone, V8 in Blink's envelope, and Blink's envelope with the place of a trailer are all opened."""
    assert decode(head + b"I\x02") == DecodedValue(1, None, None)


def test_trailer_is_not_part_of_the_value() -> None:
    """What the envelope says is a trailer is left alone."""
    body = b"\xff\x10\\i\x00"
    head = b"\xff\x15\xfe" + struct.pack(">QI", 15 + len(body), 6)

    assert decode(head + body + b"\xa0\0\0\0\1i") == DecodedValue({"$blob": {"index": 0}}, None, None)


def test_old_formats() -> None:
    """Texts inside values were UTF-8 before 12, blobs had no escape before 13, holes were undefined before 11."""
    assert shown(b"R\x03a+b\x00", 11) == {"$regexp": "a+b", "flags": ""}
    assert shown(b"i\x04", 12) == {"$blob": {"index": 4}}
    assert shown(b"A\x02_I\x02$\x00\x02", 10) == [HOLE, 1]
    assert shown(b"B\x01\x07VB\x00\x01", 13) == {"$bytes": "Bw==", "type": "Uint8Array"}


def test_format_13_with_the_flags_of_14() -> None:
    """Some builds wrote flags under the number 13: if it cannot be read without them, it is read with them."""
    assert shown(b'o"\x01bB\x01\x07VB\x00\x01\x00"\x01cI\x02{\x02', 13)["c"] == 1


def test_shared_and_circular_references() -> None:
    """An object seen twice is shown twice; one that holds itself is referred to by number."""
    shared = b'A\x02o"\x01xI\x02{\x01^\x01$\x00\x02'
    circular = b'o"\x04self^\x00{\x01'

    assert shown(shared) == [{"x": 1}, {"x": 1}]
    assert shown(circular) == {"self": {"$ref": 0}}


def test_views_of_one_buffer() -> None:
    """A view may refer to a buffer that came before, and counts as an object of its own."""
    body = b"A\x03B\x02\x01\x02VB\x00\x01\x00^\x01VB\x01\x01\x00^\x03$\x00\x03"

    assert [view["$bytes"] for view in shown(body)] == ["AQ==", "Ag==", "Ag=="]


def test_references_do_not_unfold_without_end() -> None:
    """Forty lists that each hold the one before twice would be a trillion: the later ones are references."""
    lists = b"".join(b"A\x02^" + bytes([n]) + b"^" + bytes([n]) + b"$\x00\x02" for n in range(1, 40))
    value = shown(b"A\x28A\x02I\x00I\x00$\x00\x02" + lists + b"$\x00\x28")

    assert len(orjson.dumps(value)) < 200_000


def test_buffers_do_not_unfold_without_end() -> None:
    """A buffer that is referred to again and again is shown only so often."""
    body = b"A\x81\x08B\xa0\x8d\x06" + bytes(100_000) + (b"^\x01VB\x00\xa0\x8d\x06\x00") * 1024 + b"$\x00\x81\x08"
    value = shown(body)

    assert {"$ref": 1} in value
    assert len(orjson.dumps(value)) < 10_000_000


@pytest.mark.parametrize(
    "depth, note", [(100, None), (101, TOO_DEEP), pytest.param(100_000, TOO_DEEP, marks=pytest.mark.slow)]
)
def test_nesting(depth: int, note: str | None) -> None:
    """What is nested too deeply is replaced by a text that says so; nothing overflows."""
    decoded = decode(b"\xff\x0f" + b'o"\x01a' * depth + b"I\x02" + b"{\x01" * depth)

    assert note == decoded.note
    assert orjson.dumps(decoded.value)


def test_references_do_not_add_up_to_more_depth() -> None:
    """A chain of references to deep objects stays within the depth that every sink takes."""
    deep = [b'o"\x01a' * 60 + inner + b"{\x01" * 60 for inner in (b"I\x02", b"^\x01", b"^\x3d", b"^\x79", b"^\xb5\x01")]

    assert orjson.dumps(shown(b"A\x05" + b"".join(deep) + b"$\x00\x05"))


def test_text_is_exact() -> None:
    """A text keeps its lone surrogates as text, and loses them as JSON."""
    decoded = decode(b"\xff\x0fc\x06\x00\xd8 \0x\0")

    assert decoded == DecodedValue("\ufffd x", "\ud800 x", LONE_SURROGATE)
    assert decode(b"\xff\x0fS\x02\xffa") == DecodedValue("\ufffda", "\ufffda", INVALID_UTF8)
    assert decode(v8_text("plain")) == DecodedValue("plain", "plain", None)


@pytest.mark.parametrize(
    "data, value, note",
    [
        (b"", UNREAD, "no version"),
        (b"I\x02", UNREAD, "no version"),
        (b"\xff\x15\xfe" + bytes(12) + b"I", UNREAD, "the version of V8 is missing"),
        (b"\xff\x0f", UNREAD, "none left"),
        (b"\xff\x0fI\x02I\x04", 1, BYTES_LEFT),
        (b"\xff\x63I\x02", 1, "format 99 is newer"),
        (b"\xff\x0f\x07", UNREAD, "unknown tag 0x07"),
        (b'\xff\x0fo"\x01aI\x02"\x01b\x07', {"a": 1, "b": UNREAD}, "byte 12: unknown tag"),
        (b'\xff\x0fo"\x01ao"\x01b\x07', {"a": {"b": UNREAD}}, "unknown tag"),
        (b"\xff\x0fA\x02I\x02", [1], "none left"),
        (b'\xff\x0fo"\x01aI\x02{\x05', {"a": 1}, COUNT_DIFFERS),
        (b'\xff\x0fo"\x01aI\x02"\x01aI\x04{\x02', {"a": 2}, DUPLICATE_KEYS),
        (b"\xff\x0foo{\x00I\x02{\x01", {"{}": 1}, None),
        (b"\xff\x0frm", {"$error": "Error", "message": UNREAD}, "none left"),
        (b"\xff\x0frmI\x02", {"$error": "Error", "message": UNREAD}, "text is missing"),
        (b"\xff\x0frX", {"$error": "Error"}, "unknown part 0x58"),
        (b"\xff\x0f^\x05", UNREAD, "missing object"),
        (b"\xff\x0f\\\x01", UNREAD, "unknown kind 0x01"),
        (b"\xff\x0f\\L\x7f", UNREAD, "cut short"),
        (b"\xff\x0fB\x01\x07V!\x00\x01\x00", UNREAD, "unknown view"),
        (b"\xff\x0fB\x01\x07VB\x00\x05\x00", UNREAD, "over the end"),
        (b"\xff\x0fc\x03abc", UNREAD, "half a character"),
        (b"\xff\x0f" + b"U" + b"\xff" * 7 + b"\x01", UNREAD, "32 bits"),
        (b'\xff\x0f"' + varint(1 << 40) + b"x", UNREAD, "bytes wanted"),
    ],
)
def test_what_cannot_be_read(data: bytes, value: object, note: str | None) -> None:
    """Where the reading stops, what came before is kept, and the note says where and why."""
    decoded = decode(data)

    assert value == decoded.value
    assert note in (decoded.note or "") if note else decoded.note is None


TAGS = st.sampled_from([bytes([tag]) for tag in b"oAa;'r{$@:,.^\"cSBV~\\IUNZ_0TF-DRyxnzstup?\0iLQx"])


@given(st.lists(TAGS | st.binary(max_size=4), max_size=60).map(b"".join), st.integers(9, 17))
@example(b"?\x01" * 5000 + b"I\x02", 15)
def test_noise(body: bytes, version: int) -> None:
    """Any bytes are read to something that every sink takes."""
    decoded = decode(b"\xff" + bytes([version]) + body)

    assert orjson.dumps(decoded.value)


NODE = r"""
const v8 = require('v8'); class Plain extends v8.Serializer {};
const shared = {x: 1};
const value = {s: 'caf\u00e9', w: '\u65e5\u672c', n: 1.5, i: -7, big: 2n ** 70n, nul: null, u: undefined,
  d: new Date(1777000000000), re: /a+b/gimsuy, arr: [1, , 'x'], map: new Map([['k', {v: 1}], [{}, 2]]),
  set: new Set([1, 'two']), bytes: new Uint8Array([1, 2, 3]), words: new Float64Array([1.5]), err: new TypeError('bad'),
  nested: {a: {b: {c: []}}}, twice: [shared, shared], props: Object.assign([1, 2], {p: 1}), 7: 'seven',
  boxed: [new Number(3), new String('s'), new Boolean(true), Object(7n)], sparse: Object.assign([], {100000: 1})};
const out = new Plain(); out.writeHeader(); out.writeValue(value); process.stdout.write(out.releaseBuffer());
"""


def test_second_opinion() -> None:
    """What V8 itself writes, in Node, is read as it was meant."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: no second opinion on V8's format")
    data = subprocess.run(["node", "-e", NODE], check=True, capture_output=True).stdout
    value, text, note = decode(data)
    error = value.pop("err")

    assert (None, None, "TypeError", "bad") == (text, note, error["$error"], error["message"])
    assert json.loads(json.dumps(value)) == {
        "7": "seven",
        "s": "café",
        "w": "日本",
        "n": 1.5,
        "i": -7,
        "big": {"$bigint": str(2**70)},
        "nul": None,
        "u": UNDEFINED,
        "d": {"$date": "2026-04-24T03:06:40.000Z"},
        "re": {"$regexp": "a+b", "flags": "gimyus"},
        "arr": [1, HOLE, "x"],
        "map": {"$map": [["k", {"v": 1}], [{}, 2]]},
        "set": {"$set": [1, "two"]},
        "bytes": {"$bytes": "AQID", "type": "Uint8Array"},
        "words": {"$bytes": "AAAAAAAA+D8=", "type": "Float64Array"},
        "nested": {"a": {"b": {"c": []}}},
        "twice": [{"x": 1}, {"x": 1}],
        "props": {"$array": [1, 2], "properties": {"p": 1}},
        "boxed": [{"$boxed": 3}, {"$boxed": "s"}, {"$boxed": True}, {"$boxed": {"$bigint": "7"}}],
        "sparse": {"$array": {"100000": 1}, "length": 100001},
    }


def test_prefix_of_a_text_is_not_trusted() -> None:
    """A text cut short is not shown as if it were whole."""
    assert decode(v8_text("abcdef")[:-2]).value == UNREAD
    assert prefixed(b"abcdef") in v8_text("abcdef")
