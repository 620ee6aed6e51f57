"""xxHash64 with seed 0, of which Zstandard frames carry the low half."""

_BITS = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def xxhash64(data: bytes) -> int:
    """Return the hash of `data`.

    >>> hex(xxhash64(b"a"))
    '0xd24ec4f1a98c6e5b'
    """
    size = len(data)
    whole = size // 32 * 32
    value = _stripes(data, whole) if whole else _P5
    value = value + size & _BITS
    at = whole
    while at + 8 <= size:
        value = (_rotated(value ^ _round(0, _number(data, at, 8)), 27) * _P1 + _P4) & _BITS
        at += 8
    if at + 4 <= size:
        value = (_rotated(value ^ _number(data, at, 4) * _P1 & _BITS, 23) * _P2 + _P3) & _BITS
        at += 4
    for byte in data[at:]:
        value = _rotated(value ^ byte * _P5 & _BITS, 11) * _P1 & _BITS
    value = (value ^ value >> 33) * _P2 & _BITS
    value = (value ^ value >> 29) * _P3 & _BITS
    return value ^ value >> 32


def _stripes(data: bytes, whole: int) -> int:
    lanes = [_P1 + _P2 & _BITS, _P2, 0, -_P1 & _BITS]
    for at in range(0, whole, 32):
        lanes = [_round(lane, _number(data, at + 8 * place, 8)) for place, lane in enumerate(lanes)]
    value = sum(_rotated(lane, turn) for lane, turn in zip(lanes, (1, 7, 12, 18), strict=True)) & _BITS
    for lane in lanes:
        value = ((value ^ _round(0, lane)) * _P1 + _P4) & _BITS
    return value


def _number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")


def _rotated(value: int, turn: int) -> int:
    return (value << turn | value >> 64 - turn) & _BITS


def _round(lane: int, number: int) -> int:
    return _rotated(lane + number * _P2 & _BITS, 31) * _P1 & _BITS
