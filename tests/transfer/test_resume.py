"""`transfer resume`: a session of another place becomes resumable here, once, and undo takes it back."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import said
from make import UUID, Draft, cowork, fingerprint, home, write_side

from backscroll.stores.project_key import encode

PLACES = {name: os.environ.get(name) for name in ("REAL_CLAUDE", "REAL_CLAUDE_OLD")}
"""The newest real Claude Code, and an old one."""
OLD = 1_700_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a Cowork session, old enough not to be in use."""
    directory = home(tmp_path / "user")
    config = cowork(directory)
    (config / "projects/session" / UUID / "tool-results").mkdir(parents=True)
    (config / "projects/session" / UUID / "tool-results/big.txt").write_bytes(b"big")
    age(directory)
    return directory


def age(directory: Path) -> None:
    """Give everything below a directory an old time."""
    for parent, folders, files in os.walk(directory, topdown=False):
        for name in (*folders, *files):
            os.utime(Path(parent, name), (OLD, OLD))
    os.utime(directory, (OLD, OLD))


def resumed(root: Path, *options: str | Path) -> tuple[int, dict[str, object]]:
    """Run the command, and return its exit code and its answer."""
    code, out, err = said("--root", root, "transfer", "resume", *options, "--json")
    return code, json.loads(out) if out else {"error": err}


def test_a_cowork_session_becomes_resumable(root: Path, tmp_path: Path) -> None:
    """Plan, apply, apply again, undo: copied byte for byte, once, and taken back with all times."""
    work = tmp_path / "work"
    work.mkdir()
    before = fingerprint(root)

    code, plan = resumed(root, UUID, "--cwd", work)
    assert (0, False, None) == (code, plan["applied"], plan["journal"])
    assert before == fingerprint(root)

    code, done = resumed(root, UUID, "--cwd", work, "--apply")
    place = root / ".claude/projects" / encode(str(work))
    source = next(root.rglob(f"session/{UUID}.jsonl"))
    assert (0, True) == (code, done["applied"])
    assert f"cd {work} && CLAUDE_CONFIG_DIR={root}/.claude claude --resume {UUID}" == done["command"] == plan["command"]
    assert source.read_bytes() == (place / f"{UUID}.jsonl").read_bytes()
    assert b"big" == (place / UUID / "tool-results/big.txt").read_bytes()

    code, again = resumed(root, UUID, "--cwd", work, "--apply")
    assert (0, False, {"same"}) == (code, again["applied"], {step["status"] for step in again["plan"]})  # type: ignore[attr-defined]

    assert 0 == said("--root", root, "transfer", "undo")[0]
    assert before == fingerprint(root)


def test_undo_says_what_came_back(tmp_path: Path) -> None:
    """A file that was moved is moved back, and is not said to be removed."""
    root, work = home(tmp_path / "user"), tmp_path / "work"
    work.mkdir()
    old = Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    age(root)
    resumed(root, UUID, "--cwd", work, "--move", "--apply")

    code, undone, _ = said("--root", root, "transfer", "undo", "--json")

    steps = [(step["action"], step["to"]) for step in json.loads(undone)["plan"]]
    assert 0 == code
    assert ("move", str(old)) in steps
    assert {"move", "remove"} == {action for action, _ in steps}


def test_another_key_needs_move_or_a_new_id(tmp_path: Path) -> None:
    """A session under another key stays unless it is moved or copied as new; undo of a move restores all."""
    root, work = home(tmp_path / "user"), tmp_path / "work"
    work.mkdir()
    old = Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    age(root)
    before = fingerprint(root)

    code, plan = resumed(root, UUID, "--cwd", work, "--apply")
    assert (0, False, ["keep"]) == (code, plan["applied"], [step["action"] for step in plan["plan"]])  # type: ignore[attr-defined]

    code, plan = resumed(root, UUID, "--cwd", work, "--move", "--apply")
    assert (0, True) == (code, plan["applied"])
    assert not old.exists()
    assert (root / ".claude/projects" / encode(str(work)) / f"{UUID}.jsonl").exists()
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)

    code, plan = resumed(root, UUID, "--cwd", work, "--as-new", "--apply")
    assert (0, True) == (code, plan["applied"])
    assert UUID != plan["session"]
    copy = root / ".claude/projects" / encode(str(work)) / f"{plan['session']}.jsonl"
    assert old.read_bytes() == copy.read_bytes()


def test_a_copy_is_made_once(tmp_path: Path) -> None:
    """The plan of `--as-new` names the id that `--apply` gives, and finds the copy again until it is used."""
    root, work = home(tmp_path / "user"), tmp_path / "work"
    work.mkdir()
    Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    age(root)
    asked = (root, UUID, "--cwd", work, "--as-new")
    plan, done, again = (resumed(*asked, *more)[1] for more in ((), ("--apply",), ("--apply",)))
    copy = root / ".claude/projects" / encode(str(work)) / f"{done['session']}.jsonl"
    copy.write_bytes(copy.read_bytes() + b"{}\n")

    assert plan["session"] == done["session"] == again["session"]
    assert (True, False) == (done["applied"], again["applied"])
    assert done["session"] != resumed(*asked)[1]["session"]


def test_a_session_in_use_is_refused(tmp_path: Path) -> None:
    """A live owner, or a change a moment ago: exit 4, and nothing changes."""
    root, work = home(tmp_path / "user"), tmp_path / "work"
    work.mkdir()
    path = Draft(UUID, "/gone").prompt("Hello").answer("Hi.").write(root)
    os.utime(path)
    before = fingerprint(root)

    assert 4 == resumed(root, UUID, "--cwd", work, "--move", "--apply")[0]
    assert before == fingerprint(root)

    write_side(root, f"sessions/{os.getpid()}.json", json.dumps({"sessionId": UUID}).encode())
    age(root)
    before = fingerprint(root)
    code, plan = resumed(root, UUID, "--cwd", work, "--move", "--apply")
    assert 4 == code
    assert "refused" in {step["status"] for step in plan["plan"]}  # type: ignore[attr-defined]
    assert before == fingerprint(root)


def test_bad_input(root: Path, tmp_path: Path) -> None:
    """An unknown id is 1, a missing directory 4, two contrary options 2."""
    assert 1 == resumed(root, "nobody")[0]
    assert 4 == resumed(root, UUID)[0]
    assert 4 == resumed(root, UUID, "--cwd", tmp_path / "no")[0]
    assert 2 == resumed(root, UUID, "--cwd", tmp_path, "--move", "--as-new")[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_the_real_program_goes_on(name: str, root: Path, shared: Path, tmp_path: Path) -> None:
    """Before the transfer the real Claude Code finds no conversation; after it, it goes on with this one."""
    program = PLACES[name]
    if program is None:
        pytest.skip(f"needs the real Claude Code: {name}=/path/to/claude")
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["python3", shared / "real-cli/seedhome.py", root, work], check=True, capture_output=True)
    start = [str(shared / "real-cli/run.sh"), str(root), str(work), program]
    line = [*start, "-p", "again", "--resume", UUID, "--output-format", "json"]

    def asked() -> str:
        done = subprocess.run(line, check=False, capture_output=True, text=True, timeout=120)
        return done.stdout + done.stderr

    assert "No conversation found" in asked()
    assert 0 == resumed(root, UUID, "--cwd", work, "--apply")[0]
    assert UUID in asked()
    path = root / ".claude/projects" / encode(str(work)) / f"{UUID}.jsonl"
    assert path.stat().st_size > next(root.rglob(f"session/{UUID}.jsonl")).stat().st_size
