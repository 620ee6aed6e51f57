"""Reading binary formats piece by piece, never over the end."""

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from leveldb_make import prefixed, varint

from backscroll.formats.cursor import Cursor, MalformedError, fields


@given(st.integers(0, (1 << 64) - 1))
@example(1 << 63)
@example((1 << 64) - 1)
def test_varints_come_back(number: int) -> None:
    """Every number of 64 bits is read as it was written."""
    cursor = Cursor(varint(number) + b"rest")

    assert (number, 4) == (cursor.varint(), cursor.left)


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 9 + b"\x7f", b"\xff" * 11])
def test_varints_that_are_none(data: bytes) -> None:
    """A number that is cut short or has more than 64 bits is refused."""
    with pytest.raises(MalformedError):
        Cursor(data).varint()


def test_nothing_is_read_over_the_end() -> None:
    """The end may lie before that of the bytes."""
    cursor = Cursor(b"abcdef", 1, 4)

    assert (b"bc", 0x64, None) == (cursor.take(2), cursor.byte(), cursor.peek())
    for read in (cursor.byte, cursor.varint, cursor.double, cursor.prefixed, lambda: cursor.take(1)):
        with pytest.raises(MalformedError):
            read()


def test_double() -> None:
    """A number with a fraction has its lowest byte first."""
    assert Cursor(struct.pack("<d", 1.5)).double() == 1.5


def test_fields_of_a_protocol_buffer() -> None:
    """Numbers and bytes are read by the number of their field; other kinds are refused."""
    assert fields(b"\x08\x05\x12" + prefixed(b"abc")) == {1: 5, 2: b"abc"}
    assert fields(b"") == {}
    with pytest.raises(MalformedError, match="kind 5"):
        fields(b"\x0d\0\0\0\0")
