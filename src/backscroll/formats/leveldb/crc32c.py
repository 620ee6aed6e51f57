"""CRC-32C, which LevelDB puts on every log record and every block of a table.

The standard library has no function for it.  A table of 256 entries takes a byte at a time, which is too slow
for megabytes.  So a long text is shortened first.  It is a polynomial over two elements.  Some multiples of the
checksum's polynomial have few terms.  With such a multiple, three to five operations on one large integer replace
the highest terms of the text by a few shifted copies of them.
"""

_POLYNOMIAL = 0x82F63B78
"""Reflected: the lowest bit is the highest power."""

# Each line says: x to the first number equals the sum of x to each of the others, modulo the polynomial.
# All numbers of a line may be doubled together, for squaring in this field only doubles exponents.
_LONG = (6777, 484, 100, 0)
_SHORT = (290, 136, 113, 107, 32, 0)

_CHUNK = 1 << 18
_BYTEWISE = 64
_MASK_DELTA = 0xA282EAD8


def _table() -> list[int]:
    table = []
    for byte in range(256):
        rest = byte
        for _ in range(8):
            rest = rest >> 1 ^ (_POLYNOMIAL if rest & 1 else 0)
        table.append(rest)
    return table


_TABLE = _table()


def _folds() -> list[tuple[int, int, tuple[int, ...]]]:
    """Return, longest first: the length in bits that a fold needs, the removed bits, and their targets."""
    folds = []
    for first, *others in (_LONG, _SHORT):
        for double in range(9 if first == _LONG[0] else 5):
            first_bits = first << double
            removed = (first - others[0] << double) // 8 * 8
            folds.append((first_bits, removed, tuple(first_bits - (other << double) for other in others)))
    return sorted(folds, reverse=True)


_FOLDS = _folds()


def crc32c(data: bytes | memoryview, crc: int = 0) -> int:
    """Return the checksum of `data`, or of the bytes with the checksum `crc` followed by `data`.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc ^= 0xFFFFFFFF
    for start in range(0, len(data), _CHUNK):
        crc = _advance(data[start : start + _CHUNK], crc)
    return crc ^ 0xFFFFFFFF


def unmasked(stored: int) -> int:
    """Return the original of a checksum that LevelDB stores rotated and shifted."""
    rotated = stored - _MASK_DELTA & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def _advance(data: bytes | memoryview, crc: int) -> int:
    if len(data) > _BYTEWISE:
        data, crc = _folded(int.from_bytes(data, "little") ^ crc, 8 * len(data)), 0
    table = _TABLE
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc


def _folded(number: int, bits: int) -> bytes:
    """Return a short text with the same remainder; the lowest bit of `number` is its highest power."""
    for first, most, targets in _FOLDS:
        while bits >= first + 8:
            removed = min(most, (bits - first) // 8 * 8)
            head = number & (1 << removed) - 1
            number >>= removed
            for target in targets:
                number ^= head << target - removed
            bits -= removed
    return number.to_bytes(bits // 8, "little")
