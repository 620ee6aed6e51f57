"""Zstandard: what was packed comes back, and everything that must be refused is."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leveldb_make import ZstdParameter, zstd_packed

from backscroll.formats.chromium import zstd
from backscroll.formats.cursor import MalformedError

TEXT = b'{"row":1,"name":"a","when":"2026-04-01T10:00:00Z"}' * 40
CHECKED = zstd_packed(TEXT, options={ZstdParameter.checksum_flag: 1})
SKIPPED = b"\x50\x2a\x4d\x18\3\0\0\0abc"


@given(st.binary(max_size=2000), st.integers(1, 19))
def test_what_was_packed_comes_back(data: bytes, level: int) -> None:
    """Any bytes, packed at any level, are the same when they are unpacked."""
    assert data == zstd.unpack(zstd_packed(data, level))


def test_frames_follow_each_other() -> None:
    """Several frames are one text, and what a frame says is to be skipped is skipped."""
    assert TEXT + b"b" == zstd.unpack(zstd_packed(TEXT) + SKIPPED + zstd_packed(b"b"))
    assert b"" == zstd.unpack(b"")


def test_limit() -> None:
    """H56: a bomb is stopped at the limit, whether or not it announces its size; up to the limit all is well."""
    bomb = zstd_packed(bytes(1_000_000))
    unannounced = zstd_packed(bytes(1_000_000), options={ZstdParameter.content_size_flag: 0})

    assert 1_000_000 == len(zstd.unpack(bomb, 1_000_000))
    for packed in (bomb, unannounced, zstd_packed(bytes(500_000)) * 2):
        with pytest.raises(MalformedError, match="more than the 999,999 bytes allowed"):
            zstd.unpack(packed, 999_999)


@pytest.mark.parametrize("end", range(1, len(CHECKED)))
def test_cut_short(end: int) -> None:
    """A frame that is cut anywhere is refused."""
    with pytest.raises(MalformedError):
        zstd.unpack(CHECKED[:end])


@pytest.mark.parametrize("data", [b"no frame at all", CHECKED + b"behind it"])
def test_not_a_frame(data: bytes) -> None:
    """What is no frame is refused, behind one too."""
    with pytest.raises(MalformedError):
        zstd.unpack(data)


def test_checksum() -> None:
    """A frame whose checksum does not match is refused."""
    with pytest.raises(MalformedError, match="checksum"):
        zstd.unpack(CHECKED[:-1] + bytes([CHECKED[-1] ^ 1]))


@given(st.integers(0, len(CHECKED) - 1), st.integers(1, 255))
def test_flipped_bytes(place: int, bits: int) -> None:
    """A flipped byte leads to the same text or to a MalformedError, never to anything else."""
    flipped = bytearray(CHECKED)
    flipped[place] ^= bits
    with suppress(MalformedError):
        assert zstd.unpack(bytes(flipped)) == TEXT
