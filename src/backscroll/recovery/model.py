"""The values that `files` and `recover` return."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from backscroll.place import Place

BYTES, TEXT, DERIVED, PARTIAL, GAP = "bytes", "text", "derived", "partial", "gap"


@dataclass(slots=True)
class Version:
    """A file's content at a moment, how it is known, and the record that proves it."""

    n: int
    time: datetime | None
    how: str
    """write, edit, read, backup, snapshot, delete, rename."""
    sure: str
    """bytes, text, derived, partial, gap: from the file's own bytes down to the bare fact that it changed."""
    session: str | None = None
    agent: str | None = None
    branch: str | None = None
    message: str | None = None
    call: str | None = None
    tool: str | None = None
    bytes: int | None = None
    sha256: str | None = None
    missing: list[tuple[int, int | None]] = field(default_factory=list)
    """Unknown lines, from and to; to is None if the end is unknown too."""
    outside: bool = False
    """True if no file tool of Claude's made this change; a later record shows it."""
    created: bool = False
    """The file was not there before."""
    deleted: bool = False
    confirmed: int = 0
    """The number of further records with the same content."""
    encoding: str | None = None
    newline: str | None = None
    """lf, crlf, or None if no record shows it."""
    place: Place | None = None
    other: str | None = None
    """The path that a renamed file went to, or came from."""
    why: str | None = None
    """Why a candidate never reached the disk, if known: error, refused, staged, unanswered."""

    @property
    def exact(self) -> bool:
        """True if no part of the content is inferred or missing."""
        return self.sure in (BYTES, TEXT)


@dataclass(slots=True)
class FileHistory:
    """All versions of one file, oldest first, and the changes that never reached the disk."""

    path: str
    versions: list[Version] = field(default_factory=list)
    candidates: list[Version] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    """The same file in worktrees of the same repository."""
    lost: list[Place] = field(default_factory=list)
    """Evidence that a record names, but that cannot be read any more."""


@dataclass(frozen=True, slots=True)
class FileSummary:
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


@dataclass(frozen=True, slots=True)
class FileList:
    """The files that pass a filter: their number, and a page of them."""

    total: int
    files: list[FileSummary]


@dataclass(frozen=True, slots=True)
class Recovered:
    """One version of a file with its bytes."""

    path: str
    version: Version
    data: bytes


@dataclass(frozen=True, slots=True)
class Match:
    """A line with the searched text, and the first and last version of the file that have it."""

    path: str
    line: int
    text: str
    first: Version
    last: Version


@dataclass(frozen=True, slots=True)
class Written:
    """One file that was to be written, and the outcome."""

    path: str
    target: str | None
    version: Version | None
    status: str
    """planned, written, same, skipped, failed."""
    why: str | None = None


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The plan of writing, or its report."""

    directory: str | None
    files: list[Written]
    applied: bool


@dataclass(frozen=True, slots=True)
class BlameLine:
    """One line, and the session, message and time that wrote it; session and message are None for outside."""

    n: int
    text: str
    session: str | None
    message: str | None
    time: datetime | None
    how: str
    """write, edit, or how the line was seen: read, backup, snapshot; disk for a line that no version has."""
    exact: bool
    version: int | None


@dataclass(frozen=True, slots=True)
class Blame:
    """The lines of one version of a file."""

    path: str
    version: int
    lines: list[BlameLine]


OnFile = Callable[[int, int], None]
"""Gets the number of files that are done, and of all files."""
Recoveries = Iterator[Recovered]
