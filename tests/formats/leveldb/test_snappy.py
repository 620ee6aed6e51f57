"""Snappy: every kind of element, and everything that must be refused."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from leveldb_make import packed, varint

from backscroll.formats.cursor import MalformedError
from backscroll.formats.leveldb import snappy


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"\x00", b""),
        (b"\x03\x08abc", b"abc"),
        (b"\x08\x0cabcd\x01\x04", b"abcdabcd"),
        (b"\x0a\x04ab\x1e\x02\x00", b"ababababab"),
        (b"\x0a\x04ab\x1f\x02\x00\x00\x00", b"ababababab"),
        (b"\x07\x00a\x09\x01", b"aaaaaaa"),
        (varint(61) + b"\xf0\x3c" + b"x" * 61, b"x" * 61),
        (varint(300) + b"\xf4\x2b\x01" + b"y" * 300, b"y" * 300),
        (varint(3) + b"\xf8\x02\x00\x00abc", b"abc"),
        (varint(3) + b"\xfc\x02\x00\x00\x00abc", b"abc"),
    ],
)
def test_each_element(data: bytes, expected: bytes) -> None:
    """Literals with lengths of every width, and copies of all three kinds, overlapping ones too."""
    assert expected == snappy.unpack(data)


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "none left"),
        (b"\x05\x08abc", "cut short"),
        (b"\x02\x08abc", "3 bytes decompressed, 2 announced"),
        (b"\x03\x08ab", "reaches over the end"),
        (b"\x08\x0cabcd\x01", "cut short"),
        (b"\x08\x0cabcd\x01\x05", "before the beginning"),
        (b"\x08\x0cabcd\x01\x00", "before the beginning"),
        (b"\x03\x08abcd", "after the compressed data"),
        (varint(1 << 40) + b"\x00a", "more than the"),
        (varint(1 << 20) + b"\x00a", "out of proportion"),
        (b"\xff" * 12, "64 bits"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    """H56: a wrong length, a bomb and every other fault is named, not believed."""
    with pytest.raises(MalformedError, match=reason):
        snappy.unpack(data)


@given(st.binary(max_size=300).map(lambda seed: seed * 7))
@example(b"abcabcabcabc" * 40)
def test_packing_comes_back(data: bytes) -> None:
    """What is packed comes out again, also with something behind it."""
    assert data == snappy.unpack(packed(data))
    assert (data, len(packed(data)) + 1) == snappy.unpack_from(b"!" + packed(data) + b"rest", 1)


@given(st.binary(max_size=60))
def test_noise_never_raises_anything_else(data: bytes) -> None:
    """Any bytes are unpacked or refused."""
    with suppress(MalformedError):
        assert len(snappy.unpack(data, 1000)) <= 1000


def test_second_opinion() -> None:
    """What cramjam packs comes out again, and cramjam unpacks what the builder packs."""
    cramjam = pytest.importorskip("cramjam", reason="cramjam is not installed: no second opinion on snappy")
    data = b"".join(b'{"row": %d, "name": "%x"},' % (place % 97, place * place) for place in range(5000))

    assert data == snappy.unpack(bytes(cramjam.snappy.compress_raw(data)))
    assert data == bytes(cramjam.snappy.decompress_raw(packed(data)))
