"""Backups: the copies of files that Claude Code made before it changed them, as records of file history name them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll.files import read_small
from backscroll.lazy import lazily
from backscroll.records import Record
from backscroll.sessions.file_changes.change import (
    ABSENT,
    BACKUP,
    Change,
    absolute_path,
    content_key,
    folded_path,
    is_plain_name,
    storable,
)
from backscroll.sessions.file_changes.contents import decode_file
from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.fingerprint import fingerprint
from backscroll.sessions.transcript.heads import decoded_object
from backscroll.sessions.transcript.moments import stored_moment
from backscroll.sessions.transcript.outcomes import OK
from backscroll.sessions.transcript.source import TranscriptSource

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = lazily("hashlib")

BACKUP_TYPES = {"file-history-snapshot", "file-history-delta"}
LARGEST_BACKUP = 256 << 20
_PROJECTS = f"{os.sep}projects{os.sep}"


class _Backup(NamedTuple):
    """A copy of a file that a record names."""

    source: int
    offset: int
    length: int
    tracked: str
    name: str | None
    time: str | None
    message: str | None


class Backups:
    """Gets the records of file history, and yields a change for each backup at the end."""

    def __init__(self, sources: Sequence[TranscriptSource]) -> None:
        self._sources = sources
        self._named: list[_Backup] = []
        self._tracked: set[tuple[str, str | None]] = set()
        self._shelves: dict[str, frozenset[str]] | None = None
        """Directories of backups, and their files."""

    def hear(self, source: int, record: Record) -> None:
        """Add a record of file history."""
        value = decoded_object(record.raw)
        message = value.get("messageId")
        for tracked, backup in tracked_backups(value):
            name = backup.get("backupFileName")
            name = name if isinstance(name, str) else None
            if (tracked, name) not in self._tracked:
                self._tracked.add((tracked, name))
                name = name if name and is_plain_name(name) else None
                said = storable(message) if isinstance(message, str) else None
                time = stored_moment(backup.get("backupTime"))
                self._named.append(_Backup(source, record.offset, record.length, tracked, name, time, said))

    def changes(self, cwds: Sequence[str], known: Iterable[tuple[str, str | None]]) -> Iterator[Change]:
        """Yield the backups that `known`, path and name of earlier ones, lacks."""
        seen = set(known) if self._named else set()
        for backup in self._named:
            change = self._change(backup, cwds)
            if (change.path, change.other) not in seen:
                seen.add((change.path, change.other))
                yield change

    def _change(self, backup: _Backup, cwds: Sequence[str]) -> Change:
        path = _tracked_path(backup.tracked, backup.name, cwds, self._sources[backup.source].path)
        data = self._bytes(backup.name) if backup.name else None
        text = decode_file(data) if data is not None else None
        identity = f"{folded_path(path)}\0{backup.name}\0{backup.time}"
        return Change(
            key=fingerprint(identity.encode(errors="replace"), 16),
            agent=None,
            path=path,
            folded=folded_path(path),
            kind=BACKUP if backup.name else ABSENT,
            tool=None,
            time=backup.time,
            is_copy=False,
            outcome=OK,
            call=None,
            message=backup.message,
            branch=MAIN,
            source=backup.source,
            offset=backup.offset,
            length=backup.length,
            after=None if data is None else content_key(data if text is None else text.text),
            other=storable(backup.name),
        )

    def _bytes(self, name: str) -> bytes | None:
        if self._shelves is None:
            directories = backup_directories(source.path for source in self._sources)
            self._shelves = {directory: _names_in(directory) for directory in directories}
        for directory, names in self._shelves.items():
            if name in names:
                try:
                    return read_small(os.path.join(directory, name), LARGEST_BACKUP)
                except OSError:
                    continue
        return None


def _names_in(directory: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(directory))
    except OSError:
        return frozenset()


def _tracked_path(tracked: str, name: str | None, cwds: Sequence[str], transcript: str) -> str:
    """Return the path of a tracked file: relative to the working directory that the name of its backup implies."""
    paths = [absolute_path(tracked, cwd, transcript) for cwd in cwds] or [absolute_path(tracked, None, transcript)]
    if name is None or len(paths) == 1:
        return paths[0]
    return next((path for path in paths if name.startswith(backup_stem(path))), paths[0])


def backup_stem(path: str) -> str:
    """Return the names of a file's backups, up to their version."""
    return hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()[:16]


def backup_directories(transcripts: Iterator[str]) -> Iterator[str]:
    """Yield the directories of the backups of transcripts."""
    for path in transcripts:
        config, found, inner = path.rpartition(_PROJECTS)
        if found:
            session = inner.split(os.sep)[1].split(".jsonl")[0] if os.sep in inner else ""
            yield os.path.join(config, "file-history", session)


def tracked_backups(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield path and backup from a file-history record, a whole one or a difference."""
    snapshot = record.get("snapshot")
    tracked = snapshot.get("trackedFileBackups") if isinstance(snapshot, dict) else None
    if isinstance(tracked, dict):
        yield from ((path, backup) for path, backup in tracked.items() if isinstance(backup, dict))
    path, backup = record.get("trackingPath"), record.get("backup")
    if isinstance(path, str) and isinstance(backup, dict):
        yield path, backup
