"""Digest: what the index keeps of a conversation, and how messages and usage are known again."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from make import UUID, Draft, assistant, bash, call, conversation, given, line, user

from backscroll.sessions.conversation import read_conversation
from backscroll.sessions.digest import Counts, Digest, Said, Spend, make_digest, moment_of, said, spends

LONG = "0123456789abcdef"
TIME = "2026-05-01T10:00:00.000Z"


def digest(directory: Path, *records: dict[str, Any] | bytes, agent: str | None = None) -> Digest:
    """Sum up some records."""
    with conversation(directory, *records, is_agent=agent is not None) as read:
        return make_digest(read, agent)


def spent(directory: Path, *records: dict[str, Any] | bytes) -> list[Spend]:
    """Return the usage of some records."""
    with conversation(directory, *records) as read:
        return list(spends(read))


def keys(directory: Path, name: str, *records: dict[str, Any]) -> list[Said]:
    """Return the identities of what is said in a file of its own."""
    path = directory / f"{name}.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    with read_conversation([str(path)]) as read:
        return list(said(read))


def test_counts(tmp_path: Path) -> None:
    """Messages are what users and the model said, prompts what was typed, calls are counted by id."""
    draft = Draft(UUID).prompt("A").answer("B", calls=[bash("a", "1"), bash("b", "2")])
    draft.queued("C").command("review", "", "ok").answer("D").rewind(to=1).prompt("E").meta("F").compact("G").prompt(
        "H"
    )

    assert (7, 4, 2, 2, 1) == msgspec.structs.astuple(digest(tmp_path, *draft.lines()).counts)[:5]


def test_a_repeated_call_counts_once(tmp_path: Path) -> None:
    """Two records with the same call are one call."""
    counts = digest(
        tmp_path, assistant("a1", None, [call("t1")]), assistant("a2", "a1", [call("t1"), call("t2")])
    ).counts

    assert (2, 2) == (counts.messages, counts.calls)


def test_synthetic_answers_are_no_messages(tmp_path: Path) -> None:
    """An API error that the program shows in the model's place was said by nobody."""
    read = digest(tmp_path, *Draft(UUID).prompt("A").api_error("529 Overloaded").lines())

    assert (1, []) == (read.counts.messages, read.models)


def test_compactions(tmp_path: Path) -> None:
    """A boundary is a compaction, its summary is none, and a summary without a boundary is one."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "s1", "parentUuid": None}
    summaries = [user("c1", "s1", "S", isCompactSummary=True), user("c2", "c1", "S", isCompactSummary=True)]

    assert 2 == digest(tmp_path, user("u1"), boundary, *summaries).counts.compactions


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
    counts = digest(tmp_path, *(user(f"u{n}", None, timestamp=time) for n, time in enumerate(times))).counts

    assert (started, updated) == (counts.started, counts.updated)


def test_implausible_moments() -> None:
    """A time before Claude Code or far in the future is none."""
    assert [None, None, None] == [moment_of("1999-01-01T00:00:00Z"), moment_of("2101-01-01T00:00:00Z"), moment_of(None)]


def test_models_and_versions(tmp_path: Path) -> None:
    """The model that answered last stands first, then the others in the order of their first use."""
    records = [assistant(f"a{n}", None, version=f"2.1.{n}") for n in range(3)]
    for record, model in zip(records, ("opus", "sonnet", "opus"), strict=True):
        record["message"]["model"] = model
    read = digest(tmp_path, *records)

    assert (["opus", "sonnet"], "2.1.2") == (read.models, read.version)


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
    assert expected == digest(tmp_path, *records).first_prompt


def test_every_byte_is_accounted_for(tmp_path: Path) -> None:
    """Records, damage and blanks add up to the file's size."""
    lines = [
        *Draft(UUID).prompt("A").answer("B").lines(),
        b"\n",
        b"torn {\n",
        b"null\n",
        b'{"type":"user"}{"type":"user"}',
    ]
    read = digest(tmp_path, *lines)

    assert sum(map(len, lines)) == read.size == read.record_bytes + read.damage_bytes + read.blank_bytes
    assert 2 == len(read.damage)
    assert bytes(tmp_path / "records.jsonl") == read.damage[0][0]


def test_repairs_are_noted(tmp_path: Path) -> None:
    """What could be read only after a repair is said."""
    read = digest(tmp_path, b'{"type":"user","uuid":"u1","message":{"content":"\\ud83d"}}\n')

    assert (1, 0) == (len(read.notes), len(read.damage))


def test_a_digest_survives_storage(tmp_path: Path) -> None:
    """A digest is the same after it was packed and unpacked."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done").title("T").compact("S")
    read = digest(tmp_path, *draft.lines())

    assert read == msgspec.msgpack.decode(msgspec.msgpack.encode(read), type=Digest)


def test_inline_agents_are_counted_apart(tmp_path: Path) -> None:
    """An agent inside the session's file has counts of its own."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do").answer(calls=[bash("ls", "a")]), "Done")
    read = digest(tmp_path, *draft.lines())

    assert (2, 1) == (read.counts.messages, read.counts.calls)
    assert [(3, 1)] == [(agent.counts.messages, agent.counts.calls) for agent in read.inline]


def test_a_digest_of_nothing(tmp_path: Path) -> None:
    """A file of 0 bytes is an empty session."""
    read = digest(tmp_path)

    assert (Counts(), 0, 0, None) == (read.counts, read.size, read.records, read.born)


def test_a_message_spends_once(tmp_path: Path) -> None:
    """Of several records of one message the one with the greatest output counts, the later on a tie."""
    rows = [assistant(f"a{n}", None, api="msg_1", output=output) for n, output in enumerate((1, 8, 8, 3))]
    rows[2]["message"]["usage"]["input_tokens"] = 9
    (spend,) = spent(tmp_path, *rows)

    assert (9, 8) == (spend.tokens.input, spend.tokens.output)


def test_the_whole_record_counts(tmp_path: Path) -> None:
    """Never the greatest of each field: one record is taken as it is."""
    rows = [assistant("a1", None, api="msg_1", output=1), assistant("a2", "a1", api="msg_1", output=5)]
    rows[0]["message"]["usage"] = {"input_tokens": 900, "output_tokens": 1}
    (spend,) = spent(tmp_path, *rows)

    assert (1, 5) == (spend.tokens.input, spend.tokens.output)


def test_a_copy_with_a_greater_output_counts(tmp_path: Path) -> None:
    """Of a record that was appended again the copy may hold the final numbers."""
    placeholder, final = assistant("a1", None, output=2), assistant("a1", None, output=70)
    with conversation(tmp_path, user("u1"), placeholder, user("u2", "a1"), final) as read:
        assert 1 == len(read.tree.nodes[1].repeats)
        assert [70] == [spend.tokens.output for spend in spends(read)]


def test_the_first_moment_of_a_message_counts(tmp_path: Path) -> None:
    """The time of a message is the earliest of its records, though a later one is taken."""
    rows = [assistant("a1", None, api="m", output=1, timestamp=TIME)]
    rows.append(assistant("a2", "a1", api="m", output=5, timestamp="2026-05-01T10:00:09.000Z"))

    assert [TIME] == [spend.time for spend in spent(tmp_path, *rows)]


def test_agents_inside_the_file_spend(tmp_path: Path) -> None:
    """Inline agents count in the usage of their session."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done")

    assert 2 == len(spent(tmp_path, *draft.lines()))


def test_messages_without_usage_or_id(tmp_path: Path) -> None:
    """A record without message id spends under its own; one without usage spends nothing."""
    rows = [assistant("a1"), assistant("a2"), assistant("a3")]
    rows[0]["message"].pop("usage")
    rows[1]["message"].pop("id")
    rows[2]["message"].pop("id")

    assert 2 == len({spend.key for spend in spent(tmp_path, *rows)})


def test_copies_are_marked_as_such(tmp_path: Path) -> None:
    """A record with `forkedFrom` was spent elsewhere."""
    row = assistant("a1", forkedFrom={"sessionId": "S", "messageUuid": "a0"})

    assert [True] == [spend.is_copy for spend in spent(tmp_path, row)]
    assert "S" == digest(tmp_path, row).forked_from


def test_short_ids_count_in_their_own_file_only(tmp_path: Path) -> None:
    """An id that somebody made up is not the same message in another file; a real one is."""
    short = [user("u1"), assistant("a1", "u1", api="msg_1")]
    real = [user(LONG), assistant(f"{LONG}2", LONG, api=f"msg_{LONG}")]
    here, there = (keys(tmp_path, name, *short, *real) for name in ("here", "there"))

    assert [False, False, True, True] == [one.key == other.key for one, other in zip(here, there, strict=True)]


def test_a_copied_prompt_is_known_by_what_it_was_copied_from(tmp_path: Path) -> None:
    """A fork with new ids names the record that each of its own was copied from."""
    (original,) = keys(tmp_path, "one", user(LONG))
    (copy,) = keys(tmp_path, "two", user(f"{LONG}2", forkedFrom={"sessionId": "S", "messageUuid": LONG}))

    assert original.key == copy.key


def test_old_prompts_are_known_by_text_and_answer(tmp_path: Path) -> None:
    """Up to 1.0 a resume gave every record a new id: a prompt is then the text that an answer follows."""
    answer: dict[str, Any] = {"api": f"msg_{LONG}", "version": "1.0.44"}
    one = keys(tmp_path, "one", user(f"{LONG}1", None, "Go"), assistant(f"{LONG}2", f"{LONG}1", **answer))
    two = keys(tmp_path, "two", user(f"{LONG}3", None, "Go"), assistant(f"{LONG}4", f"{LONG}3", **answer))

    assert [item.key for item in one] == [item.key for item in two]
    assert [item.last for item in one] != [item.last for item in two]


def test_agents_say_nothing_of_their_own(tmp_path: Path) -> None:
    """Only the session's own messages have an identity; inline agents' do not make kinship."""
    draft = Draft(UUID, version="1.0.128").prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done")
    with conversation(tmp_path, *draft.lines()) as read:
        assert ["typed", "assistant"] == [item.role for item in said(read)]


def test_evidence_of_started_agents(tmp_path: Path) -> None:
    """Calls, results, runs, progress and notices are all kept for joining."""
    evidence = digest(
        tmp_path,
        assistant("a1", None, [call("t1", "Task", prompt="Do", description="Job")], timestamp=TIME),
        user("u1", "a1", [given("t1")], toolUseResult={"agentId": "a7", "runId": "r7"}),
        {"type": "progress", "uuid": "p1", "parentToolUseID": "t2", "data": {"agentId": "a8"}},
        user("u2", "u1", "<task-notification><task-id>a9</task-id></task-notification>"),
    ).evidence

    assert evidence is not None
    assert {"t1": (None, "Job", None, TIME)} == {name: (None, *item[1:]) for name, item in evidence.calls.items()}
    assert ({"a7": "t1"}, {"r7": "t1"}, {"a8": "t2"}) == (evidence.results, evidence.runs, evidence.progress)
    assert {"a9": None} == evidence.notices


def test_an_internal_agent_is_marked(tmp_path: Path) -> None:
    """The label of an agent's file tells a helper of the program."""
    assert digest(tmp_path, user("x1"), agent="acompact-0123").is_internal
    assert not digest(tmp_path, user("x1"), agent="a0123").is_internal
