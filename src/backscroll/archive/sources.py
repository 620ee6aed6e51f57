"""The files that a sync copies, and the way to read each.

Most are unchanged files of a store.  Settings are reduced to the allowed fields, and browser storage to the facts about
sessions: this module makes their bytes, under the path of the original and a mark after `#`.
"""

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

from backscroll.archive import facts
from backscroll.files import open_readonly, reason_of
from backscroll.formats.archive import FRAME_BYTES
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.safe_text import one_line
from backscroll.stores.archived import READ_AS, KeptFile
from backscroll.stores.base import FileEntry, FoundFile, Label, Store, found
from backscroll.stores.browser import BrowserStore

if TYPE_CHECKING:
    from backscroll.stores.desktop_files import manifests, rows
else:  # only Cowork has them
    manifests = lazily("backscroll.stores.desktop_files.manifests")
    rows = lazily("backscroll.stores.desktop_files.rows")

COPIED = frozenset(
    [
        "transcript",
        "superseded",
        "earlier",
        "agent",
        "agent-meta",
        "title",
        "archived",
        "released",
        "project-index",
        "tool-result",
        "workflow-journal",
        "script",
        "task-meta",
        "memory",
        "history",
        "paste",
        "plan",
        "todos",
        "tasks",
        "file-history",
        "image",
        "row",
        "row-tmp",
        "tombstone",
        "cloud-list",
        "audit",
        "schedule",
        "scheduled",
        "spaces",
        "backlog",
        "worktrees",
        "last-cleanup",
        "archived-index",
    ]
)
"""The kinds of files that are copied unchanged."""
LIMITED = frozenset(["output", "upload"])
"""The kinds of files that are copied up to 64 MB."""
LARGEST_LIMITED = 64_000_000
PACKED = COPIED.union(LIMITED, (facts.FIELDS, facts.BROWSER_FACTS)) - READ_AS
"""The kinds of files that share packs while they are small; the others are read as sessions."""
NEVER = {
    "secret": "holds a secret",
    "config-backup": "settings may hold a token",
    "desktop-settings": "settings may hold a token",
}
_BUFFER = 1 << 20
_GROUPS = {"outputs": "output", "uploads": "upload"}


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not copied, and the reason."""

    path: str
    reason: str


@dataclass(slots=True)
class SyncReport:
    """The result of one `archive sync`."""

    added: int = 0
    """Files with new bytes."""
    bytes: int = 0
    """The raw bytes that were added."""
    stored: int = 0
    """The bytes that they take in the archive."""
    files: int = 0
    sessions: int = 0
    versions: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    seconds: float = 0.0


class Copyable(NamedTuple):
    """A file to copy: its label and state, and the function that opens its bytes."""

    file: FoundFile
    open: Callable[[], BinaryIO]


def copyables(stores: Iterable[Store], report: SyncReport) -> Iterator[Copyable]:
    """Yield everything to copy; add omitted files that users may miss to the report."""
    sessions: set[str | None] = set()
    for store in stores:
        if isinstance(store, BrowserStore):
            continue
        for file in _files(store):
            if isinstance(file, Damage):
                report.skipped.append(SkippedFile(file.place.path, file.reason))
            elif (copyable := _copyable(file, report)) is not None:
                report.files += 1
                if file.kind == "transcript":
                    sessions.add(file.session)
                yield copyable
    report.sessions = len(sessions)


def _files(store: Store) -> Iterator[FoundFile | Damage]:
    """Yield the files of a store, and after each manifest of Cowork the session's outputs and uploads."""
    for file in store.files():
        yield file
        if store.kind == "cowork" and not isinstance(file, Damage) and file.kind == "row":
            yield from _beside_manifest(file)


def _beside_manifest(row: FoundFile) -> Iterator[FoundFile | Damage]:
    directory = manifests.session_directory(row.path)
    for group, item in manifests.files_of(directory) if directory is not None else ():
        yield found(item, Label(_GROUPS[group]), row.config) if isinstance(item, FileEntry) else item


def _copyable(file: FoundFile, report: SyncReport) -> Copyable | None:
    if file.kind in COPIED:
        return Copyable(file, partial(open_readonly, file.path))
    if file.kind in LIMITED:
        if file.size <= LARGEST_LIMITED:
            return Copyable(file, partial(open_readonly, file.path))
        report.skipped.append(SkippedFile(file.path, "larger than 64 MB"))
    elif file.kind in facts.BY_FIELDS:
        labelled = file._replace(path=f"{file.path}#{facts.FIELDS}", kind=facts.FIELDS)
        return Copyable(labelled, partial(facts.open_fields, file.path, file.kind))
    elif file.kind in NEVER:
        report.skipped.append(SkippedFile(file.path, NEVER[file.kind]))
    return None


def session_of(file: FoundFile) -> str | None:
    """Return the session of a file; an audit of Cowork belongs to the session of the manifest beside it."""
    if file.kind != "audit" or file.session is not None:
        return file.session
    directory = Path(file.path).parent
    manifests_here = [
        directory.with_suffix(".json"),
        *directory.parent.glob(f"local_{glob.escape(directory.name)}*.json"),
    ]
    for path in manifests_here:
        if path.exists() and (lineage := rows.read_row(str(path))[0]["lineage"]):
            return one_line(lineage[0])
    return one_line(directory.name.removeprefix("local_"))


class SourceError(Exception):
    """A source file could not be read."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.reason = reason_of(error)


def _reading(function: Callable[[], Any]) -> Any:
    """Call a function that reads a source, and turn its errors into SourceError."""
    try:
        return function()
    except OSError as error:
        raise SourceError(error) from error


class SourceReader:
    """Reads one of Claude's files from its start, and keeps the hash of the bytes read."""

    def __init__(self, copyable: Copyable) -> None:
        self._file: BinaryIO = _reading(copyable.open)
        self._hash = sha256()
        self._next = b""
        self.end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def continued(self, rows: Iterable[KeptFile]) -> KeptFile | None:
        """Return the longest version that the file begins with, and move to its end; with None, to the start."""
        best = None
        for row in sorted(rows, key=lambda row: row.length):
            if not self._read_to(row.length):
                break
            if self.whole() == row.whole:
                best = (row, self._hash.copy())
        if best is None:
            self.restart()
            return None
        _reading(lambda: self._file.seek(best[0].length))
        self._hash, self.end = best[1], best[0].length
        return best[0]

    def _read_to(self, end: int) -> bool:
        while self.end < end:
            data = _reading(lambda: self._file.read(min(_BUFFER, end - self.end)))
            if not data:
                return False
            self._hash.update(data)
            self.end += len(data)
        return True

    def restart(self) -> None:
        """Go back to the start."""
        _reading(lambda: self._file.seek(0))
        self._hash, self._next, self.end = sha256(), b"", 0

    def peek(self) -> bytes:
        """Return the bytes of the next frame without consuming them."""
        self._next = self._next or _reading(lambda: self._file.read(FRAME_BYTES))
        return self._next

    def read(self) -> bytes:
        """Return the bytes of the next frame."""
        data = self.peek()
        self._next = b""
        self._hash.update(data)
        self.end += len(data)
        return data

    def whole(self) -> str:
        """Return the hash of all bytes up to here."""
        return self._hash.hexdigest()


def path_of(file: FoundFile) -> bytes:
    """Return the path of a file in the catalogue."""
    return os.fsencode(file.path)
