"""Zstandard: frames built by hand, frames of the reference encoder, and everything that must be refused.

The packed samples were made for these tests in November 2026 with the reference library (levels 1, 5 and 19).
"""

import struct
from base64 import b64decode
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll.formats import zstd
from backscroll.formats.cursor import MalformedError
from backscroll.formats.xxhash64 import xxhash64
from backscroll.formats.zstd_bits import Bits

MAGIC = bytes.fromhex("28b52ffd")


def rows(count: int) -> bytes:
    """Return rows as a cache has them."""
    return b"".join(
        b'{"row":%d,"name":"%x","when":"2026-04-%02dT10:00:00Z"}' % (n * n % 97, n * 7919 % 4093, n % 28 + 1)
        for n in range(count)
    )


def words(letters: str) -> bytes:
    """Return a word for each letter that is almost the one before."""
    known = {"X": b"abcdefgX", "Y": b"abcdefgY", "z": b"zabcdefg", "Z": b"abcdefgZ", "q": b"q"}
    return b"".join(known[letter] for letter in letters)


SAMPLES = {
    "level 1": (
        rows(6),
        (
            "KLUv/WA4AF0DANIEERigtTkvstyv35vseuxVZhq00G4SUAz/wxCZKiFEt5C8o5YqBmLXQUz2Cj5+/fVn3M25STxazRbQXHyrN5CYy9VN"
            "MDAhEACAEyANUCBIGEgOq6KBRIA0oDiQMJAcKAQk96o0oFypmYIC"
        ),
    ),
    "level 5": (
        rows(12),
        (
            "KLUv/WB1AV0EANIGFhiAJ254VQPGsZ4sOGeSOolwu7afB7UwM0aJyppYsCmHqRe5TTq6fIpbj1K9ZXclkwaZWtTFVpfTmGYWDQ8PHDoE"
            "4BF6xObl0Y0mOE5+R2+DZJwc+kEo3BAjqBHAud7/M7CDkmMRMAQNgWkERrjyA/gkQnPfNczv/a2XXtnxfzTprZEqCXQCtgo="
        ),
    ),
    "level 19": (
        rows(40),
        (
            "KLUv/WA9B30IACbRLRiAqW2YFiKLatT05wzqtt3d3b3zyToDDAQsACQAJQBpeWT0eNDp24TQ7EhfkEEZdcErgBVQKyMGMSRCggBIEYOk"
            "QjEQQBkkcUAQRdlb8DBVzl+eHpOa7fXeoiEj2g/Oq5fWc2dZVC7DjWtM66meEnqM+egq9yDE1k15mHboG9GxiMfV2nYvl0839rK2U9t4"
            "6I6PSwEFV/WZrFwv7b+NljzWNdc9n2Y9jMxyO2GilYP5yqyZMU99BXaoIViW7/8ZwGfZDBEgBAkBlQjP8Psdy1Xe2gH0s+fLj+MyXVyL"
            "txQh/vz8+fPn58+3AflzuEzXcVMI9Y3/sUOwC8A/f35+FryHDqo3/KDK1ZzArgI="
        ),
    ),
    "tree with plain weights": (
        bytes((n * n * n + n // 3) % 11 % (1 + n % 7) for n in range(500)),
        (
            "KLUv/WD0AJUCAHIOEoVlQxLJOSFiC4iNtMZow3lVJ4DSIEC5loaUHERrGhmI+Ugb5C61IZIcgHbCckiyRVQzbpB+SNKB0oh6AFAXSM6U"
            "pmgLkSdMGgEAZwW1aqQ="
        ),
    ),
    "tables of one symbol": (
        b"".join(b"%d:abcdefgh;" % (n % 3) for n in range(60)),
        (
            "KLUv/WCUAa0CAALFCg3QtRqESGSAZ7YSA0IEYxAC4JhCxLZt27Zt27Zt27Zt27ZtOwYhAI4pRBQ6JODXB3JMjskxOSbH5Jg4JsfkmByT"
            "Y3JMjpFjckyOyTE5JoeZEx0="
        ),
    ),
    "distance one less": (
        words("ZXZXYZXZZqYZYYZXZXYqzYzXZXqzYqYqZXZZqYYq"),
        "KLUv/WAPAJ0BAIBhYmNkZWZnWlhZWnFZcXpxDoAQ1d1VCzjjYEFQNecKeB+aDy3XbCjc90zVLNWcWb17ZQ==",
    ),
}


def block(kind: int, size: int, data: bytes, *, is_last: bool = True) -> bytes:
    """Write a block of a frame."""
    return struct.pack("<I", size << 3 | kind << 1 | is_last)[:3] + data


def frame(*blocks: bytes, size: int | None = None, checksum: bytes = b"") -> bytes:
    """Write a frame, with its content's size and checksum if given."""
    flags = 4 if checksum else 0
    head = bytes([flags, 0]) if size is None else bytes([flags | 0xA0]) + struct.pack("<I", size)
    return MAGIC + head + b"".join(blocks) + checksum


@pytest.mark.parametrize("name", SAMPLES)
def test_reference_frames(name: str) -> None:
    """Huffman trees, FSE tables, repeated distances and literals of the reference encoder are read."""
    expected, packed = SAMPLES[name]

    assert expected == zstd.unpack(b64decode(packed))


@pytest.mark.parametrize(
    "place, byte, reason",
    [
        (7, 0x4D, "before the beginning"),
        (8, 0x02, "more than there is"),
        (10, 0x01, "unknown code for offsets"),
        (10, 0x02, "literals do not fill"),
        (10, 0x10, "FSE table too fine"),
        (10, 0xD6, "literal streams are cut short"),
        (12, 0x00, "tree is cut short"),
        (12, 0x02, "tree is cut short"),
        (13, 0x00, "does not add up"),
        (13, 0x10, "does not add up"),
        (13, 0x40, "too many symbols"),
        (81, 0x01, "sequences do not fill"),
    ],
)
def test_faults_inside_a_block(place: int, byte: int, reason: str) -> None:
    """A changed byte inside trees, tables and streams is found out where it leads astray."""
    frame = bytearray(b64decode(SAMPLES["level 1"][1]))
    frame[place] = byte

    with pytest.raises(MalformedError, match=reason):
        zstd.unpack(bytes(frame))


def test_plain_and_repeated_blocks() -> None:
    """Blocks that are not packed, or one byte repeated, follow each other."""
    data = frame(block(0, 3, b"abc", is_last=False), block(1, 4, b"x"), size=7)

    assert zstd.unpack(data) == b"abcxxxx"


def test_frames_follow_each_other() -> None:
    """Several frames are one text, and a frame to be skipped is skipped."""
    skipped = struct.pack("<II", 0x184D2A53, 3) + b"..."

    assert zstd.unpack(frame(block(0, 1, b"a")) + skipped + frame(block(0, 1, b"b"))) == b"ab"
    assert zstd.unpack(b"") == b""


def test_checksum_is_compared() -> None:
    """A frame's own checksum is believed only if it is right."""
    right = struct.pack("<I", xxhash64(b"abc") & 0xFFFFFFFF)

    assert zstd.unpack(frame(block(0, 3, b"abc"), checksum=right)) == b"abc"
    with pytest.raises(MalformedError, match="checksum"):
        zstd.unpack(frame(block(0, 3, b"abd"), checksum=right))


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"no frame", "not a Zstandard frame"),
        (MAGIC, "none left"),
        (MAGIC + b"\x21\x07", "dictionary"),
        (frame(block(3, 0, b"")), "unknown kind"),
        (frame(block(0, 1 << 20, b"")), "block too large"),
        (frame(block(0, 3, b"abc"), size=4), "3 bytes unpacked, 4 announced"),
        (frame(block(0, 3, b"abc"), size=1 << 31), "more than the"),
        (frame(block(1, 100_000, b"x", is_last=False), block(1, 100_000, b"x")), "more than the"),
        (frame(block(2, 1, b"\x03")), "left"),
        (frame(block(2, 3, b"\x02\x00\x00")), "tree is cut short"),
        (frame(block(2, 5, b"\xff" * 5)), "more literals"),
        (frame(block(2, 5, b"\x0d\x00\x20x\x00", is_last=False), block(1, 1, b"")), "too much|left"),
        (frame(block(2, 5, b"\x03\x00\x00\x00\x00")), "without a tree"),
        (frame(block(2, 4, b"\x08a\x01\xc0")), "no earlier table for literal lengths"),
        (frame(block(2, 5, b"\x08a\x01\x40\xff")), "unknown code for literal lengths"),
        (frame(block(2, 3, b"\x08a\x01")), "none left"),
        (frame(block(2, 4, b"\x08a\x01\x00")), "start mark"),
        (frame(block(2, 5, b"\x08a\x01\x00\x01")), "before the beginning|more than there is|fill"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    """Every fault is named, and nothing larger than allowed is made."""
    with pytest.raises(MalformedError, match=reason):
        zstd.unpack(data, 150_000)


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_flipped_frames_never_raise_anything_else(name: str, data: st.DataObject) -> None:
    """Any change to a frame is refused or unpacked to no more than allowed."""
    frame = bytearray(b64decode(SAMPLES[name][1]))
    for _ in range(data.draw(st.integers(1, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(frame)))
    with suppress(MalformedError):
        assert len(zstd.unpack(bytes(frame[:cut]), 5000)) <= 5000


def test_bits_are_read_from_the_end() -> None:
    """The highest one of the last byte marks the start, and behind the end stand zeros."""
    bits = Bits(b"\xaa\x0b")

    assert (bits.read(1), bits.read(2), bits.read(4)) == (0, 3, 10)
    assert (bits.peek(4), bits.read(4), bits.is_finished, bits.is_over) == (10, 10, True, False)
    assert (bits.read(3), bits.is_over) == (0, True)


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", 0xEF46DB3751D8E999),
        (b"a", 0xD24EC4F1A98C6E5B),
        (b"abc", 0x44BC2CF5AD770999),
        (b"abcd", 0xDE0327B0D25D92CC),
        (b"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1),
    ],
)
def test_xxhash64(data: bytes, expected: int) -> None:
    """The hash of frames has its published values."""
    assert expected == xxhash64(data)


@pytest.mark.parametrize("level", [-5, 1, 3, 9, 19])
def test_second_opinion(level: int) -> None:
    """What cramjam packs at any level comes out again."""
    cramjam = pytest.importorskip("cramjam", reason="cramjam is not installed: no second opinion on Zstandard")
    for data in (b"", b"a", bytes(70_000), rows(3000), bytes(n * n % 251 for n in range(9000))):
        assert data == zstd.unpack(bytes(cramjam.zstd.compress(data, level=level)))
