"""The timeline of one session: turns, working and waiting time, context and compactions."""

from datetime import timedelta
from pathlib import Path

import pytest
from command import run
from make import NOON, UUID, Draft, assistant, bash, call, failed, given, home, line, user, write_transcript

import backscroll
from backscroll.stats.model import Timeline

FORK = "22222222-2222-4222-8222-222222222222"


def told(root: Path, session: str = UUID) -> Timeline:
    """Return the timeline of a session."""
    return backscroll.timeline(session, root)


def at(minutes: float) -> str:
    """Return a moment after noon."""
    return (NOON + timedelta(minutes=minutes)).isoformat().replace("+00:00", ".000Z")


@pytest.fixture
def two_turns(tmp_path: Path) -> Timeline:
    """Return a session of two turns: two overlapping calls in the first, a wait of ten minutes between them."""
    records = [
        user("u1", None, "First", timestamp=at(0)),
        assistant("a1", "u1", [call("toolu_0123456789a"), call("toolu_0123456789b")], timestamp=at(1)),
        user("r1", "a1", [given("toolu_0123456789a")], timestamp=at(3)),
        user("r2", "a1", [given("toolu_0123456789b", is_error=True)], timestamp=at(4)),
        assistant("a2", "r2", "Done.", timestamp=at(5)),
        user("u2", "a2", "Second", timestamp=at(15)),
        assistant("a3", "u2", "Yes.", timestamp=at(16)),
    ]
    write_transcript(home(tmp_path), "-p", UUID, map(line, records))
    return told(tmp_path)


def test_turns(two_turns: Timeline) -> None:
    """A turn goes from a prompt to the last thing done about it; then the program waits for the next prompt."""
    assert [(1, "First", 300.0, 600.0), (2, "Second", 60.0, None)] == [
        (turn.number, turn.text, turn.working, turn.waiting) for turn in two_turns.turns
    ]
    assert [60.0, 60.0] == [
        (turn.first_answer - turn.time).total_seconds() for turn in two_turns.turns if turn.first_answer and turn.time
    ]
    assert (360.0, 600.0) == (two_turns.working, two_turns.waiting)


def test_time_in_tools_is_counted_once(two_turns: Timeline) -> None:
    """Calls that run side by side take the time in which at least one of them ran."""
    assert [180.0, 0.0] == [turn.tools for turn in two_turns.turns]
    assert [(2, 1), (0, 0)] == [(turn.calls, turn.errors) for turn in two_turns.turns]


def test_usage_of_turns_is_that_of_the_session(tmp_path: Path) -> None:
    """Turns together spent what the session itself spent, cost included."""
    draft = (
        Draft(UUID)
        .prompt("A")
        .answer("B", calls=[bash("ls", "a"), failed("x", 1, "y")])
        .answer("C")
        .prompt("D")
        .answer("E")
    )
    draft.write(home(tmp_path))
    found = told(tmp_path)

    assert [2, 1] == [turn.usage.messages for turn in found.turns]
    assert found.session.usage.output == sum(turn.usage.output or 0 for turn in found.turns)
    assert found.session.usage.cost == pytest.approx(sum(turn.usage.cost or 0 for turn in found.turns))


def test_context_grows_and_is_compacted(tmp_path: Path) -> None:
    """Each API message says how long its prompt was; the first one after a compaction is marked."""
    draft = Draft(UUID).prompt("A").answer("B" * 4000).prompt("C").answer("D").compact("So far").prompt("E").answer("F")
    draft.write(home(tmp_path))
    found = told(tmp_path)
    sizes = [point.tokens for point in found.context]

    assert sizes[0] < sizes[1] > sizes[2]
    assert [False, False, True] == [point.is_compaction for point in found.context]
    assert [1, 2, 3] == [point.turn for point in found.context]
    assert [0, 1, 0] == [turn.compactions for turn in found.turns]
    assert sizes == [turn.context for turn in found.turns]


def test_a_prompt_without_answer(tmp_path: Path) -> None:
    """A prompt that nobody answered is a turn in which nothing was done."""
    Draft(UUID).prompt("A").prompt("B", after=30).answer("C").write(home(tmp_path))
    first = told(tmp_path).turns[0]

    assert (None, None, None, 30.0) == (first.working, first.first_answer, first.end, first.waiting)
    assert (0, None) == (first.usage.messages, first.usage.cost)


def test_a_session_that_begins_with_an_answer(tmp_path: Path) -> None:
    """What stands before the first prompt is a turn too, so that nothing is lost."""
    write_transcript(
        home(tmp_path), "-p", UUID, [line(assistant("a1")), line(user("u1", "a1")), line(assistant("a2", "u1"))]
    )

    assert [1, 1] == [turn.usage.messages for turn in told(tmp_path).turns]


def test_clocks_that_run_backwards(tmp_path: Path) -> None:
    """No length of time is negative, and a record without time has none."""
    records = [
        user("u1", None, "A", timestamp=at(5)),
        assistant("a1", "u1", "B", timestamp=at(1)),
        user("u2", "a1", "C"),
        assistant("a2", "u2", "D", timestamp=at(2)),
    ]
    write_transcript(home(tmp_path), "-p", UUID, map(line, records))

    assert [(0.0, None), (None, None)] == [(turn.working, turn.waiting) for turn in told(tmp_path).turns]


def test_an_empty_session(tmp_path: Path) -> None:
    """A session in which nothing was said has no turns."""
    write_transcript(home(tmp_path), "-p", UUID, [])
    found = told(tmp_path)

    assert ([], [], 0.0) == (found.turns, found.context, found.working)


@pytest.mark.parametrize("style", ["branch", "plain"])
def test_copied_turns_of_a_fork_cost_nothing(tmp_path: Path, style: str) -> None:
    """The turns of a fork together spent what the fork spent; copied turns say that they are copies."""
    draft = Draft(UUID, version="2.1.326").prompt("A").answer("B", calls=[bash("ls", "a")]).answer("C")
    draft.fork(FORK, style=style).prompt("D").answer("E").write(home(tmp_path))
    draft.write(tmp_path)
    found = told(tmp_path, FORK)
    shown = run("--root", tmp_path, "usage", "--session", FORK, "--timeline").stdout.decode().splitlines()

    assert [(2, 0), (0, 1)] == [(turn.copied, turn.usage.messages) for turn in found.turns]
    assert found.session.usage.output == sum(turn.usage.output or 0 for turn in found.turns)
    assert found.session.usage.cost == sum(turn.usage.cost or 0 for turn in found.turns)
    assert [True, False] == ["copied" in line for line in shown[1:]]
    assert [(0, 2)] == [(turn.copied, turn.usage.messages) for turn in told(tmp_path).turns]
