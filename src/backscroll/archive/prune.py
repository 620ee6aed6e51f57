"""Plan to remove versions from the archive: by age, by session, or all that a later version replaced.

The segments move to a bin, from which a later sync deletes them after 30 days.  `transfer undo` brings them back.
If only some versions of a pack are removed, a new pack is written without them, and the old pack goes to the bin.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from backscroll.archive.facts import source_of
from backscroll.archive.headers import placed, stored_bytes
from backscroll.archive.model import Pruning
from backscroll.archive.part import BIN, BIN_DAYS, OpenPart, known_rows, opened_part
from backscroll.changes.apply import apply_plan, settle
from backscroll.changes.plan import MOVE, SKIP, ChangePlan, PlanStep, check_plan
from backscroll.formats.archive import pack_name, pack_of
from backscroll.stores.archived import SEGMENTS, KeptFile

_AT_MOST = 100
_LIVE = "its file is still there, and the next sync would copy it again"
_NAMED = 5
"""The most small files that the plan names for one pack."""


@dataclass(frozen=True, slots=True)
class PruneRule:
    """The rule for versions to remove: a version must match every given condition."""

    before: datetime | None = None
    """Only versions whose file was last changed before this moment."""
    sessions: frozenset[str] | None = None
    """Only files of these sessions."""
    is_superseded: bool = False
    """Only versions that a later one replaced."""


def prune(part: Path, rule: PruneRule, journal: Path | None = None) -> Pruning:
    """Plan to prune a part of the archive; carry the plan out if `journal` is given."""
    if journal is not None:
        settle(journal)
    with ExitStack() as stack:
        held = stack.enter_context(opened_part(part)) if journal is not None else None
        rows = known_rows(part)
        current = rows_by_path(rows)
        steps, going = _steps(part, [row for row in rows if _is_chosen(row, rule, current)], rows)
        plan = check_plan(ChangePlan("archive prune", steps, [part]))
        if held is not None and not plan.is_refused and not plan.is_settled:
            held.begin()  # after a kill between the moves and the commit the catalogue is rebuilt
            moved = [row for pack in _packs_of(going) for row in _without(held, pack, going, rows)]
            apply_plan(plan, journal or part)
            if plan.applied:
                held.forget(going)
                for row in moved:
                    held.note(row)
                held.commit()
            else:
                held.rebuild()
            held.empty_bin()
    return Pruning(plan, sum(row.stored for row in going))


def rows_by_path(rows: Iterable[KeptFile]) -> dict[bytes, KeptFile]:
    """Return the current version of each path."""
    return {row.path: row for row in rows}


def _is_chosen(row: KeptFile, rule: PruneRule, current: dict[bytes, KeptFile]) -> bool:
    if rule.is_superseded and current[row.path].version == row.version:
        return False
    if rule.sessions is not None and row.session not in rule.sessions:
        return False
    changed = row.mtime or row.time
    return rule.before is None or changed / 1e9 < rule.before.timestamp()


def _steps(part: Path, chosen: list[KeptFile], rows: list[KeptFile]) -> tuple[list[PlanStep], list[KeptFile]]:
    """Return a step for each segment to remove or to keep for a reason, and the versions to remove."""
    current = rows_by_path(rows)
    stays = {row: _LIVE for row in chosen if _is_live(row, current)}
    names = {row.segment for row in chosen if row not in stays}
    needed = Counter(row.parent for row in rows if row.parent and row.segment not in names)
    stays |= {row: _needed_by(needed[row.segment]) for row in chosen if needed[row.segment]}
    steps, going = [], []
    for row in chosen:
        if (why := stays.get(row)) is not None:
            steps.append(PlanStep(SKIP, None, str(part / SEGMENTS / row.segment), why))
            continue
        going.append(row)
        if row.stored and not row.is_packed:
            steps.append(_to_bin(part, row.segment, os.fsdecode(row.path)))
    packs = {pack: _names_of_files([row for row in going if row.segment == pack]) for pack in _packs_of(going)}
    return [*steps, *(_to_bin(part, pack, told) for pack, told in packs.items())], going


def _to_bin(part: Path, segment: str, told: str) -> PlanStep:
    target = _free(part / BIN / time.strftime("%Y-%m-%d") / segment)
    return PlanStep(MOVE, str(part / SEGMENTS / segment), str(target), f"{told}, in the bin for {BIN_DAYS} days")


def _without(part: OpenPart, pack: str, going: Sequence[KeptFile], rows: Sequence[KeptFile]) -> list[KeptFile]:
    """Write the kept versions of a pack into a new pack; return their rows."""
    gone = {row.at for row in going if row.segment == pack}
    staying = sorted((row for row in rows if row.segment == pack and row.at not in gone), key=lambda row: row.at)
    if not staying:
        return []
    packs = [parts for row in rows if (parts := pack_of(row.segment)) is not None]
    name, number = pack_of(pack) or ("", 0)
    segment = pack_name(name, max([number, *(other for one, other in packs if one == name)]) + 1)
    part.rewrite(segment, (stored_bytes(part.path, row) for row in staying), lambda: True)
    return list(placed(staying, segment))


def _packs_of(rows: list[KeptFile]) -> list[str]:
    return sorted({row.segment for row in rows if row.is_packed})


def _names_of_files(rows: list[KeptFile]) -> str:
    """Return a text that names the small files to remove from a pack."""
    names = [os.fsdecode(row.path) for row in rows[:_NAMED]]
    more = len(rows) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def _is_live(row: KeptFile, current: dict[bytes, KeptFile]) -> bool:
    """Return True if a version is the current one of a file that still exists."""
    return current[row.path].version == row.version and os.path.lexists(source_of(row))


def _needed_by(others: int) -> str:
    return f"{others} {'other file needs' if others == 1 else 'other files need'} it as a prefix"


def _free(place: Path) -> Path:
    """Return an unused name in the bin."""
    for number in range(_AT_MOST):
        other = place if not number else place.with_name(f"{number}-{place.name}")
        if not os.path.lexists(other):
            return other
    return place
