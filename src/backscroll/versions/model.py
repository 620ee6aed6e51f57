"""What `files` and `recover` hand out."""

from collections.abc import Callable, Iterator
from datetime import datetime

from backscroll.place import Place
from backscroll.value import NamedTuple, Value, field

BYTES, TEXT, DERIVED, PARTIAL, GAP = "bytes", "text", "derived", "partial", "gap"


class Version(Value):
    """A file's content at a moment, how it is known, and which record proves it."""

    n: int
    time: datetime | None
    how: str
    """write, edit, read, backup, snapshot, delete, rename."""
    sure: str
    """bytes, text, derived, partial, gap: from the file's own bytes down to nothing but the fact that it changed."""
    session: str | None = None
    agent: str | None = None
    branch: str | None = None
    message: str | None = None
    call: str | None = None
    tool: str | None = None
    bytes: int | None = None
    sha256: str | None = None
    missing: list[tuple[int, int | None]] = field(default_factory=list)
    """Lines that are not known, from and to; to is None where even the end is unknown."""
    outside: bool = False
    """Not a change that Claude's file tools made: it shows only in what was found afterwards."""
    created: bool = False
    """The file was not there before."""
    deleted: bool = False
    confirmed: int = 0
    """How many further records show the same content."""
    encoding: str | None = None
    newline: str | None = None
    """lf, crlf, or None where nothing shows it."""
    place: Place | None = None
    other: str | None = None
    """Where a renamed file went to, or came from."""
    why: str | None = None
    """Of a candidate: why it never reached the disk, as far as is known: error, refused, staged, unanswered."""

    @property
    def exact(self) -> bool:
        """Whether nothing of the content is inferred or missing."""
        return self.sure in (BYTES, TEXT)


class FileHistory(Value):
    """All versions of one file, oldest first, and what was tried but never reached the disk."""

    path: str
    versions: list[Version] = field(default_factory=list)
    candidates: list[Version] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    """The same file in worktrees of the same repository."""
    lost: list[Place] = field(default_factory=list)
    """Evidence that is named somewhere, but could not be read any more."""


class FileSummary(Value):
    """One file that sessions touched."""

    path: str
    versions: int
    first: datetime | None
    last: datetime | None
    sessions: list[str]
    created: bool
    deleted: bool
    changes: int
    """Writes and edits by Claude."""
    candidates: int
    project: str | None = None


class FileList(NamedTuple):
    """The files that pass a filter: how many, and those that were asked for."""

    total: int
    files: list[FileSummary]


class Recovered(NamedTuple):
    """One version of a file with its bytes."""

    path: str
    version: Version
    data: bytes


class Match(NamedTuple):
    """A line that holds a searched text, and the first and last version of the file that have it."""

    path: str
    line: int
    text: str
    first: Version
    last: Version


class Written(NamedTuple):
    """What became of one file that was to be written."""

    path: str
    target: str | None
    version: Version | None
    status: str
    """planned, written, same, skipped."""
    why: str | None = None


class WritePlan(NamedTuple):
    """What writing would do or did."""

    directory: str | None
    files: list[Written]
    applied: bool


OnFile = Callable[[int, int], None]
"""Told how many files of how many are done."""
Recoveries = Iterator[Recovered]
