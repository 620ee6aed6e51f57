"""Check the archive: the structure of every segment, and with `read_data` every byte."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from backscroll.archive.model import ArchiveStatus, ArchiveTimer, Verification
from backscroll.archive.part import known_rows
from backscroll.files import open_readonly, reason_of
from backscroll.formats.archive import Gap, OpenPrefix, pack_of, pieces, unpack
from backscroll.formats.cursor import MalformedError
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.archived import CATALOGUE, CONVERSATIONS, SEGMENTS, ends_of, prefix_opener, rows_of


def verify(path: Path, *, read_data: bool = False) -> Verification:
    """Check every segment of one part against its headers and the catalogue."""
    damage: list[Damage] = []
    try:
        ends = ends_of(rows_of(path))
    except sqlite3.Error as error:
        damage.append(Damage(Place(str(path / CATALOGUE)), f"the catalogue cannot be read: {error}"))
        ends = {}
    there = {place.name for place in (path / SEGMENTS).glob("*.zst")}
    open_prefix = prefix_opener(path)
    size = 0
    for name in sorted(there | ends.keys()):
        size += _checked(path, name, ends, damage, open_prefix if read_data else None)
    return Verification(not damage, len(there | ends.keys()), size, damage)


def _checked(path: Path, name: str, ends: dict[str, int], damage: list[Damage], open_prefix: OpenPrefix | None) -> int:
    """Check one segment, and return its size; a concurrent sync or prune may have replaced it."""
    place = path / SEGMENTS / name
    found, size = check_segment(place, _acknowledged(ends, name), open_prefix)
    if found and ends and (fresh := ends_of(rows_of(path))).get(name) != ends.get(name):
        if name not in fresh and not place.exists():
            return 0
        found, size = check_segment(place, _acknowledged(fresh, name), open_prefix)
    damage += found
    return size


def _acknowledged(ends: dict[str, int], name: str) -> int | None:
    """Return the number of reported bytes of a segment; None if the catalogue is lost and all bytes must be valid."""
    return ends.get(name, 0) if ends else None


def check_segment(place: Path, stored: int | None, open_prefix: OpenPrefix | None) -> tuple[list[Damage], int]:
    """Return the damage in one segment, and its size; with `open_prefix` every byte is read."""
    try:
        with open_readonly(place) as file:
            size = file.seek(0, 2)
            found = [gap for gap in gaps_in(file, place.name, open_prefix) if stored is None or gap.start < stored]
    except OSError as error:
        return [Damage(Place(str(place)), reason_of(error))], 0
    # Bytes after the last commit were never reported: a sync was killed, and the next one cuts them.
    if stored is not None and size < stored:
        start = found.pop().start if found and found[-1].end == size else size
        found.append(Gap(start, stored, "the segment is too short", is_torn=False))
    return [Damage(Place(str(place), offset=gap.start, length=gap.end - gap.start), gap.reason) for gap in found], size


def gaps_in(file: BinaryIO, name: str, open_prefix: OpenPrefix | None = None) -> Iterator[Gap]:
    """Yield the ranges of a segment outside of valid frames; with `open_prefix` every byte is read."""
    is_pack, next_raw = pack_of(name) is not None, 0
    for piece in pieces(file, name):
        if isinstance(piece, Gap):
            next_raw = -1
            yield piece
            continue
        try:
            if piece.offset != next_raw and next_raw >= 0:
                raise MalformedError(f"frame at byte {piece.start:,} is not the next one")  # noqa: TRY301 - one kind
            if open_prefix is not None:
                unpack(file, piece, open_prefix)
        except MalformedError as error:
            yield Gap(piece.start, piece.end, str(error), is_torn=False)
        next_raw = 0 if is_pack else piece.offset + piece.length


def status(path: Path, timer: ArchiveTimer | None = None) -> ArchiveStatus:
    """Return the contents of one part of the archive."""
    rows = known_rows(path)
    free = shutil.disk_usage(path).free if path.is_dir() else None
    return ArchiveStatus(
        str(path),
        sum(row.stored for row in rows),
        sum(row.length for row in rows),
        len({row.session for row in rows if row.kind in CONVERSATIONS}),
        len({row.path for row in rows}),
        len(rows),
        _synced(path / CATALOGUE),
        timer,
        free,
    )


def _synced(place: Path) -> datetime | None:
    if not place.exists():
        return None
    with closing(sqlite3.connect(f"{place.absolute().as_uri()}?mode=rw", uri=True)) as database:
        row = database.execute("SELECT value FROM meta WHERE name = 'synced'").fetchone()
    return datetime.fromtimestamp(row[0] / 1e9, UTC) if row else None
