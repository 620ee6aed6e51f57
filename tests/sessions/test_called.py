"""Calls without their texts: each once, with its target, its end and its time."""

from pathlib import Path

from make import assistant, call, conversation, given, user

from backscroll.sessions.called import Called, called


def found(directory: Path, *records: dict[str, object], is_agent: bool = False) -> list[Called]:
    """Return the calls of some records."""
    with conversation(directory, *records, is_agent=is_agent) as read:
        return list(called(read))


def test_a_call_and_its_result(tmp_path: Path) -> None:
    """A call has the file it is about, how it ended and the seconds until its result."""
    asked = assistant(
        "a1", content=[call("toolu_0123456789", "Read", file_path="/a")], timestamp="2026-05-01T10:00:00Z"
    )
    answer = user("u1", "a1", [given("toolu_0123456789", "no", is_error=True)], timestamp="2026-05-01T10:00:02.500Z")
    (one,) = found(tmp_path, asked, answer)

    assert ("Read", "/a", "error", 2.5, False, None) == (
        one.name,
        one.target,
        one.outcome,
        one.seconds,
        one.is_copy,
        one.agent,
    )


def test_a_call_without_result(tmp_path: Path) -> None:
    """A call that nobody answered has no end and no time; a result before its call has no time."""
    records = [
        user("u0", None, [given("toolu_0123456789b")], timestamp="2026-05-01T09:00:00Z"),
        assistant("a1", "u0", [call("toolu_0123456789a"), call("toolu_0123456789b")], timestamp="2026-05-01T10:00:00Z"),
    ]

    assert [(None, None), ("ok", None)] == [(one.outcome, one.seconds) for one in found(tmp_path, *records)]


def test_a_call_that_is_said_twice_counts_once(tmp_path: Path) -> None:
    """Records that repeat a call are one call; the first result counts."""
    records = [
        assistant("a1", content=[call("toolu_0123456789")], api="msg_0123456789abcdef"),
        assistant("a2", "a1", [call("toolu_0123456789")], api="msg_0123456789abcdef"),
        user("u1", "a2", [given("toolu_0123456789", is_error=True)]),
        user("u2", "u1", [given("toolu_0123456789")]),
    ]

    assert ["error"] == [one.outcome for one in found(tmp_path, *records)]


def test_inline_agents_and_their_helpers(tmp_path: Path) -> None:
    """Calls of an agent inside the file carry its id; those of a warm-up do not count."""
    records = [
        user("u1", content="Go"),
        user("s1", None, "Look", isSidechain=True),
        assistant("s2", "s1", [call("toolu_0123456789a", "Grep")], isSidechain=True),
        user("w1", None, "Warmup", isSidechain=True),
        assistant("w2", "w1", [call("toolu_0123456789b", "Glob")], isSidechain=True),
    ]

    assert [("Grep", "inline-s1")] == [(one.name, one.agent) for one in found(tmp_path, *records)]


def test_an_internal_agent_calls_nothing(tmp_path: Path) -> None:
    """What a helper of the program calls is nobody's call."""
    with conversation(tmp_path, assistant("a1", content=[call("toolu_0123456789")]), is_agent=True) as read:
        assert [] == list(called(read, is_internal=True))


def test_copies_and_short_ids(tmp_path: Path) -> None:
    """A copied record says so; the same id names the same call in another file, unless it was made by hand."""
    keys = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        records = [
            assistant("a1", content=[call("toolu_0123456789")], forkedFrom={"sessionId": "s"}),
            assistant("a2", "a1", [call("toolu_1")]),
        ]
        calls = found(tmp_path / name, *records)
        keys.append([one.key for one in calls])
        assert [True, False] == [one.is_copy for one in calls]

    assert keys[0][0] == keys[1][0]
    assert keys[0][1] != keys[1][1]
