"""Cowork's audit read as a transcript, and for what only it knows."""

import io
from pathlib import Path
from typing import Any

from make import line, user

from backscroll.sessions.desktop_model import AuditTrail
from backscroll.sessions.transcript import audit, source
from backscroll.sessions.transcript.conversation import Conversation, read_conversation

TIME = "2026-05-01T10:00:00.000Z"


def record(kind: str, **fields: Any) -> dict[str, Any]:
    """Return a record of an audit."""
    return {"type": kind, "_audit_timestamp": TIME, "_audit_hmac": "00", "session_id": "unreliable", **fields}


def said(role: str, uuid: str, text: str, **fields: Any) -> dict[str, Any]:
    """Return what somebody says in an audit."""
    message = {"id": f"msg_{uuid}", "role": role, "content": [{"type": "text", "text": text}]}
    return record(role, uuid=uuid, message=message, **fields)


def read(directory: Path, *records: dict[str, Any]) -> Conversation:
    """Write an audit and read it as a conversation."""
    path = directory / source.AUDIT
    path.write_bytes(b"".join(map(line, records)))
    return read_conversation([str(path)])


def test_an_audit_is_a_conversation(tmp_path: Path) -> None:
    """Records follow one another in the order of the file, with the time of the audit."""
    with read(tmp_path, said("user", "u1", "Hi"), said("assistant", "a1", "Hello")) as found:
        heads = [node.head for node in found.tree.nodes]

        assert [("u1", "typed"), ("a1", "assistant")] == [(head.uuid, head.kind) for head in heads]
        assert {TIME} == {head.time for head in heads}
        assert 1 == len(found.tree.branches)


def test_a_prompt_that_was_sent_and_replayed(tmp_path: Path) -> None:
    """The same record twice is one message."""
    with read(tmp_path, said("user", "u1", "Hi"), said("user", "u1", "Hi")) as found:
        assert (1, 1) == (len(found.tree.nodes), len(found.tree.nodes[0].repeats))


def test_agents_are_told_apart(tmp_path: Path) -> None:
    """What an agent says names the call that started it, and is no part of the session's own conversation."""
    call = {"id": "msg_a1", "role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "Task"}]}
    with read(
        tmp_path,
        said("user", "u1", "Hi"),
        record("assistant", uuid="a1", message=call),
        said("user", "u2", "Do it", parent_tool_use_id="toolu_1"),
        said("assistant", "a2", "Done", parent_tool_use_id="toolu_1"),
    ) as found:
        assert (2, ["toolu_1"]) == (len(found.tree.nodes), [agent.id for agent in found.inline])


def test_what_is_no_conversation_is_kept(tmp_path: Path) -> None:
    """Permissions and results are records of the program, and count as nobody's words."""
    with read(tmp_path, said("user", "u1", "Hi"), record("permission_request"), record("result", num_turns=1)) as found:
        assert [True, False, False] == [node.head.is_spoken for node in found.tree.nodes]


def trail(*records: dict[str, Any]) -> AuditTrail:
    """Return what an audit of some records tells."""
    return audit.read_trail(io.BytesIO(b"".join(map(line, records))), "audit.jsonl")


def test_permissions() -> None:
    """Decisions are found under the names that different versions gave them."""
    found = trail(
        record("permission_request", tool_name="Bash"),
        record("permission_response", toolName="Bash", response={"behavior": "allow"}),
        record("permission_response", tool="Write", approved=False, reason="not there"),
        record("permission_auto_denied"),
    ).permissions

    assert [("Bash", "request"), ("Bash", "allow"), ("Write", "denied"), (None, "auto_denied")] == [
        (one.tool, one.decision) for one in found
    ]
    assert "not there" == found[2].reason


def test_permissions_as_desktop_writes_them() -> None:
    """Decisions are records of the system, of which a request and its answer share the id."""
    found = trail(
        record("system", subtype="init"),
        record("system", subtype="permission_request", uuid="r1", tool_name="Bash", tool_input={"command": "rm x"}),
        record(
            "system", subtype="permission_response", uuid="r1", tool_name="Bash", decision="allow_once", granted=True
        ),
        record("system", subtype="permission_auto_approved", tool_name="Read", source="session_rule_cache"),
    ).permissions

    assert [
        ("Bash", "request", None),
        ("Bash", "allow_once", None),
        ("Read", "auto_approved", "session_rule_cache"),
    ] == [(one.tool, one.decision, one.reason) for one in found]


def test_what_the_program_made_up_is_not_typed(tmp_path: Path) -> None:
    """A synthetic prompt is nobody's; a result keeps the program's own data."""
    given = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]}
    with read(
        tmp_path,
        said("user", "u1", "Task finished", isSynthetic=True),
        record("user", uuid="u2", message=given, tool_use_result={"stdout": "a"}),
    ) as found:
        first, second = (node.head for node in found.tree.nodes)

        assert not first.is_spoken
        assert {"stdout": "a"} == found.value(second)["toolUseResult"]


def test_a_run_that_was_stopped() -> None:
    """Why a run ended says more than that it did not fail."""
    (run,) = trail(record("result", subtype="success", terminal_reason="aborted_tools")).runs

    assert "aborted_tools" == run.outcome


def test_runs() -> None:
    """Costs are told as stated, unknown ones as unknown, and odd ones not believed."""
    found = trail(
        record("result", total_cost_usd=0.5, num_turns=2, duration_ms=9), record("result", total_cost_usd="x")
    )

    assert [(0.5, 2, 9), (None, None, None)] == [(run.cost, run.turns, run.milliseconds) for run in found.runs]


def test_damage_of_an_audit() -> None:
    """What could not be read is named; the rest counts."""
    found = audit.read_trail(io.BytesIO(line(record("result")) + b"{torn\n" + line(user("u1"))), "audit.jsonl")

    assert (1, 1) == (len(found.runs), len(found.damage))
