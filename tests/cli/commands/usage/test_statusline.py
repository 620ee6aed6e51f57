"""`statusline`: one line for Claude Code, from the index as it is."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command import PROGRAM, TIMEOUT
from make import UUID, Draft, home

from backscroll.lazy import PLAIN_START


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a session that was held just now, in the index."""
    started = datetime.now(UTC) - timedelta(minutes=2)
    Draft(UUID, "/srv/shop", started=started).prompt("Go").answer("Yes.").write(home(tmp_path / "home"))
    subprocess.run([*PROGRAM, "--root", str(tmp_path / "home"), "index"], check=True, capture_output=True)
    return tmp_path / "home"


def line(root: Path, told: Any) -> str:
    """Return the line for what Claude Code writes."""
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    command = [*PROGRAM, "--root", str(root), "statusline"]
    done = subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT, check=False)

    assert (0, b"") == (done.returncode, done.stderr)
    assert done.stdout.count(b"\n") == 1
    return done.stdout.decode().rstrip("\n")


def test_costs_and_context(root: Path) -> None:
    """Model, cost of the session, of today and of the block, and the context of the last answer."""
    path = next(root.glob(".claude/projects/*/*.jsonl"))
    told = {"session_id": UUID, "transcript_path": str(path), "model": {"display_name": "Opus"}}
    parts = line(root, told).split(" · ")

    assert "Opus" == parts[0]
    assert ["session", "today"] == [part.split()[-1] for part in parts[1:3]]
    assert all(part.startswith("$") for part in parts[1:4])
    assert "left" == parts[3].split()[-1]
    assert "context" == parts[4].split()[-1]


def test_the_word_of_claude_code_counts_more(root: Path) -> None:
    """The cost and the context that Claude Code states are newer than the index."""
    told = {"session_id": UUID, "cost": {"total_cost_usd": 12.5}, "context_window": {"used_percentage": 42}}
    found = line(root, told)

    assert "$12.50 session" in found
    assert found.endswith("42% context")


@pytest.mark.parametrize("told", [b"", b"{", b"[]", b'{"model": 3, "cost": [], "transcript_path": "/dev/zero"}'])
def test_any_input(root: Path, told: bytes) -> None:
    """Whatever stands on standard input, one line comes out."""
    assert "today" in line(root, told)


@pytest.mark.parametrize("number", ["1e400", "9" * 400, "-1", "NaN"])
def test_impossible_numbers(root: Path, number: str) -> None:
    """A cost or a share that cannot be is left out."""
    told = f'{{"cost": {{"total_cost_usd": {number}}}, "context_window": {{"used_percentage": {number}}}}}'
    found = line(root, told.encode())

    assert "session" not in found
    assert "context" not in found


def test_as_json(root: Path) -> None:
    """`--json` prints the line and the figures of the index in one document."""
    command = [*PROGRAM, "--root", str(root), "statusline", "--json"]
    done = subprocess.run(command, input=b"{}", capture_output=True, timeout=TIMEOUT, check=True)
    found = json.loads(done.stdout)

    assert {"line", "session", "today", "block", "block_end"} == found.keys()
    assert "today" in found["line"]
    assert found["session"] is None


def test_without_an_index(tmp_path: Path) -> None:
    """Nothing is read where there is no index yet."""
    Draft(UUID, "/srv/shop").prompt("Go").answer("Yes.").write(home(tmp_path))

    assert "backscroll: no figures yet" == line(tmp_path, {})


def test_nothing_is_updated(root: Path) -> None:
    """A session that the index does not know yet stays unknown."""
    other = "22222222-2222-4222-8222-222222222222"
    before = line(root, {"session_id": other})
    Draft(other, "/srv/shop", started=datetime.now(UTC)).prompt("Go").answer("Yes.").write(root)

    assert before == line(root, {"session_id": other})


def test_it_imports_little(root: Path) -> None:
    """It imports no package that costs milliseconds: Claude Code runs it after every answer."""
    command = [sys.executable, "-X", "importtime", "-m", "backscroll", "--root", str(root), "statusline"]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=True, env=os.environ | {PLAIN_START: ""})
    imported = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}

    assert "backscroll.stats.status" in imported
    assert set() == imported & {"msgspec", "orjson", "tantivy", "watchfiles", "rich", "asyncio", "logging"}
