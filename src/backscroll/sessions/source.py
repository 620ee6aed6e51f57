"""Source: one transcript file held open for reading, by scan and by place.

A file that cannot be opened or read is an empty source with its damage.
"""

import os
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from backscroll.files import open_readonly, reason_of
from backscroll.formats.jsonl import Scan, scan
from backscroll.formats.lenient import DUPLICATE_KEYS, has_duplicate_keys, value_of
from backscroll.formats.reasons import BLANKS
from backscroll.formats.streams import Stream, open_stream
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage, Note, Record
from backscroll.sessions.heads import Head, decode_head
from backscroll.stores.base import Opener

if TYPE_CHECKING:
    from backscroll.sessions import audit
else:
    audit = lazily("backscroll.sessions.audit")

AUDIT = "audit.jsonl"
"""The name of the file that Cowork keeps beside a transcript, and that stands for it where it is gone."""
LONGEST_BLANKS = 1 << 12
LONGEST_CHECKED = 1 << 20
"""Records longer than this are not searched for repeated keys."""


class Source:
    """One transcript file, opened read-only when it is first needed."""

    def __init__(self, path: str, open_file: Opener = open_readonly) -> None:
        self.path = path
        self._open_file = open_file
        self._is_audit = path.endswith(AUDIT)
        self.damage: list[Damage] = []
        self.notes: list[Note] = []
        self.record_bytes = self.damage_bytes = self.blank_bytes = self.size = 0
        self.records = 0
        self.end, self.next_line = 0, 1
        """How far it was read, and the number of the line that begins there."""
        self.is_whole = False
        """Whether the last thing read was a record with its line end: what is appended changes nothing before it."""
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
        self.close()  # nobody need ask for the messages of a session that was opened

    def close(self) -> None:
        """Give the file back."""
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
        decode = self._decode if self._is_audit else decode_head  # a call less for each record
        account = scan(stream.file, self.path, decode, self.end, self.next_line)
        self._last = self.end
        try:
            yield from self._sorted(account)
        except OSError as error:
            self.damage.append(Damage(Place(self.path, offset=account.end), f"reading stopped: {reason_of(error)}"))
        self._settle(account, stream)

    def _sorted(self, account: Scan) -> Iterator[Record]:
        for item in account:
            if isinstance(item, Damage):
                self.damage.append(item)
                continue
            self._last = item.offset + item.length
            note = item.note or (
                DUPLICATE_KEYS if _may_repeat_keys(item.raw) and has_duplicate_keys(item.raw) else None
            )
            if note is not None:
                self.notes.append(Note(Place(self.path, item.line, item.offset, item.length), note))
            self.records += 1
            yield item
        self._is_read = True

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
        """Say whether nothing but blanks and a line end follow the last record, or nothing came at all."""
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
        """Up to which byte it was read for good: a last line without its end may still change."""
        return self.end if self.is_whole else self._last

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes at a place; fewer where the file has shrunk meanwhile."""
        stream = self._opened()
        file = stream.file
        if stream.wrapping is None and (number := _number_of(file)) is not None:
            return os.pread(number, length, offset)
        before = file.tell()  # a scan may be on its way
        file.seek(offset)
        data = file.read(length)
        file.seek(before)
        return data

    def _decode(self, raw: bytes) -> Head:
        return audit.decode_audit(raw) if self._is_audit else decode_head(raw)

    def record(self, line: int, offset: int, length: int) -> Record:
        """Read the record at a place again as a scan does; an empty one where the file has changed meanwhile."""
        try:
            raw = self.read(offset, length)
            return Record(line, offset, length, raw, self._decode(raw))
        except (OSError, ValueError, RecursionError):
            return Record(line, offset, length, b"", self.value(offset, length))

    def value(self, offset: int, length: int) -> dict[str, Any]:
        """Decode the record at a place; an empty one where the file has changed meanwhile."""
        try:
            value, _ = value_of(self.read(offset, length))
        except (OSError, ValueError):
            return {}
        if not isinstance(value, dict):
            return {}
        return audit.spelled_as_transcript(value) if self._is_audit else value

    def lines(self) -> Iterator[bytes]:
        """Yield the file's lines as they are stored."""
        file = self._opened().file
        file.seek(0)
        yield from file

    def _opened(self) -> Stream:
        if self._stream is None:
            self._file = self._open_file(self.path)
            self._stream = open_stream(self._file)
        return self._stream


def _number_of(file: BinaryIO) -> int | None:
    """Return the number by which the system reads a file at any place; None where it lies in memory."""
    try:
        return file.fileno() if hasattr(os, "pread") else None
    except (OSError, AttributeError):
        return None


def _may_repeat_keys(raw: bytes) -> bool:
    """Whether it is worth a look: the fast decoder takes the last of two equal keys and says nothing."""
    return len(raw) < LONGEST_CHECKED and raw.count(b'"uuid"') > 1
