"""Plan, journal, apply and undo: whole or not at all, whenever somebody kills it."""

import os
from pathlib import Path

import pytest
from chance import IS_LONG, chance
from make import fingerprint
from os_calls import CHANGING, before_each_call

from backscroll.changes.apply import apply_plan, undo
from backscroll.changes.in_use import fresh_files, owners
from backscroll.changes.journal import journals
from backscroll.changes.plan import ChangePlan, PlanStep, check_plan, digest_at
from backscroll.errors import BusyError, CorruptError, NotFoundError, RefusedError

OLD = 1_700_000_000_000_000_000
POINTS = 60


class Killed(BaseException):
    """Stands for SIGKILL: after it no call of ours reaches the system."""


def make_root(directory: Path) -> Path:
    """Return a root with files and directories of a known old time."""
    root = directory / "root"
    (root / "a" / "deep").mkdir(parents=True)
    for name in ("a/one.jsonl", "a/two.json", "a/deep/three", "gone.json"):
        (root / name).write_bytes(f"content of {name}\n".encode())
        (root / name).chmod(0o640)
    for parent, folders, files in os.walk(root, topdown=False):
        for name in (*folders, *files):
            os.utime(Path(parent, name), ns=(OLD, OLD))
    os.utime(root, ns=(OLD, OLD))
    return root


def plan_for(root: Path, directory: Path) -> ChangePlan:
    """Return a plan with every action that changes something."""
    foreign = directory / "foreign.bin"
    foreign.write_bytes(b"from elsewhere" * 1000)
    one, two = root / "a/one.jsonl", root / "a/two.json"
    steps = [
        PlanStep("copy", str(foreign), str(root / "b/new/foreign.bin")),
        PlanStep("write", None, str(root / "b/made.json"), content=b"{}"),
        PlanStep("write", None, str(root / "b/stream"), content=lambda: foreign.open("rb")),
        PlanStep("move", str(one), str(root / "c/one.jsonl")),
        PlanStep("write", None, str(two), content=b"changed", replaces=digest_at(str(two))),
        PlanStep("remove", None, str(root / "gone.json")),
        PlanStep("link", "made.json", str(root / "b/link")),
        PlanStep("skip", None, None, "for a reason"),
    ]
    return check_plan(ChangePlan("test", steps, [root]))


def top_of(directory: Path) -> Path:
    """Return the directory of journals of a test."""
    return directory / "ours" / "journal"


def test_apply_changes_what_the_plan_says(tmp_path: Path) -> None:
    """Every action does its work, and the journal tells that it is done."""
    root = make_root(tmp_path)

    plan = apply_plan(plan_for(root, tmp_path), top_of(tmp_path))

    assert plan.applied
    assert [*["done"] * 7, "skipped"] == [step.status for step in plan.steps]
    assert b"from elsewhere" * 1000 == (root / "b/new/foreign.bin").read_bytes() == (root / "b/stream").read_bytes()
    assert b"content of a/one.jsonl\n" == (root / "c/one.jsonl").read_bytes()
    assert b"changed" == (root / "a/two.json").read_bytes()
    assert not (root / "gone.json").exists()
    assert not (root / "a/one.jsonl").exists()
    assert "made.json" == str((root / "b/link").readlink())
    assert ["done"] == [journal.state for journal in journals(top_of(tmp_path))]


def test_undo_gives_back_bytes_names_modes_and_times(tmp_path: Path) -> None:
    """After undo the root is as it was, directories and their times included."""
    root = make_root(tmp_path)
    before = fingerprint(root)
    apply_plan(plan_for(root, tmp_path), top_of(tmp_path))

    undone = undo(top_of(tmp_path))

    assert {"undone"} == {step.status for step in undone.steps}
    assert before == fingerprint(root)
    with pytest.raises(NotFoundError):
        undo(top_of(tmp_path))


def test_apply_twice_is_once(tmp_path: Path) -> None:
    """The same copies and writes a second time are the same already, and make no journal."""
    root = make_root(tmp_path)
    steps = [("copy", str(root / "a/two.json"), "x/two.json", None), ("write", None, "x/three", b"3")]

    def plan() -> ChangePlan:
        made = [PlanStep(action, source, str(root / to), content=data) for action, source, to, data in steps]
        return apply_plan(check_plan(ChangePlan("test", made, [root])), top_of(tmp_path))

    plan()
    before = fingerprint(root)

    assert ["same", "same"] == [step.status for step in plan().steps]
    assert before == fingerprint(root)
    assert 1 == len(journals(top_of(tmp_path)))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A place that holds other bytes is refused, and then no step of the plan is taken."""
    root = make_root(tmp_path)
    before = fingerprint(root)
    steps = [
        PlanStep("write", None, str(root / "new"), content=b"x"),
        PlanStep("write", None, str(root / "gone.json"), content=b"x"),
    ]

    plan = apply_plan(check_plan(ChangePlan("test", steps, [root])), top_of(tmp_path))

    assert ["planned", "refused"] == [step.status for step in plan.steps]
    assert not plan.applied
    assert before == fingerprint(root)


@pytest.mark.parametrize("name", ["../outside", "link/inner", "a/../../x", "a/one.jsonl/x"])
def test_places_outside_are_refused(name: str, tmp_path: Path) -> None:
    """A place outside the roots, behind a link or below a file is refused."""
    root = make_root(tmp_path)
    (root / "link").symlink_to(tmp_path)
    target = f"{root}/{name}"

    plan = check_plan(ChangePlan("test", [PlanStep("write", None, target, content=b"x")], [root]))

    assert ["refused"] == [step.status for step in plan.steps]


def test_a_link_that_comes_up_later_is_not_followed(tmp_path: Path) -> None:
    """A directory that becomes a link between plan and apply stops the run, and all of it is undone."""
    root = make_root(tmp_path)
    plan = check_plan(ChangePlan("test", [PlanStep("write", None, str(root / "a/deep/x"), content=b"x")], [root]))
    outside = tmp_path / "outside"
    outside.mkdir()

    def swap(number: int, name: str) -> None:
        if name == "fsync" and not (root / "a/deep").is_symlink():
            (root / "a/deep").rename(root / "a/other")
            (root / "a/deep").symlink_to(outside)

    with before_each_call(swap, CHANGING):
        apply_plan(plan, top_of(tmp_path))

    assert ["failed"] == [step.status for step in plan.steps]
    assert [] == list(outside.iterdir())


def test_undo_keeps_what_was_used_since(tmp_path: Path) -> None:
    """A file that somebody appended to after apply stays, and undo names it."""
    root = make_root(tmp_path)
    apply_plan(plan_for(root, tmp_path), top_of(tmp_path))
    with (root / "c/one.jsonl").open("ab") as file:
        file.write(b"more\n")

    undone = undo(top_of(tmp_path))

    stayed = {step.target: step.why for step in undone.steps if step.status == "skipped"}
    assert "it was used since" == stayed[str(root / "c/one.jsonl")]
    assert (root / "c/one.jsonl").read_bytes().endswith(b"more\n")
    assert not (root / "b").exists()


def points_of(number: int) -> list[int]:
    """Return the calls to strike at: all of them under `make faults`, else a seeded part."""
    points = range(1, number + 1)
    return list(points) if IS_LONG else sorted(chance(7).sample(points, min(POINTS, number)))


def calls_of_apply(directory: Path) -> int:
    """Return how many calls one apply makes."""
    directory.mkdir()
    root = make_root(directory)
    with before_each_call(lambda *_: None, CHANGING) as done:
        apply_plan(plan_for(root, directory), top_of(directory))
    return len(done)


def test_a_kill_at_any_moment_of_apply(tmp_path: Path) -> None:
    """However early apply is killed, undo or a second run ends as if nothing had happened before."""
    for point in points_of(calls_of_apply(tmp_path / "count")):
        directory = tmp_path / str(point)
        directory.mkdir()
        root = make_root(directory)
        before = fingerprint(root)
        kill(lambda: apply_plan(plan_for(root, directory), top_of(directory)), point)  # noqa: B023

        again = apply_plan(plan_for(root, directory), top_of(directory)) if point % 2 else None
        if again is None or journals(top_of(directory)):
            try:
                undo(top_of(directory))
            except NotFoundError:
                assert again is None, point

        assert before == fingerprint(root), point


def test_a_kill_at_any_moment_of_undo(tmp_path: Path) -> None:
    """However early undo is killed, a second undo finishes it."""
    directory = tmp_path / "count"
    calls_of_apply(directory)
    with before_each_call(lambda *_: None, CHANGING) as done:
        undo(top_of(directory))
    for point in points_of(len(done)):
        directory = tmp_path / str(point)
        directory.mkdir()
        root = make_root(directory)
        before = fingerprint(root)
        apply_plan(plan_for(root, directory), top_of(directory))
        kill(lambda: undo(top_of(directory)), point)  # noqa: B023

        try:
            undo(top_of(directory))
        except NotFoundError:
            assert point == len(done)

        assert before == fingerprint(root), point


def test_an_error_of_any_call_undoes_everything(tmp_path: Path) -> None:
    """A full disk at any call of apply fails one step, and the root is as before."""
    for point in points_of(calls_of_apply(tmp_path / "count")):
        directory = tmp_path / str(point)
        directory.mkdir()
        root = make_root(directory)
        before = fingerprint(root)

        def fail(number: int, name: str, point: int = point) -> None:
            if number == point:
                raise OSError(28, "No space left on device")

        plan = plan_for(root, directory)
        with before_each_call(fail, CHANGING):
            try:
                apply_plan(plan, top_of(directory))
            except (OSError, RefusedError):
                assert not any((root / name).exists() for name in ("b", "c")), point
        if plan.applied:
            undo(top_of(directory))

        assert before == fingerprint(root), point


def kill(task: object, point: int) -> None:
    """Run a task until its chosen call; no later call of ours reaches the system."""

    def strike(number: int, name: str) -> None:
        if number >= point:
            raise Killed

    with before_each_call(strike, CHANGING):
        try:
            task()  # type: ignore[operator]
        except Killed:
            return


def test_a_damaged_journal_stops_everything(tmp_path: Path) -> None:
    """One flipped byte in a journal: CorruptError, and nothing is touched."""
    root = make_root(tmp_path)
    apply_plan(plan_for(root, tmp_path), top_of(tmp_path))
    path = next(top_of(tmp_path).glob("*/journal.jsonl"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    before = fingerprint(root)

    with pytest.raises(CorruptError):
        undo(top_of(tmp_path))
    with pytest.raises(CorruptError):
        apply_plan(again(root), top_of(tmp_path))
    assert before == fingerprint(root)


def again(root: Path) -> ChangePlan:
    """Return a small plan."""
    return check_plan(ChangePlan("test", [PlanStep("write", None, str(root / "again"), content=b"x")], [root]))


def test_one_at_a_time(tmp_path: Path) -> None:
    """While one process applies, another one is told to wait."""
    root = make_root(tmp_path)
    seen: list[int] = []

    def busy(number: int, name: str) -> None:
        if name == "link" and not seen:
            seen.append(number)
            with pytest.raises(BusyError):
                undo(top_of(tmp_path))

    with before_each_call(busy, CHANGING):
        apply_plan(again(root), top_of(tmp_path))

    assert seen


def test_a_changed_file_is_not_replaced(tmp_path: Path) -> None:
    """A file that changed after the plan stays as somebody left it."""
    root = make_root(tmp_path)
    two = root / "a/two.json"
    step = PlanStep("write", None, str(two), content=b"new", replaces=digest_at(str(two)))
    plan = check_plan(ChangePlan("test", [step], [root]))
    two.write_bytes(b"theirs")

    apply_plan(plan, top_of(tmp_path))

    assert b"theirs" == two.read_bytes()
    assert "refused" == step.status


def test_fresh_files_are_in_use_unless_we_wrote_them(tmp_path: Path) -> None:
    """A file that changed a moment ago is in use; one that our journal wrote is not."""
    root = make_root(tmp_path)
    apply_plan(again(root), top_of(tmp_path))
    theirs = root / "theirs"
    theirs.write_bytes(b"x")

    paths = [str(theirs), str(root / "again"), str(root / "gone.json"), str(root / "no")]

    assert [str(theirs)] == fresh_files(paths, top_of(tmp_path))


def test_owners_are_processes_that_run(tmp_path: Path) -> None:
    """A session is owned if its process runs and began when it was registered."""
    place = tmp_path / "sessions"
    place.mkdir()
    begun = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    (place / f"{os.getpid()}.json").write_text(f'{{"sessionId":"mine","procStart":"{begun}"}}')
    (place / "1.json").write_text('{"sessionId":"reused","procStart":"no such time"}')
    (place / "4194305.json").write_text('{"sessionId":"dead"}')

    assert {"mine": os.getpid()} == owners(tmp_path)


def test_a_step_that_leaves_the_roots_is_refused_by_apply_too(tmp_path: Path) -> None:
    """Even a plan that nobody checked cannot write outside its roots."""
    root = make_root(tmp_path)
    plan = ChangePlan("test", [PlanStep("write", None, str(tmp_path / "out"), content=b"x")], [root])

    apply_plan(plan, top_of(tmp_path))

    assert plan.is_refused
    assert not (tmp_path / "out").exists()
