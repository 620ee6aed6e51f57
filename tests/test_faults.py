"""Killed at any system call, or without room on the disk: the index opens, and is right after the next run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command import PROGRAM, TIMEOUT, answer
from make import Draft, bash, home, line, write_side
from recorded import record, renewed, replay, same

import backscroll

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace, which is not installed"),
]

STEPS = int(os.environ.get("BACKSCROLL_FAULTS") or 8)
"""How many of the calls of a run are tried, evenly spread; `make faults` sets BACKSCROLL_FAULTS and tries more."""
CALLS = {
    "signal=KILL": "write,pwrite64,fsync,fdatasync,rename,renameat,unlink,ftruncate,mkdir,fcntl,flock",
    "error=ENOSPC": "write,pwrite64,ftruncate,mkdir,rename,renameat",
}
WORDS = {"alpha": 1, "beta": 1, "gamma": 1, "common": 9, "typed": 1, "late": 1}
"""How many messages hold each word after the update."""


def first(root: Path) -> None:
    """Write what the first run finds."""
    for number, word in enumerate(("alpha", "beta", "gamma")):
        draft = Draft(f"{number:08}-1111-4111-8111-111111111111", f"/srv/{word}")
        draft.prompt(f"{word} common").answer("common", calls=[bash("ls", "common")]).write(root)
    Draft("00000000-1111-4111-8111-111111111111", "/srv/alpha").prompt("alpha common").answer(
        "common", calls=[bash("ls", "common")]
    ).fork("00000009-1111-4111-8111-111111111111").write(root)
    write_side(root, "history.jsonl", line({"display": "typed long ago", "sessionId": "gone", "timestamp": 1}))


def then(root: Path) -> None:
    """Let one session go on, so that the second run is an update."""
    draft = Draft("00000000-1111-4111-8111-111111111111", "/srv/alpha")
    draft.prompt("alpha common").answer("common", calls=[bash("ls", "common")]).prompt("late").write(root)


def begin(root: Path, ours: Path, *, is_update: bool) -> dict[str, int]:
    """Write what a run finds, and what an earlier one left, and return how many messages hold each word after it."""
    first(root)
    if not is_update:
        ours.mkdir()
        return {word: count for word, count in WORDS.items() if word != "late"}
    answer(root, "index")
    then(root)
    return WORDS


def traced(root: Path, *watch: str) -> "subprocess.CompletedProcess[bytes]":
    """Run `backscroll index` under strace."""
    command = ["strace", "-f", "-qq", "-o", "/dev/null", *watch, *PROGRAM, "--root", str(root), "index"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)


def calls_of(root: Path, log: Path, calls: str) -> int:
    """Return how many of the calls that could fail one run makes."""
    command = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={calls}", *PROGRAM, "--root", str(root), "index"]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=True)
    return len(log.read_bytes().splitlines())


def steps(total: int) -> list[int]:
    """Return which calls are tried."""
    number = min(STEPS, total)
    return sorted({1 + total * step // number for step in range(number)})


def check(root: Path, words: dict[str, int]) -> None:
    """Look at the index as any user does."""
    with backscroll.search_index(root) as search:
        for word, messages in words.items():
            found = search(word, backscroll.Options(all_hits=True, limit=100))
            assert messages == found.total == len(found.hits), word


@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC"])
@pytest.mark.parametrize("is_update", [False, True], ids=["first index", "update"])
def test_faults(tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch, *, is_update: bool) -> None:
    """Whichever call it is that fails, nothing is lost and nothing is doubled."""
    root = home(tmp_path / "root")
    ours = tmp_path / "ours"
    monkeypatch.setenv("BACKSCROLL_HOME", str(ours))
    words = begin(root, ours, is_update=is_update)
    before = renewed(ours, tmp_path / "before")
    total = calls_of(root, tmp_path / "log", CALLS[fault])
    when = "" if fault == "signal=KILL" else "+"
    for step in steps(total):
        renewed(before, ours)
        done = traced(root, "-e", f"inject={CALLS[fault]}:{fault}:when={step}{when}")
        assert b"Traceback" not in done.stderr, (step, done.stderr)
        assert b"internal error" not in done.stderr, (step, done.stderr)
        check(root, words)


@pytest.mark.parametrize("is_update", [False, True], ids=["first index", "update"])
def test_a_kill_after_every_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_update: bool) -> None:
    """What a run leaves behind that is killed after any of its calls, by one run that is recorded and replayed."""
    root = home(tmp_path / "root")
    ours = tmp_path / "ours"
    monkeypatch.setenv("BACKSCROLL_HOME", str(ours))
    words = begin(root, ours, is_update=is_update)
    disk = renewed(ours, tmp_path / "disk")
    calls = record([*PROGRAM, "--root", str(root), "index"], ours, tmp_path / "log")
    assert len(calls) > 100
    for number, call in enumerate(replay(calls, ours, disk)):
        left = renewed(disk, tmp_path / f"left-{number}")  # threads of tantivy may still look at the one before
        monkeypatch.setenv("BACKSCROLL_HOME", str(left))
        try:
            check(root, words)
        except Exception as error:
            raise AssertionError(f"killed after call {number} of {len(calls)}: {call.name} {call.path}") from error
        shutil.rmtree(left, ignore_errors=True)
    assert same(ours, disk)
