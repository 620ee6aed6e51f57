"""Plan to repair the archive: copy damaged segments again from live files, and rebuild the catalogue.

A damaged segment is replaced only if the live file begins with exactly the archived bytes.
The damaged segment itself is kept in the journal.  In a pack every small file is repaired by itself.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from hashlib import sha256
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from backscroll.archive.facts import open_live
from backscroll.archive.headers import placed, rows_in, rows_in_segment, segments_in, stored_bytes
from backscroll.archive.merge import fields_of
from backscroll.archive.model import Repair
from backscroll.archive.part import opened_part
from backscroll.archive.verify import check_segment
from backscroll.changes.apply import apply_plan, settle
from backscroll.changes.plan import (
    DONE,
    KEEP,
    MOVE,
    PLANNED,
    WRITE,
    ChangePlan,
    PlanStep,
    check_plan,
    digest_at,
    digest_of,
)
from backscroll.files import open_readonly
from backscroll.formats.archive import FRAME_BYTES, pack, pack_of, whole_frames
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.archived import CATALOGUE, SEGMENTS, KeptFile, ends_of, prefix_opener, rows_of

_DAMAGED = "damaged"


def repair(part: Path, journal: Path | None = None) -> Repair:
    """Plan to repair a part of the archive; carry the plan out if `journal` is given."""
    if not part.is_dir():
        return Repair(ChangePlan("archive repair", []), [])
    if journal is not None:
        settle(journal)
    rows, is_sound = _rows(part)
    with ExitStack() as stack:
        held = stack.enter_context(opened_part(part)) if journal is not None else None
        if held is not None and is_sound:
            rows, _ = _rows(part)  # a sync may have ended just before
        task = _Task(part, rows, is_sound=is_sound)
        plan = check_plan(ChangePlan("archive repair", task.steps(), [part]))
        if held is not None and not plan.is_refused:
            held.begin()  # a kill leaves the mark, and the catalogue is rebuilt
            apply_plan(plan, journal or part)
            if is_sound and (plan.applied or plan.is_settled):
                for row in task.rows_after():
                    held.note(row)
                held.commit()
            else:
                held.rebuild()
    if not is_sound:
        is_done = held is not None and not plan.is_refused
        plan.applied = plan.applied or is_done
        told = "rebuilt from the headers of all segments"
        plan.steps.append(PlanStep(WRITE, None, str(part / CATALOGUE), told, DONE if is_done else PLANNED))
    return Repair(plan, task.lost)


def _rows(part: Path) -> tuple[list[KeptFile], bool]:
    """Return the versions in the catalogue; from the headers if the catalogue cannot be read."""
    if (part / CATALOGUE).exists():
        with suppress(sqlite3.Error):
            return [row for row in rows_of(part) if row.stored], True
    return list(rows_in(segments_in(part / SEGMENTS))), False


class _Task:
    """The repair of one part: its steps, and the places that are lost for good."""

    def __init__(self, part: Path, rows: list[KeptFile], *, is_sound: bool) -> None:
        self.lost: list[Place] = []
        self._part = part
        self._is_sound = is_sound
        self._rows: dict[str, list[KeptFile]] = {}
        for row in rows:
            self._rows.setdefault(row.segment, []).append(row)
        self._mended: set[str] = set()
        """Segments of one file that are written again."""
        self._packed: list[KeptFile] = []
        """The rows of packs that are written again."""

    def steps(self) -> list[PlanStep]:
        """Return a step for each damaged segment; prefixes of other segments come first."""
        steps: list[PlanStep] = []
        open_prefix = prefix_opener(self._part)
        ends = ends_of(row for rows in self._rows.values() for row in rows)
        names = {path.name for path in segments_in(self._part / SEGMENTS)} | self._rows.keys()
        for name in sorted(names, key=lambda name: (any(row.parent for row in self._rows.get(name, ())), name)):
            rows, place = self._rows.get(name, []), self._part / SEGMENTS / name
            is_waiting = any(row.parent in self._mended for row in rows)  # readable once its prefix is repaired
            stored = ends.get(name) if self._is_sound else None
            damage, _ = check_segment(place, stored, None if is_waiting else open_prefix)
            if damage:
                steps.append(self._step(place, rows, damage))
        return steps

    def rows_after(self) -> Iterator[KeptFile]:
        """Yield the rows of all rewritten segments."""
        yield from self._packed
        for name in self._mended:
            for row, fresh in zip(self._rows[name], rows_in_segment(self._part / SEGMENTS / name), strict=True):
                yield row._replace(stored=fresh.stored, frames=fresh.frames, time=fresh.time, parent="")

    def _step(self, place: Path, rows: list[KeptFile], damage: list[Damage]) -> PlanStep:
        reason = damage[0].reason
        if not rows:
            # Even its first header is unreadable: the segment is moved away, and a sync copies its file again.
            target = self._part / _DAMAGED / place.name
            return PlanStep(MOVE, str(place), str(target), f"{reason}; nothing in it can be read")
        if rows[0].is_packed:
            return self._step_for_pack(place, rows, damage)
        row, live = rows[0], os.fsdecode(rows[0].path)
        if not _begins_with(row):
            self.lost += [_lost_place(live, place, row, one) for one in damage]
            return PlanStep(KEEP, None, str(place), f"{reason}; no live file has these bytes")
        self._mended.add(place.name)
        content = partial(_packed, row, {"time": time.time_ns(), "mtime": row.mtime})
        return PlanStep(WRITE, live, str(place), reason, content=content, replaces=_digest(place))

    def _step_for_pack(self, place: Path, rows: list[KeptFile], damage: list[Damage]) -> PlanStep:
        """Return the step that rewrites a pack: valid frames unchanged, damaged ones copied again."""
        new, cut, copied = [], [], 0
        for row in rows:
            data = stored_bytes(self._part, row)
            if any(_overlaps(row, one) for one in damage):
                if _begins_with(row):
                    data = _packed_again(row)
                    copied += 1
                else:
                    self.lost.append(Place(os.fsdecode(row.path), offset=0, length=row.length))
            if data:
                new.append((row._replace(stored=len(data)), data))
            else:
                cut.append(row)
        unknown = [one for one in damage if not any(_overlaps(row, one) for row in rows)]
        if not self._is_sound:
            self.lost += [one.place for one in unknown]
        if not copied and not unknown:
            return PlanStep(KEEP, None, str(place), f"{damage[0].reason}; no live file has these bytes")
        # Versions without any bytes come last: for `verify` the pack is too short.
        self._packed += placed([*(row for row, _ in new), *cut], place.name)
        content = b"".join(data for _, data in new)
        told = f"{damage[0].reason}; {copied:,} of {len(rows):,} small files are copied again"
        return PlanStep(WRITE, None, str(place), told, content=content, replaces=_digest(place))


def _overlaps(row: KeptFile, damage: Damage) -> bool:
    """Return True if damage in a pack is in the frame of a version."""
    if damage.place.offset is None:
        return True  # the whole pack cannot be read
    return row.at < damage.place.offset + (damage.place.length or 0) and damage.place.offset < row.end


def _packed_again(row: KeptFile) -> bytes:
    """Return header and frame of a small file, made from the live file."""
    with open_live(row) as file:
        raw = file.read(row.length)
    pack_id, _ = pack_of(row.segment) or ("", 0)
    times = {"time": time.time_ns(), "mtime": row.mtime}
    return pack(raw, fields_of(row) | times | {"offset": 0, "whole": row.whole, "pack": pack_id})


def _digest(place: Path) -> str | None:
    return digest_at(str(place)) if place.exists() else None


def _begins_with(row: KeptFile) -> bool:
    """Return True if the live file begins with all bytes of a version."""
    try:
        with open_live(row) as file:
            return bool(row.whole) and digest_of(BufferedReader(_Pieces(_first(file, row.length)))) == row.whole
    except OSError:
        return False


def _first(file: BinaryIO, length: int) -> Iterator[bytes]:
    while length and (piece := file.read(min(FRAME_BYTES, length))):
        length -= len(piece)
        yield piece


def _lost_place(live: str, place: Path, row: KeptFile, damage: Damage) -> Place:
    """Return the range of the archived file that is damaged in its segment."""
    start, end = damage.place.offset or 0, (damage.place.offset or 0) + (damage.place.length or 0)
    first, behind = 0, row.length
    try:
        with open_readonly(place) as file:
            for frame in whole_frames(file, place.name):
                if frame.end <= start:
                    first = frame.offset + frame.length
                elif frame.start >= end:
                    behind = min(behind, frame.offset)
    except OSError:
        pass  # all of it is lost
    return Place(live, offset=first, length=behind - first)


def _packed(row: KeptFile, times: dict[str, Any]) -> BinaryIO:
    """Return a segment that holds the first bytes of a live file."""

    def pieces() -> Iterator[bytes]:
        digest, offset = sha256(), 0
        with open_live(row) as file:
            for raw in _first(file, row.length):
                digest.update(raw)
                yield pack(raw, fields_of(row) | times | {"offset": offset, "whole": digest.hexdigest()})
                offset += len(raw)

    return BufferedReader(_Pieces(pieces()), 1 << 20)


class _Pieces(RawIOBase):
    """A stream of the pieces that an iterator yields."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._held = memoryview(b"")

    def readable(self) -> bool:
        """Return True: it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read from the current piece."""
        while not self._held:
            try:
                self._held = memoryview(next(self._pieces))
            except StopIteration:
                return 0
        count = min(len(buffer), len(self._held))
        buffer[:count], self._held = self._held[:count], self._held[count:]
        return count
