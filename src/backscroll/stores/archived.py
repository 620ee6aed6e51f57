"""Our archive as a store: it holds the transcripts that Claude's products deleted, shortened or replaced.

A file that still exists is read from its own place.  `catalogue.db` lists the segments; it is derived from their
headers.  See docs/archive.md.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from backscroll.files import open_readonly, reason_of
from backscroll.formats.cursor import MalformedError
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.base import FileEntry, FoundFile
from backscroll.stores.side import Backup

if TYPE_CHECKING:
    from backscroll.formats import archive as segments
else:
    segments = lazily("backscroll.formats.archive")

CATALOGUE, SEGMENTS = "catalogue.db", "segments"
READ_AS = frozenset(["transcript", "superseded", "earlier", "agent", "audit"])
"""The kinds of files that make up a session; an audit does if it has no transcript."""
CONVERSATIONS = frozenset(["transcript", "audit"])
_AUDIT_MARK = "#audit.jsonl"
"""The end of the path of an archived audit: readers know audits by their name."""
_WHOLE = "whole"
"""The end of the path of an archived copy of a file that has a segment of its own; of others the place in the pack."""
COLUMNS = (
    "path", "version", "segment", "kind", "session", "agent", "project_key", "config", "length", "stored",
    "frames", "whole", "time", "size", "mtime", "ctime", "inode", "device", "looked", "parent", "at",
)  # fmt: skip

ALL_VERSIONS = "SELECT * FROM file ORDER BY path, looked, version"
"""Every row of the catalogue; the version of each path that a sync saw last comes last."""


class KeptFile(NamedTuple):
    """One version of a source file in the archive: a row of the catalogue."""

    path: bytes
    version: int
    segment: str
    kind: str
    session: str | None
    agent: str | None
    project_key: str | None
    config: str
    length: int
    """The number of raw bytes."""
    stored: int
    """The size of the segment; in a pack the size of its frame."""
    frames: int
    whole: str
    """The sha256 of all raw bytes."""
    time: int
    """The time of the last copy, in nanoseconds."""
    size: int
    mtime: int
    ctime: int
    inode: int
    device: int
    looked: int
    """The time at which a sync last saw this version at its path; 0 for an imported version."""
    parent: str = ""
    """The segment that it needs as a prefix."""
    at: int = 0
    """The offset of its frame in a pack."""

    @property
    def is_packed(self) -> bool:
        """Return True if it shares its segment with other files."""
        return self.segment.startswith("pack-")

    @property
    def end(self) -> int:
        """The end of its bytes in the segment."""
        return self.at + self.stored


def rows_of(part: Path) -> list[KeptFile]:
    """Return every version in one part of the archive, the current one last; raise sqlite3.Error if it is damaged."""
    place = part / CATALOGUE
    if not place.exists():
        if any((part / SEGMENTS).glob("*.zst")):
            raise sqlite3.DatabaseError("it is gone")
        return []
    with closing(sqlite3.connect(f"{place.absolute().as_uri()}?mode=rw", uri=True, timeout=30)) as database:
        rows = database.execute(ALL_VERSIONS)
        return [KeptFile(*row[: len(COLUMNS)]) for row in rows]


def ends_of(rows: Iterable[KeptFile]) -> dict[str, int]:
    """Return the size of each segment, according to the catalogue."""
    ends: dict[str, int] = {}
    for row in rows:
        if row.stored:
            ends[row.segment] = max(ends.get(row.segment, 0), row.end)
    return ends


def open_kept(part: Path, row: KeptFile) -> BinaryIO:
    """Open one version: a seekable stream of its raw bytes that raises OSError where it is damaged."""
    return _open_segment(part, row.segment, row.at if row.is_packed else None) if row.length else BytesIO()


def _open_segment(part: Path, segment: str, at: int | None) -> BinaryIO:
    """Open a segment, or the one frame of a pack at an offset; the stream raises OSError where it is damaged."""
    file = open_readonly(part / SEGMENTS / segment)
    try:
        found = list(segments.frames(file)) if at is None else [segments.frame_at(file, at)]
        return BufferedReader(segments.SegmentReader(file, found, prefix_opener(part)), 1 << 16)
    except MalformedError as error:
        file.close()
        raise OSError(f"the archive is damaged: {error}") from error
    except BaseException:
        file.close()
        raise


def kept_files(part: Path, kind: str) -> list[KeptFile]:
    """Return the newest version of each archived file of a kind whose own place is empty."""
    try:
        newest = {row.path: row for row in rows_of(part) if row.kind == kind and row.length}
    except sqlite3.Error:
        return []  # `files` reports it
    return [row for row in newest.values() if _live_size(row.path) is None]


def kept_backups(part: Path) -> Iterator[Backup]:
    """Yield the archived copies of files whose own place is empty; their paths are for `ArchiveStore.open`."""
    for row in kept_files(part, "file-history"):
        path = Path(os.fsdecode(row.path))
        place = f"{part / SEGMENTS / row.segment}#{row.at if row.is_packed else _WHOLE}"
        yield Backup(place, path.name, path.parent.name, row.mtime)


class ArchiveStore:
    """One part of the archive: the files of one root."""

    def __init__(self, path: Path) -> None:
        self.kind = "archive"
        self.path = path

    def entries(self) -> Iterator[FileEntry | FoundFile | Damage]:
        """Yield the files of the archive; their kinds are already known."""
        return self.files()

    def named(self, entry: FileEntry) -> FoundFile:
        """Raise an error: every entry of this store already has its kind."""
        raise NotImplementedError(entry.path)

    def files(self) -> Iterator[FoundFile | Damage]:
        """Yield the transcripts that only the archive has, earlier versions of others, and copies of live ones."""
        try:
            rows = rows_of(self.path)
        except sqlite3.Error as error:
            yield Damage(Place(str(self.path / CATALOGUE)), f"the archive's catalogue cannot be read: {error}")
            return
        newest = {row.path: row.version for row in rows}
        told = _with_transcript(rows)
        for row in rows:
            if row.kind in READ_AS and row.length and not row.is_packed:
                is_newest = newest[row.path] == row.version
                live = _live_size(row.path) if is_newest else None
                if row.kind == "audit":
                    if is_newest and row.session and told.isdisjoint((row.session, os.path.dirname(row.path))):
                        yield self._found(row, "transcript" if live is None else "kept")
                elif live is None or live < row.length:
                    yield self._found(row, row.kind if is_newest and live is None else "superseded")
                elif row.kind == "transcript":
                    yield self._found(row, "kept")

    def _found(self, row: KeptFile, kind: str) -> FoundFile:
        path = path_of(self.path, row)
        labels = (row.session, row.agent, row.project_key, row.config)
        return FoundFile(path, kind, row.length, row.mtime, row.time, row.frames, 0, *labels)

    def open(self, path: str) -> BinaryIO:
        """Open an archived file: a seekable stream of its raw bytes; lost bytes of a transcript read as NUL bytes."""
        segment, _, at = Path(path).name.partition("#")
        if at == _WHOLE or at.isdecimal():
            return _open_segment(self.path, segment, int(at) if at.isdecimal() else None)
        path = path.removesuffix(_AUDIT_MARK)
        file = open_readonly(path)
        try:
            found = segments.whole_frames(file, Path(path).name)
            _require_any(found)
            length = 0 if _is_complete(file, found) else self._length(path)
            reader = segments.SegmentReader(file, found, prefix_opener(self.path), filled=length)
            return BufferedReader(reader, 1 << 16)
        except BaseException:
            file.close()
            raise

    def _length(self, path: str) -> int:
        """Return the number of raw bytes of a segment, according to the catalogue."""
        with suppress(sqlite3.Error):
            return max((row.length for row in rows_of(self.path) if row.segment == Path(path).name), default=0)
        return 0


def _with_transcript(rows: Iterable[KeptFile]) -> set[str | bytes | None]:
    """Return the sessions, and the directories of Cowork sessions, of which the archive has a transcript."""
    found = [row for row in rows if row.kind == "transcript"]
    return {row.session for row in found} | {os.path.dirname(os.fsencode(row.config)) for row in found}


def path_of(part: Path, row: KeptFile) -> str:
    """Return the path under which a version is read."""
    return f"{part / SEGMENTS / row.segment}{_AUDIT_MARK if row.kind == 'audit' else ''}"


def _require_any(found: "list[segments.Frame]") -> None:
    if not found:
        raise OSError("the archive is damaged: no header of this file can be read")


def _is_complete(file: BinaryIO, found: "list[segments.Frame]") -> bool:
    """Return True if the frames of a segment reach its end."""
    return found[-1].end == file.seek(0, os.SEEK_END)


def prefix_opener(part: Path) -> "segments.OpenPrefix":
    """Return the function that reads the prefix of a frame; it keeps the last prefix in memory."""
    held: dict[segments.Parent, bytes] = {}

    def open_prefix(parent: "segments.Parent") -> bytes:
        if parent not in held:
            held.clear()
            held[parent] = _prefix(part, parent)
        return held[parent]

    return open_prefix


def _prefix(part: Path, parent: "segments.Parent") -> bytes:
    if "/" in parent.segment or "\\" in parent.segment:
        raise MalformedError("its prefix is not a segment")
    try:
        with open_readonly(part / SEGMENTS / parent.segment) as file:
            found = segments.whole_frames(file, parent.segment)
            data = BufferedReader(segments.SegmentReader(file, found), 1 << 20).read(parent.length)
    except OSError as error:
        raise MalformedError(f"its prefix {parent.segment} cannot be read: {reason_of(error)}") from error
    if sha256(data).hexdigest() != parent.sha256:
        raise MalformedError(f"its prefix {parent.segment} holds other bytes")
    return data


def _live_size(path: bytes) -> int | None:
    """Return the size of a live file, or None if it is gone; a file without permission to look is not gone."""
    try:
        return os.lstat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return 1 << 62
