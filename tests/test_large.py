"""Large transcripts: memory stays flat however long a file is, and in proportion to its longest line. L6, goal 15."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chance import IS_LONG
from command import PROGRAM, TIMEOUT, answer
from make import UUID, assistant, call, given, home, line, user
from many_agents import write_agents

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


def test_a_long_session_is_shared_page_by_page(build: Build) -> None:
    """A session of 28 MB is redacted, split, scanned and written in less than 120 MB."""
    root = build(turns(600, 47_000))

    assert peak(root, "share", UUID, "-o", str(root / "shared.html"), "--json") < 120
    assert (root / "shared-5.html").stat().st_size > 4 * MEGABYTE


@pytest.mark.parametrize("size, limit", [(20 * MEGABYTE, 200), (70 * MEGABYTE, 300 + 4 * 70)])
def test_a_long_line_costs_a_few_times_its_length(size: int, limit: int, build: Build) -> None:
    """A line of 20 MB is read in less than 200 MB, one of 70 MB in less than 300 MB and four times its length."""
    found = peaks(build(with_one_of(size)))

    assert {} == {command: megabytes for command, megabytes in found.items() if megabytes > limit}


def test_very_many_records_fit(build: Build) -> None:
    """Goal 15: 100,000 records in one file are read and shown in less than 300 MB."""
    found = peaks(build(turns(25_000, 60)))

    assert {} == {command: megabytes for command, megabytes in found.items() if megabytes > 300}


def test_many_short_messages_are_indexed(build: Build) -> None:
    """The words of 50,000 short messages in one file cost little: no part of them waits for the end of the file."""
    number, limit = (200_000, 300) if IS_LONG else (50_000, 140)

    assert peak(build(short_messages(number)), "index") < limit


def test_many_agents_are_listed_and_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files and facts of 10,000 agents of one session are held briefly, and no more of them than needed."""
    number, limits = (50_000, [300, 300, 300]) if IS_LONG else (10_000, [97, 115, 128])
    root = home(tmp_path / "root")
    write_agents(root, number, is_chain=False)
    found = []
    for ours, command in (("both", "list"), ("both", "index"), ("index", "index")):
        monkeypatch.setenv("BACKSCROLL_HOME", str(tmp_path / ours))
        found.append(peak(root, command))

    assert [] == [one for one in zip(found, limits, strict=True) if one[0] > one[1]]


def short_messages(number: int) -> Iterator[bytes]:
    """Yield prompts and answers of a few words."""
    ids = [f"00000000-0000-4000-8000-{place:012d}" for place in range(number)]
    for place, uuid in enumerate(ids):
        parent = ids[place - 1] if place else None
        moment: dict[str, Any] = {
            "timestamp": f"2026-05-{place // 86400 + 1:02d}T12:{place // 60 % 60:02d}:{place % 60:02d}.000Z"
        }
        if place % 2:
            yield line(assistant(uuid, parent, f"answer {place}: fine", api=f"msg_{place:024d}", **moment))
        else:
            yield line(user(uuid, parent, f"prompt number {place} about okapi {place % 97}", **moment))


RECORDS: list[dict[str, Any]] = [
    user("00000000-0000-4000-8000-000000000001", None, "hello"),
    assistant(
        "00000000-0000-4000-8000-000000000002",
        "00000000-0000-4000-8000-000000000001",
        [{"type": "thinking", "thinking": "hm"}, call("toolu_000000000000000000000001", "Read", file_path="/a.py")],
        api="msg_000000000000000000000001",
    ),
    user(
        "00000000-0000-4000-8000-000000000003",
        "00000000-0000-4000-8000-000000000002",
        [given("toolu_000000000000000000000001", "x = 1")],
    ),
    {"type": "summary", "summary": "title", "leafUuid": "00000000-0000-4000-8000-000000000003"},
    {"type": "custom-title", "customTitle": "title", "sessionId": "s"},
    {"type": "queue-operation", "operation": "enqueue", "content": "q", "timestamp": "2026-05-01T12:00:00.000Z"},
]


def fields(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every plain value, and of one new key in every object."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield from fields(item, (*path, key)) if isinstance(item, dict | list) else [(*path, key)]
    if isinstance(value, dict):
        yield (*path, "k" * 4 * MEGABYTE)


def test_long_strings_in_every_field(tmp_path: Path) -> None:
    """A string of 4 MB in any field or as a key costs no command more than 300 MB, though all sessions share ids."""
    directory = home(tmp_path) / ".claude" / "projects" / "-p"
    directory.mkdir()
    for number, (first, *inner) in enumerate(fields(RECORDS)):
        records = json.loads(json.dumps(RECORDS))
        target = records[first]
        for key in inner[:-1]:
            target = target[key]
        target[inner[-1]] = "x" * 4 * MEGABYTE if len(str(inner[-1])) < MEGABYTE else "v"
        (directory / f"{number:08}-1111-4111-8111-111111111111.jsonl").write_bytes(b"".join(map(line, records)))

    commands = [["list", "--all"], ["search", "hello", "--all-hits"], ["calls"], ["files"], ["usage", "--audit"]]
    found = {" ".join(command): peak(tmp_path, *command) for command in commands}

    assert number > 40
    assert {} == {command: megabytes for command, megabytes in found.items() if megabytes > 300}
