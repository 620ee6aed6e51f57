"""Zstandard frames (RFC 8878) to the bytes that were packed: what Chromium's SQLite engine stores long values as.

Python has no decoder before 3.14.  This one is complete but for dictionaries, checks the frame's own
checksum if there is one, and never makes more than it is allowed to.  Anything wrong is a MalformedError.

    magic                28 B5 2F FD
    descriptor           1 byte: 2 bits width of the content size, 1 single segment, 2 unused, 1 checksum, 2 dictionary
    window               1 byte, if not a single segment
    dictionary id        0, 1, 2 or 4 bytes
    content size         0, 1, 2, 4 or 8 bytes
    blocks               3 bytes each: 1 bit last, 2 bits kind, 21 bits size; then the block
    checksum             4 bytes, if any: the low half of xxHash64
"""

from backscroll.formats.cursor import Cursor, MalformedError, little
from backscroll.formats.xxhash64 import xxhash64
from backscroll.formats.zstd_bits import (
    Bits,
    Fse,
    Huffman,
    fse_of_one,
    fse_table,
    read_fse,
    read_huffman,
    read_literals,
)

MAX_UNPACKED = 256 << 20

_MAGIC = 0xFD2FB528
_SKIPPED = 0x184D2A50
_MAX_BLOCK = 128 << 10

# RFC 8878, 3.1.1.3.2.1.1: the lowest length of each code, and how many bits are added to it.
_LITERAL_BITS = [0] * 16 + [1] * 4 + [2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
_MATCH_BITS = [0] * 32 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]


def _bases(first: int, widths: list[int]) -> list[int]:
    bases = []
    for width in widths:
        bases.append(first)
        first += 1 << width
    return bases


_LITERAL_BASES = _bases(0, _LITERAL_BITS[:25]) + [64 << code for code in range(11)]
_MATCH_BASES = _bases(3, _MATCH_BITS[:43]) + [(128 << code) + 3 for code in range(10)]

# RFC 8878, 3.1.1.3.2.2: the tables in use when a block brings none.
_LITERAL_COUNTS = [4, 3] + [2] * 5 + [2] * 6 + [1, 1, 1] + [2] * 9 + [3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1]
_MATCH_COUNTS = [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7
_OFFSET_COUNTS = [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5
_KINDS = (
    # What it is for, default table, finest table allowed, highest code.
    ("literal lengths", fse_table(_LITERAL_COUNTS, 6), 9, 35),
    ("offsets", fse_table(_OFFSET_COUNTS, 5), 8, 31),
    ("match lengths", fse_table(_MATCH_COUNTS, 6), 9, 52),
)


def unpack(data: bytes, limit: int = MAX_UNPACKED) -> bytes:
    """Return what all frames of `data` hold, or raise MalformedError; never more than `limit` bytes."""
    cursor, output = Cursor(data), bytearray()
    while cursor.left:
        magic = little(cursor.take(4))
        if magic & ~15 == _SKIPPED:
            cursor.take(little(cursor.take(4)))
        elif magic == _MAGIC:
            output += _Frame(cursor, limit - len(output)).read()
        else:
            raise MalformedError("not a Zstandard frame")
    return bytes(output)


class _Frame:
    """One frame: what its blocks share."""

    def __init__(self, cursor: Cursor, limit: int) -> None:
        self._cursor = cursor
        self._limit = limit
        self._output = bytearray()
        self._huffman: Huffman | None = None
        self._tables: list[Fse | None] = [None, None, None]
        self._offsets = [1, 4, 8]

    def read(self) -> bytes:
        cursor = self._cursor
        descriptor = cursor.byte()
        is_single = descriptor >> 5 & 1
        if not is_single:
            cursor.byte()
        if little(cursor.take((0, 1, 2, 4)[descriptor & 3])):
            raise MalformedError("packed with a dictionary, which is not at hand")
        width = (is_single, 2, 4, 8)[descriptor >> 6]
        size = little(cursor.take(width)) + (256 if width == 2 else 0)
        if size > self._limit:
            raise MalformedError(f"packed data of {size:,} bytes, more than the {self._limit:,} allowed")
        while not self._read_block():
            pass
        if width and len(self._output) != size:
            raise MalformedError(f"{len(self._output):,} bytes unpacked, {size:,} announced")
        if descriptor & 4 and little(cursor.take(4)) != xxhash64(bytes(self._output)) & 0xFFFFFFFF:
            raise MalformedError("checksum does not match")
        return bytes(self._output)

    def _read_block(self) -> bool:
        """Append one block to the output; tell whether it was the last one."""
        header = little(self._cursor.take(3))
        kind, size = header >> 1 & 3, header >> 3
        if size > _MAX_BLOCK:
            raise MalformedError("block too large")
        if kind == 0:
            self._output += self._cursor.take(size)
        elif kind == 1:
            self._output += self._cursor.take(1) * size
        elif kind == 2:
            self._unpack_block(Cursor(self._cursor.take(size)))
        else:
            raise MalformedError("block of an unknown kind")
        if len(self._output) > self._limit:
            raise MalformedError(f"packed data of more than the {self._limit:,} bytes allowed")
        return bool(header & 1)

    def _unpack_block(self, block: Cursor) -> None:
        before = len(self._output)
        literals = self._read_literals(block)
        count = self._read_count(block)
        used = self._read_sequences(block, count, literals) if count else 0
        self._output += literals[used:]
        if len(self._output) - before > _MAX_BLOCK:
            raise MalformedError("block unpacks to too much")

    # Literals: 2 bits kind (0 plain, 1 one byte repeated, 2 packed with a new tree, 3 with the last one), 2 bits form:
    #   kinds 0 and 1   form 0 or 2: 5 bits of size; 1: 12 bits; 3: 20 bits
    #   kinds 2 and 3   form 0: one stream, 10 bits of size, 10 of packed size; 1, 2, 3: four streams, 10, 14, 18 bits
    def _read_literals(self, block: Cursor) -> bytes:
        first = block.peek() or 0
        kind, form = first & 3, first >> 2 & 3
        if kind < 2:
            width = (1, 2, 1, 3)[form]
            size = little(block.take(width)) >> (4 if form & 1 else 3)
            _require_block_size(size)
            return block.take(size) if kind == 0 else block.take(1) * size
        width = (10, 10, 14, 18)[form]
        header = little(block.take((4 + 2 * width) // 8)) >> 4
        size, packed = header & (1 << width) - 1, header >> width
        _require_block_size(size)
        data, start = block.take(packed), 0
        if kind == 2:
            self._huffman, start = read_huffman(data, 0)
        if self._huffman is None:
            raise MalformedError("literals without a tree")
        return _read_streams(data[start:], self._huffman, size, is_single=form == 0)

    def _read_count(self, block: Cursor) -> int:
        first = block.byte()
        if first < 128:
            return first
        if first < 255:
            return (first - 128 << 8) + block.byte()
        return little(block.take(2)) + 0x7F00

    def _read_sequences(self, block: Cursor, count: int, literals: bytes) -> int:
        """Append what `count` sequences make of `literals`; return how many of those they used."""
        modes = block.byte()
        for place in range(3):
            self._tables[place] = self._read_table(block, place, modes >> (6 - 2 * place) & 3)
        lengths, offsets, matches = (table for table in self._tables if table is not None)
        bits = Bits(block.take(block.left))
        read, output, used = bits.read, self._output, 0
        length_state, offset_state, match_state = read(lengths.log), read(offsets.log), read(matches.log)
        for left in range(count - 1, -1, -1):
            offset_code = offsets.symbols[offset_state]
            match_code = matches.symbols[match_state]
            length_code = lengths.symbols[length_state]
            offset = (1 << offset_code) + read(offset_code)
            match = _MATCH_BASES[match_code] + read(_MATCH_BITS[match_code])
            length = _LITERAL_BASES[length_code] + read(_LITERAL_BITS[length_code])
            if left:
                length_state = lengths.bases[length_state] + read(lengths.widths[length_state])
                match_state = matches.bases[match_state] + read(matches.widths[match_state])
                offset_state = offsets.bases[offset_state] + read(offsets.widths[offset_state])
            if used + length > len(literals) or bits.is_over:
                raise MalformedError("sequences use more than there is")
            output += literals[used : used + length]
            used += length
            self._copy(self._distance(offset, length), match)
        if not bits.is_finished:
            raise MalformedError("sequences do not fill their stream")
        return used

    def _read_table(self, block: Cursor, place: int, mode: int) -> Fse:
        name, default, max_log, max_symbol = _KINDS[place]
        if mode == 0:
            return default
        if mode == 1:
            symbol = block.byte()
            if symbol > max_symbol:
                raise MalformedError(f"unknown code for {name}")
            return fse_of_one(symbol)
        if mode == 2:
            table, block.position = read_fse(block.data, block.position, max_log, max_symbol)
            return table
        last = self._tables[place]
        if last is None:
            raise MalformedError(f"no earlier table for {name}")
        return last

    def _distance(self, value: int, length: int) -> int:
        """Return how far back a copy begins: one of the last three distances, or a new one."""
        if value > 3:
            self._offsets = [value - 3, *self._offsets[:2]]
            return value - 3
        place = value - (1 if length else 0)
        if place == 3:
            distance = self._offsets[0] - 1
            self._offsets = [distance, *self._offsets[:2]]
            return distance
        distance = self._offsets.pop(place)
        self._offsets.insert(0, distance)
        return distance

    def _copy(self, distance: int, length: int) -> None:
        output = self._output
        if not 0 < distance <= len(output):
            raise MalformedError("a copy from before the beginning")
        begin = len(output) - distance
        if length <= distance:
            output += output[begin : begin + length]
        else:
            output += (output[begin:] * (length // distance + 1))[:length]


def _require_block_size(size: int) -> None:
    if size > _MAX_BLOCK:
        raise MalformedError("more literals than a block may have")


def _read_streams(data: bytes, table: Huffman, size: int, *, is_single: bool) -> bytes:
    if is_single:
        return read_literals(data, table, size)
    sizes = [little(data[at : at + 2]) for at in (0, 2, 4)]
    each, start, parts = (size + 3) // 4, 6, []
    if len(data) < 6 + sum(sizes) or 3 * each > size:
        raise MalformedError("literal streams are cut short")
    for packed in sizes:
        parts.append(read_literals(data[start : start + packed], table, each))
        start += packed
    parts.append(read_literals(data[start:], table, size - 3 * each))
    return b"".join(parts)
