"""A position in bytes from which a binary format is read, piece by piece.

Every read has a size.  Missing bytes, or a size that the format does not allow, raise
`MalformedError`, which the reader of that format turns into damage.
"""

import struct

_DOUBLE = struct.Struct("<d")
_LONGEST_VARINT = 10


class MalformedError(ValueError):
    """Raised for bytes that violate their format; `str()` is the reason."""


class Cursor:
    """Reads `data` from `position` up to `end`."""

    __slots__ = ("data", "end", "position")

    def __init__(self, data: bytes, position: int = 0, end: int | None = None) -> None:
        self.data = data
        self.position = position
        self.end = len(data) if end is None else end

    @property
    def left(self) -> int:
        """The number of unread bytes."""
        return self.end - self.position

    def take(self, length: int) -> bytes:
        """Read a number of bytes."""
        start = self.position
        if length > self.end - start:
            raise MalformedError(f"{length} bytes wanted, {self.end - start} left")
        self.position = start + length
        return self.data[start : start + length]

    def byte(self) -> int:
        """Read one byte."""
        position = self.position
        if position >= self.end:
            raise MalformedError("one byte wanted, none left")
        self.position = position + 1
        return self.data[position]

    def peek(self) -> int | None:
        """Return the next byte without reading it, None at the end."""
        return self.data[self.position] if self.position < self.end else None

    def varint(self) -> int:
        """Read an unsigned number, seven bits a byte, lowest first, the high bit set on all bytes but the last."""
        first = self.byte()
        if first < 0x80:
            return first
        number, shift = first & 0x7F, 7
        for _ in range(_LONGEST_VARINT - 1):
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80 and number < 1 << 64:
                return number
            shift += 7
        raise MalformedError("number of more than 64 bits")

    def prefixed(self) -> bytes:
        """Read bytes after their own count."""
        return self.take(self.varint())

    def double(self) -> float:
        """Read eight bytes, lowest first, as a number with a fraction."""
        value: float = _DOUBLE.unpack(self.take(8))[0]
        return value


def little(data: bytes) -> int:
    """Return a little-endian number."""
    return int.from_bytes(data, "little")


def fields(data: bytes) -> dict[int, int | bytes]:
    """Read the numbers and bytes of a protocol buffer; the last value of a repeated field wins."""
    cursor = Cursor(data)
    found: dict[int, int | bytes] = {}
    while cursor.left:
        tag = cursor.varint()
        if tag & 7 == 0:
            found[tag >> 3] = cursor.varint()
        elif tag & 7 == 2:
            found[tag >> 3] = cursor.prefixed()
        else:
            raise MalformedError(f"field of kind {tag & 7}")
    return found
