"""Unpack Snappy's raw format.  It has no framing and no checksum; only tests pack.

    unpacked length      varint
    elements             each begins with a tag byte, whose two low bits give the kind

    kind  rest of the tag                 next bytes
    0     length - 1, or 60 to 63         1 to 4 bytes of length - 1 if so; then the literal bytes
    1     3 bits: length - 4; 3: offset   1 byte, low part of the offset
    2     length - 1                      2 bytes of offset
    3     length - 1                      4 bytes of offset

A copy starts `offset` bytes before the end of the output, and may include its own output.
No element makes more than 64 bytes out of three, so an impossible length is known at once.
"""

from backscroll.formats.cursor import Cursor, MalformedError

MAX_UNPACKED = 256 << 20

_MOST_FROM_ONE = 22


def unpack(data: bytes, limit: int = MAX_UNPACKED) -> bytes:
    """Return the unpacked bytes, or raise MalformedError; never more than `limit` bytes."""
    output, end = unpack_from(data, 0, limit)
    if end != len(data):
        raise MalformedError("bytes after the compressed data")
    return output


def unpack_from(data: bytes, start: int, limit: int = MAX_UNPACKED) -> tuple[bytes, int]:
    """Unpack the data at `start`; return it with its end, which its own length decides."""
    cursor = Cursor(data, start)
    length = cursor.varint()
    if length > limit:
        raise MalformedError(f"compressed data of {length:,} bytes, more than the {limit:,} allowed")
    if length > _MOST_FROM_ONE * cursor.left:
        raise MalformedError("decompressed length out of proportion")
    output = bytearray()
    try:
        end = _elements(data, cursor.position, output, length)
    except IndexError:
        raise MalformedError("compressed data is cut short") from None
    if len(output) != length:
        raise MalformedError(f"{len(output):,} bytes decompressed, {length:,} announced")
    return bytes(output), end


def _elements(data: bytes, at: int, output: bytearray, length: int) -> int:
    """Append to `output` until it has `length` bytes or more; return the position after the last element."""
    done = 0
    while done < length:
        tag = data[at]
        kind = tag & 3
        if kind == 0:
            size = (tag >> 2) + 1
            at += 1
            if size > 60:
                width = size - 60
                size = int.from_bytes(data[at : at + width], "little") + 1
                at += width
            if at + size > len(data):
                raise MalformedError("a literal reaches over the end")
            output += data[at : at + size]
            at += size
            done += size
            continue
        if kind == 1:
            size, offset = (tag >> 2 & 7) + 4, (tag & 0xE0) << 3 | data[at + 1]
            at += 2
        elif kind == 2:
            size, offset = (tag >> 2) + 1, data[at + 1] | data[at + 2] << 8
            at += 3
        else:
            size, offset = (tag >> 2) + 1, data[at + 1] | data[at + 2] << 8 | data[at + 3] << 16 | data[at + 4] << 24
            at += 5
        if not 0 < offset <= done:
            raise MalformedError("a copy from before the beginning")
        begin = done - offset
        if size <= offset:
            output += output[begin : begin + size]
        else:
            pattern = output[begin:]
            output += (pattern * (size // offset + 1))[:size]
        done += size
    return at
