"""Journals: the acts of a run, written to the disk before they happen, so that the run can be undone.

    BACKSCROLL_HOME/journal/lock                 the lock of the process that makes changes
    BACKSCROLL_HOME/journal/ID/journal.jsonl     one note per line; each begins with a checksum of the rest
    BACKSCROLL_HOME/journal/ID/kept/N            the file that act N removed or replaced

A last line without its end was cut off before its act began, and is ignored.
Any other fault means that the journal is damaged: then nothing is changed.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backscroll.errors import BusyError, CorruptError, NotFoundError, RefusedError
from backscroll.files import CREATE, make_private_directory, open_readonly, reason_of

FORMAT = 1
OPEN, FINISHED, TAKEN_BACK, BROKEN = "open", "done", "undone", "failed"
_NAME = "journal.jsonl"
_SUM = 16

Note = dict[str, Any]


@dataclass(slots=True)
class Journal:
    """One run: its notes so far, and its directory."""

    directory: Path
    notes: list[Note] = field(default_factory=list)
    size: int = 0
    """The bytes of all whole lines; a line that was cut off comes after them."""

    @property
    def id(self) -> str:
        """The id for `undo`."""
        return self.directory.name

    @property
    def state(self) -> str:
        """open, done, undone or failed."""
        return next((str(note["state"]) for note in reversed(self.notes) if "state" in note), OPEN)

    @property
    def head(self) -> Note:
        """The first note: format, time, command, roots."""
        return self.notes[0] if self.notes else {}

    def kept(self, number: int) -> Path:
        """Return the path of the kept file that an act removed or replaced."""
        return self.directory / "kept" / str(number)

    def add(self, note: Note) -> None:
        """Write a note, and wait until it is on the disk."""
        body = json.dumps(note, ensure_ascii=True, separators=(",", ":")).encode()
        line = _checksum(body) + b" " + body + b"\n"
        descriptor = os.open(self.directory / _NAME, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            os.ftruncate(descriptor, self.size)
            os.lseek(descriptor, self.size, os.SEEK_SET)
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.size += len(line)
        self.notes.append(note)


@dataclass(frozen=True, slots=True)
class JournalSummary:
    """One journal in the answer of `transfer log`."""

    id: str
    time: str | None
    command: str | None
    steps: int
    state: str


def new_journal(top: Path, command: str, roots: list[Path]) -> Journal:
    """Start a journal."""
    now = datetime.now(UTC)
    directory = top / f"{now:%Y%m%d-%H%M%S-%f}"  # the lock leaves one process, so the names are in order
    make_private_directory(directory / "kept")
    os.close(os.open(directory / _NAME, CREATE, 0o600))
    journal = Journal(directory)
    time = now.isoformat(timespec="seconds").replace("+00:00", "Z")
    journal.add({"format": FORMAT, "time": time, "command": command, "roots": [str(root) for root in roots]})
    for place in (directory, top):
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return journal


def read_journal(directory: Path) -> Journal:
    """Read a journal; raise CorruptError for a damaged one."""
    try:
        with open_readonly(directory / _NAME) as file:
            data = file.read()
    except FileNotFoundError:
        return Journal(directory)  # killed before the first note: nothing was changed
    except OSError as error:
        raise CorruptError("a journal cannot be read", str(directory)) from error
    journal = Journal(directory)
    for line in data.split(b"\n")[:-1]:
        journal.notes.append(_parsed(line, directory))
        journal.size += len(line) + 1
    if journal.notes and (journal.head.get("format") != FORMAT or not isinstance(journal.head.get("roots"), list)):
        raise CorruptError("a journal has another format", str(directory), "A newer backscroll may have written it.")
    return journal


def _parsed(line: bytes, directory: Path) -> Note:
    found, body = line[:_SUM], line[_SUM + 1 :]
    try:
        note = json.loads(body) if found == _checksum(body) else None
    except ValueError:
        note = None
    if not isinstance(note, dict):
        raise CorruptError("a journal is damaged; nothing was touched", str(directory), "Keep it for a repair by hand.")
    return note


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_SUM].encode()


def journals(top: Path) -> list[Journal]:
    """Return all journals, oldest first; raise CorruptError if one is damaged."""
    try:
        names = sorted(entry.name for entry in os.scandir(top) if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
    return [read_journal(top / name) for name in names]


def summary(journal: Journal) -> JournalSummary:
    """Return a journal in the form of `transfer log`."""
    steps = sum("act" in note for note in journal.notes)
    return JournalSummary(journal.id, journal.head.get("time"), journal.head.get("command"), steps, journal.state)


def chosen(top: Path, asked: str | None) -> Journal:
    """Return the requested journal, or the last one that is not undone."""
    found = journals(top)
    if asked is None:
        found = [journal for journal in found if journal.state in (OPEN, FINISHED) and journal.notes]
    else:
        found = [journal for journal in found if journal.id == asked]
    if not found:
        remedy = "Run `backscroll transfer log` to list the journals."
        raise NotFoundError("no journal to undo" if asked is None else "no such journal", asked, remedy)
    return found[-1]


def is_ours(top: Path, path: str) -> bool:
    """Return True if our own run wrote a file and it is unchanged since."""
    return bool(our_files(top, [path]))


def our_files(top: Path, paths: Iterable[str]) -> set[str]:
    """Return the files that our own runs wrote and that are unchanged since."""
    noted = [note for journal in journals(top) for note in journal.notes if "written" in note]
    written = {(note["inode"], note["size"], note["mtime"]) for note in noted}
    found = set()
    for path in paths:
        with suppress(OSError):
            status = os.lstat(path)
            if (status.st_ino, status.st_size, status.st_mtime_ns) in written:
                found.add(path)
    return found


@contextmanager
def locked(top: Path) -> Iterator[None]:
    """Hold the lock for changes; raise BusyError if another process has it."""
    import fcntl  # noqa: PLC0415 - Windows has none, and is refused before this

    try:
        make_private_directory(top)
        descriptor = os.open(top / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise RefusedError(f"no journal can be written: {reason_of(error)}", str(top)) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError("another backscroll is changing files", str(top), "Wait until it has ended.") from None
        yield
    finally:
        os.close(descriptor)
