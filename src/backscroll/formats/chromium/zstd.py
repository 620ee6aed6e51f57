"""Unpack Zstandard frames, in which Chromium's SQLite engine stores long values.

Python has a decoder from 3.14 on, and `backports.zstd` is the same one for older versions.
Invalid input raises MalformedError, and the output never exceeds its limit.
"""

import sys

from backscroll.formats.cursor import MalformedError

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

MAX_UNPACKED = 256 << 20


def unpack(data: bytes, limit: int = MAX_UNPACKED) -> bytes:
    """Return the content of all frames of `data`, or raise MalformedError; never more than `limit` bytes."""
    output = bytearray()
    while data:
        frame = ZstdDecompressor()
        try:
            output += frame.decompress(data, limit - len(output) + 1)
        except ZstdError as error:
            raise MalformedError(f"Zstandard: {error}") from None
        if len(output) > limit:
            raise MalformedError(f"compressed data of more than the {limit:,} bytes allowed")
        if not frame.eof:
            raise MalformedError("compressed data is cut short")
        data = frame.unused_data
    return bytes(output)
