"""A Cowork session of which only the audit was on this disk: the archive keeps it like any other."""

import json
import shutil
from pathlib import Path
from typing import Any

from command import answer, said
from make import UUID, home, inside, line, manifest

from backscroll.stores.desktop import COWORK_ROWS

TIME = "2026-05-01T10:00:00.000Z"
OTHER = "11111111-2222-4333-8444-555555555555"


def spoken(uuid: str, role: str, text: str) -> dict[str, Any]:
    """Return a record of an audit."""
    message = {"id": f"msg_{uuid}", "role": role, "content": [{"type": "text", "text": text}]}
    return {"type": role, "_audit_timestamp": TIME, "session_id": "other", "uuid": uuid, "message": message}


def audited(root: Path, **fields: Any) -> Path:
    """Write a session whose transcript is in its virtual machine; return the audit."""
    path = manifest(home(root), cliSessionId=UUID, **fields)
    inside(path, "outputs/report.md", b"# Tides\n")
    records = [spoken("u1", "user", "Count the okapis"), spoken("a1", "assistant", "There are two.")]
    return inside(path, "audit.jsonl", b"".join(map(line, records)))


def files(root: Path) -> dict[str, bytes]:
    """Return the bytes of every file."""
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def reset(root: Path) -> None:
    """Delete everything of Cowork, as an update does."""
    for path in root.rglob(COWORK_ROWS):
        shutil.rmtree(path)


def test_a_session_that_has_only_its_audit(tmp_path: Path) -> None:
    """It is listed, shown and found under its id after everything is gone, and comes back byte for byte."""
    audited(tmp_path)
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    before, live = files(tmp_path), answer(tmp_path, "show", UUID)
    assert ["archive", "cowork"] == live["session"]["stores"]
    reset(tmp_path)

    kept = answer(tmp_path, "show", UUID)
    assert ("kept", ["archive"]) == (kept["session"]["state"], kept["session"]["stores"])
    assert [TIME, TIME] == [one["time"] for one in kept["messages"]]
    assert [one["parts"] for one in live["messages"]] == [one["parts"] for one in kept["messages"]]
    assert [UUID] == [hit["session"] for hit in answer(tmp_path, "search", "okapis")["hits"]]
    assert [UUID] == [one["id"] for one in answer(tmp_path, "archive", "list")["sessions"]]
    assert 1 == answer(tmp_path, "archive", "status")["sessions"]

    code, out, _ = said("--root", tmp_path, "archive", "restore", UUID, "--apply", "--json")
    assert (0, True, None) == (code, json.loads(out)["applied"], json.loads(out)["command"])
    assert before == files(tmp_path)
    assert "live" == answer(tmp_path, "show", UUID)["session"]["state"]
    code, out, _ = said("--root", tmp_path, "archive", "restore", UUID, "--json")
    assert (0, {"same"}) == (code, {step["status"] for step in json.loads(out)["plan"]})


def test_an_audit_without_manifest(tmp_path: Path) -> None:
    """It has the id of its directory, as in the live list."""
    path = audited(tmp_path)
    data = path.read_bytes()
    path.parent.with_suffix(".json").unlink()
    (live,) = answer(tmp_path, "list")["sessions"]
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    reset(tmp_path)

    (kept,) = answer(tmp_path, "list")["sessions"]
    assert (live["id"], "kept", 2) == (kept["id"], kept["state"], kept["messages"])
    assert 0 == said("--root", tmp_path, "archive", "restore", kept["id"], "--apply")[0]
    assert data == path.read_bytes()


def test_an_audit_beside_a_transcript_is_not_counted(tmp_path: Path) -> None:
    """A session with a transcript is read from that alone, live and kept."""
    transcript = audited(tmp_path).parent / f".claude/projects/-sessions-calm-river/{UUID}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(line({"type": "user", "uuid": "u1", "sessionId": UUID, "message": {"content": "Count"}}))
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    assert [1] == [one["messages"] for one in answer(tmp_path, "list")["sessions"]]
    reset(tmp_path)
    assert [("kept", 1)] == [(one["state"], one["messages"]) for one in answer(tmp_path, "list")["sessions"]]


def test_an_imported_audit(tmp_path: Path) -> None:
    """The audit of a backup gets the id of its manifest there."""
    audited(tmp_path / "backup")
    root = home(tmp_path / "user")
    assert 0 == said("--root", root, "archive", "import", tmp_path / "backup")[0]

    assert [(UUID, "kept")] == [(one["id"], one["state"]) for one in answer(root, "list")["sessions"]]


def test_what_restore_refuses(tmp_path: Path) -> None:
    """Another live audit stays, and an audit gets no new id; `transfer resume` makes a transcript of it."""
    audit = audited(tmp_path)
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    longer = audit.read_bytes() + line(spoken("u2", "user", "More"))
    reset(tmp_path)
    assert 4 == said("--root", tmp_path, "archive", "restore", UUID, "--as-new")[0]
    code, out, _ = said("--root", tmp_path, "transfer", "resume", UUID, "--cwd", tmp_path, "--json")
    assert (0, ["write"]) == (code, [step["action"] for step in json.loads(out)["plan"]])

    audit.parent.mkdir(parents=True)
    audit.write_bytes(longer)
    (live,) = answer(tmp_path, "list")["sessions"]
    code, out, _ = said("--root", tmp_path, "archive", "restore", live["id"], "--json")
    assert (4, "the live file is longer or different, and stays") == (code, json.loads(out)["plan"][0]["why"])
    assert longer == audit.read_bytes()
