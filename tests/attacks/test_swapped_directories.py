"""Directories that become links while `recover --write` runs, and two runs at once: nothing is written elsewhere."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from chance import chance, rounds
from command import run as run_process
from make import UUID, Draft, home, write
from os_calls import before_each_call

import backscroll
from backscroll.cli.main import run
from backscroll.errors import RefusedError
from backscroll.new_files import HAS_OPENAT

pytestmark = pytest.mark.skipif(not HAS_OPENAT, reason="this system opens no files by directory")

APP = "/home/ann/app"
NAMES = ["a/b/one.txt", "a/b/two.txt", "a/three.txt", "four.txt", "a/c/five.txt"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home in which a session wrote a few files in nested directories."""
    draft = Draft(UUID, APP).prompt("x")
    for name in NAMES:
        draft.answer(calls=[write(f"{APP}/{name}", f"{name}\n")])
    draft.write(home(tmp_path / "root"))
    return tmp_path / "root"


def swap(path: Path, outside: Path) -> None:
    """Put a link to another directory in the place of one."""
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}-moved"))
        path.symlink_to(outside)


def recovered(root: Path, out: Path) -> int:
    """Run `recover --all --write`."""
    return run(["--root", str(root), "recover", "--all", "--write", str(out)])


@pytest.mark.parametrize("place", [".", "out", "out/a", "out/a/b", "out/a/c"])
def test_a_swap_before_each_call(
    place: str, root: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Whenever a directory becomes a link, nothing appears where it leads, and files that exist are whole."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for step in range(1, 1000):
        top = tmp_path / f"top{step}"
        top.mkdir()

        def happen(number: int, _: str, step: int = step, top: Path = top) -> None:
            if number == step:
                swap(top / place, outside)

        with before_each_call(happen) as done:
            recovered(root, top / "out")
        capsysbinary.readouterr()
        assert [] == list(outside.iterdir()), (step, done)
        found = [path for path in tmp_path.glob(f"top{step}*/**/*") if path.is_file()]
        assert all(path.read_text() == f"{_name_of(path)}\n" for path in found)
        if len(done) < step:
            break

    assert step > 20


def _name_of(path: Path) -> str:
    return next(name for name in NAMES if name.endswith(f"/{path.name}") or name == path.name)


@pytest.mark.parametrize("name", ["a/b/one.txt", "four.txt"])
def test_a_link_in_the_place_of_a_file(name: str, root: Path, tmp_path: Path) -> None:
    """A link that appears under the name of a file just before it is written is neither followed nor replaced."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine\n")
    out = tmp_path / "out"

    def happen(_number: int, call: str) -> None:
        target = out / name
        if call == "link" and target.parent.is_dir() and not os.path.lexists(target):
            target.symlink_to(victim)

    with before_each_call(happen):
        code = recovered(root, out)

    assert (4, b"mine\n") == (code, victim.read_bytes())
    assert (out / name).is_symlink()


def test_a_thread_that_swaps_all_the_time(
    root: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A second thread swaps directories for links without pause: nothing appears where the links lead.

    The runs go on until enough swaps have happened, so the test does not depend on the machine's load.
    """
    outside, wanted = tmp_path / "outside", rounds(100)
    outside.mkdir()
    is_over, swaps = threading.Event(), 0

    def attack() -> None:
        nonlocal swaps
        generator = chance(18)
        while not is_over.is_set():
            for top in list(tmp_path.glob("out*")):
                path = top / generator.choice(("a", "a/b", "a/c"))
                with suppress(OSError):
                    path.rename(path.with_name(f"moved{swaps}"))
                    path.symlink_to(outside)
                    swaps += 1

    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        number = 0
        while swaps < wanted:
            recovered(root, tmp_path / f"out{number}")
            number += 1
    finally:
        is_over.set()
        attacker.join()

    assert [] == list(outside.iterdir())
    assert swaps >= wanted


def test_two_runs_into_one_directory(root: Path, tmp_path: Path) -> None:
    """Two runs at once: a file is written by one of them, whole, and the other says that it is there already."""

    def one(out: Path) -> list[str]:
        try:
            return [file.status for file in backscroll.recover_files(out, None, root).files]
        except RefusedError:
            return ["refused"] * len(NAMES)

    for number in range(rounds(10)):
        out = tmp_path / f"out{number}"
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(one, [out, out])
        found = {str(path.relative_to(out)): path.read_text() for path in out.rglob("*") if path.is_file()}

        assert {name: f"{name}\n" for name in NAMES} == found
        assert len(NAMES) == (first + second).count("written")


@pytest.mark.slow
def test_two_processes_into_one_directory(root: Path, tmp_path: Path) -> None:
    """The same holds for two processes."""
    for number in range(rounds(2)):
        out = tmp_path / f"out{number}"
        command = ("--root", str(root), "--json", "recover", "--all", "--write", str(out))
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(run_process, *([part] * 2 for part in command)))
        reports = [json.loads(done.stdout or b'{"files": []}')["files"] for done in both]
        found = {str(path.relative_to(out)): path.read_text() for path in out.rglob("*") if path.is_file()}

        assert {name: f"{name}\n" for name in NAMES} == found
        assert len(NAMES) == sum(file["status"] == "written" for report in reports for file in report)
        assert {0, 4} >= {done.returncode for done in both}
