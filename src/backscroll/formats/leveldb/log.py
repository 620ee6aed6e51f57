"""LevelDB's log files: pieces to records, and records (write batches) to versions of keys.

    log       blocks of 32,768 bytes, the last one shorter; fewer than 7 bytes at the end of a block are filling
    piece     checksum    4   CRC-32C, masked, of the kind and the data
              length      2   of the data
              kind        1   1 the whole record, 2 its first piece, 3 a middle one, 4 its last piece
              data

Checksums are always compared.  If one fails, or a length exceeds its block, the rest of that block cannot
be trusted, because the length itself may be wrong.  Like LevelDB, the reader continues at the next block,
and drops the incomplete record.  Every byte is part of a record, of damage, or of padding.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from struct import Struct
from typing import BinaryIO, NamedTuple

from backscroll.formats.cursor import Cursor, MalformedError, little
from backscroll.formats.holes import data_ranges
from backscroll.formats.leveldb.crc32c import crc32c, unmasked
from backscroll.formats.reasons import NUL_BYTES
from backscroll.place import Place
from backscroll.records import Damage

BLOCK = 32768
MAX_RECORD = 256 << 20

BAD_CHECKSUM = "checksum does not match; the rest of the block is not read"
BAD_LENGTH = "length exceeds its block; the rest of the block is not read"
INCOMPLETE = "incomplete record at the end; a program may still be writing it"
WITHOUT_END = "record without its end"
WITHOUT_BEGINNING = "record without its beginning"
UNKNOWN_KIND = "piece of an unknown kind"
TOO_LARGE = f"record larger than {MAX_RECORD >> 20} MiB"

_HEADER = Struct("<IHB")
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


class KeyVersion(NamedTuple):
    """One write of a key: its value, or None if the key was deleted; and its place."""

    key: bytes
    value: bytes | None
    sequence: int
    offset: int
    """The offset of the write; of its block, if that is packed."""
    is_compressed: bool = False


class LogRecord(NamedTuple):
    """The data of a record, and the start of each of its pieces in the data and in the file."""

    data: bytes
    starts: list[int]
    offsets: list[int]

    def offset_of(self, position: int) -> int:
        """Return the offset in the file of a byte of the data."""
        piece = bisect_right(self.starts, position) - 1
        return self.offsets[piece] + position - self.starts[piece]


def log_records(file: BinaryIO, path: str, size: int) -> Iterator[LogRecord | Damage]:
    """Yield the records of the first `size` bytes; `path` is only for places."""
    return _coalesced(_Log(file, path, size).read())


def _coalesced(items: Iterator[LogRecord | Damage]) -> Iterator[LogRecord | Damage]:
    """Join adjacent damage of the same kind, because a file may have millions of tiny pieces."""
    pending: Damage | None = None
    for item in items:
        if isinstance(item, Damage) and pending is not None and _adjoins(pending, item):
            length = (pending.place.length or 0) + (item.place.length or 0)
            pending = Damage(replace(pending.place, length=length), item.reason)
            continue
        if pending is not None:
            yield pending
        pending = item if isinstance(item, Damage) else None
        if not isinstance(item, Damage):
            yield item
    if pending is not None:
        yield pending


def _adjoins(first: Damage, second: Damage) -> bool:
    end = (first.place.offset or 0) + (first.place.length or 0)
    return first.reason == second.reason and second.place.offset == end


def _whole_blocks(ranges: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Return the ranges of a sparse file that hold data, widened to whole blocks, and its end."""
    found = [(start - start % BLOCK, min(end + -end % BLOCK, size)) for start, end in ranges]
    return found if found and found[-1][1] == size else [*found, (size, size)]


class _Log:
    """One reading of a log."""

    def __init__(self, file: BinaryIO, path: str, size: int) -> None:
        self._file, self._path, self._size = file, path, size
        self._begun: list[tuple[int, bytes]] = []
        """Offset and data of each piece of a record whose end has not come yet."""
        self._begun_bytes = 0

    def read(self) -> Iterator[LogRecord | Damage]:
        ranges = data_ranges(self._file, 0, self._size)
        position = 0
        for start, end in [(0, self._size)] if ranges is None else _whole_blocks(ranges, self._size):
            if start > position:
                yield from self._drop_begun(WITHOUT_END)
                yield self._damage(position, start - position, NUL_BYTES)
            self._file.seek(start)
            for at in range(start, end, BLOCK):
                yield from self._read_block(self._file.read(min(BLOCK, end - at)), at)
            position = end
        yield from self._drop_begun(INCOMPLETE)

    def _read_block(self, block: bytes, start: int) -> Iterator[LogRecord | Damage]:
        view, at = memoryview(block), 0
        while at + _HEADER.size <= len(block):
            checksum, length, kind = _HEADER.unpack_from(block, at)
            end = at + _HEADER.size + length
            if end > len(block):
                yield from self._stop(block, start, at, BAD_LENGTH)
                return
            if unmasked(checksum) != crc32c(view[at + 6 : end]):
                yield from self._stop(block, start, at, BAD_CHECKSUM)
                return
            yield from self._take(start + at, kind, block[at + _HEADER.size : end])
            at = end
        if len(block) < BLOCK and block[at:].strip(b"\0"):
            yield from self._stop(block, start, at, INCOMPLETE)

    def _stop(self, block: bytes, start: int, at: int, reason: str) -> Iterator[Damage]:
        """Drop the rest of a block, and the incomplete record."""
        if not block[at:].strip(b"\0"):
            reason = NUL_BYTES
        elif reason == BAD_LENGTH and start + len(block) == self._size:
            reason = INCOMPLETE
        yield from self._drop_begun(INCOMPLETE if reason == INCOMPLETE else WITHOUT_END)
        yield self._damage(start + at, len(block) - at, reason)

    def _take(self, offset: int, kind: int, data: bytes) -> Iterator[LogRecord | Damage]:
        """Add a piece to its record."""
        if kind in (_WHOLE, _FIRST):
            yield from self._drop_begun(WITHOUT_END)
        elif kind not in (_MIDDLE, _LAST):
            yield from self._drop_begun(WITHOUT_END)
            yield self._damage(offset, _HEADER.size + len(data), UNKNOWN_KIND)
            return
        elif not self._begun:
            yield self._damage(offset, _HEADER.size + len(data), WITHOUT_BEGINNING)
            return
        self._begun.append((offset, data))
        self._begun_bytes += len(data)
        if self._begun_bytes > MAX_RECORD:
            yield from self._drop_begun(TOO_LARGE)
        elif kind in (_WHOLE, _LAST):
            yield self._joined()

    def _joined(self) -> LogRecord:
        starts, position = [], 0
        for _, data in self._begun:
            starts.append(position)
            position += len(data)
        record = LogRecord(
            b"".join(data for _, data in self._begun), starts, [offset + _HEADER.size for offset, _ in self._begun]
        )
        self._begun, self._begun_bytes = [], 0
        return record

    def _drop_begun(self, reason: str) -> Iterator[Damage]:
        # Old writers could end a block with an empty first piece and start the record again in the next one.
        if self._begun_bytes:
            for offset, data in self._begun:
                yield self._damage(offset, _HEADER.size + len(data), reason)
        self._begun, self._begun_bytes = [], 0

    def _damage(self, offset: int, length: int, reason: str) -> Damage:
        return Damage(Place(self._path, None, offset, length), reason)


# A record of a log is a batch:
#     sequence    8   of its first write; each further write has the next number
#     count       4   of writes
#     writes          kind 1 (1 value, 0 deletion), key and, if kind 1, value, each behind its length as a varint
def log_versions(file: BinaryIO, path: str, size: int) -> Iterator[KeyVersion | Damage]:
    """Yield every write of the first `size` bytes of a log, in the order in which they were made."""
    for item in log_records(file, path, size):
        if isinstance(item, Damage):
            yield item
            continue
        cursor, done = Cursor(item.data), 0
        try:
            for version in _writes(cursor, item):
                done = cursor.position
                yield version
        except MalformedError as error:
            place = Place(path, None, item.offset_of(done), len(item.data) - done)
            yield Damage(place, f"batch is malformed: {error}")


def _writes(cursor: Cursor, record: LogRecord) -> Iterator[KeyVersion]:
    """Yield the writes of a batch; a malformed write raises, after the writes before it."""
    sequence, count = little(cursor.take(8)), little(cursor.take(4))
    done = 0
    while cursor.left:
        start = cursor.position
        kind = cursor.byte()
        if kind > 1:
            raise MalformedError(f"write of unknown kind {kind}")
        key = cursor.prefixed()
        yield KeyVersion(key, cursor.prefixed() if kind else None, sequence + done, record.offset_of(start))
        done += 1
    if done != count:
        raise MalformedError(f"{done} writes in a batch of {count}")
