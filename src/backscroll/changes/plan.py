"""Plans of changes: each step with its action, its places, its reason and its status.

A planner builds steps, `check_plan` compares them with the disk, and `apply.apply_plan` carries them out.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from backscroll.files import open_readonly, reason_of

COPY, MOVE, WRITE, APPEND, REMOVE, LINK = "copy", "move", "write", "append", "remove", "link"
KEEP, SKIP, REFUSE = "keep", "skip", "refuse"
ACTIONS = (COPY, MOVE, WRITE, APPEND, REMOVE, LINK, KEEP, SKIP, REFUSE)
PLANNED, DONE, SAME, SKIPPED = "planned", "done", "same", "skipped"
REFUSED, FAILED, UNDONE = "refused", "failed", "undone"
STATUSES = (PLANNED, DONE, SAME, SKIPPED, REFUSED, FAILED, UNDONE)

Contents = bytes | Callable[[], BinaryIO] | None
"""The content of a step: bytes, a function that opens a stream, or None for the file that it comes from."""
_PIECE = 1 << 20


@dataclass(slots=True)
class PlanStep:
    """One step of a plan."""

    action: str
    source: str | None
    """The place that it comes from; for a link, the text of the link."""
    target: str | None
    """The place that changes."""
    why: str | None = None
    status: str = PLANNED
    content: Contents = field(default=None, repr=False, compare=False)
    replaces: str | None = None
    """The SHA-256 of the bytes that a write may replace; a write without it never replaces anything."""
    digest: str | None = None
    """The SHA-256 that the content must have, if it is known beforehand."""

    def __post_init__(self) -> None:
        settled = {REFUSE: REFUSED, SKIP: SKIPPED, KEEP: SKIPPED}
        if self.status == PLANNED:
            self.status = settled.get(self.action, PLANNED)


@dataclass(slots=True)
class ChangePlan:
    """A plan, carried out or not."""

    command: str
    """The command line that made the plan, for `transfer log`."""
    steps: list[PlanStep]
    roots: list[Path] = field(default_factory=list)
    """The directories that it may change; every place is below one of them."""
    applied: bool = False
    journal: str | None = None
    """The id that `undo` takes."""

    @property
    def is_refused(self) -> bool:
        """Return True if a step is refused, so that the plan must not be applied."""
        return any(step.status in (REFUSED, FAILED) for step in self.steps)

    @property
    def is_settled(self) -> bool:
        """Return True if nothing is left to do."""
        return all(step.status != PLANNED for step in self.steps)


def open_content(step: PlanStep) -> BinaryIO:
    """Open the content of a step."""
    if isinstance(step.content, bytes):
        return BytesIO(step.content)
    if step.content is not None:
        return step.content()
    return open_readonly(step.source or "")


def _digest_of_content(step: PlanStep) -> str:
    with open_content(step) as file:
        return digest_of(file)


def digest_of(file: BinaryIO) -> str:
    """Return the SHA-256 of the rest of a stream."""
    digest = hashlib.sha256()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def digest_at(path: str) -> str:
    """Return the SHA-256 of a regular file; raise OSError."""
    with open_readonly(path) as file:
        return digest_of(file)


def check_plan(plan: ChangePlan) -> ChangePlan:
    """Compare the planned steps with the disk: some are already done, some must be refused."""
    targets: set[str] = set()
    for step in plan.steps:
        if step.status != PLANNED:
            continue
        try:
            _check(step, plan.roots)
        except OSError as error:
            _refuse(step, f"cannot be read: {reason_of(error)}")
        if step.target in targets and step.status == PLANNED:
            _refuse(step, "two steps of this plan have the same place")
        targets.add(step.target or "")
    return plan


def root_of(path: str, roots: Iterable[Path]) -> tuple[Path, tuple[str, ...]] | None:
    """Return the root of a path and the names below it, or None."""
    place = Path(path)
    for root in sorted(roots, key=lambda root: -len(root.parts)):
        if place.is_relative_to(root) and place != root:
            parts = place.relative_to(root).parts
            return None if ".." in parts or "\0" in path else (root, parts)
    return None


def _check(step: PlanStep, roots: list[Path]) -> None:
    if step.target is None or (place := root_of(step.target, roots)) is None:
        _refuse(step, "its path is outside the directories that this command may change")
        return
    if (link := _link_on_the_way(*place)) is not None:
        _refuse(step, f"a symbolic link is in the way: {link}")
    elif step.action == MOVE and (step.source is None or root_of(step.source, roots) is None):
        _refuse(step, "it comes from outside the directories that this command may change")
    elif step.action == REMOVE:
        if not os.path.lexists(step.target):
            step.status = SAME
    elif os.path.lexists(step.target):
        _check_present(step, step.target)
    elif step.replaces is not None:
        _refuse(step, "the file that it changes is gone")


def _check_present(step: PlanStep, target: str) -> None:
    """Decide a step whose place is taken."""
    if step.action == LINK:
        same = Path(target).is_symlink() and str(Path(target).readlink()) == step.source
    elif not stat.S_ISREG(os.lstat(target).st_mode):
        same = False
    else:
        present = digest_at(target)
        same = step.action != MOVE and (step.digest or _digest_of_content(step)) == present
        if not same and step.replaces == present:
            return
    if same:
        step.status = SAME
    else:
        _refuse(step, "something else is in its place already")


def _link_on_the_way(root: Path, parts: tuple[str, ...]) -> str | None:
    place = root
    for name in parts[:-1]:
        place /= name
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            return str(place)
    return None


def _refuse(step: PlanStep, why: str) -> None:
    step.status, step.why = REFUSED, why
