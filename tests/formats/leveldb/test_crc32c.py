"""CRC-32C: known answers, the slow way, and pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll.formats.leveldb.crc32c import _LONG, _SHORT, crc32c, unmasked

POLYNOMIAL = 0x11EDC6F41


def slow(data: bytes) -> int:
    """Divide bit by bit, as the definition says."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_known_answers(data: bytes, expected: int) -> None:
    """The test vectors of RFC 3720 come out."""
    assert expected == crc32c(data)


@pytest.mark.slow
@given(st.binary(max_size=40), st.integers(0, 900), st.integers(0, 2000))
def test_same_as_the_slow_way(seed: bytes, repeat: int, cut: int) -> None:
    """Folding gives what dividing bit by bit gives, in one piece or in two."""
    data = seed * repeat
    expected = slow(data[:9000])

    assert expected == crc32c(data[:9000])
    assert expected == crc32c(data[cut:9000], crc32c(data[: min(cut, 9000)]))


def test_more_than_one_chunk() -> None:
    """A text longer than one chunk has the checksum of its parts put together."""
    data = bytes(range(256)) * 2000

    assert crc32c(data) == crc32c(data[300_000:], crc32c(data[:300_000]))
    assert slow(data[:70_000]) == crc32c(memoryview(data)[:70_000])


@pytest.mark.parametrize("line", [_LONG, _SHORT])
def test_relations_hold(line: tuple[int, ...]) -> None:
    """The sums of powers that folding relies on are multiples of the polynomial."""
    number = sum(1 << power for power in line)
    while number.bit_length() > 32:
        number ^= POLYNOMIAL << number.bit_length() - 33

    assert number == 0


def test_mask_is_taken_off() -> None:
    """A stored checksum is rotated and shifted."""
    stored = ((0x12345678 >> 15 | 0x12345678 << 17) + 0xA282EAD8) & 0xFFFFFFFF

    assert unmasked(stored) == 0x12345678
