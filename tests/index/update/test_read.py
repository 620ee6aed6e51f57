"""Reading a unit: which rows come from its records, and how messages, calls and usage are known again."""

from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, assistant, bash, call, given, line, user

from backscroll.files import open_readonly
from backscroll.index.schema import COLUMNS
from backscroll.index.update.read import Reading, read_unit

LONG = "0123456789abcdef"
TIME = "2026-05-01T10:00:00.000Z"

Record = dict[str, Any] | bytes


def reading(directory: Path, *records: Record, agent: str | None = None, name: str = "records") -> Reading:
    """Read some records as one unit."""
    path = directory / f"{name}.jsonl"
    path.write_bytes(b"".join(item if isinstance(item, bytes) else line(item) for item in records))
    return read_unit([str(path)], [1], agent, open_readonly)


def columns(directory: Path, *records: Record, agent: str | None = None) -> dict[str, Any]:
    """Return what the row of a unit says of some records."""
    return reading(directory, *records, agent=agent).columns


def rows(
    directory: Path, table: str, *records: Record, agent: str | None = None, name: str = "records"
) -> list[dict[str, Any]]:
    """Return the rows of a table that come from some records."""
    found = reading(directory, *records, agent=agent, name=name).rows[table]
    return [dict(zip(COLUMNS[table][1:], row, strict=True)) for row in found]


def usage(directory: Path, *records: Record) -> list[dict[str, Any]]:
    """Return the usage of some records."""
    return rows(directory, "usage", *records)


def messages(directory: Path, name: str, *records: Record) -> list[dict[str, Any]]:
    """Return the messages that a file of its own holds."""
    return rows(directory, "message", *records, name=name)


def test_counts(tmp_path: Path) -> None:
    """Messages are what users and the model said, prompts what was typed, calls are counted by id."""
    draft = Draft(UUID).prompt("A").answer("B", calls=[bash("a", "1"), bash("b", "2")])
    draft.queued("C").command("review", "", "ok").answer("D").rewind(to=1).prompt("E").meta("F").compact("G").prompt(
        "H"
    )

    read = columns(tmp_path, *draft.lines())

    assert (7, 4, 2, 2, 1) == tuple(read[name] for name in ("messages", "prompts", "calls", "branches", "compactions"))


def test_a_repeated_call_counts_once(tmp_path: Path) -> None:
    """Two records with the same call are one call."""
    read = columns(tmp_path, assistant("a1", None, [call("t1")]), assistant("a2", "a1", [call("t1"), call("t2")]))

    assert (2, 2) == (read["messages"], read["calls"])


def test_synthetic_answers_are_no_messages(tmp_path: Path) -> None:
    """An API error that the program shows in the model's place was said by nobody."""
    read = columns(tmp_path, *Draft(UUID).prompt("A").api_error("529 Overloaded").lines())

    assert (1, "[]", 1) == (read["messages"], read["models"], read["synthetic"])


def test_compactions(tmp_path: Path) -> None:
    """A boundary is a compaction, its summary is none, and a summary without a boundary is one."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "s1", "parentUuid": None}
    summaries = [user("c1", "s1", "S", isCompactSummary=True), user("c2", "c1", "S", isCompactSummary=True)]

    assert 2 == columns(tmp_path, user("u1"), boundary, *summaries)["compactions"]


@pytest.mark.parametrize(
    "times, started, updated",
    [
        (["2026-05-01T10:00:00.000Z", "2026-05-01T09:00:00.000Z"], "2026-05-01T09:00:00.000Z", TIME),
        ([1777629600000, None], TIME, TIME),
        (["1970-01-01T00:00:00.000Z", TIME, "2999-01-01T00:00:00Z"], TIME, TIME),
        (["2026-05-01T12:00:00+02:00"], TIME, TIME),
        (["2026-13-45T99:00:00.000Z", "soon"], None, None),
    ],
)
def test_from_the_first_to_the_last_plausible_moment(
    tmp_path: Path, times: list[object], started: str | None, updated: str | None
) -> None:
    """Times need not be in order, nor right; what no clock can have meant is left out."""
    read = columns(tmp_path, *(user(f"u{n}", None, timestamp=time) for n, time in enumerate(times)))

    assert (started, updated) == (read["started"], read["updated"])


def test_models_and_versions(tmp_path: Path) -> None:
    """The model that answered last stands first, then the others in the order of their first use."""
    records = [assistant(f"a{n}", None, version=f"2.1.{n}") for n in range(3)]
    for record, model in zip(records, ("opus", "sonnet", "opus"), strict=True):
        record["message"]["model"] = model
    read = columns(tmp_path, *records)

    assert ('["opus", "sonnet"]', "2.1.2") == (read["models"], read["version"])


@pytest.mark.parametrize(
    "records, expected",
    [
        ([user("c1", None, "<command-name>/init</command-name>"), user("u1", "c1", "Hello")], "Hello"),
        ([user("c1", None, "<command-name>/init</command-name>")], "/init"),
        ([user("u1", None, "task", promptSource="sdk")], "task"),
        ([user("u1", None, "x", isMeta=True), assistant("a1", "u1")], None),
        ([user("u1", None, [{"type": "image"}]), user("u2", "u1", "Look")], "Look"),
    ],
)
def test_the_first_prompt(tmp_path: Path, records: list[dict[str, Any]], expected: str | None) -> None:
    """What was typed first titles a session, before what a program asked and before commands."""
    assert expected == columns(tmp_path, *records)["first_prompt"]


def test_every_byte_is_accounted_for(tmp_path: Path) -> None:
    """Records, damage and blanks add up to the file's size."""
    lines = [
        *Draft(UUID).prompt("A").answer("B").lines(),
        b"\n",
        b"torn {\n",
        b"null\n",
        b'{"type":"user"}{"type":"user"}',
    ]
    read = columns(tmp_path, *lines)
    damage = rows(tmp_path, "damage", *lines)

    assert sum(map(len, lines)) == read["bytes"] == read["record_bytes"] + read["damage_bytes"] + read["blank_bytes"]
    assert 2 == sum(not item["is_note"] for item in damage)
    assert bytes(tmp_path / "records.jsonl") == damage[0]["path"]


def test_repairs_are_noted(tmp_path: Path) -> None:
    """What could be read only after a repair is said."""
    read = rows(tmp_path, "damage", b'{"type":"user","uuid":"u1","message":{"content":"\\ud83d"}}\n')

    assert [True] == [item["is_note"] for item in read]


def test_inline_agents_are_counted_apart(tmp_path: Path) -> None:
    """An agent inside the session's file has counts of its own."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do").answer(calls=[bash("ls", "a")]), "Done")
    read = columns(tmp_path, *draft.lines())
    inline = rows(tmp_path, "inline", *draft.lines())

    assert (2, 1) == (read["messages"], read["calls"])
    assert [(3, 1)] == [(agent["messages"], agent["calls"]) for agent in inline]


def test_an_empty_file(tmp_path: Path) -> None:
    """A file of 0 bytes is an empty session."""
    read = reading(tmp_path)
    counted = ("messages", "prompts", "calls", "branches", "compactions", "bytes", "records")

    assert [0] * len(counted) == [read.columns[name] for name in counted]
    assert (None, None, None) == (read.columns["born"], read.columns["started"], read.columns["tail"])
    assert [] == [row for table in read.rows.values() for row in table]


def test_a_message_spends_once(tmp_path: Path) -> None:
    """Of several records of one message the one with the greatest output counts, the later on a tie."""
    records = [assistant(f"a{n}", None, api="msg_1", output=output) for n, output in enumerate((1, 8, 8, 3))]
    records[2]["message"]["usage"]["input_tokens"] = 9
    (spend,) = usage(tmp_path, *records)

    assert (9, 8) == (spend["input"], spend["output"])


def test_the_whole_record_counts(tmp_path: Path) -> None:
    """Never the greatest of each field: one record is taken as it is."""
    records = [assistant("a1", None, api="msg_1", output=1), assistant("a2", "a1", api="msg_1", output=5)]
    records[0]["message"]["usage"] = {"input_tokens": 900, "output_tokens": 1}
    (spend,) = usage(tmp_path, *records)

    assert (1, 5) == (spend["input"], spend["output"])


def test_a_copy_with_a_greater_output_counts(tmp_path: Path) -> None:
    """Of a record that was appended again the copy may hold the final numbers."""
    placeholder, final = assistant("a1", None, output=2), assistant("a1", None, output=70)
    records = [user("u1"), placeholder, user("u2", "a1"), final]

    assert [False, False, True, False] == [item["is_repeat"] for item in rows(tmp_path, "record", *records)]
    assert [(70, 2)] == [(item["output"], item["records"]) for item in usage(tmp_path, *records)]


def test_the_first_moment_of_a_message_counts(tmp_path: Path) -> None:
    """The time of a message is the earliest of its records, though a later one is taken."""
    records = [assistant("a1", None, api="m", output=1, timestamp=TIME)]
    records.append(assistant("a2", "a1", api="m", output=5, timestamp="2026-05-01T10:00:09.000Z"))

    assert [TIME] == [item["time"] for item in usage(tmp_path, *records)]


def test_agents_inside_the_file_spend(tmp_path: Path) -> None:
    """Inline agents count in the usage of their session."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done")

    assert 2 == len(usage(tmp_path, *draft.lines()))


def test_messages_without_usage_or_id(tmp_path: Path) -> None:
    """A record without message id spends under its own; one without usage spends nothing."""
    records = [assistant("a1"), assistant("a2"), assistant("a3")]
    records[0]["message"].pop("usage")
    records[1]["message"].pop("id")
    records[2]["message"].pop("id")

    assert 2 == len({item["key"] for item in usage(tmp_path, *records)})


def test_copies_are_marked_as_such(tmp_path: Path) -> None:
    """A record with `forkedFrom` was spent elsewhere."""
    row = assistant("a1", forkedFrom={"sessionId": "S", "messageUuid": "a0"})

    assert [True] == [item["is_copy"] for item in usage(tmp_path, row)]
    assert "S" == columns(tmp_path, row)["forked_from"]


def test_short_ids_count_in_their_own_file_only(tmp_path: Path) -> None:
    """An id that somebody made up is not the same message in another file; a real one is."""
    short = [user("u1"), assistant("a1", "u1", api="msg_1")]
    real = [user(LONG), assistant(f"{LONG}2", LONG, api=f"msg_{LONG}")]
    here, there = (messages(tmp_path, name, *short, *real) for name in ("here", "there"))

    assert [False, False, True, True] == [one["key"] == other["key"] for one, other in zip(here, there, strict=True)]


def test_a_copied_prompt_is_known_by_what_it_was_copied_from(tmp_path: Path) -> None:
    """A fork with new ids names the record that each of its own was copied from."""
    (original,) = messages(tmp_path, "one", user(LONG))
    (copy,) = messages(tmp_path, "two", user(f"{LONG}2", forkedFrom={"sessionId": "S", "messageUuid": LONG}))

    assert original["key"] == copy["key"]


def test_old_prompts_are_known_by_text_and_answer(tmp_path: Path) -> None:
    """Up to 1.0 a resume gave every record a new id: a prompt is then the text that an answer follows."""
    answer: dict[str, Any] = {"api": f"msg_{LONG}", "version": "1.0.44"}
    one = messages(tmp_path, "one", user(f"{LONG}1", None, "Go"), assistant(f"{LONG}2", f"{LONG}1", **answer))
    two = messages(tmp_path, "two", user(f"{LONG}3", None, "Go"), assistant(f"{LONG}4", f"{LONG}3", **answer))

    assert [item["key"] for item in one] == [item["key"] for item in two]
    assert [item["last"] for item in one] != [item["last"] for item in two]


def test_agents_say_nothing_of_their_own(tmp_path: Path) -> None:
    """Only the session's own messages have an identity; inline agents' do not make kinship."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done")

    assert ["typed", "assistant"] == [item["kind"] for item in rows(tmp_path, "message", *draft.lines())]


def test_evidence_of_started_agents(tmp_path: Path) -> None:
    """Calls, results, runs, progress and notices are all kept for joining."""
    evidence = rows(
        tmp_path,
        "evidence",
        assistant("a1", None, [call("t1", "Task", prompt="Do", description="Job")], timestamp=TIME),
        user("u1", "a1", [given("t1")], toolUseResult={"agentId": "a7", "runId": "r7"}),
        {"type": "progress", "uuid": "p1", "parentToolUseID": "t2", "data": {"agentId": "a8"}},
        user("u2", "u1", "<task-notification><task-id>a9</task-id></task-notification>"),
    )

    assert [
        ("call", "t1", None, "Job", TIME),
        ("result", "a7", "t1", None, None),
        ("run", "r7", "t1", None, None),
        ("progress", "a8", "t2", None, None),
        ("notice", "a9", None, None, None),
    ] == [
        tuple(item[name] for name in ("kind", "name", "call", "description", "time"))
        for item in evidence
        if item["kind"] != "notified"
    ]


def test_an_internal_agent_is_marked(tmp_path: Path) -> None:
    """The label of an agent's file tells a helper of the program."""
    assert columns(tmp_path, user("x1"), agent="acompact-0123")["is_internal"]
    assert not columns(tmp_path, user("x1"), agent="a0123")["is_internal"]


def test_a_call_and_its_result(tmp_path: Path) -> None:
    """A call has the file it is about, how it ended and the seconds until its result."""
    asked = assistant(
        "a1", content=[call("toolu_0123456789", "Read", file_path="/a")], timestamp="2026-05-01T10:00:00Z"
    )
    answer = user("u1", "a1", [given("toolu_0123456789", "no", is_error=True)], timestamp="2026-05-01T10:00:02.500Z")
    (one,) = rows(tmp_path, "call", asked, answer)

    assert ("Read", "/a", "error", 2.5, False, None) == tuple(
        one[name] for name in ("name", "target", "outcome", "seconds", "is_copy", "agent")
    )
    assert (0, len(line(asked))) == (one["offset"], one["answer_offset"])


def test_a_call_without_result(tmp_path: Path) -> None:
    """A call that nobody answered has no end and no time; a result before its call has no time."""
    records = [
        user("u0", None, [given("toolu_0123456789b")], timestamp="2026-05-01T09:00:00Z"),
        assistant("a1", "u0", [call("toolu_0123456789a"), call("toolu_0123456789b")], timestamp="2026-05-01T10:00:00Z"),
    ]

    assert [(None, None), ("ok", None)] == [
        (one["outcome"], one["seconds"]) for one in rows(tmp_path, "call", *records)
    ]


def test_a_call_that_is_said_twice_counts_once(tmp_path: Path) -> None:
    """Records that repeat a call are one call; the first result counts."""
    records = [
        assistant("a1", content=[call("toolu_0123456789")], api="msg_0123456789abcdef"),
        assistant("a2", "a1", [call("toolu_0123456789")], api="msg_0123456789abcdef"),
        user("u1", "a2", [given("toolu_0123456789", is_error=True)]),
        user("u2", "u1", [given("toolu_0123456789")]),
    ]

    assert ["error"] == [one["outcome"] for one in rows(tmp_path, "call", *records)]


def test_inline_agents_and_their_helpers(tmp_path: Path) -> None:
    """Calls of an agent inside the file carry its id; those of a warm-up do not count."""
    records = [
        user("u1", content="Go"),
        user("s1", None, "Look", isSidechain=True),
        assistant("s2", "s1", [call("toolu_0123456789a", "Grep")], isSidechain=True),
        user("w1", None, "Warmup", isSidechain=True),
        assistant("w2", "w1", [call("toolu_0123456789b", "Glob")], isSidechain=True),
    ]

    assert [("Grep", "inline-s1")] == [(one["name"], one["agent"]) for one in rows(tmp_path, "call", *records)]


def test_an_internal_agent_calls_nothing(tmp_path: Path) -> None:
    """A call by a helper of the program is nobody's call, and changes nobody's file."""
    asked = assistant("a1", content=[call("toolu_0123456789", "Write", file_path="/a", content="x")])
    answer = user("u1", "a1", [given("toolu_0123456789")])
    read = reading(tmp_path, asked, answer, agent="acompact-0123")

    assert ([], []) == (read.rows["call"], read.rows["change"])


def test_copies_and_short_ids(tmp_path: Path) -> None:
    """A copied record says so; the same id names the same call in another file, unless it was made by hand."""
    records = [
        assistant("a1", content=[call("toolu_0123456789")], forkedFrom={"sessionId": "s"}),
        assistant("a2", "a1", [call("toolu_1")]),
    ]
    one, two = (rows(tmp_path, "call", *records, name=name) for name in ("one", "two"))

    assert [True, False] == [item["is_copy"] for item in one] == [item["is_copy"] for item in two]
    assert [True, False] == [mine["key"] == theirs["key"] for mine, theirs in zip(one, two, strict=True)]
