"""Merge the small frames of a segment once its session is idle: a new, synced file replaces the old one."""

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from backscroll.archive.part import OpenPart
from backscroll.files import open_readonly
from backscroll.formats.archive import FRAME_BYTES, Parent, frame_at, pack
from backscroll.formats.cursor import MalformedError
from backscroll.stores.archived import SEGMENTS, KeptFile, open_kept, prefix_opener

IDLE = 3600 * 1_000_000_000
"""Nanoseconds without a change after which a session is idle."""
_LEAST = 8
"""Fewer frames than this are not worth a new file."""


def is_worth_merging(row: KeptFile, now: int) -> bool:
    """Return True if a version has many small frames and was not changed for an hour."""
    if row.frames < _LEAST:
        return False
    needed = -(-row.length // FRAME_BYTES)
    return row.frames >= 2 * needed and row.mtime + IDLE < now


def merged(part: OpenPart, row: KeptFile) -> KeptFile | None:
    """Rewrite a segment with full frames; return its row, or None if its bytes do not match the catalogue."""
    frames = 0
    digest = sha256()
    fields, prefix = fields_of(row) | {"time": row.time, "mtime": row.mtime}, None
    if row.parent:
        try:
            parent = _parent(part, row)
            fields["parent"], prefix = parent._asdict(), prefix_opener(part.path)(parent)
        except (OSError, MalformedError):
            return None  # `verify` reports it

    def pieces() -> Iterator[bytes]:
        nonlocal frames
        offset = 0
        with open_kept(part.path, row) as file:
            while raw := file.read(FRAME_BYTES):
                digest.update(raw)
                frames += 1
                yield pack(raw, fields | {"offset": offset, "whole": digest.hexdigest()}, prefix)
                offset += len(raw)

    stored = part.rewrite(row.segment, pieces(), lambda: digest.hexdigest() == row.whole)
    return None if stored is None else row._replace(stored=stored, frames=frames)


def _parent(part: OpenPart, row: KeptFile) -> Parent:
    """Return the prefix of a fork, which its first frame names."""
    with open_readonly(part.path / SEGMENTS / row.segment) as file:
        parent = frame_at(file, 0).parent
    if parent is None:
        raise MalformedError("its first frame names no prefix")
    return parent


def fields_of(row: KeptFile) -> dict[str, Any]:
    """Return the fields that the headers of a version have in common."""
    return {
        "path": os.fsdecode(row.path),
        "kind": row.kind,
        "session": row.session,
        "agent": row.agent,
        "project_key": row.project_key,
        "config": row.config,
        "version": row.version,
    }
