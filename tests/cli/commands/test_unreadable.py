"""Unreadable is not gone: what may not be read is named, keeps its place in every list, and is counted as before."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from command import said
from make import (
    CODE_ROWS,
    UUID,
    Draft,
    as_nobody,
    bash,
    desktop_file,
    home,
    let_others_in,
    line,
    row,
    write_desktop,
    write_side,
)
from two_accounts import BEN, BENS

from backscroll.cli.library import _ACCESS

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become another user")

NOBODY = 65534
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Return a directory that no other run of pytest closes: each start of one closes the directory above all tests."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        yield Path(directory)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home of two sessions that anybody may read, with an index of the user without rights."""
    let_others_in(tmp_path)
    root = home(tmp_path / "home")
    for name, words in ((UUID, "first words"), (OTHER, "second words")):
        Draft(name, "/srv/shop").prompt(words).answer("Yes.", calls=[bash("ls", "a")]).write(root)
    row(root, cliSessionId="33333333-3333-4333-8333-333333333333", title="Only a row")
    own = tmp_path / "ours"
    own.mkdir()
    monkeypatch.setenv("BACKSCROLL_HOME", str(own))
    said("--root", root, "search", "words")  # everything is loaded and known
    for path in tmp_path.rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    for path in (own, *own.rglob("*")):
        os.chown(path, NOBODY, NOBODY)  # an index that others can write to is not believed
        path.chmod(0o700 if path.is_dir() else 0o600)
    return root


def asked(root: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a command as a user without rights."""
    return as_nobody(lambda: said("--root", root, *arguments))


def states(root: Path) -> dict[str, str]:
    """Return the state of each session that somebody without rights is told."""
    found: list[dict[str, Any]] = json.loads(asked(root, "list", "--json")[1])["sessions"]
    return {session["id"][:8]: session["state"] for session in found}


COMMANDS = [
    ("overview",),
    ("list",),
    ("stores",),
    ("show", UUID),
    ("tree", UUID),
    ("outline", UUID),
    ("calls",),
    ("search", "words"),
    ("files",),
    ("usage",),
    ("tools",),
    ("accounts",),
    ("cowork",),
    ("worktrees",),
    ("doctor",),
    ("drift",),
    ("index",),
    ("resume", UUID, "--print"),
    ("recover", "/no/such/file.py"),
    ("blame", "/no/such/file.py"),
    ("show", "no-such-session"),
    ("list", "--json"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_names_the_place(root: Path, command: tuple[str, ...]) -> None:
    """A directory that may not be read is named with its reason and the remedy, whatever is asked."""
    said("--root", root, *command)  # its modules are loaded: another user may not read them
    for path in (root.parent / "ours").rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (root / ".claude/projects").chmod(0)
    _, _, err = asked(root, *command)

    assert f"backscroll: cannot read {root}/.claude/projects: permission denied\n" in err
    assert _ACCESS in err


def test_a_root_that_nobody_may_look_at(root: Path) -> None:
    """A root inside a closed directory is unreadable, not a fault of ours and not gone."""
    inside = root / "closed" / "home"
    inside.mkdir(parents=True)
    inside.parent.chmod(0)
    code, out, err = asked(inside, "list")

    assert (1, "") == (code, out)
    assert err.startswith(f"backscroll: cannot read {inside}: permission denied\n")


def test_sessions_below_it_are_unreadable(root: Path) -> None:
    """Sessions whose files may not be read, or cannot be looked for, are unreadable; none is a ghost or missing."""
    before = states(root)
    (root / ".claude/projects").chmod(0)

    assert {"11111111": "live", "22222222": "live", "33333333": "ghost"} == before
    assert dict.fromkeys(before, "unreadable") == states(root)


def test_usage_stays(root: Path) -> None:
    """Tokens that were counted once stay counted while their files may not be read."""
    before = json.loads(asked(root, "usage", "--json")[1])["total"]
    (root / ".claude/projects").chmod(0)

    assert 0 < before["messages"]
    assert before == json.loads(asked(root, "usage", "--json")[1])["total"]


def test_readable_again(root: Path) -> None:
    """With the permission back everything is as it was, and nothing is said."""
    before = states(root)
    (root / ".claude/projects").chmod(0)
    states(root)
    (root / ".claude/projects").chmod(0o755)

    assert before == states(root)
    assert "" == asked(root, "list")[2]


def test_a_single_file(root: Path) -> None:
    """One transcript that may not be read keeps what is known of it; the other sessions are live."""
    path = next(root.glob(f".claude/projects/*/{UUID}.jsonl"))
    path.chmod(0)
    _, out, err = asked(root, "list", "--json")
    found = {session["id"]: session for session in json.loads(out)["sessions"]}

    assert ("unreadable", "live") == (found[UUID]["state"], found[OTHER]["state"])
    assert 2 == found[UUID]["messages"]
    assert f"cannot read {path}: permission denied" in err


def test_a_file_that_was_never_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript that could never be read is listed as unreadable, not as damaged."""
    path = next(root.glob(f".claude/projects/*/{UUID}.jsonl"))
    path.chmod(0)
    monkeypatch.setenv("BACKSCROLL_HOME", str(root.parent / "ours/other"))

    assert "unreadable" == states(root)["11111111"]
    assert f"cannot read {path}: permission denied" in asked(root, "list")[2]


def test_show_says_unreadable(root: Path) -> None:
    """`show` names the state and the damage, and never says that the transcript is gone."""
    (root / ".claude/projects").chmod(0)
    _, out, _ = asked(root, "show", "33333333")

    assert "unreadable" in out
    assert "gone" not in out


def test_doctor_says_nothing_of_lost_sessions(root: Path) -> None:
    """A session that the history names may lie in the files that may not be read."""
    prompt = {"display": "Mend the roof", "timestamp": 1, "project": "/srv/shop", "sessionId": OTHER[::-1]}
    write_side(root, "history.jsonl", line(prompt)).chmod(0o666)
    before = said("--root", root, "doctor", "--kind", "lost")[1]
    (root / ".claude/projects").chmod(0)

    assert "error lost" in before
    assert "Nothing found in 3 sessions" in asked(root, "doctor", "--kind", "lost")[1]


@pytest.mark.parametrize("command", [("list",), ("show", UUID), ("stores",)], ids=" ".join)
def test_strict(root: Path, command: tuple[str, ...]) -> None:
    """With --strict the exit code is 3 where something may not be read."""
    (root / ".claude/projects").chmod(0)

    assert 3 == asked(root, "--strict", *command)[0]


CLAUDE = ".config/Claude"


@pytest.mark.parametrize("closed", [".config", CLAUDE, f"{CLAUDE}/Local Storage"])
@pytest.mark.parametrize("command", ["list", "storage", "accounts", "stores"])
def test_a_closed_desktop_is_named(root: Path, closed: str, command: str) -> None:
    """The data directory of Desktop, or its browser storage, is not taken for missing; --strict exits with 3."""
    write_desktop(root)
    for path in root.rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    said("--root", root, command)
    for path in (root.parent / "ours").rglob("*"):
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o700 if path.is_dir() else 0o600)
    (root / closed).chmod(0)
    code, _, err = asked(root, command, "--strict")

    assert 3 == code, err
    named = CLAUDE if closed == ".config" else closed
    assert f"backscroll: cannot read {root}/{named}: permission denied\n" in err


def test_flags_of_a_closed_home(root: Path) -> None:
    """`flags` names the settings that may not be read."""
    (root / ".claude.json").write_text("{}")
    root.chmod(0)

    assert f"cannot read {root}/.claude.json: permission denied" in asked(root, "flags")[2]


@pytest.mark.parametrize(
    "command", [("resume", "--cwd", "/"), ("row",), ("copy", "--to", BEN), ("pack", "-o", "/nowhere/x.tar.zst")]
)
def test_a_transfer_says_unreadable(root: Path, command: tuple[str, ...]) -> None:
    """A transfer of a session that may not be read is refused with that reason."""
    desktop_file(root, f"{CODE_ROWS}/{BENS}/scheduled-tasks.json", {}).parent.parent.chmod(0o777)
    said("--root", root, "transfer", *command, "33333333")  # its modules are loaded
    (root / ".claude/projects").chmod(0)
    code, out, err = asked(root, "transfer", *command, "33333333")

    assert 4 == code
    assert f"you have no permission to read its files; `backscroll --root {root} stores` names them" in out + err
