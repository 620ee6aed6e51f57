"""Segments of the archive: pairs of a header and a Zstandard frame, one after the other.  docs/archive.md.

A header is a skippable frame, so `zstd -dc SEGMENT` prints the archived bytes without backscroll.
Each header has a checksum over itself, magic number included, and over the frame after it.
A frame may be packed with the bytes of another file as its prefix; its header then names that file as `parent`.
A pack is a segment of many small files: one frame for each version, and every header names the pack.
"""

import io
import json
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from backscroll.formats.cursor import MalformedError
from backscroll.lazy import lazily

if TYPE_CHECKING:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
else:  # a sync that finds nothing new packs nothing
    zstd = lazily("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

FORMAT = 3
"""Format 2 adds frames with a prefix, format 3 packs; a frame names the lowest format that includes it."""
MAGIC = 0x184D2A5B
PACK_BYTES = 8 << 20
"""A pack of this size gets no more frames."""
FRAME_BYTES = 4 << 20
"""The most raw bytes of one frame."""
LEVEL = 3
LARGEST_PREFIX = 64 << 20
_WINDOW = 27
"""The window of 128 MiB reaches from the end of a frame over the whole prefix."""
_PREFIX = struct.Struct("<II")
_CHECK_BYTES = 64
_LARGEST_HEADER = 1 << 20
_SEARCHED = 1 << 20
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "path": str,
    "kind": str,
    "session": (str, type(None)),
    "agent": (str, type(None)),
    "project_key": (str, type(None)),
    "config": str,
    "version": int,
    "offset": int,
    "length": int,
    "stored_length": int,
    "sha256": str,
    "stored_sha256": str,
    "whole": str,
    "time": int,
    "mtime": int,
}
"""The fields that every header has."""


class Frame(NamedTuple):
    """One frame of a segment: the fields of its header, and the place of its packed bytes."""

    fields: dict[str, Any]
    start: int
    """The offset of the header in the segment."""
    packed: int
    """The offset of the packed bytes."""
    end: int

    @property
    def offset(self) -> int:
        """The offset of its raw bytes in the archived file."""
        return int(self.fields["offset"])

    @property
    def length(self) -> int:
        """The number of its raw bytes."""
        return int(self.fields["length"])

    @property
    def parent(self) -> "Parent | None":
        """The file whose bytes are its prefix."""
        told = self.fields.get("parent")
        return Parent(told["segment"], told["length"], told["sha256"]) if told else None


class Gap(NamedTuple):
    """Bytes of a segment in which no frame can be found."""

    start: int
    end: int
    reason: str
    is_torn: bool
    """True if they are the beginning of a frame that a kill cut short."""


class Parent(NamedTuple):
    """The prefix of a frame: the first bytes of another segment's file."""

    segment: str
    length: int
    sha256: str


OpenPrefix = Callable[[Parent], bytes]
"""Returns the bytes of a prefix; raises MalformedError if they do not match the header."""


def pack(raw: bytes, fields: dict[str, Any], prefix: bytes | None = None) -> bytes:
    """Return header and frame of some raw bytes; `fields` describe their file.

    With a `prefix` the fields name it as `parent`.
    """
    if prefix is None:
        packed = zstd.compress(raw, LEVEL)
    else:
        dictionary = zstd.ZstdDict(prefix, is_raw=True).as_prefix
        packed = zstd.compress(raw, options=_with_prefix(), zstd_dict=dictionary)
    checks = {
        "format": _format_of(fields),
        "length": len(raw),
        "sha256": sha256(raw).hexdigest(),
        "stored_length": len(packed),
        "stored_sha256": sha256(packed).hexdigest(),
    }
    text = json.dumps(fields | checks, separators=(",", ":")).encode() + b"\n"
    prefix = _PREFIX.pack(MAGIC, len(text) + _CHECK_BYTES)
    return prefix + text + sha256(prefix + text).hexdigest().encode() + packed


def _with_prefix() -> dict[int, int]:
    return {
        zstd.CompressionParameter.compression_level: LEVEL,
        zstd.CompressionParameter.enable_long_distance_matching: 1,
        zstd.CompressionParameter.window_log: _WINDOW,
    }


def _format_of(fields: dict[str, Any]) -> int:
    if "pack" in fields:
        return 3
    return 2 if "parent" in fields else 1


def segment_name(path: bytes, version: int) -> str:
    """Return the name of the segment of one version of a file."""
    return f"{sha256(path).hexdigest()[:24]}-{version}.zst"


def pack_name(pack: str, number: int) -> str:
    """Return the name of a pack; a pack that is rewritten without some frames gets the next number."""
    return f"pack-{pack}-{number}.zst"


def pack_of(name: str) -> tuple[str, int] | None:
    """Return the id and the number of a pack, or None for the segment of a single file."""
    first, _, rest = name.removesuffix(".zst").partition("-")
    pack, _, number = rest.partition("-")
    return (pack, int(number)) if first == "pack" and number.isdecimal() else None


def _belongs(fields: dict[str, Any], name: str) -> bool:
    """Return True if a header belongs to this segment: archived bytes may contain headers of other archives."""
    if (pack := pack_of(name)) is not None:
        return fields.get("pack") == pack[0]
    return segment_name(os.fsencode(fields["path"]), fields["version"]) == name


def frames(file: BinaryIO) -> Iterator[Frame]:
    """Yield the frames of a segment by their headers; raise MalformedError with the offset of a bad one."""
    size = file.seek(0, io.SEEK_END)
    start = 0
    while start < size:
        frame = frame_at(file, start)
        if frame.end > size:
            raise MalformedError(f"frame at byte {start:,} is cut short")
        yield frame
        start = frame.end


def pieces(file: BinaryIO, name: str) -> Iterator[Frame | Gap]:
    """Yield the frames of the segment `name`; for a bad header a gap and the frames after it."""
    size = file.seek(0, io.SEEK_END)
    start = 0
    while start < size:
        try:
            frame = frame_at(file, start)
            reason = f"frame at byte {start:,} is cut short" if frame.end > size else None
        except MalformedError as error:
            reason = str(error)
        if reason is None:
            yield frame
            start = frame.end
            continue
        end = next((place for place in _headers_after(file, start, size, name)), size)
        yield Gap(start, end, reason, end == size and reason.endswith("cut short"))
        start = end


def whole_frames(file: BinaryIO, name: str) -> list[Frame]:
    """Return the frames of a segment that can be found."""
    return [piece for piece in pieces(file, name) if isinstance(piece, Frame)]


def _headers_after(file: BinaryIO, start: int, size: int, name: str) -> Iterator[int]:
    """Yield the offsets of the frames of this segment after a bad header."""
    for place in _magic_after(file, start):
        try:
            frame = frame_at(file, place)
        except MalformedError:
            continue
        if frame.end <= size and _belongs(frame.fields, name):
            yield place


def _magic_after(file: BinaryIO, start: int) -> Iterator[int]:
    magic = MAGIC.to_bytes(4, "little")
    start += 1
    while True:
        file.seek(start)
        window = file.read(_SEARCHED)
        if len(window) < len(magic):
            return
        place = window.find(magic)
        while place >= 0:
            yield start + place
            place = window.find(magic, place + 1)
        start += len(window) - len(magic) + 1


def frame_at(file: BinaryIO, start: int) -> Frame:
    """Read the header at an offset; raise MalformedError if there is none."""
    file.seek(start)
    prefix = file.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size:
        raise MalformedError(f"header at byte {start:,} is cut short")
    magic, length = _PREFIX.unpack(prefix)
    if magic != MAGIC or not _CHECK_BYTES < length <= _LARGEST_HEADER:
        raise MalformedError(f"no header at byte {start:,}")
    payload = file.read(length)
    if len(payload) < length:
        raise MalformedError(f"header at byte {start:,} is cut short")
    text, check = payload[:-_CHECK_BYTES], payload[-_CHECK_BYTES:]
    if sha256(prefix + text).hexdigest().encode() != check:
        raise MalformedError(f"header at byte {start:,} fails its checksum")
    fields = _fields_in(text, start)
    packed = start + _PREFIX.size + length
    return Frame(fields, start, packed, packed + int(fields["stored_length"]))


def _fields_in(text: bytes, start: int) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    has_all = isinstance(fields, dict) and all(isinstance(fields.get(one), kind) for one, kind in _FIELDS.items())
    if not has_all or min(fields["offset"], fields["length"], fields["stored_length"]) < 0:
        raise MalformedError(f"header at byte {start:,} lacks fields")
    return dict(fields)


def unpack(file: BinaryIO, frame: Frame, open_prefix: OpenPrefix | None = None) -> bytes:
    """Return the raw bytes of a frame; raise MalformedError if a checksum fails."""
    file.seek(frame.packed)
    packed = file.read(frame.end - frame.packed)
    if sha256(packed).hexdigest() != frame.fields["stored_sha256"]:
        raise MalformedError(f"frame at byte {frame.start:,} fails its checksum")
    try:
        raw = zstd.decompress(packed) if frame.parent is None else _unpack_after(packed, frame.parent, open_prefix)
    except zstd.ZstdError as error:
        raise MalformedError(f"frame at byte {frame.start:,}: {error}") from None
    if sha256(raw).hexdigest() != frame.fields["sha256"]:
        raise MalformedError(f"frame at byte {frame.start:,} holds other bytes")
    return raw


def _unpack_after(packed: bytes, parent: Parent, open_prefix: OpenPrefix | None) -> bytes:
    if open_prefix is None:
        raise MalformedError(f"its prefix is in {parent.segment}")
    dictionary = zstd.ZstdDict(open_prefix(parent), is_raw=True).as_prefix
    return zstd.decompress(packed, dictionary, {zstd.DecompressionParameter.window_log_max: _WINDOW})


class SegmentReader(io.RawIOBase):
    """The archived bytes of one version as a seekable stream; it holds one frame, and a prefix, in memory.

    Damage raises OSError; with `filled` lost bytes read as NUL bytes, up to that length.
    """

    def __init__(
        self,
        file: BinaryIO,
        found: Sequence[Frame],
        open_prefix: OpenPrefix | None = None,
        *,
        filled: int | None = None,
    ) -> None:
        super().__init__()
        self._file = file
        self._frames = found
        self._open_prefix = open_prefix
        self._is_filled = filled is not None
        end = found[-1].offset + found[-1].length if found else 0
        self._size = max(end, filled or 0)
        self._position = 0
        self._held: tuple[int, bytes] = (0, b"")

    def readable(self) -> bool:
        """Return True: it is readable."""
        return True

    def seekable(self) -> bool:
        """Return True: it is seekable."""
        return True

    def tell(self) -> int:
        """Return the position in the raw bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position in the raw bytes."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(base + offset, 0)
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read at most to the end of a frame."""
        start, held = self._held
        if not start <= self._position < start + len(held):
            start, held = self._held = self._frame_around(self._position)
        piece = held[self._position - start : self._position - start + len(buffer)]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def _frame_around(self, position: int) -> tuple[int, bytes]:
        for frame in self._frames:
            if frame.offset <= position < frame.offset + frame.length:
                try:
                    return frame.offset, unpack(self._file, frame, self._open_prefix)
                except MalformedError as error:
                    if self._is_filled:
                        break
                    raise OSError(f"the archive is damaged: {error}") from error
        lost = self._lost_after(position) if self._is_filled else 0
        return position, bytes(min(lost, FRAME_BYTES))

    def _lost_after(self, position: int) -> int:
        """Return the number of lost bytes from a position to the next frame or the end of this one."""
        ends = [place for frame in self._frames for place in (frame.offset, frame.offset + frame.length)]
        return min((end for end in (*ends, self._size) if end > position), default=position) - position

    def close(self) -> None:
        """Close the segment."""
        self._file.close()
        super().close()
