"""Unpack a stored file to its plain UTF-8 bytes.

`open_stream` looks at the first bytes only.  A plain file is returned without a copy.  gzip, and UTF-16 with a byte
order mark, are unwrapped into an anonymous temporary file.  Offsets are then offsets into the unwrapped bytes.
Bytes that cannot be unwrapped are damage, counted in bytes of the file on disk.  Everything before the fault is
kept.  Nothing is unwrapped twice.
"""

import codecs
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import SEEK_END
from types import TracebackType
from typing import BinaryIO, Self, cast

from backscroll.formats.holes import data_ranges
from backscroll.formats.reasons import NUL_BYTES

MAX_UNPACKED = 1 << 30
MAX_TRANSCODED = 256 << 20
TOO_MUCH_UTF16 = f"UTF-16 text is longer than {MAX_TRANSCODED >> 20} MiB"
MAX_RATIO = 200
RATIO_FREE = 16 << 20
"""Below this size a high ratio is no sign of a bomb."""

Fault = tuple[int, int, str]

_IN_MEMORY = 32 << 20
_BUFFER = 1 << 20
_CHUNK = 1 << 16
_GZIP = b"\x1f\x8b"
_GZIP_BITS = 31
_UTF16 = {b"\xff\xfe": ("UTF-16 LE", "utf-16-le"), b"\xfe\xff": ("UTF-16 BE", "utf-16-be")}


@cache
def _lone() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")


class Stream:
    """The unpacked bytes of a file, and the damage; it closes only files that it created."""

    def __init__(self, file: BinaryIO, physical_size: int, wrapping: str | None, damage: list[Fault]) -> None:
        self.file = file
        self.physical_size = physical_size
        self.wrapping = wrapping
        self.damage = damage
        """Offset, length and reason, in bytes of the file on disk."""
        self.size = physical_size if wrapping is None else file.seek(0, SEEK_END)
        file.seek(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the temporary file, if there is one; the file that was passed in stays open."""
        if self.wrapping is not None:
            self.file.close()


def open_stream(file: BinaryIO) -> Stream:
    """Return the plain bytes of `file`, which is seekable and stays the caller's to close."""
    size = file.seek(0, SEEK_END)
    file.seek(0)
    head = file.read(2)
    file.seek(0)
    damage: list[Fault] = []
    if head == _GZIP:
        return Stream(_collected(_unpacked(file, size, damage)), size, "gzip", damage)
    if head in _UTF16:
        wrapping, encoding = _UTF16[head]
        return Stream(_collected(_transcoded(file, size, encoding, damage)), size, wrapping, damage)
    return Stream(file, size, None, damage)


def _collected(parts: Iterator[bytes]) -> BinaryIO:
    from tempfile import SpooledTemporaryFile  # noqa: PLC0415 - 11 ms that plain files are spared

    whole = SpooledTemporaryFile(max_size=_IN_MEMORY, buffering=_BUFFER)  # noqa: SIM115 the Stream closes it
    try:
        for part in parts:
            whole.write(part)
    except BaseException:
        whole.close()
        raise
    return cast("BinaryIO", whole)


def _unpacked(file: BinaryIO, size: int, damage: list[Fault]) -> Iterator[bytes]:
    """Unpack gzip, member after member, up to its end, a fault, or the cap."""
    member = zlib.decompressobj(_GZIP_BITS)
    data = file.read(_CHUNK)
    position = total = 0
    while data:
        if reason := _excess(total, position):
            damage.append((position, size - position, reason))
            return
        before = member.copy()
        try:
            part = member.decompress(data, _BUFFER)
        except zlib.error as error:
            part, at = _up_to_fault(before, data)
            damage.append((position + at, size - position - at, _reason(error)))
            yield part
            return
        yield part
        total += len(part)
        rest = member.unused_data if member.eof else member.unconsumed_tail
        position += len(data) - len(rest)
        data = rest or file.read(_CHUNK)
        if member.eof and data:
            data += file.read(1) if len(data) == 1 else b""
            if not data.startswith(_GZIP):
                damage.append((position, size - position, "bytes after the gzip data"))
                return
            member = zlib.decompressobj(_GZIP_BITS)
    yield member.flush()
    if not member.eof:
        damage.append((position, size - position, "gzip data is cut short"))


def _excess(total: int, packed: int) -> str | None:
    if total >= MAX_UNPACKED:
        return f"gzip data is larger than {MAX_UNPACKED >> 20} MiB"
    if total > RATIO_FREE and total > MAX_RATIO * packed:
        return f"gzip data unpacks to more than {MAX_RATIO} times its size"
    return None


def _up_to_fault(member: "zlib._Decompress", data: bytes) -> tuple[bytes, int]:
    """Feed failed input again byte by byte, because zlib keeps nothing of it; return the output and the bad offset."""
    parts, at = [], 0
    with suppress(zlib.error):
        for at in range(len(data)):
            parts.append(member.decompress(data[at : at + 1]))
    return b"".join(parts), at


def _reason(error: zlib.error) -> str:
    return "gzip checksum does not match" if "check" in str(error) else "gzip data is damaged"


def _transcoded(file: BinaryIO, size: int, encoding: str, damage: list[Fault]) -> Iterator[bytes]:
    """Turn UTF-16 into UTF-8, up to its end, a hole, or the cap; a lone surrogate becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    ranges = data_ranges(file, 0, size)
    end = min(size if ranges is None else ranges[0][1], MAX_TRANSCODED)
    if end < size:
        damage.append((end, size - end, TOO_MUCH_UTF16 if end == MAX_TRANSCODED else NUL_BYTES))
    position = file.seek(2)
    while chunk := file.read(min(_CHUNK, max(end - file.tell(), 0))):
        yield _without_lone(decoder.decode(chunk), encoding, position, damage)
        position = file.tell() - len(decoder.getstate()[0])
    rest = decoder.getstate()[0]
    odd = len(rest) % 2
    yield _without_lone(rest[: len(rest) - odd].decode(encoding, "surrogatepass"), encoding, position, damage)
    if odd:
        damage.append((position + len(rest) - 1, 1, "odd last byte in UTF-16"))


def _without_lone(text: str, encoding: str, position: int, damage: list[Fault]) -> bytes:
    done = 0
    for lone in _lone().finditer(text):
        position += len(text[done : lone.start()].encode(encoding))
        damage.append((position, 2, "lone surrogate in UTF-16"))
        position += 2
        done = lone.end()
    return (_lone().sub("\ufffd", text) if done else text).encode()
