"""Source: one open transcript file, read by scan and by place.

A file that cannot be opened or read is an empty source with its damage.
"""

from collections.abc import Iterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from backscroll.files import open_readonly, read_at, reason_of
from backscroll.formats.json.lenient import DUPLICATE_KEYS, has_duplicate_keys, value_of
from backscroll.formats.json.lines import Scan, scan
from backscroll.formats.json.streams import Stream, open_stream
from backscroll.formats.reasons import BLANKS
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage, Note, Record
from backscroll.sessions.transcript.heads import Head, decode_head
from backscroll.sessions.transcript.token_counts import doubt
from backscroll.stores.base import Opener

if TYPE_CHECKING:
    from backscroll.sessions.transcript import audit
else:
    audit = lazily("backscroll.sessions.transcript.audit")

AUDIT = "audit.jsonl"
"""The name of Cowork's audit beside a transcript; it replaces a lost transcript."""
LONGEST_BLANKS = 1 << 12
LONGEST_PIECE = 1 << 20
LONGEST_CHECKED = 1 << 20
"""We do not search longer records for repeated keys; the fast decoder silently takes the last of two."""


class TranscriptSource:
    """One transcript file, opened read-only at its first use."""

    def __init__(self, path: str, open_file: Opener = open_readonly) -> None:
        self.path = path
        self._open_file = open_file
        self._is_audit = path.endswith(AUDIT)
        self.damage: list[Damage] = []
        self.notes: list[Note] = []
        self.record_bytes = self.damage_bytes = self.blank_bytes = self.size = 0
        self.records = 0
        self.end, self.next_line = 0, 1
        """The position after the last read byte, and the number of the line that starts there."""
        self.is_whole = False
        """True if the last item was a record with its line end: an append changes nothing before it."""
        self._last, self._is_read = 0, False
        self._file: BinaryIO | None = None
        self._stream: Stream | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()  # a caller may open a session and never ask for its messages

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
        if self._file is not None:
            self._file.close()
        self._stream = self._file = None

    def heads(self) -> Iterator[Record]:
        """Yield every record with its head as the value; collect damage, notes and the byte account."""
        try:
            stream = self._opened()
        except OSError as error:
            self.damage.append(Damage(Place(self.path), reason_of(error)))
            return
        decode = self._decode if self._is_audit else decode_head  # saves a call per record
        account = scan(stream.file, self.path, decode, self.end, self.next_line, size=stream.size)
        self._last = self.end
        try:
            for item in account:
                if isinstance(item, Damage):
                    self.damage.append(item)
                    continue
                self._last = item.offset + item.length
                self.records += 1
                may_repeat = len(item.raw) < LONGEST_CHECKED and item.raw.count(b'"uuid"') > 1
                if may_repeat or item.note or type(item.value) is not Head:
                    self._note(item, may_repeat_keys=may_repeat)
                yield item
            self._is_read = True
        except OSError as error:
            self._stop(account, stream, error)
        self._settle(account, stream)

    def _stop(self, account: Scan, stream: Stream, error: OSError) -> None:
        """Count the bytes that an error made unreadable as damage."""
        rest = max(stream.size - account.end, 0)
        place = Place(self.path, offset=account.end, length=rest)
        self.damage.append(Damage(place, f"reading stopped: {reason_of(error)}"))
        self.damage_bytes += rest

    def _note(self, item: Record, *, may_repeat_keys: bool) -> None:
        """Collect the repair of a record, and its implausible token counts."""
        note = item.note or (DUPLICATE_KEYS if may_repeat_keys and has_duplicate_keys(item.raw) else None)
        for told in (note, doubt(item.value)):
            if told is not None:
                self.notes.append(Note(Place(self.path, item.line, item.offset, item.length), told))

    def _settle(self, account: Scan, stream: Stream) -> None:
        self.record_bytes += account.record_bytes
        self.damage_bytes += account.damage_bytes
        self.blank_bytes += account.blank_bytes
        self.size = stream.size
        self.end, self.next_line = account.end, account.next_line
        is_plain = stream.wrapping is None and not self._is_audit
        self.is_whole = self._is_read and is_plain and self._is_line_ended(account, stream.file)
        if stream.wrapping is not None:
            self.notes.append(Note(Place(self.path), f"stored as {stream.wrapping}"))
        self.damage.extend(
            Damage(Place(self.path, offset=offset, length=length), reason) for offset, length, reason in stream.damage
        )

    def _is_line_ended(self, account: Scan, file: BinaryIO) -> bool:
        """Return True if only blanks and a line end follow the last record, or if there is none."""
        gap = account.end - self._last
        if gap == 0 or gap > LONGEST_BLANKS:
            return account.end == account.start
        try:
            file.seek(self._last)
            rest = file.read(gap)
        except OSError:
            return False
        return rest.endswith(b"\n") and not rest.strip(BLANKS)

    @property
    def settled(self) -> int:
        """The end of the bytes that cannot change: a last line without its end still may."""
        return self.end if self.is_whole else self._last

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at a place; fewer if the file has shrunk."""
        return read_at(self._opened().file, offset, length)

    def read_stored(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset of the file itself, still compressed; none if it cannot be opened."""
        try:
            self._opened()
        except OSError:
            return b""
        return read_at(self._file, offset, length) if self._file is not None else b""

    def _decode(self, raw: bytes) -> Head:
        return audit.decode_audit(raw) if self._is_audit else decode_head(raw)

    def record(self, line: int, offset: int, length: int) -> Record:
        """Read the record at a place as a scan does; an empty one if the file has changed."""
        raw = b""
        try:
            raw = self.read(offset, length)
            return Record(line, offset, length, raw, self._decode(raw))
        except (OSError, ValueError, RecursionError):
            value = self.value(offset, length)
            return Record(line, offset, length, raw if value else b"", value)

    def value(self, offset: int, length: int) -> dict[str, Any]:
        """Decode the record at a place; an empty one if the file has changed."""
        try:
            value, _ = value_of(self.read(offset, length))
        except (OSError, ValueError):
            return {}
        if not isinstance(value, dict):
            return {}
        return audit.spelled_as_transcript(value) if self._is_audit else value

    def lines(self) -> Iterator[bytes]:
        """Yield the file's lines as they are stored, a long one in pieces."""
        file = self._opened().file
        file.seek(0)
        yield from iter(partial(file.readline, LONGEST_PIECE), b"")

    def _opened(self) -> Stream:
        if self._stream is None:
            self._file = self._open_file(self.path)
            self._stream = open_stream(self._file)
        return self._stream
