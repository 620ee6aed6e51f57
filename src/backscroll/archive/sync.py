"""Copy the raw bytes of Claude's files into the archive: new files, appended bytes and new versions."""

import os
import re
import time
from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscroll.archive import facts
from backscroll.archive.merge import fields_of, is_worth_merging, merged
from backscroll.archive.part import OpenPart, known_rows, opened_part
from backscroll.archive.sources import (
    PACKED,
    Copyable,
    SkippedFile,
    SourceError,
    SourceReader,
    SyncReport,
    copyables,
    path_of,
    session_of,
)
from backscroll.errors import RefusedError
from backscroll.formats.archive import LARGEST_PREFIX, Parent, pack, segment_name
from backscroll.index.update.files import SETTLED
from backscroll.lazy import lazily
from backscroll.stores.archived import KeptFile, open_kept, prefix_opener
from backscroll.stores.base import FoundFile, Store, is_inside
from backscroll.stores.browser import BrowserStore

if TYPE_CHECKING:
    import shutil

    from backscroll.changes import plan
else:  # a sync that finds nothing new needs neither
    shutil = lazily("shutil")
    plan = lazily("backscroll.changes.plan")

BATCH = 256
"""The number of segments that are synced to the disk together."""
LARGEST_PACKED = 64 << 10
"""The size up to which a file goes into a pack."""
LEAST_FREE = 1 << 30
_FORKED = re.compile(rb'"forkedFrom"\s*:\s*\{[^{}]*?"sessionId"\s*:\s*"([0-9A-Za-z-]{16,64})"')
_LARGEST = (1 << 63) - 1
"""The largest number that SQLite holds."""
_HEAD = 1 << 18
"""A fork names its parent within this many bytes."""


def sync(stores: Iterable[Store], path: Path, *, dry_run: bool = False) -> SyncReport:
    """Copy everything new from some stores into one part of the archive."""
    begun = time.monotonic()
    known = [store for store in stores if store.kind != "archive"]
    require_apart(known, path)
    report = SyncReport()
    found = copyables(known, report)
    if dry_run:
        _would_copy(found, report, path)
    else:
        with opened_part(path) as part:
            task = _Sync(part, report)
            task.run(chain(found, task.browser_items(facts.browser_stores_in(known))))
            part.empty_bin()
    report.seconds = time.monotonic() - begun
    return report


def take_in(found: Iterable[Copyable], report: SyncReport, path: Path, *, dry_run: bool = False) -> None:
    """Copy files of a backup, except bytes that the archive already has in any version."""
    if dry_run:
        _would_copy(found, report, path)
        return
    with opened_part(path) as part:
        _Sync(part, report, is_import=True).run(found)


def require_apart(stores: Iterable[Store], path: Path) -> None:
    """Refuse an archive inside Claude's directories."""
    for store in stores:
        if is_inside(os.path.realpath(path), os.path.realpath(store.path)):
            raise RefusedError("the archive must not be inside Claude's directories", str(path), "Set BACKSCROLL_HOME.")


def _would_copy(found: Iterable[Copyable], report: SyncReport, path: Path) -> None:
    """Count the files that a sync would open, by their sizes and times alone."""
    rows = known_rows(path)
    newest = {row.path: row for row in rows}
    for item in found:
        row = newest.get(path_of(item.file))
        if row is None or _state(row) != _found_state(item.file):
            report.added += 1
            report.bytes += max(item.file.size - (row.length if row else 0), 0)
    report.versions = len(rows)


def _state(row: KeptFile) -> tuple[int, ...]:
    return row.size, row.mtime, row.ctime, row.inode, row.device


def _found_state(file: FoundFile) -> tuple[int, ...]:
    numbers = (file.size, file.mtime_ns, file.ctime_ns, file.inode, file.device)
    return tuple([number & _LARGEST for number in numbers])


class _Sync:
    """One sync into one part."""

    def __init__(self, part: OpenPart, report: SyncReport, *, is_import: bool = False) -> None:
        self._part = part
        self._report = report
        self._is_import = is_import
        self._looked = time.time_ns()
        self._versions = part.versions()
        """Path to all versions, the current one last."""
        self._transcripts: dict[str, KeptFile] = {}
        """Session to the transcript that its forks may take as a prefix."""
        for rows in self._versions.values():
            self._offer_as_parent(rows[-1])
        self._open_prefix = prefix_opener(part.path)
        self._fresh: list[tuple[int, int]] = []
        """Raw and stored bytes of the files in the batch that is not yet on the disk."""

    def run(self, found: Iterable[Copyable]) -> None:
        """Copy new bytes; report them when they are synced to the disk."""
        waiting = [item for item in found if not self._take(item, may_wait=True)]
        for item in waiting:
            self._take(item, may_wait=False)
        self._commit(None if self._is_import else self._looked)
        self._report.versions = sum(map(len, self._versions.values()))

    def browser_items(self, browsers: list[BrowserStore]) -> Iterator[Copyable]:
        """Yield the facts of browser storages whose files changed."""
        for store in browsers:
            file = facts.facts_file(store)
            self._report.files += 1
            rows = self._versions.get(path_of(file), [])
            before = self._content(rows[-1]) if rows and not self._is_unchanged(file, rows) else b""
            yield Copyable(file, partial(facts.open_browser_facts, store, before))

    def _take(self, item: Copyable, *, may_wait: bool) -> bool:
        """Copy a file if it changed; return False if it must wait for the parent of its fork."""
        rows = self._versions.get(path_of(item.file), [])
        if self._is_unchanged(item.file, rows):
            if is_worth_merging(rows[-1], self._looked):
                self._merge(rows)
            return True
        try:
            if not self._copy(item, rows, may_wait=may_wait):
                return False
        except SourceError as error:
            self._report.skipped.append(SkippedFile(item.file.path, error.reason))
        if self._part.pending >= BATCH:
            self._commit()
        return True

    def _is_unchanged(self, file: FoundFile, rows: list[KeptFile]) -> bool:
        if not rows or self._is_import:
            return False
        row = rows[-1]
        return (
            row.ctime + SETTLED < row.looked
            and row.size == file.size
            and row.mtime == file.mtime_ns & _LARGEST
            and row.ctime == file.ctime_ns & _LARGEST
            and row.inode == file.inode & _LARGEST
            and row.device == file.device & _LARGEST
        )

    def _commit(self, synced: int | None = None) -> None:
        self._part.commit(synced)
        for raw, stored in self._fresh:
            self._report.added += 1
            self._report.bytes += raw
            self._report.stored += stored
        self._fresh.clear()

    def _copy(self, item: Copyable, rows: list[KeptFile], *, may_wait: bool) -> bool:
        """Copy the bytes of a file that the archive lacks: the appended ones, or all under a new version."""
        file = item.file
        self._require_room(file.size - max((row.length for row in rows), default=0))
        with SourceReader(item) as source:
            before, parent = source.continued(self._extendable(file, rows)), None
            if before is None:
                self._require_room(file.size)
                if self._is_import and self._has_beginning(item, rows):
                    return True
                forked = _FORKED.search(source.peek()[:_HEAD]) if file.kind == "transcript" and not rows else None
                if forked is not None:
                    parent = self._transcripts.get(forked[1].decode())
                    if parent is None and may_wait:
                        return False
                before = self._new_version(file, rows, parent)
                if file.kind in PACKED and 0 < len(source.peek()) <= LARGEST_PACKED:
                    self._note(file, self._packed(source, file, before), before, rows)
                    return True
            elif before.is_packed and source.peek():
                # It grows: from now on it has a segment of its own.
                source.restart()
                before = self._new_version(file, rows, None)
            after = self._append(source, file, before, parent)
        self._note(file, after, before, rows)
        return True

    def _extendable(self, file: FoundFile, rows: list[KeptFile]) -> list[KeptFile]:
        """Return the versions that may grow; a backup never extends the version of a live file."""
        if self._is_import and os.path.lexists(file.path):
            return [row for row in rows if row.length >= file.size]
        return rows

    def _packed(self, source: SourceReader, file: FoundFile, row: KeptFile) -> KeptFile:
        """Write all bytes of a small file into a pack."""
        raw = source.read()
        fields = self._fields(row, file) | {"offset": 0, "whole": source.whole()}
        segment, at, stored = self._part.add_to_pack(lambda name: pack(raw, fields | {"pack": name}))
        told = row._replace(segment=segment, at=at, stored=stored, length=source.end, frames=1)
        return told._replace(whole=source.whole(), time=self._looked)

    def _fields(self, row: KeptFile, file: FoundFile) -> dict[str, Any]:
        """Return the fields of a header that do not depend on its frame."""
        fields = fields_of(row) | {"time": time.time_ns(), "mtime": file.mtime_ns}
        return fields | {"imported": True} if self._is_import else fields

    def _append(self, source: SourceReader, file: FoundFile, before: KeptFile, parent: KeptFile | None) -> KeptFile:
        fields, prefix = self._fields(before, file), None
        if parent is not None:
            told = Parent(parent.segment, parent.length, parent.whole)
            fields["parent"], prefix = told._asdict(), self._open_prefix(told)
        frames = 0

        def pieces() -> Iterator[bytes]:
            nonlocal frames
            while raw := source.read():
                frames += 1
                yield pack(raw, fields | {"offset": source.end - len(raw), "whole": source.whole()}, prefix)

        is_longer = bool(source.peek())
        stored = self._part.append(before.segment, before.stored, pieces()) if is_longer else before.stored
        after = before._replace(length=source.end, stored=stored, frames=before.frames + frames, whole=source.whole())
        return after._replace(time=self._looked) if frames else after

    def _note(self, file: FoundFile, after: KeptFile, before: KeptFile, rows: list[KeptFile]) -> None:
        """Add a version to the catalogue; it becomes the current one unless it was imported."""
        if after.length > before.length:
            self._fresh.append((after.length - before.length, after.stored - before.stored))
        elif self._is_import and rows:
            return
        if not self._is_import:
            size, mtime, ctime, inode, device = _found_state(file)
            after = after._replace(size=size, mtime=mtime, ctime=ctime, inode=inode, device=device, looked=self._looked)
        else:
            after = after._replace(mtime=before.mtime or file.mtime_ns)
        self._part.note(after)
        others = [row for row in rows if row.version != after.version]
        self._versions[after.path] = [after, *others] if self._is_import and others else [*others, after]
        self._offer_as_parent(after)

    def _offer_as_parent(self, row: KeptFile) -> None:
        is_whole = bool(row.whole) and 0 < row.length <= LARGEST_PREFIX
        if row.kind == "transcript" and row.session and not row.parent and is_whole:
            self._transcripts[row.session] = row

    def _new_version(self, file: FoundFile, rows: list[KeptFile], parent: KeptFile | None) -> KeptFile:
        path = path_of(file)
        version = max((row.version for row in rows), default=0) + 1
        while self._part.has(segment := segment_name(path, version)):
            version += 1  # a damaged segment is never overwritten
        labels = (file.kind, session_of(file), file.agent, file.project_key, file.config)
        empty = (0, 0, 0, sha256().hexdigest(), 0, 0, 0, 0, 0, 0, 0)
        return KeptFile._make((path, version, segment, *labels, *empty, parent.segment if parent else "", 0))

    def _has_beginning(self, item: Copyable, rows: list[KeptFile]) -> bool:
        """Return True if some version begins with all bytes of a file."""
        longer = [row for row in rows if row.length > item.file.size]
        if not longer:
            return False
        with item.open() as file:
            wanted = plan.digest_of(file)
        return any(sha256(self._content(row)[: item.file.size]).hexdigest() == wanted for row in longer)

    def _content(self, row: KeptFile) -> bytes:
        with open_kept(self._part.path, row) as file:
            return file.read()

    def _merge(self, rows: list[KeptFile]) -> None:
        """Rewrite a segment with fewer frames."""
        after = merged(self._part, rows[-1])
        if after is not None:
            rows[-1] = after
            self._part.note(after)

    def _require_room(self, size: int) -> None:
        """Refuse to go on if the disk is nearly full, and leave out a file if it would fill the disk."""
        usage = shutil.disk_usage(self._part.path)
        least = min(LEAST_FREE, usage.total // 20)
        if usage.free < least:
            self._commit()
            remedy = "Free some disk space, then run the command again: it continues from here."
            raise RefusedError("the disk is nearly full, so nothing more is copied", str(self._part.path), remedy)
        if usage.free - size < least:
            raise SourceError(OSError(f"the disk has too little room for {size:,} bytes more"))
