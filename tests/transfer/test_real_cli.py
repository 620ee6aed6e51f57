"""The real Claude Code, old and newest, goes on with sessions that were transferred; it found none before."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import UUID, Draft, home, inside, manifest
from two_accounts import aged, transcript_id, transfer

from backscroll.stores.project_key import encode

PLACES = {name: os.environ.get(name) for name in ("REAL_CLAUDE", "REAL_CLAUDE_OLD")}
"""The newest real Claude Code, and an old one."""
MISSING = "No conversation found"

pytestmark = pytest.mark.slow


class RealCli:
    """One real Claude Code, run without network against a mock of the API."""

    def __init__(self, program: str, shared: Path, *, is_newest: bool) -> None:
        self.is_newest = is_newest
        """The newest finds a session from any directory."""
        self._program = program
        self._start = shared / "real-cli"

    def asked(self, root: Path, work: Path, name: str) -> str:
        """Resume a session, ask once, and return everything that it said."""
        seed: list[str | Path] = ["python3", self._start / "seedhome.py", root, work]
        subprocess.run(seed, check=True, capture_output=True)
        line: list[str | Path] = [self._start / "run.sh", root, work, self._program, "-p", "again", "--resume", name]
        done = subprocess.run(
            [*line, "--output-format", "json"], check=False, capture_output=True, text=True, timeout=300
        )
        return done.stdout + done.stderr


@pytest.fixture(params=PLACES)
def real(request: pytest.FixtureRequest, shared: Path) -> RealCli:
    """Return one of the real programs, or skip."""
    program = PLACES[str(request.param)]
    if program is None:
        pytest.skip(f"needs the real Claude Code: {request.param}=/path/to/claude")
    return RealCli(program, shared, is_newest=request.param == "REAL_CLAUDE")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return the directory in which sessions go on."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def goes_on(real: RealCli, root: Path, work: Path, name: str) -> None:
    """Check that the program goes on with a session, and appends to its file."""
    path = root / ".claude/projects" / encode(str(work)) / f"{name}.jsonl"
    before = path.read_bytes()

    said_by_it = real.asked(root, work, name)

    assert name in said_by_it, said_by_it
    assert MISSING not in said_by_it
    assert path.read_bytes().startswith(before)
    assert path.stat().st_size > len(before)


def test_a_session_of_another_directory(real: RealCli, tmp_path: Path, work: Path) -> None:
    """`transfer resume --as-new` and `--move`: a session whose directory is gone goes on here."""
    root = home(tmp_path / "user")
    Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    aged(root)

    code, done = transfer(root, "resume", UUID, "--cwd", work, "--as-new", "--apply")
    assert 0 == code
    goes_on(real, root, work, done["session"])
    assert 0 == transfer(root, "resume", UUID, "--cwd", work, "--move", "--apply")[0]
    goes_on(real, root, work, UUID)


def test_a_cowork_session_that_has_only_its_audit(real: RealCli, tmp_path: Path, work: Path) -> None:
    """The transcript that is built from the audit log goes on under its new id."""
    root = home(tmp_path / "user")
    path = manifest(root, cliSessionId=UUID)
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "x", "uuid": "00000000-0000-4000-8000-000000000001"},
        {"type": "user", "message": {"role": "user", "content": "Which tides?"}, "uuid": transcript_id(1)},
        {"type": "user", "message": {"role": "user", "content": "Which tides?"}, "uuid": transcript_id(1)},
        {
            "type": "assistant",
            "message": {"id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": "High ones."}]},
            "uuid": transcript_id(2),
            "parent_tool_use_id": None,
        },
    ]
    stamped = [{**one, "_audit_timestamp": "2026-05-01T10:00:00.000Z"} for one in lines]
    inside(path, "audit.jsonl", b"".join(json.dumps(one).encode() + b"\n" for one in stamped))
    aged(root)

    assert MISSING in real.asked(root, work, UUID)
    code, done = transfer(root, "resume", UUID, "--cwd", work, "--apply")

    assert 0 == code, done
    assert UUID != done["session"]
    assert "built from the audit log, under a new id" in done["plan"][0]["why"]
    goes_on(real, root, work, done["session"])


def test_a_session_of_the_archive(real: RealCli, tmp_path: Path, work: Path) -> None:
    """A session that Claude Code deleted goes on from the archive."""
    root = home(tmp_path / "user")
    path = Draft(UUID, str(work)).prompt("Hello").answer("Hi.").write(root)
    assert 0 == said("--root", root, "archive", "sync")[0]
    path.unlink()

    assert MISSING in real.asked(root, work, UUID)
    code, done = transfer(root, "resume", UUID, "--apply")
    assert 0 == code, done
    goes_on(real, root, work, UUID)


def test_a_project_that_moved(real: RealCli, tmp_path: Path, work: Path) -> None:
    """After `mv` an old program finds no conversation in the new directory; after `transfer project` it goes on."""
    root, moved = home(tmp_path / "user"), tmp_path / "moved"
    Draft(UUID, str(work)).prompt("Hello").answer("Hi.").write(root)
    work.rename(moved)
    aged(root)

    found_before = MISSING not in real.asked(root, moved, UUID)
    aged(root)
    code, done = transfer(root, "project", str(work), str(moved), "--apply")

    assert real.is_newest or not found_before
    assert 0 == code, done
    goes_on(real, root, moved, UUID)


def test_a_bundle(real: RealCli, tmp_path: Path, work: Path) -> None:
    """A session of another machine goes on here after `transfer unpack`."""
    root, other = home(tmp_path / "user"), home(tmp_path / "other")
    Draft(UUID, "C:\\Users\\ann\\shop").prompt("Hello").answer("Hi.").write(root)
    bundle = tmp_path / "b.tar.zst"
    assert 0 == transfer(aged(root), "pack", UUID, "-o", bundle)[0]

    assert MISSING in real.asked(other, work, UUID)
    code, done = transfer(other, "unpack", bundle, "--map", f"C:\\Users\\ann\\shop={work}", "--apply")
    assert 0 == code, done
    goes_on(real, other, work, UUID)
