"""Sparse files of 10 GB: every command answers in seconds and little memory, and accounts for the bytes."""

import os
import resource
import subprocess
from pathlib import Path

import pytest
from command import PROGRAM, answer
from make import UUID, Draft, home, row, write_desktop

HUGE = 10 << 30
MOST_SECONDS, MOST_BYTES = 60, 300 << 20
SIDE = {
    "transcript": "projects/-p/22222222-2222-4222-8222-222222222222.jsonl",
    "agent": f"projects/-p/{UUID}/subagents/agent-a0123456789abcdef.jsonl",
    "tool-result": f"projects/-p/{UUID}/tool-results/x.txt",
    "title": f"projects/-p/{UUID}/custom-title.json",
    "project-index": "projects/-p/sessions-index.json",
    "history": "history.jsonl",
    "todos": f"todos/{UUID}-agent-{UUID}.json",
    "plan": "plans/x.md",
    "settings": "settings.json",
    "global-config": ".claude.json",
}


def blow_up(path: Path, data: bytes = b"") -> Path:
    """Make a file 10 GB long without writing them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(data)
        file.truncate(HUGE)
    if path.stat().st_blocks * 512 > 1 << 20:
        path.unlink()
        pytest.skip("this file system keeps no holes")
    return path


def bounded(root: Path, *command: str) -> None:
    """Run a command that may take neither long nor much memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))

    done = subprocess.run(
        [*PROGRAM, "--root", str(root), *command],
        env=os.environ,
        capture_output=True,
        timeout=MOST_SECONDS,
        check=False,
        preexec_fn=limit,
    )

    assert 0 == done.returncode, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("kind", SIDE)
def test_a_file_of_10_gigabytes(kind: str, tmp_path: Path) -> None:
    """A transcript or side file that is one hole costs neither time nor memory, whatever is asked."""
    Draft(UUID, "/p").prompt("Hello").answer("Hi.").write(home(tmp_path))
    blow_up(tmp_path / ".claude" / SIDE[kind])
    for command in (["search", "Hello"], ["list"]):
        bounded(tmp_path, *command)

    assert UUID in [session["id"] for session in answer(tmp_path, "list", "--all")["sessions"]]


def test_desktop_files_of_10_gigabytes(tmp_path: Path) -> None:
    """A row and a log of browser storage of 10 GB are no different."""
    Draft(UUID, "/p").prompt("Hello").answer("Hi.").write(write_desktop(home(tmp_path)))
    blow_up(row(tmp_path))
    blow_up(next((tmp_path / ".config/Claude/Local Storage/leveldb").glob("*.log")))

    bounded(tmp_path, "search", "Hello")


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\0", b"\xff\xfe{\0"], ids=["gzip", "UTF-16"])
def test_packed_transcripts_of_10_gigabytes(data: bytes, tmp_path: Path) -> None:
    """A transcript of 10 GB that looks packed is no different."""
    Draft(UUID, "/p").prompt("Hello").answer("Hi.").write(home(tmp_path))
    blow_up(tmp_path / ".claude" / SIDE["transcript"], data)

    bounded(tmp_path, "list")


def test_the_hole_of_a_transcript_is_damage(tmp_path: Path) -> None:
    """Records before a hole are read, and the hole is damage with its place."""
    path = Draft(UUID, "/p").prompt("Hello").answer("Hi.").write(home(tmp_path))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(HUGE)
    (found,) = answer(tmp_path, "show", UUID)["damage"]

    assert "NUL bytes" == found["reason"]
    assert (size, HUGE - size) == (found["place"]["offset"], found["place"]["length"])


def test_secrets_around_a_hole_are_found(tmp_path: Path) -> None:
    """A hole holds no secret, so `redact` passes over it with little memory; it finds those on both sides."""
    place = tmp_path / "notes.txt"
    secret = b"token = ghp_" + b"Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2" + b"\n"
    with place.open("wb") as file:
        file.write(secret)
        file.seek(100 << 20)
        file.write(b"\n" + secret)
    bounded(home(tmp_path / "root"), "redact", "--no-identities", str(place))

    found = answer(tmp_path / "root", "redact", "--no-identities", str(place))["findings"]
    assert [False, True] == [one["place"]["offset"] > 100 << 20 for one in found]
