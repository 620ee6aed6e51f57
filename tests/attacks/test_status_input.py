"""Hostile values in every field that `statusline` reads: always one line, never an internal error."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from chance import chance, rounds
from hostile_values import VALUES, broken, fields, with_value
from make import UUID, Draft, home, line

from backscroll.cli.main import run

SEED = 18
CASES = 40
MORE = (10**400, float("inf"), float("nan"), -float("inf"), 1e-320, True, "9" * 400)
NESTED = b'{"message":{"usage":' + b"[" * 100_000 + b"\n"
ODD = (b"", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 2_000, b'"' + b"x" * 2_000_000 + b'"')


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with an index, and a transcript whose last answer states hostile counts."""
    Draft(UUID, "/srv/zoo").prompt("feed the okapi").answer("Fed.").write(home(tmp_path / "root"))
    assert 0 == run(["--root", str(tmp_path / "root"), "index"])
    return tmp_path / "root"


def told(path: Path) -> dict[str, Any]:
    """Return an input as Claude Code writes it."""
    return {
        "session_id": UUID,
        "transcript_path": str(path),
        "model": {"id": "claude-opus-4-6", "display_name": "Opus"},
        "cost": {"total_cost_usd": 0.1},
        "context_window": {"context_window_size": 200_000, "used_percentage": 5},
    }


def check(root: Path, data: bytes, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Run the command with an input: one line comes out."""
    capfdbinary.readouterr()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    code = run(["--root", str(root), "statusline"])
    out, said = capfdbinary.readouterr()

    assert (0, 1, b"") == (code, out.count(b"\n"), said), data[:200]
    assert b"\x1b" not in out, data[:200]


@pytest.mark.slow
def test_every_field(root: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Each field takes each hostile value; then the whole input is damaged."""
    whole = told(next(root.rglob("*.jsonl")))
    numbers = chance(SEED)
    for path in fields(whole):
        for value in (*VALUES, *MORE):
            check(root, line(with_value(whole, path, value)), monkeypatch, capfdbinary)
    for _ in range(rounds(CASES)):
        check(root, broken(line(whole), numbers), monkeypatch, capfdbinary)
    for data in ODD:
        check(root, data, monkeypatch, capfdbinary)


@pytest.mark.slow
def test_every_count(root: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Each token count of the last answer takes each hostile value, and the answer may be nested without end."""
    path = next(root.rglob("*.jsonl"))
    kept = path.read_bytes()
    asked = told(path) | {"context_window": {"context_window_size": 200_000}}
    for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
        for value in (*VALUES, *MORE):
            record = {"type": "assistant", "message": {"usage": {"input_tokens": 1, name: value}}}
            path.write_bytes(kept + line(record))
            check(root, json.dumps(asked).encode(), monkeypatch, capfdbinary)
    path.write_bytes(kept + NESTED)
    check(root, json.dumps(asked).encode(), monkeypatch, capfdbinary)
