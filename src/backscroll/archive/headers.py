"""Read the rows of the catalogue from the headers of segments, and the frames of packs."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from backscroll.files import open_readonly
from backscroll.formats.archive import Frame, Gap, pack_of, pieces
from backscroll.stores.archived import SEGMENTS, KeptFile

_Known = Mapping[tuple[bytes, int], KeptFile]


def segments_in(directory: Path) -> list[Path]:
    """Return the paths of all segments."""
    return sorted(directory.glob("*.zst"))


def rows_in(segments: Iterable[Path]) -> Iterator[KeptFile]:
    """Yield the rows of some segments."""
    for path in segments:
        yield from rows_in_segment(path)


def rows_in_segment(path: Path) -> list[KeptFile]:
    """Return the rows of one segment: of a pack one for each frame, else one, or none if no header can be read."""
    with open_readonly(path) as file:
        found = list(pieces(file, path.name))
    frames = [piece for piece in found if isinstance(piece, Frame)]
    if not frames:
        return []
    if pack_of(path.name) is not None:
        return [_row(path.name, [frame])._replace(stored=frame.end - frame.start, at=frame.start) for frame in frames]
    row, last = _row(path.name, frames), found[-1]
    # A sync reported the bytes after a bad header, so nothing is appended to this segment and nothing is cut off.
    return [row._replace(whole="") if isinstance(last, Gap) and not last.is_torn else row]


def numbered(rows: Iterable[KeptFile], known: _Known | None = None) -> Iterator[KeptFile]:
    """Yield the unknown rows; different content under a known version number gets the next free number.

    After an undone prune two packs hold the same version.
    """
    taken = dict(known or {})
    for row in rows:
        while (other := taken.get((row.path, row.version))) is not None and other.whole != row.whole:
            row = row._replace(version=row.version + 1)  # noqa: PLW2901 - the same row under another number
        if other is None:
            taken[row.path, row.version] = row
            yield row


def stored_bytes(part: Path, row: KeptFile) -> bytes:
    """Return header and frame of a packed version, valid or not; none if bytes are missing."""
    try:
        with open_readonly(part / SEGMENTS / row.segment) as file:
            file.seek(row.at)
            data = file.read(row.stored)
    except FileNotFoundError:
        return b""
    return data if len(data) == row.stored else b""


def placed(rows: Sequence[KeptFile], segment: str) -> Iterator[KeptFile]:
    """Yield rows with their positions, one after the other, in a pack."""
    at = 0
    for row in rows:
        yield row._replace(segment=segment, at=at)
        at += row.stored


def _row(segment: str, whole: list[Frame]) -> KeptFile:
    """Return the row of a version, without the state of the source: the next sync compares the bytes."""
    last = whole[-1]
    told = last.fields
    return KeptFile._make(
        (
            os.fsencode(told["path"]),
            told["version"],
            segment,
            *(told[name] for name in ("kind", "session", "agent", "project_key", "config")),
            last.offset + last.length,
            last.end,
            len(whole),
            told["whole"],
            told["time"],
            *(0, told["mtime"], 0, 0, 0),
            0 if told.get("imported") else told["time"],
            parent.segment if (parent := whole[0].parent) is not None else "",
            0,
        )
    )
