"""Calls paired with their results, wherever those are kept."""

from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, Tool, assistant, bash, call, conversation, failed, given, home, line, user, write_side

import backscroll
from backscroll.sessions.model import Call
from backscroll.sessions.reading.calls import CallReader
from backscroll.times import parse

OUTPUTS = f"projects/-p/{UUID}/tool-results"


def calls(directory: Path, *records: dict[str, Any], outputs: list[str] | None = None) -> list[Call]:
    """Return the calls of some records."""
    with conversation(directory, *records) as read:
        return list(CallReader(read, "S", None, outputs or []).calls(read.tree))


def persisted(root: Path, content: Any, data: Any = None, name: str = "b1.txt") -> Call:
    """Return a call whose output was too large, in a home where `name` holds it whole."""
    records = [assistant("a1", None, [call("t1")]), user("r1", "a1", [given("t1", content)], toolUseResult=data)]
    write_side(home(root), f"projects/-p/{UUID}.jsonl", map(line, records))
    write_side(root, f"{OUTPUTS}/{name}", b"the whole output")
    (found,) = backscroll.calls(UUID, root)
    return found


def test_a_call_and_its_result(tmp_path: Path) -> None:
    """A call knows what it asked, what it got, when, and where it stands."""
    (found,) = calls(
        tmp_path,
        assistant("a1", None, [call("t1", "Bash", command="ls")], timestamp="2026-05-01T10:00:00.000Z"),
        user(
            "r1", "a1", [given("t1", "a.txt")], toolUseResult={"stdout": "a.txt"}, timestamp="2026-05-01T10:00:02.000Z"
        ),
    )

    assert ("t1", "Bash", {"command": "ls"}, "a1", "S") == (
        found.id,
        found.name,
        found.input,
        found.message,
        found.session,
    )
    assert found.result is not None
    assert ("a.txt", False, {"stdout": "a.txt"}) == (found.result.text, found.result.error, found.result.data)
    assert (parse("2026-05-01T10:00:00Z"), parse("2026-05-01T10:00:02Z")) == (found.started, found.finished)
    assert found.place is not None
    assert 1 == found.place.line


@pytest.mark.parametrize("data", ["Error: no", ["a"], {"stdout": "x"}, 3, 1.5, True, None])
def test_structured_data_of_every_type(tmp_path: Path, data: Any) -> None:
    """Whatever JSON type the program recorded is handed on."""
    (found,) = calls(tmp_path, assistant("a1", None, [call("t1")]), user("r1", "a1", [given("t1")], toolUseResult=data))

    assert found.result is not None
    assert data == found.result.data


def test_an_unanswered_call(tmp_path: Path) -> None:
    """A call without a recorded result has none."""
    (found,) = calls(tmp_path, assistant("a1", None, [call("t1")]))

    assert (None, None) == (found.result, found.finished)


def test_a_failed_call(tmp_path: Path) -> None:
    """An error is told from a result that says nothing of it."""
    with conversation(
        tmp_path, *Draft(UUID).prompt("A").answer(calls=[failed("x", 1, "no"), bash("y", "ok")]).lines()
    ) as read:
        found = [item.result for item in CallReader(read, "S", None, []).calls(read.tree)]

    assert [(True, "Exit code 1\nno"), (False, "ok")] == [(item.error, item.text) for item in found if item]


def test_parallel_calls_keep_their_results_apart(tmp_path: Path) -> None:
    """Two results in one record go to their calls; the record's data, which can be of one only, to none."""
    found = calls(
        tmp_path,
        assistant("a1", None, [call("t1"), call("t2")]),
        user("r1", "a1", [given("t2", "two"), given("t1", "one")], toolUseResult={"stdout": "?"}),
    )

    assert [("t1", "one", None), ("t2", "two", None)] == [
        (item.id, item.result.text, item.result.data) for item in found if item.result
    ]


def test_a_repeated_call_is_one(tmp_path: Path) -> None:
    """The same call in two records is told once; two results are said, the first is taken."""
    found = calls(
        tmp_path,
        assistant("a1", None, [call("t1"), call("t1")]),
        assistant("a2", "a1", [call("t1")]),
        user("r1", "a2", [given("t1", "first")]),
        user("r2", "r1", [given("t1", "second")]),
    )

    assert ["first"] == [item.result.text for item in found if item.result]
    assert ["2 results"] == found[0].marks


def test_a_result_without_a_part(tmp_path: Path) -> None:
    """A server tool answers in the message that calls it."""
    parts = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "text", "text": "found"}]},
    ]
    (found,) = calls(tmp_path, assistant("a1", None, parts))

    assert found.result is not None
    assert ("web_search", "found") == (found.name, found.result.text)


def test_a_call_without_an_id(tmp_path: Path) -> None:
    """A call that has no id is told all the same."""
    (found,) = calls(tmp_path, assistant("a1", None, [{"type": "tool_use", "name": "Bash", "input": {}}]))

    assert ("a1#0", "Bash") == (found.id, found.name)


@pytest.mark.parametrize(
    "content, data",
    [
        (f"<persisted-output>\nOutput too large (99KB). Full output saved to: /x/{OUTPUTS}/b1.txt\n\nPreview", None),
        (f"<persisted-output>\nFull output saved to: C:\\x\\{UUID}\\tool-results\\b1.txt</persisted-output>", None),
        ("cut here", {"stdout": "cut here", "persistedOutputPath": f"/x/{OUTPUTS}/b1.txt"}),
        ("cut here", {"persistedOutputPath": "C:\\x\\tool-results\\b1.txt"}),
    ],
)
def test_a_persisted_output_is_read_whole(tmp_path: Path, content: str, data: Any) -> None:
    """The file that holds the whole output is found by its base name, wherever the store lies now."""
    found = persisted(tmp_path, content, data)

    assert found.result is not None
    assert "the whole output" == found.result.text
    assert str(tmp_path / ".claude" / OUTPUTS / "b1.txt") == found.result.persisted


@pytest.mark.parametrize(
    "named",
    [
        "/etc/hostname",
        "../../../secret.txt",
        "..",
        ".",
        "/",
        "",
        "../b9.txt",
        "..\\..\\secret.txt",
        5,
        None,
        ["/etc/passwd"],
    ],
)
def test_a_hostile_path_never_leaves_the_directory(tmp_path: Path, named: Any) -> None:
    """Only a base name inside the session's own directory is opened; anything else leaves the result as it is."""
    (tmp_path / "secret.txt").write_text("secret")
    write_side(home(tmp_path), f"projects/-p/{UUID}/secret.txt", b"secret")
    write_side(tmp_path, "projects/secret.txt", b"secret")
    found = persisted(tmp_path, "cut here", {"persistedOutputPath": named})

    assert found.result is not None
    assert ("cut here", None) == (found.result.text, found.result.persisted)


def test_a_notice_with_a_hostile_path(tmp_path: Path) -> None:
    """The path in a notice is not followed either."""
    (tmp_path / "secret.txt").write_text("secret")
    found = persisted(tmp_path, f"<persisted-output>\nFull output saved to: {tmp_path}/secret.txt\n</persisted-output>")

    assert found.result is not None
    assert found.result.persisted is None


@pytest.mark.parametrize("is_directory", [False, True])
def test_a_link_among_the_outputs_is_not_followed(tmp_path: Path, is_directory: bool) -> None:
    """Neither a link in the directory of outputs nor that directory as a link leads outside."""
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "passwd").write_text("secret")
    outputs = tmp_path / ".claude" / OUTPUTS
    persisted(tmp_path, "cut here", {"persistedOutputPath": "/x/passwd"})
    if is_directory:
        (outputs / "b1.txt").unlink()
        outputs.rmdir()
        outputs.symlink_to(secrets)
    else:
        (outputs / "passwd").symlink_to(secrets / "passwd")
    (found,) = backscroll.calls(UUID, tmp_path)

    assert found.result is not None
    assert "cut here" == found.result.text


def test_an_output_that_quotes_a_notice(tmp_path: Path) -> None:
    """An output that only contains the words of such a notice is not replaced."""
    text = "The log says: <persisted-output>\nFull output saved to: b1.txt"
    found = persisted(tmp_path, text)

    assert found.result is not None
    assert text == found.result.text


def test_a_persisted_output_that_is_gone(tmp_path: Path) -> None:
    """Where the file was swept away, the notice stays."""
    found = persisted(tmp_path, "<persisted-output>\nsaved to: /x/gone.txt", None)

    assert found.result is not None
    assert "<persisted-output>\nsaved to: /x/gone.txt" == found.result.text


def test_a_background_agent_answers_in_a_notice(tmp_path: Path) -> None:
    """The final answer of an agent that ran in the background is its call's result."""
    draft = Draft(UUID).prompt("A")
    agent = draft.agent("Job", "Do", background=True)
    draft.answer("Meanwhile").notify(agent, "All done").write(home(tmp_path))
    (found,) = [item for item in backscroll.calls(UUID, tmp_path) if item.name == "Agent"]

    assert found.result is not None
    assert ("All done", agent.agent_id) == (found.result.text, found.started_agent)


@pytest.mark.parametrize(
    "note, expected",
    [
        ("<task-notification><task-id>a7</task-id><result>\nDone\n</result></task-notification>", "Done"),
        ('{"task_id":"a7","status":"done"}', '{"task_id":"a7","status":"done"}'),
    ],
)
@pytest.mark.parametrize("kind", ["user", "queue-operation", "attachment"])
def test_notices_in_every_record(tmp_path: Path, kind: str, note: str, expected: str) -> None:
    """A notice is found in a user record, a queue operation or an attachment; without a result it is taken whole."""
    holders: dict[str, dict[str, Any]] = {
        "user": user("n1", "r1", note, origin={"kind": "task-notification"}),
        "queue-operation": {"type": "queue-operation", "operation": "enqueue", "content": note},
        "attachment": {"type": "attachment", "uuid": "n1", "attachment": {"type": "queued_command", "prompt": note}},
    }
    launched = {"status": "async_launched", "agentId": "a7"}
    (found,) = calls(
        tmp_path,
        assistant("a1", None, [call("t1", "Agent")]),
        user("r1", "a1", [given("t1", "launched")], toolUseResult=launched),
        holders[kind],
    )

    assert found.result is not None
    assert expected == found.result.text


def test_a_completed_agent_keeps_its_own_answer(tmp_path: Path) -> None:
    """A later notice does not replace what a call that waited was given."""
    note = "<task-notification><task-id>a7</task-id><result>later</result></task-notification>"
    (found,) = calls(
        tmp_path,
        assistant("a1", None, [call("t1", "Agent")]),
        user("r1", "a1", [given("t1", "at once")], toolUseResult={"status": "completed", "agentId": "a7"}),
        user("n1", "r1", note),
    )

    assert found.result is not None
    assert "at once" == found.result.text


def test_an_output_too_large_as_the_program_writes_it(tmp_path: Path) -> None:
    """What 2.1 writes is read back whole."""
    tool = Tool("Bash", {"command": "x"}, "beginning", {"stdout": "beginning"}, saved="beginning and end")
    Draft(UUID).prompt("A").answer(calls=[tool]).write(home(tmp_path))
    (found,) = backscroll.calls(UUID, tmp_path)

    assert found.result is not None
    assert "beginning and end" == found.result.text
