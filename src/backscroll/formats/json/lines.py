"""Decode JSON lines to a stream of `Record | Damage` that accounts for every byte.

`scan` takes a seekable binary file (plain UTF-8, see `streams`) and a decoder of the caller's choice.
Only a newline ends a line.  A line that the decoder refuses goes through `lenient`, then `salvage`.
Blanks are line ends, white space and byte order marks.  The bytes of records, of damage and of blanks are each
counted, and add up to the bytes that were read.  Damaged ranges with one reason and only blanks between them are
one Damage.
A large hole of a sparse file is NUL bytes, as on any other file system, but is not read.

A last line without its newline is a record if it is a complete object.  If not, a program may still be
writing it: a later scan starts again at `open_tail`, or at `end` if there is none, with `next_line`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import SEEK_END
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import orjson

from backscroll.formats.holes import data_ranges
from backscroll.formats.json.lenient import value_of
from backscroll.formats.reasons import BLANKS, BOM, BYTE_ORDER_MARK, EMPTY_OBJECT, NUL_BYTES
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage, Record

if TYPE_CHECKING:
    from backscroll.formats.json import salvage
else:
    salvage = lazily("backscroll.formats.json.salvage")

MAX_LINE = 512 << 20
INCOMPLETE = "incomplete last line; a program may still be writing it"
TOO_LONG = f"line longer than {MAX_LINE >> 20} MiB"

Item = Record | Damage

_CHUNK = 1 << 20
_LASTING = (NUL_BYTES, TOO_LONG)
_NOT_READ = object()
_NUL_OR_BLANK = b"\x00" + BLANKS
_KINDS = {ord("n"): "null", ord("t"): "true", ord("f"): "false", ord('"'): "string", ord("["): "array"}


def scan(  # noqa: PLR0913 - callers pass the facts that they know
    file: BinaryIO,
    path: str,
    decode: Callable[[bytes], Any] | None = None,
    start: int = 0,
    line: int = 1,
    *,
    size: int | None = None,
) -> "Scan":
    """Read `file` from byte `start`, which is in line number `line`; `path` is only for places.

    `decode` (orjson's if None) is tried first on each line, and its result is the value of the record.
    A caller that knows the size of the file saves a seek, and with it the bytes that are buffered already.
    """
    return Scan(file, path, decode or orjson.loads, start, line, size=size)


class Scan:
    """The records and damage of a file, to be iterated once; the figures are final when the iteration ends."""

    def __init__(  # noqa: PLR0913 made by `scan` only
        self,
        file: BinaryIO,
        path: str,
        decode: Callable[[bytes], Any],
        start: int = 0,
        line: int = 1,
        *,
        max_line: int = MAX_LINE,
        size: int | None = None,
    ) -> None:
        self.start = self.end = start
        self.next_line = line
        self.open_tail: int | None = None
        self.record_bytes = self.damage_bytes = self.blank_bytes = 0
        self._data_end = self._sparse_size = 0
        """In a sparse file: the end of the data before the next hole, and of the whole file."""
        self._file, self._path, self._decode, self._max_line, self._size = file, path, decode, max_line, size
        self._held: list[Damage] = []
        self._items = self._read()

    def __iter__(self) -> Iterator[Item]:
        return self._items

    def _lines(self) -> Iterable[bytes]:
        """Return the lines; a line that is too long is cut just above the limit."""
        size = self._file.seek(0, SEEK_END) if self._size is None else self._size
        ranges = data_ranges(self._file, self.start, size)
        self._file.seek(self.start)
        if ranges is not None:
            return self._lines_between_holes(ranges, size)
        return self._file if size <= self._max_line else iter(partial(self._file.readline, self._max_line + 1), b"")

    def _lines_between_holes(self, ranges: list[tuple[int, int]], size: int) -> Iterator[bytes]:
        """Yield the lines of a sparse file; a hole is a piece of a line, and so are the bytes before it."""
        position, self._sparse_size = self.start, size
        for start, end in [*ranges, (size, size)]:
            if start > position:
                yield _Hole(start - position)
            position = self._file.seek(start)
            self._data_end = end
            while position < end:
                line = self._file.readline(min(self._max_line + 1, end - position))
                if not line:  # the file has shrunk meanwhile
                    return
                yield line
                position = self._file.tell()  # a line that is too long was read to its end

    def _read(self) -> Iterator[Item]:
        # The hot loop: one decode for each line, nothing else that grows with the line but one slice.
        decode, new, read_bytes, read_lines = self._decode, tuple.__new__, 0, 0
        position, number = self.start, self.next_line
        try:
            for line in self._lines():
                try:
                    value = decode(line)
                except (ValueError, RecursionError):
                    value = _NOT_READ
                if value is not _NOT_READ and line.startswith(b'{"') and line.endswith(b"}\n"):
                    if self._held:
                        yield from self._released()
                    length = len(line) - 1
                    record = new(Record, (number, position, length, line[:-1], value, None))
                    read_bytes += length
                    read_lines += 1
                    position += length + 1
                    number += 1
                    yield record
                else:
                    items, length, is_ended = self._examine(line, position, number, value)
                    position += length
                    number += is_ended
                    yield from items
                    # Bytes that a writer appends from now on belong to this line, and to a later scan.
                    if not is_ended and position >= self._sparse_size:
                        break
            yield from self._released()
        finally:
            self.end, self.next_line = position, number
            self.record_bytes += read_bytes
            self.blank_bytes += read_lines  # each of them has its line end
            self._released()

    def _released(self) -> list[Damage]:
        """Count the damage that was held back, if there is any, and emit it."""
        released, self._held = self._held, []
        self.damage_bytes += sum(map(_length, released))
        return released

    def _examine(self, line: bytes, position: int, number: int, value: Any) -> tuple[list[Item], int, bool]:
        """Return the items of a line that is not a plain record, its length, and True if it has ended."""
        if isinstance(line, _Hole):
            return self._account([self._damage(number, position, line.length, NUL_BYTES)]), line.length, False
        if len(line) > self._max_line and not line.endswith(b"\n"):
            return self._pass_over(line, position, number)
        items = self._items_of(line, position, number, value)
        self.blank_bytes += _blanks_beside(items, line, position)
        if line.endswith(b"\n") or position + len(line) < self._sparse_size:
            return self._account(items), len(line), line.endswith(b"\n")
        return self._account(items[:-1]) + self._last(items[-1:]), len(line), False

    def _account(self, items: list[Item]) -> list[Item]:
        """Count records and emit them; hold damage back while more of the same may follow."""
        ready: list[Item] = []
        for item in items:
            if not isinstance(item, Damage):
                self.record_bytes += item.length
                ready += (*self._released(), item)
            elif self._held and self._held[0].reason == item.reason:
                joined = _joined(self._held[0], item)
                self.blank_bytes -= _length(joined) - _length(self._held[0]) - _length(item)
                self._held = [joined]
            else:
                ready += self._released()
                self._held = [item]
        return ready

    def _last(self, items: list[Item]) -> list[Item]:
        """Account for the last item of an unterminated line; damage stays apart, for a later scan reads it again."""
        ready: list[Item] = list(self._released())
        if items and isinstance(items[0], Damage):
            place, reason = items[0].place, items[0].reason
            self.open_tail = place.offset
            items = [Damage(place, reason if reason in _LASTING else INCOMPLETE)]
        return ready + self._account(items)

    def _pass_over(self, line: bytes, position: int, number: int) -> tuple[list[Item], int, bool]:
        """Skip to the end of a line that is too long for memory, or to the next hole in it."""
        piece, length, is_blank, is_nul, is_ended = line, 0, True, True, False
        while piece:
            length += len(piece)
            is_blank = is_blank and not piece.strip(BLANKS)
            is_nul = is_nul and not piece.strip(_NUL_OR_BLANK)
            is_ended = piece.endswith(b"\n")
            piece = b"" if is_ended else self._file.readline(self._chunk(position + length))
        damage = self._damage(number, position, length - is_ended, NUL_BYTES if is_nul else TOO_LONG)
        items: list[Item] = [] if is_blank else [damage]
        self.blank_bytes += length if is_blank else is_ended
        is_last = not is_ended and position + length >= self._sparse_size
        return (self._last if is_last else self._account)(items), length, is_ended

    def _chunk(self, position: int) -> int:
        """Return the number of bytes to read at a position, at most up to the next hole."""
        return min(_CHUNK, self._data_end - position) if self._sparse_size else _CHUNK

    def _items_of(self, line: bytes, position: int, number: int, value: Any) -> list[Item]:
        """Return the records and damage of one line: decoded, else repaired, else salvaged."""
        raw = line.strip(BLANKS)
        note = BYTE_ORDER_MARK if raw.startswith(BOM) else None
        if note:
            raw = raw[len(BOM) :].lstrip(BLANKS)
        offset = position + len(line.rstrip(BLANKS)) - len(raw)
        if not raw.strip(_NUL_OR_BLANK):
            return [self._damage(number, offset, len(raw), NUL_BYTES)] if raw else []
        if value is _NOT_READ:
            value, repair = self._read_again(raw, is_changed=note is not None)
            note = ", ".join(filter(None, (note, repair))) or None
        if value is _NOT_READ:
            pieces = salvage.salvage(line, is_open=not line.endswith(b"\n"))
            return [self._item_of(piece, line, position, number) for piece in pieces if any(piece[2:])]
        reason = _why_no_record(raw)
        if reason is not None:
            return [self._damage(number, offset, len(raw), reason)]
        return [Record(number, offset, len(raw), raw, value, note)]

    def _read_again(self, raw: bytes, *, is_changed: bool) -> tuple[Any, str | None]:
        with suppress(ValueError, RecursionError):
            if is_changed:
                return self._decode(raw), None
        with suppress(ValueError):
            return value_of(raw)
        return _NOT_READ, None

    def _item_of(self, piece: "salvage.Piece", line: bytes, position: int, number: int) -> Item:
        offset, length, value, note = piece
        if value is None:
            return self._damage(number, position + offset, length, str(note))
        raw = line[offset : offset + length]
        with suppress(ValueError, RecursionError):
            value = self._decode(raw)
        return Record(number, position + offset, length, raw, value, note)

    def _damage(self, number: int, offset: int, length: int, reason: str) -> Damage:
        return Damage(Place(self._path, number, offset, length), reason)


class _Hole(bytes):
    """A hole of a sparse file."""

    length: int

    def __new__(cls, length: int) -> Self:
        hole = super().__new__(cls)
        hole.length = length
        return hole


def _length(damage: Damage) -> int:
    return damage.place.length or 0


def _blanks_beside(items: Iterable[Item], line: bytes, position: int) -> int:
    """Return the number of bytes of a line that are blanks, or a byte order mark, outside its items."""
    count, end = 0, 0
    for item in items:
        where = item.place if isinstance(item, Damage) else item
        offset, length = where.offset, where.length
        start = (offset or 0) - position
        count += _blanks_in(line[end:start])
        end = start + (length or 0)
    return count + _blanks_in(line[end:])


def _blanks_in(gap: bytes) -> int:
    rest = gap.replace(BOM, b"") if BOM in gap else gap
    return len(gap) - len(rest.translate(None, BLANKS))


def _joined(first: Damage, second: Damage) -> Damage:
    """Return two ranges of damage, and the blanks between them, as one."""
    end = (second.place.offset or 0) + (second.place.length or 0)
    return Damage(replace(first.place, length=end - (first.place.offset or 0)), first.reason)


def _why_no_record(raw: bytes) -> str | None:
    """Return the reason why a JSON text is no record, None if it is one."""
    if raw[0] != ord("{"):
        return f"not an object: {_KINDS.get(raw[0], 'number')}"
    return None if b'"' in raw else EMPTY_OBJECT
