"""`transfer resume` of sessions that are elsewhere: Cowork's audit, the archive; and `--run`."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import run, said
from make import UUID, Draft, fingerprint, home, inside, line, manifest, write_side
from two_accounts import aged, reasons, statuses, transcript_id, transfer

from backscroll.stores.project_key import encode


def audit_lines() -> list[dict[str, Any]]:
    """Return an audit with a repeated prompt, an agent's message, a call, a result and a torn end."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"}
    told = [
        ("system", None, None),
        ("user", "Which files?", "u1"),
        ("user", "Which files?", "u1"),
        ("assistant", [call], "a1"),
        ("user", [result], "u2"),
        ("assistant", [{"type": "text", "text": "inner"}], "agent"),
        ("assistant", [{"type": "text", "text": "One."}], "a2"),
        ("result", None, None),
    ]
    lines = []
    for kind, content, name in told:
        message = {"message": {"role": kind, "content": content, "id": f"msg_{name}"}} if content else {}
        owner = "toolu_9" if name == "agent" else None
        stamp = {"_audit_timestamp": "2026-05-01T10:00:00.000Z", "_audit_hmac": "00", "parent_tool_use_id": owner}
        lines.append({"type": kind, **message, **stamp, **({"uuid": name} if name else {})})
    lines[4]["tool_use_result"] = {"stdout": "a.txt"}
    return lines


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return the directory in which sessions go on."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a Cowork session that has an audit and no transcript."""
    directory = home(tmp_path / "user")
    path = manifest(directory, cliSessionId=UUID)
    inside(path, "audit.jsonl", b"".join(map(line, audit_lines())) + b'{"type":"user","mess')
    return aged(directory)


def test_a_transcript_is_built_from_the_audit(root: Path, work: Path) -> None:
    """Each message of the conversation once, chained, under a new id; the plan says so; twice is once; undo."""
    before = fingerprint(root)

    code, plan = transfer(root, "resume", UUID, "--cwd", work)
    assert 0 == code
    assert "4 records are built from the audit log, under a new id; 1 lines could not be read" in reasons(plan)
    code, done = transfer(root, "resume", UUID, "--cwd", work, "--apply")

    name = done["session"]
    records = [json.loads(text) for text in (path_of(root, work, name)).read_bytes().splitlines()]
    assert (0, True, plan["session"]) == (code, done["applied"], name)
    assert UUID != name
    assert ["u1", "a1", "u2", "a2"] == [one["uuid"] for one in records]
    assert [None, "u1", "a1", "u2"] == [one["parentUuid"] for one in records]
    assert {name} == {one["sessionId"] for one in records}
    assert {"stdout": "a.txt"} == records[2]["toolUseResult"]
    assert [("keep", "same")] == statuses(transfer(root, "resume", UUID, "--cwd", work, "--apply")[1])
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def path_of(root: Path, work: Path, name: str) -> Path:
    """Return the place of a transcript under the key of a directory."""
    return root / ".claude/projects" / encode(str(work)) / f"{name}.jsonl"


def test_an_audit_without_messages(root: Path, work: Path) -> None:
    """Nothing to build from is refused."""
    next(root.rglob("audit.jsonl")).write_bytes(line({"type": "result", "_audit_timestamp": "2026-05-01T10:00:00Z"}))
    aged(root)

    code, answer = transfer(root, "resume", UUID, "--cwd", work)

    assert 4 == code
    assert "no message" in reasons(answer)


def test_a_session_of_the_archive(tmp_path: Path, work: Path) -> None:
    """A session that only the archive has is restored under the key of the directory, and undone again."""
    root = home(tmp_path / "user")
    path = Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    data = path.read_bytes()
    said("--root", root, "archive", "sync")
    path.unlink()
    aged(root)
    before = fingerprint(root)

    assert 4 == transfer(root, "resume", UUID)[0]
    code, done = transfer(root, "resume", UUID, "--cwd", work, "--apply")

    assert (0, True, UUID, str(work)) == (code, done["applied"], done["session"], done["cwd"])
    assert data == path_of(root, work, UUID).read_bytes()
    assert done["command"].endswith(f"claude --resume {UUID}")
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def test_a_plan_goes_along(tmp_path: Path, work: Path) -> None:
    """The plan document that the records name by its slug comes with the session of another configuration."""
    root = home(tmp_path / "user")
    path = manifest(root, cliSessionId=UUID)
    text = Draft(UUID, "/sessions/x").prompt("Hello").answer("Hi.").text()
    lines = [line({**json.loads(one), "slug": "calm-sea"}) for one in text.splitlines()]
    inside(path, f".claude/projects/session/{UUID}.jsonl", b"".join(lines))
    inside(path, ".claude/plans/calm-sea.md", b"# Plan")
    aged(root)

    transfer(root, "resume", UUID, "--cwd", work, "--apply")

    assert b"# Plan" == (root / ".claude/plans/calm-sea.md").read_bytes()


def test_run_starts_the_program(tmp_path: Path, work: Path) -> None:
    """--run becomes `claude --resume UUID` in the directory; without --apply it is wrong use if files must come."""
    root, programs = home(tmp_path / "user"), tmp_path / "bin"
    Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    aged(root)
    programs.mkdir()
    (programs / "claude").write_text('#!/bin/sh\necho "$PWD $CLAUDE_CONFIG_DIR $*"\n')
    (programs / "claude").chmod(0o755)
    line_of = ("--root", root, "transfer", "resume", UUID, "--cwd", work, "--move", "--run")

    assert 2 == run(*line_of).returncode
    done = run(*line_of, "--apply", PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")

    assert f"{work} {root}/.claude --resume {UUID}".encode() == done.stdout.strip().split(b"\n")[-1]


def test_a_live_owner_needs_force(tmp_path: Path, work: Path) -> None:
    """A session that a process has open is refused without --force."""
    root = home(tmp_path / "user")
    Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    write_side(root, f"sessions/{os.getpid()}.json", json.dumps({"sessionId": UUID}).encode())
    aged(root)

    code, answer = transfer(root, "resume", UUID, "--cwd", work, "--move", "--apply")
    assert 4 == code
    assert f"process {os.getpid()} has {UUID} open" in reasons(answer)
    assert 0 == transfer(root, "resume", UUID, "--cwd", work, "--move", "--apply", "--force")[0]


def test_an_ambiguous_id_is_a_conflict(tmp_path: Path) -> None:
    """Several sessions for one id: exit 4, with the candidates."""
    root = home(tmp_path / "user")
    for number in (1, 2):
        Draft(transcript_id(number), "/gone").prompt("Hello").write(root)

    code, answer = transfer(root, "resume", "0000000")

    assert 4 == code
    assert transcript_id(1) in answer["error"]
    assert transcript_id(2) in answer["error"]
