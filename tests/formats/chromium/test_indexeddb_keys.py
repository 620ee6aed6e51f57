"""IndexedDB's keys in both codings, and what the browser's own keys are called."""

import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leveldb_make import idb_key, prefixed, text_be, varint

from backscroll.formats.chromium.indexeddb_keys import Prefix, key_text, label, read_key, read_prefix, read_sortable
from backscroll.formats.cursor import Cursor, MalformedError

TEXT = b"\x01" + text_be("k")


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"\x00", None),
        (b"\x01" + text_be("日 k"), "日 k"),
        (b"\x01" + text_be("\ud800"), "\ud800"),
        (b"\x02" + struct.pack("<d", 0), {"$date": "1970-01-01T00:00:00.000Z"}),
        (b"\x03" + struct.pack("<d", 17), 17),
        (b"\x04\x02" + TEXT + b"\x04\x00", ["k", []]),
        (b"\x06" + prefixed(b"\1\2"), {"$bytes": "AQI=", "type": "ArrayBuffer"}),
    ],
)
def test_keys_of_leveldb(data: bytes, expected: Any) -> None:
    """Each kind of key is read."""
    assert expected == read_key(Cursor(data))


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"\x10\xc0\x31" + bytes(6), 17),
        (b"\x10" + bytes(byte ^ 0xFF for byte in struct.pack(">d", -2.5)), -2.5),
        (b"\x20\x80" + bytes(7), {"$date": "1970-01-01T00:00:00.000Z"}),
        (b"0sfbdu.rvfsz\x00", "react-query"),
        (b"0\x01\x80\xe9\xff\x65\xe5\xff\xd8\x3d\xff\xde\x42\x00", "\0é日🙂"),
        (b"\x40\x00", {"$bytes": "", "type": "ArrayBuffer"}),
        (b"\x40\x09ABC\0\0\0\0\0\x03", {"$bytes": "QUJD", "type": "ArrayBuffer"}),
        (b"\x40\x09ABCDEFGH\x09I\0\0\0\0\0\0\0\x01", {"$bytes": "QUJDREVGR0hJ", "type": "ArrayBuffer"}),
        (b"P0bss\x00P\x00\x10\xc0" + bytes(7) + b"\x00", ["arr", [], 2]),
    ],
)
def test_keys_of_sqlite(data: bytes, expected: Any) -> None:
    """Each kind of sortable key is read."""
    assert expected == read_sortable(Cursor(data))


@pytest.mark.parametrize("data", [b"", b"\x05", b"\x09", b"\x01\x05a", b"\x03abc", b"\x04\x7f", b"\x04\x01" * 99])
def test_keys_that_are_none(data: bytes) -> None:
    """A key that is cut short, too deep or of an unknown kind is refused."""
    with pytest.raises(MalformedError):
        read_key(Cursor(data))


@pytest.mark.parametrize(
    "data", [b"", b"\x11", b"0abc", b"0\xd0\x00", b"\x40\x08", b"\x40\x0a", b"\x40\x09abc", b"P", b"P" * 99]
)
def test_sortable_keys_that_are_none(data: bytes) -> None:
    """A sortable key that is cut short, too deep or of an unknown kind is refused."""
    with pytest.raises(MalformedError):
        read_sortable(Cursor(data))


def test_prefix_of_any_width() -> None:
    """The three numbers may take up to eight, eight and four bytes."""
    data = bytes([1 << 5 | 2 << 2 | 1]) + b"\1\2" + b"\3\0\0" + b"\x1e\1"

    assert Prefix(0x201, 3, 0x11E) == read_prefix(Cursor(data))


@pytest.mark.parametrize(
    "key, expected",
    [
        (idb_key(0, 0, 0, b"\0"), "schema version"),
        (idb_key(0, 0, 0, b"\xc9\1"), "database name 01"),
        (idb_key(0, 0, 0, b"\x99"), "unknown"),
        (idb_key(1, 0, 0, b"\x32\1\0"), "database 1, object store 0100"),
        (idb_key(1, 0, 0, b"\x99"), "database 1, unknown"),
        (idb_key(1, 2, 2, TEXT), "database 1, object store 2, exists: k"),
        (idb_key(1, 2, 30, b"\x03" + struct.pack("<d", 5)), "database 1, object store 2, index 30: 5"),
        (b"\xff\x01", "unknown key ff01"),
    ],
)
def test_labels(key: bytes, expected: str) -> None:
    """A key of the browser's own is said in words."""
    assert expected == label(key)


def test_key_as_text() -> None:
    """A text is itself, anything else is JSON, and a lone surrogate inside an array does no harm."""
    assert ["k", "17", '["a",1]'] == [key_text("k"), key_text(17), key_text(["a", 1])]
    assert "\\ud800" in key_text(["\ud800"])


@given(st.binary(max_size=40))
def test_noise(data: bytes) -> None:
    """Any bytes are read, refused or named, and never raise anything else."""
    assert label(data)
    for read in (read_key, read_sortable):
        with suppress(MalformedError):
            assert key_text(read(Cursor(data))) is not None


def test_varint_of_a_count_is_bounded() -> None:
    """A count larger than what is left is refused before anything is made."""
    with pytest.raises(MalformedError):
        read_key(Cursor(b"\x04" + varint(1 << 60)))
