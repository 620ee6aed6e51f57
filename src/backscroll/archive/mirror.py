"""Copy the archive to another disk, and check the copy there.

The mirror has the layout of the archive itself.  It keeps segments that were pruned from the original.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

from backscroll.archive.model import Mirroring
from backscroll.archive.part import known_rows, opened_part
from backscroll.archive.verify import check_segment, verify
from backscroll.changes.plan import COPY, DONE, FAILED, PLANNED, SAME, ChangePlan, PlanStep
from backscroll.errors import RefusedError
from backscroll.files import open_readonly, reason_of
from backscroll.stores.archived import CATALOGUE, SEGMENTS, KeptFile, ends_of, prefix_opener, rows_of
from backscroll.stores.base import Store, is_inside

_PIECE = 1 << 20
_LEAST_FREE = 1 << 30


def mirror(part: Path, target: Path, stores: Iterable[Store], *, apply: bool = False, check: bool = False) -> Mirroring:
    """Plan to copy one part of the archive to a directory; `apply` acts, `check` reads every byte there.

    With `check` a damaged copy is copied again.
    """
    _require_apart(part, target, stores)
    place = target / part.name
    with ExitStack() as stack:
        if apply and part.is_dir():
            stack.enter_context(opened_part(part))
        damage = verify(place, read_data=True).damage if check and place.is_dir() else []
        bad = {Path(item.place.path).name for item in damage}
        there, here = _by_segment(_rows_there(place)), _by_segment(known_rows(part))
        steps = [
            _step(part, place, rows, there.get(name, []) if name not in bad else []) for name, rows in here.items()
        ]
        done = Mirroring(ChangePlan(f"archive mirror {target}", steps, [target]), str(place))
        if apply and any(step.status == PLANNED for step in steps):
            _require_room(target, steps)
            _copy_all(done, part, place, ends_of(row for rows in here.values() for row in rows))
            # Each new copy was compared with its original, byte by byte.
            renewed = {Path(step.target or "").name for step in steps if step.status == DONE} | {CATALOGUE}
            damage = [item for item in damage if Path(item.place.path).name not in renewed]
        done.damage = damage
    return done


def _require_apart(part: Path, target: Path, stores: Iterable[Store]) -> None:
    if not target.is_dir():
        # Never create the directory of a disconnected disk: the copy would be written to this disk.
        raise RefusedError("no such directory", str(target), "Make it, or connect the disk.")
    real = os.path.realpath(target)
    if is_inside(real, os.path.realpath(part.parent)):
        raise RefusedError("the mirror must not be inside the archive", str(target))
    for store in stores:
        if store.kind != "archive" and is_inside(real, os.path.realpath(store.path)):
            raise RefusedError("the mirror must not be inside Claude's directories", str(target))


def _require_room(target: Path, steps: list[PlanStep]) -> None:
    needed = sum(Path(step.source or "").stat().st_size for step in steps if step.status == PLANNED)
    usage = shutil.disk_usage(target)
    if usage.free - needed < min(_LEAST_FREE, usage.total // 20):
        raise RefusedError("the disk of the mirror is nearly full", str(target))


def _rows_there(place: Path) -> list[KeptFile]:
    try:
        return rows_of(place)
    except sqlite3.Error:
        return []  # everything is copied again


def _by_segment(rows: Iterable[KeptFile]) -> dict[str, list[KeptFile]]:
    found: dict[str, list[KeptFile]] = {}
    for row in rows:
        if row.stored:
            found.setdefault(row.segment, []).append(row)
    return found


def _step(part: Path, place: Path, rows: list[KeptFile], there: list[KeptFile]) -> PlanStep:
    segment, end = rows[0].segment, max(row.end for row in rows)
    source, copy = part / SEGMENTS / segment, place / SEGMENTS / segment
    is_same = {_state(row) for row in rows} <= {_state(row) for row in there} and _size(copy) == end
    told = os.fsdecode(rows[0].path) if not rows[0].is_packed else f"{len(rows):,} small files"
    return PlanStep(COPY, str(source), str(copy), told, SAME if is_same else PLANNED)


def _state(row: KeptFile) -> tuple[str, int, int]:
    return row.whole, row.at, row.stored


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _digest(pieces: Iterable[bytes]) -> bytes:
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()


def _first(place: Path, length: int) -> Iterator[bytes]:
    """Yield the first bytes of a file; bytes after the last commit are not copied."""
    with open_readonly(place) as file:
        while length > 0 and (piece := file.read(min(_PIECE, length))):
            length -= len(piece)
            yield piece


def _copy_all(done: Mirroring, part: Path, place: Path, ends: dict[str, int]) -> None:
    open_prefix = prefix_opener(part)
    with opened_part(place, is_own=False) as target:
        target.begin()
        for step in done.changes.steps:
            if step.status != PLANNED:
                continue
            source = Path(step.source or "")
            end = ends[source.name]
            if damage := check_segment(source, end, open_prefix)[0]:
                step.status, step.why = FAILED, f"{damage[0].reason}; run archive repair"
                continue
            try:
                size = target.rewrite(source.name, _first(source, end), lambda: True)
                if _digest(_first(place / SEGMENTS / source.name, end + 1)) != _digest(_first(source, end)):
                    raise OSError("the copy holds other bytes")  # noqa: TRY301 - one kind of failure
            except OSError as error:
                step.status, step.why = FAILED, reason_of(error)
                continue
            step.status = DONE
            done.copied += 1
            done.bytes += size or 0
        target.rebuild()
    done.changes.applied = True
