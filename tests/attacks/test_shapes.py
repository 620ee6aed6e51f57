"""Time grows no faster than the transcript, in every shape that a transcript can have.

Work is counted in calls of Python functions and in steps of SQLite, so that no clock is involved.
"""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from make import assistant, home, line, user, write_transcript
from many_agents import SESSION, uuid, write_agents

import backscroll
from backscroll.index import db

SMALL, LARGE = 300, 1200
MOST_GROWTH = 6.0
"""Four times the records may take six times the work: sorting, and trees of SQLite that get deeper."""
Records = Iterator[dict[str, Any]]


def siblings(count: int) -> Records:
    """Every prompt follows the first one."""
    yield user(uuid(0), None, "root")
    for number in range(1, count):
        yield user(uuid(number), uuid(0), f"sibling {number}")


def other_contents(count: int) -> Records:
    """All records have one id, each with another text."""
    yield user(uuid(0), None, "root")
    for number in range(1, count):
        yield user(uuid(1), uuid(0), f"content {number}")


def copies(count: int) -> Records:
    """All records are the same."""
    yield user(uuid(0), None, "root")
    for _ in range(1, count):
        yield user(uuid(1), uuid(0), "the same")


def branches(count: int) -> Records:
    """Every second prompt starts a branch, which has an answer."""
    yield user(uuid(0), None, "root")
    for number in range(1, count, 2):
        yield user(uuid(number), uuid(0), f"prompt {number}")
        yield assistant(uuid(number + 1), uuid(number), f"answer {number}")


def roots(count: int) -> Records:
    """No prompt has a parent."""
    for number in range(0, count, 2):
        yield user(uuid(number), None, f"prompt {number}")
        yield assistant(uuid(number + 1), uuid(number), f"answer {number}")


def results_of_one_call(count: int) -> Records:
    """One call has many results."""
    call = {"type": "tool_use", "id": "toolu_00000000000000000001", "name": "Read", "input": {"file_path": "/a.py"}}
    yield assistant(uuid(0), None, [call])
    for number in range(1, count):
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": f"result {number}"}
        yield user(uuid(number), uuid(number - 1), [result])


def compactions(count: int) -> Records:
    """Every second record is the boundary of a compaction."""
    yield user(uuid(0), None, "root")
    for number in range(1, count, 2):
        boundary = {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": uuid(number - 1)}
        yield user(uuid(number), None, "") | boundary
        yield user(uuid(number + 1), uuid(number), "summary", isCompactSummary=True)


def one_cycle(count: int) -> Records:
    """Each record follows the next one, and the last the first."""
    for number in range(count):
        yield user(uuid(number), uuid((number + 1) % count), f"prompt {number}")


def inline_agents(count: int) -> Records:
    """Every record is an agent of its own inside the file."""
    yield user(uuid(0), None, "root")
    for number in range(1, count):
        yield user(uuid(number), None, f"task {number}", isSidechain=True)


def summaries(count: int) -> Records:
    """Many records title the same conversation."""
    yield user(uuid(0), None, "root")
    for number in range(1, count):
        yield {"type": "summary", "summary": f"title {number}", "leafUuid": uuid(0)}


def late_parts(count: int) -> Records:
    """Every answer has a second part, which comes after all first parts."""
    for part in range(2):
        for number in range(count // 2):
            own = uuid(number + part * count)
            yield assistant(own, None, f"part {part} of answer {number}", api=f"msg_{number:024d}")


def edits(count: int) -> Records:
    """Every record edits one file, and has its result."""
    for number in range(0, count, 2):
        name = f"toolu_{number:020d}"
        asked = {"file_path": "/a.py", "old_string": f"{number}", "new_string": f"{number + 2}"}
        call = {"type": "tool_use", "id": name, "name": "Edit", "input": asked}
        yield assistant(uuid(number), uuid(number - 1) if number else None, [call])
        result = {"type": "tool_result", "tool_use_id": name, "content": "ok"}
        yield user(uuid(number + 1), uuid(number), [result])


SHAPES: list[Callable[[int], Records]] = [
    siblings,
    other_contents,
    copies,
    branches,
    roots,
    results_of_one_call,
    compactions,
    one_cycle,
    inline_agents,
    summaries,
    late_parts,
    edits,
]


class Work:
    """Counts calls of Python functions, and steps of SQLite, while something is done."""

    def __init__(self) -> None:
        self.steps = 0

    def call(self, _frame: FrameType, event: str, _argument: object) -> None:
        """Count a call."""
        self.steps += event in ("call", "c_call")

    def sqlite(self) -> int:
        """Count a hundred steps of SQLite."""
        self.steps += 100
        return 0


def work_of(root: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how much work it takes to list a home, to search it, and to read its session."""
    work = Work()
    made = db._checked

    def counted(database: sqlite3.Connection) -> sqlite3.Connection:
        database.set_progress_handler(work.sqlite, 100)
        return made(database)

    monkeypatch.setattr(db, "_checked", counted)
    sys.setprofile(work.call)
    try:
        with backscroll.open(root) as library:
            (session,) = library.list_sessions().sessions
            library.search("prompt")
            library.outline(session.id)
            library.tree(session.id)
            library.timeline(session.id)
            for _ in library.show(session.id, all_branches=True).messages:
                pass
            list(library.calls(session.id))
    finally:
        sys.setprofile(None)
        monkeypatch.setattr(db, "_checked", made)
    return work.steps


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_transcript(
    shape: Callable[[int], Records], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times as many records take about four times the work, whatever their shape."""
    work = []
    for count in (SMALL, LARGE):
        root = tmp_path / str(count)
        write_transcript(home(root), "-home-ann-p", SESSION, map(line, shape(count)))
        work.append(work_of(root, monkeypatch))

    assert work[1] < MOST_GROWTH * work[0]


@pytest.mark.slow
@pytest.mark.parametrize("is_chain", [False, True])
def test_work_grows_with_the_agents(is_chain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as many agents take about four times the work, beside each other and one below the other."""
    work = []
    for count in (60, 240):
        root = home(tmp_path / str(count))
        write_agents(root, count, is_chain=is_chain)
        work.append(work_of(root, monkeypatch))

    assert work[1] < MOST_GROWTH * work[0]


@pytest.mark.slow
def test_agents_one_below_the_other(tmp_path: Path) -> None:
    """Agents that start each other 600 deep are no internal error: nothing recurses."""
    write_agents(home(tmp_path), 600, is_chain=True)
    with backscroll.open(tmp_path) as library:
        outline = library.outline(SESSION)
        shown = sum(1 for _ in library.show(SESSION).messages)

    assert (1801, 1801) == (outline.total, shown)


@pytest.mark.slow
def test_work_grows_with_the_growth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as many new records in a session that is known take about four times the work."""
    work = []
    for count in (SMALL, LARGE):
        root = home(tmp_path / str(count))
        for end in (count, 2 * count):
            lines = [line(user(uuid(number), uuid(number - 1), f"prompt {number}")) for number in range(1, end)]
            write_transcript(root, "-p", SESSION, lines)
            done = work_of(root, monkeypatch)
        work.append(done)

    assert work[1] < MOST_GROWTH * work[0]
