"""Large transcripts: memory stays flat however long a file is, and in proportion to its longest line. L6, goal 15."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import PROGRAM, TIMEOUT, answer
from make import UUID, assistant, call, given, home, line, user

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
COMMANDS = [["list"], ["show", UUID], ["show", UUID, "--json"], ["calls", UUID], ["tree", UUID]]

# A process inherits the peak of the one that starts it, so a small one has to stand between.
LAUNCHER = """
import os, sys
output = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss if sys.platform != "darwin" else usage.ru_maxrss // 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""

Build = Callable[[Iterator[bytes]], Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that writes one transcript, line by line, and returns its home."""

    def write(lines: Iterator[bytes]) -> Path:
        root = home(tmp_path)
        directory = root / ".claude" / "projects" / "-p"
        directory.mkdir()
        with (directory / f"{UUID}.jsonl").open("wb") as file:
            file.writelines(lines)
        return root

    return write


def peak(root: Path, *arguments: str) -> float:
    """Run a command, throw away what it prints, and return the most memory that it took, in megabytes."""
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, *PROGRAM, "--root", str(root), *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False)

    assert (0, b"") == (done.returncode, done.stderr)
    return int(done.stdout) * 1024 / MEGABYTE


def peaks(root: Path) -> dict[str, float]:
    """Return the most memory that each command took; the first one reads the transcript into the index."""
    return {" ".join(arguments): peak(root, *arguments) for arguments in COMMANDS}


def turns(number: int, output: int) -> Iterator[bytes]:
    """Yield a conversation of four records a turn: a prompt, a call, its result of `output` bytes, an answer."""
    parent = None
    for turn in range(number):
        ids = [f"{turn:08x}-000{part}-4000-8000-000000000000" for part in range(4)]
        name = f"toolu_{turn:024d}"
        moment: dict[str, Any] = {"timestamp": f"2026-05-01T12:{turn // 60 % 60:02d}:{turn % 60:02d}.000Z"}
        yield line(user(ids[0], parent, f"Please read file {turn}.", **moment))
        called = [call(name, "Read", file_path=f"/src/file{turn}.py")]
        yield line(assistant(ids[1], ids[0], called, api=f"msg_a{turn:024d}", **moment))
        yield line(user(ids[2], ids[1], [given(name, "x = 1\n" * (output // 6))], **moment))
        yield line(assistant(ids[3], ids[2], f"File {turn} assigns one.", api=f"msg_b{turn:024d}", **moment))
        parent = ids[3]


def with_one_of(size: int) -> Iterator[bytes]:
    """Yield a short conversation in which one result is very large."""
    yield from turns(20, 100)
    yield line(assistant("big", None, [call("toolu_big", "Bash", command="cat big")], api="msg_big"))
    yield line(user("bigger", "big", [given("toolu_big", "x" * size)]))
    yield line(user("end", "bigger", "That was large."))


def test_a_long_transcript_is_streamed(build: Build) -> None:
    """A transcript of 125 MB is indexed, shown in every way and searched for calls in less than 200 MB."""
    root = build(turns(12_500, 9_000))

    found = peaks(root)

    assert (root / ".claude" / "projects" / "-p" / f"{UUID}.jsonl").stat().st_size > 120 * MEGABYTE
    assert {} == {command: megabytes for command, megabytes in found.items() if megabytes > 200}
    assert 25_000 == answer(root, "list")["sessions"][0]["messages"] - 12_500


@pytest.mark.parametrize("size, limit", [(20 * MEGABYTE, 200), (70 * MEGABYTE, 300 + 4 * 70)])
def test_a_long_line_costs_a_few_times_its_length(size: int, limit: int, build: Build) -> None:
    """A line of 20 MB is read in less than 200 MB, one of 70 MB in less than 300 MB and four times its length."""
    found = peaks(build(with_one_of(size)))

    assert {} == {command: megabytes for command, megabytes in found.items() if megabytes > limit}


def test_very_many_records_fit(build: Build) -> None:
    """Goal 15: 100,000 records in one file are read and shown in less than 300 MB."""
    found = peaks(build(turns(25_000, 60)))

    assert {} == {command: megabytes for command, megabytes in found.items() if megabytes > 300}
