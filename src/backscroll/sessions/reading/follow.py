"""Follow transcripts while they are written: complete records only, each exactly once.

The follower checks all files after each event, so it does not rely on the events.  Records from before its start are
history and are skipped.  It reads a file from the end of the last complete record.  It reads a file from the
beginning if the file shrank, was replaced or was rewritten.  Then it skips records that it already emitted, and
records from before its start.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import BinaryIO

from backscroll.files import open_readonly, read_at
from backscroll.formats.json.lines import scan
from backscroll.records import Damage, Record
from backscroll.sessions.message import Message
from backscroll.sessions.reading.join import join_message
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import Facts
from backscroll.sessions.transcript.fingerprint import fingerprint
from backscroll.sessions.transcript.heads import decode_head, head_of
from backscroll.sessions.transcript.moments import moment_of
from backscroll.sessions.transcript.rows import PROGRESS, Row, rows_of
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import Node, Tree
from backscroll.stores.base import FoundFile, Store

KINDS = {"transcript", "agent", "superseded"}
LATE = timedelta(days=1)
"""Records of a new session count as new even with times this long before the start, because clocks differ."""
CHECKED = 512
BLOCK = 1 << 16

Wanted = Callable[[FoundFile], bool]


class _Tail:
    """One file: the offset up to which it was read, and the bytes at both ends of the read part."""

    def __init__(self, file: FoundFile) -> None:
        self.file = file
        self.offset = 0
        self.line: int | None = 1
        """The line number at the offset; None if it is not counted yet."""
        self.state: tuple[int, int, int] | None = None
        self.edges = (b"", b"")

    def pass_over(self) -> None:
        """Treat the content of the file as history, up to the end of its last complete line."""
        with open_readonly(self.file.path) as opened:
            self.offset, self.line = _end_of_last_line(opened, self.file.size), None
            self.edges = _edges(opened, self.offset)
        self.state = state_of(self.file)

    def is_replaced(self, opened: BinaryIO, file: FoundFile) -> bool:
        """Return True if the file did anything but grow."""
        is_other = (file.inode, file.device) != (self.file.inode, self.file.device)
        return is_other or file.size < self.offset or _edges(opened, self.offset) != self.edges

    def read(self, opened: BinaryIO, file: FoundFile, *, is_replaced: bool) -> Iterator[Record]:
        """Yield the records after the last read one; an incomplete line waits for its end."""
        if is_replaced:
            self.offset, self.line = 0, 1
        account = scan(opened, file.path, decode_head, self.offset, self._counted(opened))
        yield from (item for item in account if not isinstance(item, Damage))
        self.offset = account.end if account.open_tail is None else account.open_tail
        self.line = account.next_line
        self.file = file
        self.edges = _edges(opened, self.offset)

    def _counted(self, opened: BinaryIO) -> int:
        if self.line is None:
            opened.seek(0)
            left, self.line = self.offset, 1
            while left > 0 and (piece := opened.read(min(left, BLOCK))):
                self.line += piece.count(b"\n")
                left -= len(piece)
        return self.line


def state_of(file: FoundFile) -> tuple[int, int, int]:
    """Return a state that changes whenever a file is written."""
    return file.size, file.mtime_ns, file.inode


def _edges(opened: BinaryIO, offset: int) -> tuple[bytes, bytes]:
    """Return the bytes at the beginning of a file, and before an offset."""
    length = min(CHECKED, offset)
    return read_at(opened, 0, length), read_at(opened, offset - length, length)


def _end_of_last_line(opened: BinaryIO, size: int) -> int:
    """Return the end of the last complete line of a file."""
    end, length = size, CHECKED
    while end > 0:
        start = max(end - length, 0)
        found = read_at(opened, start, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end, length = start, BLOCK
    return 0


class Follower:
    """The state of all followed files; `since` is the start time."""

    def __init__(self, stores: Iterable[Store], since: datetime, wanted: Wanted | None = None) -> None:
        self._stores = list(stores)
        self._since = since
        self._wanted = wanted
        self._tails: dict[str, _Tail] = {}
        self._told: set[bytes] = set()
        self._known: set[tuple[str | None, str | None]] = set()
        """The sessions and agents that existed at the start: a new file of theirs may hold their history."""
        for file in self._files():
            self._known.add((file.session, file.agent))
            tail = self._tails[file.path] = _Tail(file)
            with suppress(OSError):
                tail.pass_over()

    def _files(self) -> Iterator[FoundFile]:
        for store in self._stores:
            for item in store.files():
                if not isinstance(item, Damage) and item.kind in KINDS and (self._wanted is None or self._wanted(item)):
                    yield item

    def look(self) -> Iterator[Message]:
        """Yield the messages since the last look."""
        for file in self._files():
            tail = self._tails.get(file.path)
            if tail is not None and tail.state == state_of(file):
                continue
            try:
                yield from self._messages(tail, file)
            except OSError:  # it vanished between two looks; a file that replaces it is a new one
                self._tails.pop(file.path, None)

    def _messages(self, tail: _Tail | None, file: FoundFile) -> Iterator[Message]:
        with open_readonly(file.path) as opened, TranscriptSource(file.path) as source:
            is_replaced = tail is not None and tail.is_replaced(opened, file)
            oldest = self._oldest(file) if is_replaced or tail is None else None
            tail = self._tails.setdefault(file.path, _Tail(file))
            for record in tail.read(opened, file, is_replaced=is_replaced):
                if self._is_new(record, file, oldest):
                    yield from (_message(row, source, file) for row in _rows(record) if row.kind != PROGRESS)
            tail.state = state_of(file)

    def _oldest(self, file: FoundFile) -> datetime:
        """Return the time before which the records of a new or restarted file are history."""
        return self._since if (file.session, file.agent) in self._known else self._since - LATE

    def _is_new(self, record: Record, file: FoundFile, oldest: datetime | None) -> bool:
        """Return True if a record is new: not emitted yet and not history; with `oldest`, its time decides."""
        head = head_of(record.value)
        key = fingerprint((head.uuid or "").encode() + record.raw[:64] + record.raw[-64:], 12)
        if head.uuid is None or key in self._told:
            return False
        self._told.add(key)
        moment = moment_of(head.timestamp)
        if oldest is None or moment is None:
            return True
        is_copy = head.forkedFrom is not None or head.sessionId not in (None, file.session)
        return moment >= (self._since if is_copy else oldest)


def _rows(record: Record) -> Iterator[Row]:
    """Yield the row of a record that was read alone."""
    return (row for _, _, row in rows_of([record], 0, Facts()) if row is not None)


def _message(row: Row, source: TranscriptSource, file: FoundFile) -> Message:
    """Make a message from one record, because no other exists yet."""
    node = Node([row], 0)
    conversation = Conversation([source], Facts(), Tree([node], []))
    message = join_message(node, conversation.tree, conversation, file.session or "", file.agent)
    message.parent = row.parent
    return message


def follow(
    stores: Iterable[Store], wakes: Iterable[object], since: datetime, wanted: Wanted | None = None
) -> Iterator[Message]:
    """Yield every message as it is written; check all files after each event of `wakes`."""
    follower = Follower(stores, since, wanted)
    for _ in wakes:
        yield from follower.look()
