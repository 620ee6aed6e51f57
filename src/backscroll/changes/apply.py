"""Apply a plan under a journal, and undo the acts in a journal."""

import os
from contextlib import suppress
from pathlib import Path

from backscroll.changes.acts import Actor, revert
from backscroll.changes.journal import (
    BROKEN,
    FINISHED,
    OPEN,
    TAKEN_BACK,
    Journal,
    Note,
    chosen,
    journals,
    locked,
    new_journal,
)
from backscroll.changes.plan import (
    DONE,
    FAILED,
    KEEP,
    MOVE,
    PLANNED,
    REMOVE,
    SKIPPED,
    UNDONE,
    WRITE,
    ChangePlan,
    PlanStep,
    check_plan,
)
from backscroll.errors import BackscrollError, RefusedError
from backscroll.files import reason_of


def apply_plan(plan: ChangePlan, top: Path) -> ChangePlan:
    """Carry out a checked plan; `top` is the directory of journals.

    A plan with a refused step changes nothing.  If a step fails, all steps before it are undone.
    An earlier killed run is undone first, and then the plan is checked again.
    """
    if not _is_ready(plan):
        return plan
    with locked(top):
        _undo_killed(top)
        check_plan(plan)
        if not _is_ready(plan):
            return plan
        try:
            journal = new_journal(top, plan.command, plan.roots)
        except OSError as error:
            _fail(next(step for step in plan.steps if step.status == PLANNED), f"no journal: {reason_of(error)}")
            return plan
        plan.journal = journal.id
        _carry_out(plan, journal)
    return plan


def settle(top: Path) -> None:
    """Undo a killed run, so that a plan sees the files without it."""
    if any(journal.state == OPEN for journal in journals(top)):
        with locked(top):
            _undo_killed(top)


def _undo_killed(top: Path) -> None:
    for journal in journals(top):
        if journal.state == OPEN:
            _undone(journal, BROKEN)


def _is_ready(plan: ChangePlan) -> bool:
    """Return True if a plan has something to do, and no refused step."""
    return not plan.is_refused and not plan.is_settled


def undo(top: Path, asked: str | None = None) -> ChangePlan:
    """Undo a journal, or the last one that is not undone, where our results are unchanged."""
    with locked(top):
        journal = chosen(top, asked)
        plan = ChangePlan(f"undo {journal.id}", [], _roots(journal), applied=True, journal=journal.id)
        if journal.state in (OPEN, FINISHED):
            plan.steps = _undone(journal, TAKEN_BACK)
    return plan


def _carry_out(plan: ChangePlan, journal: Journal) -> None:
    actor = Actor(journal, plan.roots)
    current: PlanStep | None = None
    try:
        for current in plan.steps:
            if current.status == PLANNED:
                actor.take(current)
                current.status = DONE
        current = None
        actor.note_times()
        journal.add({"state": FINISHED})
    except BaseException as error:
        _give_up(plan, journal)
        if not isinstance(error, OSError | BackscrollError):
            raise
        why = reason_of(error) if isinstance(error, OSError) else error.what
        _fail(current or plan.steps[-1], f"{why}; everything was undone")
        return
    plan.applied = True


def _give_up(plan: ChangePlan, journal: Journal) -> None:
    """Undo a failed run; if that fails too, the next run does it."""
    with suppress(OSError, BackscrollError):
        _take_back(journal, BROKEN)
    for step in plan.steps:
        if step.status == DONE:
            step.status = UNDONE


def _fail(step: PlanStep, why: str) -> None:
    step.status, step.why = FAILED, why


def _undone(journal: Journal, state: str) -> list[PlanStep]:
    try:
        return _take_back(journal, state)
    except OSError as error:
        remedy = "The remaining steps stay in the journal. Run the command again."
        raise RefusedError(f"undo stopped: {reason_of(error)}", journal.id, remedy) from error


def _take_back(journal: Journal, state: str) -> list[PlanStep]:
    """Revert all acts of a journal, the last one first, then the times of directories."""
    roots = _roots(journal)
    written = {note["for"]: note for note in journal.notes if "written" in note}
    changed = _changed_directories(journal)
    steps = []
    for note in reversed([note for note in journal.notes if "act" in note]):
        why = revert(journal, note, written.get(note["n"]), roots)
        path = str(note["path"])
        if why is None:
            steps.append(_undo_step(note, path))
        else:
            steps.append(PlanStep(KEEP, None, path, why, SKIPPED))
    stayed = {str(Path(step.target or "").parent) for step in steps if step.status == SKIPPED}
    _restore_times(journal.notes, changed | stayed)
    if journal.directory.exists() and journal.notes:
        journal.add({"state": state})
    return steps


def _undo_step(note: Note, path: str) -> PlanStep:
    """Return the step that took one act back."""
    if note["act"] in ("move", "rename"):
        return PlanStep(MOVE, path, str(note["source"]), "back in its old place", UNDONE)
    if note["act"] in ("replace", "remove"):
        return PlanStep(WRITE, None, path, "as it was before", UNDONE)
    return PlanStep(REMOVE, None, path, "it was not there before", UNDONE)


def _changed_directories(journal: Journal) -> set[str]:
    """Return the directories that were changed after the end of the run; note them in case this undo is killed."""
    for note in journal.notes:
        if "leave" in note:
            return set(note["leave"])
    after: dict[str, int] = next((note["after"] for note in journal.notes if "after" in note), {})
    changed = set()
    for path, mtime in after.items():
        with suppress(OSError):
            if os.lstat(path).st_mtime_ns != mtime:
                changed.add(path)
    if after:
        journal.add({"leave": sorted(changed)})
    return changed


def _restore_times(notes: list[Note], leave: set[str]) -> None:
    """Restore the times of directories from before the run."""
    for note in reversed(notes):
        if "directory" in note and note["directory"] not in leave:
            with suppress(FileNotFoundError):
                os.utime(note["directory"], ns=(note["mtime"], note["mtime"]), follow_symlinks=False)


def _roots(journal: Journal) -> list[Path]:
    return [Path(root) for root in journal.head.get("roots", [])]
