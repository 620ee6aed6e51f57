"""Install and remove the timer and the hook that run `archive sync`, and find an installed timer."""

import shutil
import subprocess
from pathlib import Path

from backscroll.archive.model import ArchiveTimer, Installation, SchedulerCommand
from backscroll.archive.timer.schedulers import Scheduler, TimerPlace, minutes_in, scheduler_of
from backscroll.archive.timer.stop_hook import hook_step, shell_line
from backscroll.changes.apply import apply_plan
from backscroll.changes.plan import DONE, FAILED, PLANNED, REFUSE, REMOVE, WRITE, ChangePlan, PlanStep, check_plan
from backscroll.changes.plan import digest_at as digest_of_file
from backscroll.errors import RefusedError
from backscroll.files import make_private_directory, read_small, write_atomically

EVERY = 10
"""Minutes between two syncs."""
_HOUR = 60
_LARGEST = 1 << 20
_PATIENCE = 30
"""Seconds that a scheduler's own command may take."""


def installed_timer(place: TimerPlace) -> ArchiveTimer | None:
    """Return the installed timer, by its files."""
    scheduler = scheduler_of(place, EVERY)
    path = next(iter(scheduler.files))
    try:
        every = minutes_in(read_small(path, _LARGEST))
    except OSError:
        return None
    return ArchiveTimer(scheduler.kind, every, str(path))


def plan_install(place: TimerPlace, config: Path, *, every: int = EVERY, hook: bool = False) -> Installation:
    """Plan to write the files of this system's scheduler, and with `hook` to add a Stop hook."""
    scheduler = scheduler_of(place, every)
    if scheduler.kind == "systemd" and shutil.which("systemctl", path=place.env.get("PATH")) is None:
        return Installation(ChangePlan("archive install", [_without_systemd(place, scheduler, every)]))
    steps = [_write_step(path, data, every) for path, data in scheduler.files.items()]
    if hook:
        steps.append(hook_step(config, place.command, place.variables, is_wanted=True))
    words = ["archive install", *(["--hook"] if hook else [])]
    plan = _checked(" ".join(words), steps, place, config, scheduler)
    if plan.is_refused or plan.is_settled:
        return Installation(plan)
    is_loaded = scheduler.kind == "launchd" and next(iter(scheduler.files)).exists()
    return Installation(plan, _commands(scheduler.start), _commands(scheduler.stop) if is_loaded else [])


def plan_uninstall(place: TimerPlace, config: Path) -> Installation:
    """Plan to remove the timer and the hook; the archive itself stays."""
    scheduler = scheduler_of(place, EVERY)
    steps = [PlanStep(REMOVE, None, str(path), "the timer") for path in scheduler.files]
    steps.append(hook_step(config, place.command, place.variables, is_wanted=False))
    plan = _checked("archive uninstall", steps, place, config, scheduler)
    if not any(step.action == REMOVE and step.status == PLANNED for step in plan.steps):
        return Installation(plan)
    return Installation(plan, _commands(scheduler.after), _commands(scheduler.stop))


def carry_out(installation: Installation, place: TimerPlace, journal: Path) -> None:
    """Apply the plan, and run the commands of the scheduler."""
    plan = installation.changes
    if plan.is_refused or plan.is_settled:
        return
    _run_all(installation.before, place)
    if place.platform == "win32":
        _write_own(plan, place)
    else:
        apply_plan(plan, journal)
    if plan.applied:
        _run_all(installation.commands, place)


def _without_systemd(place: TimerPlace, scheduler: Scheduler, every: int) -> PlanStep:
    line = shell_line(place.command, place.variables).replace("%", "\\%")  # cron reads % as a line end
    times = f"*/{every} * * * *" if every < _HOUR else f"0 */{every // _HOUR} * * *"
    why = f"this system has no systemctl; add a line to your crontab: {times} {line}"
    return PlanStep(REFUSE, None, str(next(iter(scheduler.files))), why)


def _write_step(path: Path, data: bytes, every: int) -> PlanStep:
    replaces = digest_of_file(str(path)) if path.is_file() and not path.is_symlink() else None
    return PlanStep(
        WRITE, None, str(path), f"a timer: archive sync every {every} minutes", content=data, replaces=replaces
    )


def _checked(command: str, steps: list[PlanStep], place: TimerPlace, config: Path, scheduler: Scheduler) -> ChangePlan:
    directories = [*(path.parent for path in scheduler.files), config]
    roots = sorted({existing_above(directory) for directory in directories})
    plan = check_plan(ChangePlan(command, steps, roots))
    if place.platform == "win32":
        for step in steps:
            if step.target is not None and not Path(step.target).is_relative_to(place.own) and step.status == PLANNED:
                step.status, step.why = "refused", "on Windows the settings of Claude Code are not changed"
    return plan


def existing_above(directory: Path) -> Path:
    """Return a directory, or its nearest existing parent."""
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    return directory


def _commands(lines: list[list[str]]) -> list[SchedulerCommand]:
    return [SchedulerCommand(line) for line in lines]


def _run_all(commands: list[SchedulerCommand], place: TimerPlace) -> None:
    for one in commands:
        try:
            done = subprocess.run(  # noqa: S603 - fixed words and paths of ours
                one.command,
                env=dict(place.env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            one.status, one.why = FAILED, str(error)
            continue
        one.status = FAILED if done.returncode else DONE
        one.why = done.stderr.decode(errors="replace").strip() or None if done.returncode else None


def _write_own(plan: ChangePlan, place: TimerPlace) -> None:
    """Write or remove the task's file in our own directory, on a system where `changes` cannot hold directories."""
    for step in plan.steps:
        if step.status != PLANNED or step.target is None:
            continue
        path = Path(step.target)
        if not path.is_relative_to(place.own):
            raise RefusedError("refused to change anything outside the directories of the timer", step.target)
        if step.action == REMOVE:
            path.unlink()
        else:
            assert isinstance(step.content, bytes)  # noqa: S101 - every write of this plan has its bytes
            make_private_directory(place.own)
            write_atomically(path, step.content, inside=place.own)
        step.status = DONE
    plan.applied = True
