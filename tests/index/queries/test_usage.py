"""Asking the index for sums: what is kept, at which grain, and what is forgotten."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from make import UUID, Draft, assistant, bash, home, indexed, line, write_transcript

from backscroll.index.queries.usage import (
    NOTHING,
    Sum,
    UsageFilter,
    copied,
    held_by,
    of_sessions,
    quarters,
    sums,
    titles,
    tools,
)
from backscroll.index.queries.usage_records import counts, family_of, stated, transcript_of, with_recorded_costs

OTHER = "22222222-2222-4222-8222-222222222222"


def flat(_: int | None) -> str:
    """Put everything into one bucket."""
    return "0 "


def rows(database: sqlite3.Connection, table: str) -> int:
    """Return how many rows a table has."""
    statement = {"usage": "SELECT count(*) FROM usage_sum", "tool": "SELECT count(*) FROM tool_sum"}[table]
    return int(database.execute(statement).fetchone()[0])


def at(clock: str, number: int, **usage: int) -> bytes:
    """Return an API message of a moment on the first of May."""
    record = assistant(f"a{number}", api=f"msg_0123456789abcdef{number}", timestamp=f"2026-05-01T{clock}.000Z")
    record["message"]["usage"] |= usage
    return line(record)


def test_sums_are_kept_by_quarters_of_an_hour(tmp_path: Path) -> None:
    """Messages of the same quarter of an hour are one row; the next quarter has its own."""
    lines = [at("10:00:00", 0), at("10:14:59", 1), at("10:15:00", 2)]
    write_transcript(home(tmp_path), "-p", UUID, lines)
    database = indexed(tmp_path)

    assert 2 == rows(database, "usage")
    assert 2 == len(quarters(database, UsageFilter()))
    assert 3 == sum(item.messages for item in sums(database, UsageFilter(), (), flat))


def test_prompts_are_told_apart_by_their_length(tmp_path: Path) -> None:
    """A prompt above a limit, cache included, is summed up apart; one of exactly the limit is not above it."""
    lines = [
        at("10:00:00", 0, input_tokens=100_000),
        at("10:00:01", 1, input_tokens=1, cache_read_input_tokens=100_000),
        at("10:00:02", 2, cache_creation_input_tokens=200_000),
    ]
    write_transcript(home(tmp_path), "-p", UUID, lines)
    found = sums(indexed(tmp_path), UsageFilter(), (), flat)

    assert [0, 100_000, 200_000] == sorted(item.context for item in found)


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    """Sums go with their session."""
    path = Draft(UUID).prompt("A").answer("B", calls=[bash("ls", "a")]).write(home(tmp_path))
    database = indexed(tmp_path)
    before = rows(database, "usage"), rows(database, "tool")
    path.unlink()
    indexed(tmp_path, database)

    assert (1, 1) == before
    assert (0, 0) == (rows(database, "usage"), rows(database, "tool"))


def test_copies_are_kept_with_their_owner(tmp_path: Path) -> None:
    """What a fork holds of another session is known, and not in any sum."""
    draft = Draft(UUID).prompt("A").answer("B").title("First")
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").write(tmp_path)
    database = indexed(tmp_path)

    assert [(OTHER, UUID, 1)] == [(item.session, item.project, item.messages) for item in copied(database, flat)]
    assert {None: 1, UUID: 1} == {item.session: item.messages for item in held_by(database, OTHER, flat)}
    assert {UUID: 1, OTHER: 1} == {item.session: item.messages for item in of_sessions(database, [UUID, OTHER], flat)}
    assert "First" == titles(database, [UUID])[UUID]
    assert [] == of_sessions(database, [], flat)


def test_evidence(tmp_path: Path) -> None:
    """Records, messages and synthetic records are counted; what Claude Code states is kept, the last of it."""
    draft = Draft(UUID).prompt("A").answer("B", thinking="C").api_error("Overloaded")
    draft.record(type="cost-state", totalCostUSD=1, modelUsage={"a": {}})
    draft.record(type="cost-state", totalCostUSD=2, modelUsage={"b": {}})
    path = draft.write(home(tmp_path))
    database = indexed(tmp_path)

    assert (2, 1, 1) == counts(database, None) == counts(database, UUID)
    assert (0, 0, 0) == counts(database, OTHER)
    assert [(UUID, 2.0, {"b": {}}, False)] == [tuple(item) for item in stated(database, None)]
    assert [] == stated(database, OTHER)
    assert [] == with_recorded_costs(database, None)
    assert [str(path), None] == [transcript_of(database, name) for name in (UUID, OTHER)]
    assert [UUID] == family_of(database, UUID)


def test_tools_are_kept_by_what_they_are_about(tmp_path: Path) -> None:
    """Calls of one tool about one thing are one row."""
    Draft(UUID).prompt("A").answer(calls=[bash("ls", "a"), bash("pwd", "b")]).write(home(tmp_path))

    assert [("Bash", None, 2)] == [
        (item.name, item.target, item.calls) for item in tools(indexed(tmp_path), UsageFilter())
    ]


def test_times_are_taken_to_the_quarter(tmp_path: Path) -> None:
    """Since begins with the quarter that it lies in; until ends with it."""
    write_transcript(home(tmp_path), "-p", UUID, [at("10:00:00", 0), at("10:20:00", 1)])
    database = indexed(tmp_path)
    moment = datetime(2026, 5, 1, 10, 16, tzinfo=UTC)

    assert 1 == sum(item.messages for item in sums(database, UsageFilter(since=moment), (), flat))
    assert 2 == sum(item.messages for item in sums(database, UsageFilter(until=moment), (), flat))


def test_a_message_knows_its_first_and_its_greatest_record(tmp_path: Path) -> None:
    """The session that was first answers for a message, with the greatest output that any record of it has."""
    record = assistant("a1", api="msg_0123456789abcdef", output=3, timestamp="2026-05-01T10:00:00.000Z")
    later = assistant("b1", api="msg_0123456789abcdef", output=9, timestamp="2026-05-01T11:00:00.000Z")
    write_transcript(home(tmp_path), "-p", UUID, [line(record)])
    write_transcript(tmp_path, "-p", OTHER, [line(later)])
    database = indexed(tmp_path)
    mine, theirs = (held_by(database, name, flat) for name in (UUID, OTHER))

    assert [(None, 1, 9, 0)] == [(item.session, item.messages, item.output, item.context) for item in mine]
    assert [(UUID, 1, 9)] == [(item.session, item.messages, item.output) for item in theirs]


def test_an_empty_sum() -> None:
    """Nothing spent fits the shape of a sum, field by field."""
    assert len(Sum._fields) == len(NOTHING)
    assert (0, 0, None, None) == (NOTHING.era, NOTHING.messages, NOTHING.input, NOTHING.last)
