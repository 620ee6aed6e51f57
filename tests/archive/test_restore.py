"""`archive restore`: a deleted session comes back byte for byte, and never over anything else."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from command import answer, said
from make import UUID, Draft, fingerprint, home, write_side

from backscroll.demo import write_demo_home
from backscroll.stores.archived import CATALOGUE, SEGMENTS, rows_of
from backscroll.stores.project_key import encode

AGENTS = "71c5d0e8-6f2b-4a97-b1d4-8e9f0a1b2c06"
HISTORY = "3f0c2a51-7d7e-4c1b-9a53-0d5e8a7c1b01"
TODOS = "c94e1f3a-0b66-4d2e-b7a8-51d3c6e8f003"
PLACES = {name: os.environ.get(name) for name in ("REAL_CLAUDE", "REAL_CLAUDE_OLD")}
"""The newest real Claude Code, and an old one."""


def restored(root: Path, *options: str | Path) -> tuple[int, dict[str, Any]]:
    """Run the command, and return its exit code and its answer."""
    code, out, err = said("--root", root, "archive", "restore", *options, "--json")
    return code, json.loads(out) if out else {"error": err}


def contents(root: Path) -> dict[str, bytes]:
    """Return the bytes of every file of Claude Code's."""
    return {str(path): path.read_bytes() for path in (root / ".claude").rglob("*") if path.is_file()}


def delete(root: Path, session: str) -> None:
    """Delete a session as Claude Code's clean-up does, with everything that has its name."""
    for path in sorted((root / ".claude").rglob(f"{session}*")):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


@pytest.mark.parametrize("session", [AGENTS, HISTORY, TODOS])
def test_a_deleted_session_comes_back(session: str, tmp_path: Path) -> None:
    """Sync, delete, plan, restore, undo: the same bytes with the time of now, and then gone again."""
    root = write_demo_home(tmp_path / "demo")
    assert 0 == said("--root", root, "archive", "sync")[0]
    before = contents(root)
    delete(root, session)
    gone = fingerprint(root)
    assert before != contents(root)

    code, plan = restored(root, session[:8])
    assert (0, False, session) == (code, plan["applied"], plan["session"])
    assert gone == fingerprint(root)

    begun = time.time()
    code, done = restored(root, session, "--apply")
    assert (0, True) == (code, done["applied"])
    assert before == contents(root)
    (transcript,) = (root / ".claude").rglob(f"{session}.jsonl")
    assert transcript.stat().st_mtime >= begun - 2
    assert f"CLAUDE_CONFIG_DIR={root}/.claude claude --resume {session}" == done["command"]
    (listed,) = [one for one in answer(root, "list", "--all")["sessions"] if one["id"] == session]
    assert "kept" != listed["state"]

    code, again = restored(root, session, "--apply")
    assert (0, False, {"same"}) == (code, again["applied"], {step["status"] for step in again["plan"]})
    assert 0 == said("--root", root, "transfer", "undo")[0]
    assert gone == fingerprint(root)


@pytest.mark.parametrize("name", [".", SEGMENTS])
def test_an_archive_that_others_could_change(name: str, tmp_path: Path) -> None:
    """Nothing is copied into or restored from an archive that others may write to; its sessions are still listed."""
    root = write_demo_home(tmp_path / "demo")
    assert 0 == said("--root", root, "archive", "sync")[0]
    delete(root, TODOS)
    place = Path(answer(root, "archive", "status")["path"], name)
    place.chmod(0o777)

    for words in (["sync"], ["restore", TODOS], ["restore", TODOS, "--apply"], ["prune", "--superseded", "--apply"]):
        code, _, err = said("--root", root, "archive", *words)
        assert (4, True) == (code, "others may write to the archive" in err and "chmod 700" in err)
    assert "kept" in said("--root", root, "list", "--all")[1]
    place.chmod(0o700)
    assert 0 == said("--root", root, "archive", "restore", TODOS, "--apply")[0]


def test_several_sessions(tmp_path: Path) -> None:
    """Several sessions are one plan, with one command for each."""
    root = write_demo_home(tmp_path / "demo")
    said("--root", root, "archive", "sync")
    before = contents(root)
    delete(root, AGENTS)
    delete(root, TODOS)
    code, done = restored(root, AGENTS, TODOS, "--apply")

    assert (0, [AGENTS, TODOS]) == (code, [one["session"] for one in done["sessions"]])
    assert before == contents(root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session, which the archive has."""
    directory = home(tmp_path / "user")
    Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.").write(directory)
    assert 0 == said("--root", directory, "archive", "sync")[0]
    return directory


def transcript(root: Path) -> Path:
    """Return the transcript of the session."""
    (found,) = root.rglob(f"{UUID}.jsonl")
    return found


@pytest.mark.parametrize("change", ["longer", "shorter", "different"])
def test_a_live_transcript_is_never_touched(root: Path, change: str) -> None:
    """A live file with other bytes is refused with 4; `--as-new` puts the kept one beside it."""
    path = transcript(root)
    kept = path.read_bytes()
    other = {"longer": kept + b"{}\n", "shorter": kept[:-9], "different": kept.replace(b"okapi", b"zebra")}
    path.write_bytes(other[change])
    before = fingerprint(root)
    code, plan = restored(root, UUID, "--apply")
    assert (4, False, None) == (code, plan["applied"], plan["command"])
    assert before == fingerprint(root)

    code, done = restored(root, UUID, "--as-new", "--apply")
    assert (0, True) == (code, done["applied"])
    assert UUID != done["session"]
    assert kept == path.with_name(f"{done['session']}.jsonl").read_bytes()
    assert other[change] == path.read_bytes()
    code, again = restored(root, UUID, "--as-new", "--apply")
    assert (0, False, done["session"]) == (code, again["applied"], again["session"])  # applied twice is one copy


def test_an_earlier_version(root: Path) -> None:
    """`--version 1 --as-new` restores the bytes from before a rewrite."""
    path = transcript(root)
    first = path.read_bytes()
    path.write_bytes(first.replace(b"okapi", b"zebra"))
    said("--root", root, "archive", "sync")
    code, done = restored(root, UUID, "--version", "1", "--as-new", "--apply")

    assert 0 == code
    assert first == path.with_name(f"{done['session']}.jsonl").read_bytes()
    assert 1 == restored(root, UUID, "--version", "9")[0]


def test_another_directory(root: Path, tmp_path: Path) -> None:
    """`--cwd` puts the session under that directory's key, but never makes a second copy of one id."""
    kept, path = transcript(root).read_bytes(), transcript(root)
    assert 4 == restored(root, UUID, "--cwd", tmp_path, "--apply")[0]
    assert path == transcript(root)
    path.unlink()
    code, done = restored(root, UUID, "--cwd", tmp_path, "--apply")

    assert (0, encode(str(tmp_path))) == (code, transcript(root).parent.name)
    assert kept == transcript(root).read_bytes()
    assert done["command"].startswith(f"cd {tmp_path} && ")


def test_a_session_in_use_is_refused(root: Path) -> None:
    """A running process that owns the session: exit 4, and nothing is written."""
    transcript(root).unlink()
    write_side(root, f"sessions/{os.getpid()}.json", json.dumps({"sessionId": UUID}).encode())
    before = fingerprint(root)

    assert 4 == restored(root, UUID, "--apply")[0]
    assert before == fingerprint(root)


def test_a_damaged_copy_is_not_restored(root: Path) -> None:
    """One flipped byte in the segment: exit 4 or 1, and nothing is written."""
    transcript(root).unlink()
    said("--root", root, "list")
    (segment,) = Path(os.environ["BACKSCROLL_HOME"]).rglob("*.zst")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)
    before = fingerprint(root)
    code, plan = restored(root, UUID, "--apply")

    assert 4 == code
    assert any("damaged" in (step["why"] or "") for step in plan["plan"])
    assert before == fingerprint(root)


def test_a_damaged_copy_of_a_small_file_is_left_out(tmp_path: Path) -> None:
    """The conversation comes back; the file whose copy is damaged is named, and not written."""
    root = write_demo_home(tmp_path / "demo")
    said("--root", root, "archive", "sync")
    (todo,) = (path for path in (root / ".claude/todos").rglob(f"{TODOS}*") if path.is_file())
    delete(root, TODOS)
    (part,) = (path.parent for path in Path(os.environ["BACKSCROLL_HOME"]).rglob(CATALOGUE))
    (kept,) = (row for row in rows_of(part) if row.path == bytes(todo))
    segment = part / SEGMENTS / kept.segment
    data = bytearray(segment.read_bytes())
    data[kept.end - 1] ^= 1
    segment.write_bytes(data)
    code, plan = restored(root, TODOS, "--apply")

    assert 0 == code
    assert ["skipped"] == [step["status"] for step in plan["plan"] if "damaged" in (step["why"] or "")]
    assert list(root.rglob(f"{TODOS}.jsonl")) != []
    assert not todo.exists()


def test_bad_input(root: Path, tmp_path: Path) -> None:
    """An unknown id, and one that the archive lacks, is 1; a missing directory is 4."""
    other = "11111111-2222-4333-8444-555555555555"
    Draft(other, "/home/ann/app").prompt("new").answer("Yes.").write(root)

    assert [1, 1] == [restored(root, name)[0] for name in ("nobody", other)]
    assert 4 == restored(root, UUID, "--cwd", tmp_path / "no")[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_the_real_program_resumes_it(name: str, tmp_path: Path, shared: Path) -> None:
    """Real Claude Code does not find a deleted session; after `archive restore` it goes on with it."""
    program = PLACES[name]
    if program is None:
        pytest.skip(f"needs the real Claude Code: {name}=/path/to/claude")
    root, work = home(tmp_path / "user"), tmp_path / "work"
    work.mkdir()
    path = Draft(UUID, str(work)).prompt("Hello").answer("Hi.").write(root)
    subprocess.run(["python3", shared / "real-cli/seedhome.py", root, work], check=True, capture_output=True)
    said("--root", root, "archive", "sync")
    kept = path.read_bytes()
    path.unlink()
    start = [str(shared / "real-cli/run.sh"), str(root), str(work), program]
    line = [*start, "-p", "again", "--resume", UUID, "--output-format", "json"]

    def asked() -> str:
        done = subprocess.run(line, check=False, capture_output=True, text=True, timeout=120)
        return done.stdout + done.stderr

    assert "No conversation found" in asked()
    assert 0 == restored(root, UUID, "--apply")[0]
    assert UUID in asked()
    assert path.read_bytes().startswith(kept)
    assert path.stat().st_size > len(kept)
