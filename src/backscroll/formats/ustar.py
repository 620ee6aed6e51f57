"""Tar archives of regular files, in the plain ustar form, read and written as streams.

    offset  length
         0     100  name            345  155  prefix: the directories before the name
       100       8  mode            124   12  size, octal
       148       8  checksum        156    1  type: '0' for a regular file

Links, devices, directories and every extension (PAX, GNU) are malformed here: a member has only a name and a size.
"""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from backscroll.formats.cursor import MalformedError

BLOCK = 512
END = bytes(2 * BLOCK)
_LARGEST = 8**11 - 1
_REGULAR = (b"0", b"\0")


class TarMember(NamedTuple):
    """The name and size of the file that comes next."""

    name: str
    size: int


def header(name: str, size: int) -> bytes | None:
    """Return the block before a file; None if the name or the size does not fit."""
    data = name.encode()
    cut = data.rfind(b"/", 0, 156) if len(data) > 100 else 0
    prefix, last = (data[:cut], data[cut + 1 :]) if len(data) > 100 else (b"", data)
    if not last or len(last) > 100 or len(prefix) > 155 or not 0 <= size <= _LARGEST:
        return None
    fields = [
        last.ljust(100, b"\0"),
        *(b"0000600\0", b"0000000\0", b"0000000\0"),
        b"%011o\0" % size,
        b"00000000000\0" + b" " * 8 + b"0" + bytes(100) + b"ustar\x0000" + bytes(80),
        prefix.ljust(155, b"\0") + bytes(12),
    ]
    block = b"".join(fields)
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def padding(size: int) -> bytes:
    """Return the zeros after a file."""
    return bytes(-size % BLOCK)


def read_member(stream: BinaryIO) -> TarMember | None:
    """Read the block before a file; None at the end of the archive."""
    block = read_exactly(stream, BLOCK)
    if not any(block):
        if any(read_exactly(stream, BLOCK)):
            raise MalformedError("a lone block of zeros")
        return None
    if block[257:263] != b"ustar\0" or block[156:157] not in _REGULAR:
        raise MalformedError("not a regular file of a plain tar archive")
    if _octal(block[148:156]) != sum(block[:148]) + 8 * 32 + sum(block[156:]):
        raise MalformedError("a wrong checksum")
    if any(block[157:257]):
        raise MalformedError("a file with the name of a link")
    name, prefix = block[:100].split(b"\0")[0], block[345:500].split(b"\0")[0]
    try:
        text = (prefix + b"/" + name if prefix else name).decode()
    except UnicodeDecodeError as error:
        raise MalformedError("a name that is not UTF-8") from error
    return TarMember(text, _octal(block[124:136]))


def pieces(stream: BinaryIO, size: int, length: int = 1 << 20) -> Iterator[bytes]:
    """Yield the content of a file, and skip the zeros after it."""
    rest = size
    while rest:
        data = stream.read(min(rest, length))
        if not data:
            raise MalformedError("cut off")
        rest -= len(data)
        yield data
    if any(read_exactly(stream, -size % BLOCK)):
        raise MalformedError("bytes between two files")


def read_exactly(stream: BinaryIO, length: int) -> bytes:
    """Read a number of bytes; raise MalformedError if the stream has fewer."""
    parts = []
    while length:
        data = stream.read(length)
        if not data:
            raise MalformedError("cut off")
        parts.append(data)
        length -= len(data)
    return b"".join(parts)


def _octal(field: bytes) -> int:
    text = field.strip(b"\0 ")
    if not text or not all(48 <= byte < 56 for byte in text):
        raise MalformedError("a number that is not octal")
    return int(text, 8)
