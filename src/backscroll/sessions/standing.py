"""Standing: what an earlier reading of a conversation's files found, so that only what was appended need be read.

It holds the rows, the facts, and how far each file was read.  It is of use only where the files begin as they did
then and no more than the last of them has grown; in any other case they are read from the beginning.
"""

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from backscroll.files import open_readonly
from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions.facts import Facts
from backscroll.sessions.fingerprint import fingerprint
from backscroll.sessions.rows import Row
from backscroll.sessions.source import Source

CHECKED = 4096
"""How many bytes at the beginning and before the end of what was read tell whether a file only grew."""

Prefix = tuple[int, bytes, bytes]
"""How far a file was read, and what its beginning and the end of that look like."""

Told = tuple[int | None, int | None, int | None, str]
"""Line, offset, length and reason of damage or of a note."""


class Reached(msgspec.Struct, array_like=True):
    """How far one file was read, and what its source had found up to there."""

    path: bytes
    prefix: Prefix
    next_line: int
    records: int
    record_bytes: int
    damage_bytes: int
    blank_bytes: int
    damage: list[Told]
    notes: list[Told]

    @classmethod
    def of(cls, source: Source) -> Self:
        """Return how far a source was read."""
        return cls(
            os.fsencode(source.path),
            prefix_of(source.path, source.end),
            source.next_line,
            source.records,
            source.record_bytes,
            source.damage_bytes,
            source.blank_bytes,
            [(*item.place[1:], item.reason) for item in source.damage],
            [(*item.place[1:], item.reason) for item in source.notes],
        )

    def source(self) -> Source:
        """Return a source that reads on from here."""
        source = Source(os.fsdecode(self.path))
        source.end, source.next_line, source.records = self.prefix[0], self.next_line, self.records
        source.record_bytes, source.damage_bytes = self.record_bytes, self.damage_bytes
        source.blank_bytes = self.blank_bytes
        source.damage = [Damage(Place(source.path, *place), reason) for *place, reason in self.damage]
        source.notes = [Note(Place(source.path, *place), reason) for *place, reason in self.notes]
        return source


class Standing(msgspec.Struct, array_like=True):
    """What is known of a conversation up to certain places in its files."""

    reached: list[Reached]
    rows: list[Row]
    facts: Facts

    def fits(self, paths: Sequence[str]) -> bool:
        """Say whether these are the same files, of which no more than the last has grown."""
        if [os.fsencode(path) for path in paths] != [file.path for file in self.reached]:
            return False
        *others, last = zip(paths, self.reached, strict=True)
        return _begins_so(*last) and all(_begins_so(*other) and _is_no_longer(*other) for other in others)


def _begins_so(path: str, file: Reached) -> bool:
    return prefix_of(path, file.prefix[0]) == file.prefix


def _is_no_longer(path: str, file: Reached) -> bool:
    return Path(path).stat().st_size == file.prefix[0]


def prefix_of(path: str, end: int) -> Prefix:
    """Return what the first `end` bytes of a file look like at their beginning and end."""
    try:
        with open_readonly(path) as file:
            head = file.read(min(CHECKED, end))
            file.seek(max(end - CHECKED, 0))
            tail = file.read(min(CHECKED, end))
    except OSError:
        return 0, b"", b""
    return end, fingerprint(head, 8), fingerprint(tail, 8)


def packed(sources: list[Source], rows: list[Row], facts: Facts) -> bytes | None:
    """Return a standing as it is kept; None where the end of a file may still change, or no format can hold it."""
    if not sources or not all(source.is_whole for source in sources):
        return None
    standing = Standing([Reached.of(source) for source in sources], rows, facts)
    try:
        return zlib.compress(msgspec.msgpack.encode(standing), zlib.Z_BEST_SPEED)
    except (ValueError, TypeError, OverflowError):  # lone surrogates, numbers beyond 64 bits
        return None


def unpacked(stored: bytes) -> Standing | None:
    """Return a standing that was kept; None where it cannot be read."""
    try:
        return msgspec.msgpack.decode(zlib.decompress(stored), type=Standing)
    except (zlib.error, msgspec.MsgspecError):
        return None
