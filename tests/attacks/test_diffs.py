"""Texts that are made to be hard to compare: the work of a command grows with their size, not with its cube.

The work is the number of functions that a command calls, so nothing here depends on the machine's speed.
"""

import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from chance import IS_LONG, chance
from make import UUID, Draft, Tool, home, write

from backscroll.cli.main import run

FILE = "/home/ann/app/a.txt"
SIZES = (500, 1000, 2000, 4000, 8000) if IS_LONG else (500, 1000, 2000)
MOST_GROWTH = 2.6


def letters(seed: int, size: int) -> str:
    """Return lines of one letter: 2 bytes each, and nothing that occurs only once."""
    generator = chance(seed)
    return "".join(generator.choice(("a\n", "b\n")) for _ in range(size))


def work_of(*arguments: str) -> int:
    """Run a command that must succeed, and return how many calls of functions it made."""
    count = 0

    def profile(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        code = run(list(arguments))
    finally:
        sys.setprofile(before)

    assert 0 == code
    return count


def versions(root: Path, size: int) -> str:
    """Have a session write two versions of a file that are hard to compare."""
    old, new = f"first\n{letters(size, size)}x\n", f"1st\n{letters(size + 1, size)}y\n"
    Draft(UUID, "/home/ann/app").prompt("x").answer(calls=[write(FILE, old)]).answer(
        calls=[write(FILE, new, old)]
    ).write(home(root))
    return str(root)


def edits(root: Path, size: int) -> str:
    """Have a session make three edits that are hard to compare, and whose results hold no patch."""
    draft = Draft(UUID, "/home/ann/app").prompt("x")
    for number in range(3):
        asked = {
            "file_path": FILE,
            "old_string": letters(number, size),
            "new_string": letters(-1 - number, size),
        }
        draft.answer(calls=[Tool("Edit", asked, "ok", "ok")])
    draft.write(home(root))
    return str(root)


@pytest.mark.parametrize(
    "make, arguments",
    [
        (versions, ["recover", FILE, "--diff", "1", "2"]),
        (versions, ["files", "--patch", UUID]),
        (edits, ["show", UUID]),
        (edits, ["calls", UUID, "--full"]),
    ],
    ids=["recover --diff", "files --patch", "show", "calls"],
)
def test_twice_the_size_is_twice_the_work(
    make: Any, arguments: list[str], tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each command compares hostile texts in work that grows with their lines."""
    work = []
    for size in SIZES:
        root = make(tmp_path / str(size), size)
        run(["--root", root, "list"])  # the index is made before the work is counted
        work.append(work_of("--root", root, "--no-update", *arguments))
        capsysbinary.readouterr()

    assert all(larger <= MOST_GROWTH * smaller for smaller, larger in pairwise(work)), work


def test_a_comparison_that_was_given_up_says_so(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The diff has a note where old lines are followed by new lines without a comparison."""
    root = versions(tmp_path, 4000)
    capsysbinary.readouterr()

    assert 0 == run(["--root", root, "recover", FILE, "--diff", "1", "2"])
    assert b"@@ too different to compare: old lines, then new lines\n" in capsysbinary.readouterr().out
    assert 0 == run(["--root", edits(tmp_path / "edits", 2000), "show", UUID])
    assert "too different to compare: old lines, then new lines" in capsysbinary.readouterr().out.decode()
