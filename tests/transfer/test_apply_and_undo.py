"""Every command over generated homes: apply and undo give back everything; a kill or an error at any call does too."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest
from chance import IS_LONG, chance, rounds
from make import CODE_ROWS, UUID, Draft, desktop_file, fingerprint, inside, line, manifest, write_side
from os_calls import CHANGING, before_each_call
from two_accounts import BENS, SYSTEMS, add_session, aged, app_id, transcript_id

import backscroll
from backscroll.changes.apply import apply_plan, undo
from backscroll.changes.journal import journals
from backscroll.changes.plan import ChangePlan
from backscroll.errors import NotFoundError, RefusedError
from backscroll.files import open_readonly
from backscroll.transfer.bundles.bundle import Bundle
from backscroll.transfer.bundles.unpack import UnpackOptions, plan_unpack
from backscroll.transfer.path_map import PathMap

ANN, BEN = "aaaaaaaa", "cccccccc"
Planner = Callable[[Path, ExitStack], ChangePlan]
POINTS = 7
"""The calls to strike at, for each command and each kind of strike; `make faults` strikes at all."""


def generated(root: Path, seed: int) -> Path:
    """Make a home with sessions, rows, Cowork, memory and settings that a seed decides on."""
    dice = chance(seed)
    system = dice.choice(list(SYSTEMS))
    old = str(root.parent / "code")
    places = [old, f"{old}/src", f"{old}/.claude/worktrees/w", "/work/other", old.replace("/code", "-code")]
    for number in range(1, dice.randint(3, 5)):
        cwd = old if number == 1 else dice.choice(places)
        add_session(root, system, number, cwd=cwd, enabledMcpTools={"x": True}, emailAddress="ann@example.com")
        if dice.random() < 0.7:
            key = next((root / ".claude/projects").rglob(f"{transcript_id(number)}.jsonl")).parent.name
            write_side(root, f"projects/{key}/{transcript_id(number)}/tool-results/t.txt", dice.randbytes(900))
            write_side(root, f"file-history/{transcript_id(number)}/{'a' * 16}@v1", dice.randbytes(50))
    key = next((root / ".claude/projects").rglob(f"{transcript_id(1)}.jsonl")).parent.name
    write_side(root, f"projects/{key}/memory/MEMORY.md", b"remember")
    Draft(transcript_id(20), old).prompt("Terminal").answer("Yes.").write(root)
    write_side(root, "history.jsonl", [line({"display": "x", "project": dice.choice(places)}) for _ in range(9)])
    (root / ".claude.json").write_text(json.dumps({"projects": {one: {} for one in places}}, indent=2))
    desktop_file(root, f"{CODE_ROWS}/{BENS}/deleted_{app_id(1)}", b"1", SYSTEMS[system])
    scope = {"groups": [{"id": "cg-1", "name": "Shop"}], "assignments": {f"code:local_{app_id(1)}": "cg-1"}}
    owner = next((root / SYSTEMS[system] / CODE_ROWS).glob("aaaa*/*"))
    scopes = {"dframe-group-scopes": {f"{owner.parent.name}/{owner.name}": {**scope, "order": ["cg-1"]}}}
    settings = {"preferences": {"epitaxyPrefs": scopes}, "mcpServers": {}}
    desktop_file(root, "claude_desktop_config.json", settings, SYSTEMS[system])
    desktop_file(root, "config.json", {"lastKnownAccountUuid": BENS.partition("/")[0]}, SYSTEMS[system])
    folder = manifest(root, desktop=SYSTEMS[system], cliSessionId=UUID)
    inside(folder, f".claude/projects/session/{UUID}.jsonl", Draft(UUID, "/sessions/x").prompt("Hi").text())
    inside(folder, "audit.jsonl", b"{}\n")
    inside(folder, ".audit-key", b"secret")
    for path in root.rglob("*"):
        if path.is_file():
            path.chmod(dice.choice((0o600, 0o640, 0o644)))
    (root.parent / "code").mkdir(exist_ok=True)
    (root.parent / "code/a.py").write_bytes(b"a")
    (root.parent / "work").mkdir(exist_ok=True)
    return aged(root.parent) / root.name


def unpacked(root: Path, stack: ExitStack) -> ChangePlan:
    """Plan to unpack a bundle of the home's own project under another directory, in an empty configuration."""
    place = root.parent.parent / f"{root.parent.name}.tar.zst"
    with backscroll.open(root) as library:
        library.transfer_pack([transcript_id(1), transcript_id(20)], output=place)
    bundle = stack.enter_context(Bundle(lambda: open_readonly(place), str(place)))
    maps = [PathMap(str(root.parent / "code"), "/else/where")]
    config = root / "empty/.claude"
    return plan_unpack(bundle, UnpackOptions(config, [], place.parent / "no-journal", maps)).changes


def library_plan(plan: Callable[[backscroll.Library, Path], ChangePlan]) -> Planner:
    """Return a planner that asks the library."""

    def planned(root: Path, stack: ExitStack) -> ChangePlan:
        with backscroll.open(root) as library:
            return plan(library, root)

    return planned


COMMANDS: dict[str, Planner] = {
    "copy": library_plan(lambda library, _: library.transfer_copy(everything=True, to=BEN, undelete=True).changes),
    "row": library_plan(lambda library, _: library.transfer_row(transcript_id(20))),
    "project": library_plan(
        lambda library, root: library.transfer_project(str(root.parent / "code"), str(root.parent / "moved"))
    ),
    "project --move-files": library_plan(
        lambda library, root: library.transfer_project(
            str(root.parent / "code"), str(root.parent / "moved"), move_files=True
        )
    ),
    "resume": library_plan(lambda library, root: library.transfer_resume(UUID, cwd=root.parent / "work").changes),
    "resume --move": library_plan(
        lambda library, root: library.transfer_resume(transcript_id(20), cwd=root.parent / "work", move=True).changes
    ),
    "pins": library_plan(lambda library, _: library.transfer_pins(ANN, to=BEN)),
    "unpack": unpacked,
}


def fresh(plan: ChangePlan) -> ChangePlan:
    """Return a plan of which nothing was carried out yet."""
    return replace(plan, steps=[copy(step) for step in plan.steps])


def top_of(directory: Path) -> Path:
    """Return the directory of journals of a test."""
    return directory / "ours" / "journal"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Hold bundles open until the test ends."""
    with ExitStack() as held:
        yield held


@pytest.mark.parametrize("name", COMMANDS)
def test_undo_gives_back_everything(name: str, stack: ExitStack, tmp_path: Path) -> None:
    """Over generated homes: undo restores bytes, names, modes and times; a second apply does nothing."""
    for seed in range(rounds(3)):
        root = generated(tmp_path / str(seed) / "user", seed)
        before = fingerprint(root.parent)
        plan = COMMANDS[name](root, stack)
        assert before == fingerprint(root.parent)

        done = apply_plan(plan, top_of(tmp_path / "ours"))

        assert done.applied or done.is_settled, [step for step in done.steps if step.status != "done"]
        after = fingerprint(root.parent)
        again = COMMANDS[name](root, stack) if name != "unpack" else check_again(plan)
        assert {"planned"}.isdisjoint(step.status for step in again.steps), again.steps
        assert after == fingerprint(root.parent)
        if done.applied:
            undone = undo(top_of(tmp_path / "ours"))
            assert {"undone"} == {step.status for step in undone.steps}
        assert before == fingerprint(root.parent), seed


def check_again(plan: ChangePlan) -> ChangePlan:
    """Return the same plan, compared with the disk once more."""
    from backscroll.changes.plan import check_plan  # noqa: PLC0415 - this test alone

    steps = [replace(step, status="planned") for step in plan.steps if step.status == "done"]
    return check_plan(ChangePlan(plan.command, steps, plan.roots))


class Killed(BaseException):
    """Stands for SIGKILL: after it no call of ours reaches the system."""


class Stage:
    """A home that can be put back to its beginning, and a plan for it."""

    def __init__(self, name: str, directory: Path, stack: ExitStack) -> None:
        self.directory = directory / "stage"
        root = generated(self.directory / "user", 1)
        self.plan = COMMANDS[name](root, stack)
        self._base = directory / "base"
        shutil.copytree(self.directory, self._base, symlinks=True)
        self.before = fingerprint(self.directory)

    def reset(self, point: int) -> Path:
        """Put the home back, and return a new directory of journals."""
        shutil.rmtree(self.directory)
        shutil.copytree(self._base, self.directory, symlinks=True)
        return top_of(self._base.parent / f"run-{point}")

    def calls(self, task: Callable[[Path], object]) -> int:
        """Return how many calls a task makes."""
        with before_each_call(lambda *_: None, CHANGING) as done:
            task(self.reset(0))
        return len(done)


def points_of(number: int, seed: int) -> list[int]:
    """Return the calls to strike at: all of them under `make faults`, else a seeded part."""
    points = range(1, number + 1)
    return list(points) if IS_LONG else sorted(chance(seed).sample(points, min(POINTS, number)))


def strike(task: Callable[[], object], point: int, error: BaseException, *, is_last: bool) -> None:
    """Run a task, and let its chosen call fail; with `is_last` no later call reaches the system either."""

    def happening(number: int, name: str) -> None:
        if number == point or (is_last and number > point):
            raise error

    with before_each_call(happening, CHANGING):
        try:
            task()
        except (Killed, OSError, RefusedError):
            return


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_or_an_error_at_any_call(name: str, stack: ExitStack, tmp_path: Path) -> None:
    """Apply killed, undo killed, a full disk during apply: the home ends as it began, or whole."""
    stage = Stage(name, tmp_path, stack)

    def applied(top: Path) -> ChangePlan:
        return apply_plan(fresh(stage.plan), top)

    number = stage.calls(applied)
    assert stage.before != fingerprint(stage.directory), name
    for point in points_of(number, 3):
        top = stage.reset(point)
        strike(lambda: applied(top), point, Killed(), is_last=True)  # noqa: B023
        if point % 2:
            was_whole = [one.state for one in journals(top)] == ["done"]  # killed behind its last note
            assert applied(top).applied or was_whole, point
        taken_back(top)
        assert stage.before == fingerprint(stage.directory), point
    for point in points_of(number, 5):
        top = stage.reset(number + point)
        strike(lambda: applied(top), point, OSError(28, "No space left on device"), is_last=False)  # noqa: B023
        taken_back(top)
        assert stage.before == fingerprint(stage.directory), point
    top = stage.reset(2 * number + 1)
    applied(top)
    with before_each_call(lambda *_: None, CHANGING) as done:
        undo(top)
    for point in points_of(len(done), 7):
        top = stage.reset(3 * number + point)
        applied(top)
        strike(lambda: undo(top), point, Killed(), is_last=True)  # noqa: B023
        taken_back(top)
        assert stage.before == fingerprint(stage.directory), point


def taken_back(top: Path) -> None:
    """Undo the last change, if there is one to undo."""
    try:
        undo(top)
    except NotFoundError:
        assert not [path for path in top.glob("*/journal.jsonl") if b'"open"' in path.read_bytes()]


@pytest.mark.parametrize("name", ["copy", "project", "resume", "unpack"])
def test_a_live_writer_during_apply(name: str, stack: ExitStack, tmp_path: Path) -> None:
    """A program that writes into a file or its place while we apply: its bytes stay, and nothing of ours does."""
    root = generated(tmp_path / "user", 1)
    plan = COMMANDS[name](root, stack)
    steps = [step for step in plan.steps if step.status == "planned"]
    victim = Path(next((one.target or "" for one in reversed(steps) if one.replaces), steps[-1].target or ""))
    before = fingerprint(root)
    written: list[bool] = []

    def write(number: int, called: str) -> None:
        if called == "fsync" and not written:
            written.append(True)
            victim.parent.mkdir(parents=True, exist_ok=True)
            victim.write_bytes(b"theirs")

    with before_each_call(write, CHANGING):
        done = apply_plan(plan, top_of(tmp_path))

    assert written
    assert not done.applied
    assert b"theirs" == victim.read_bytes()
    changed = {path for path, facts in fingerprint(root).items() if before.get(path, ("",) * 3)[2] != facts[2]}
    assert {str(victim)} >= {path for path in changed if os.path.isfile(path)}  # noqa: PTH113
