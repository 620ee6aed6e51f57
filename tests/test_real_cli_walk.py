"""A walk with the real Claude Code: prompts, resume, forks, /branch, /compact, /clear, /exit, a queue with Esc.

Needs ../shared/real-cli, root for its network namespace, and the program itself: `REAL_CLAUDE=/path/to/claude`.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import answer, shown
from conftest import shared_path

REAL = os.environ.get("REAL_CLAUDE")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(REAL is None, reason="needs the real Claude Code: REAL_CLAUDE=/path/to/claude"),
    pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs root for a network namespace"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare of util-linux"),
]

ESCAPE = "\x1b"
TYPED: list[tuple[int, str]] = [
    (6, "hello there"),
    (4, "SCRIPT:slow please"),
    (3, "queued while it runs"),
    (2, ESCAPE),
    (5, "/compact"),
    (8, "after the compaction"),
    (4, "/branch other"),
    (4, "on the branch"),
    (4, "/clear"),
    (3, "after clear"),
    (4, "/exit"),
]
"""Seconds to wait, and the line to type."""


@dataclass(frozen=True)
class Walk:
    """The home that the walk left, and the ids of its headless sessions."""

    root: Path
    first: str
    fork: str


def claude(root: Path, *arguments: str) -> str:
    """Run the CLI in its network namespace, and return what it prints."""
    kit = shared_path("real-cli")
    done = subprocess.run(
        [str(kit / "run.sh"), str(root), str(root / "cwd"), *arguments],
        env=os.environ | {"RUN_TIMEOUT": "150"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=200,
        check=True,
    )
    return done.stdout.decode()


def headless(root: Path, prompt: str, *arguments: str) -> str:
    """Run one prompt without a terminal, and return the id of its session."""
    options = ("--permission-mode", "bypassPermissions", "--output-format", "json")
    return str(json.loads(claude(root, str(REAL), "-p", prompt, *options, *arguments))["session_id"])


def type_steps(root: Path) -> None:
    """Drive the interactive CLI: Enter follows each line but Esc."""
    steps: list[tuple[float, str | None]] = []
    for wait, text in TYPED:
        steps += [(wait, text)] if text == ESCAPE else [(wait, text), (1, "\r")]
    (root / "steps.json").write_text(json.dumps([*steps, (3, None)]))
    script = str(shared_path("real-cli") / "tui.py")
    options = ("--permission-mode", "bypassPermissions")
    claude(
        root,
        *(sys.executable, script, str(root / "log"), str(root / "steps.json"), "--", str(REAL), *options),
    )


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """Walk once for all tests."""
    root = tmp_path_factory.mktemp("walk")
    seed = shared_path("real-cli") / "seedhome.py"
    subprocess.run([sys.executable, str(seed), str(root), str(root / "cwd")], check=True)
    first = headless(root, "SCRIPT:files please")
    headless(root, "once more", "--resume", first)
    fork = headless(root, "another way", "--resume", first, "--fork-session")
    type_steps(root)
    return Walk(root, first, fork)


def prompts(root: Path, session: str) -> list[str]:
    """Return the prompts along the main line of a session."""
    return [
        item["parts"][0]["text"]
        for item in answer(root, "show", session)["messages"]
        if item["role"] == "user" and item["agent"] is None
    ]


def session_with(walk: Walk, text: str) -> dict[str, Any]:
    """Return the session in which a prompt was typed, not one that copied it."""
    sessions = answer(walk.root, "list", "--all")["sessions"]
    holding = [session for session in sessions if text in prompts(walk.root, session["id"])]
    return dict(min(holding, key=lambda session: int(session["copied"])))


def test_drift_knows_everything(walk: Walk) -> None:
    """Nothing that this version wrote is unknown."""
    assert [] == answer(walk.root, "drift")["unknown"]


def test_every_byte_is_accounted_for(walk: Walk) -> None:
    """Records and blanks are all bytes of the transcripts, and nothing is damaged."""
    for store in answer(walk.root, "stores")["stores"]:
        parts = sum(store[name] for name in ("record_bytes", "damage_bytes", "blank_bytes"))
        assert (store["bytes"], 0) == (parts + sum(item["bytes"] for item in store["unread"]), store["damage_bytes"])


def test_resume_goes_on_in_one_session(walk: Walk) -> None:
    """A resumed session holds both prompts, on one line."""
    assert ["SCRIPT:files please", "once more"] == prompts(walk.root, walk.first)


def test_a_forked_session_names_its_parent(walk: Walk) -> None:
    """--fork-session makes a session of its own, with its parent and the copied prompts."""
    fork = shown(walk.root, walk.fork)["session"]

    assert (walk.first, True) == (fork["parent"], fork["copied"] > 0)
    assert "another way" == prompts(walk.root, walk.fork)[-1]


def test_branch_names_its_parent(walk: Walk) -> None:
    """/branch makes a session of its own, whose parent is the session that was open."""
    parent, branch = session_with(walk, "hello there"), session_with(walk, "on the branch")

    assert (parent["id"], True) == (branch["parent"], branch["copied"] > 0)


def test_a_queued_prompt_with_escape_is_on_the_main_line(walk: Walk) -> None:
    """The prompt that was typed while a tool ran is on the main line, before the compaction."""
    told = prompts(walk.root, session_with(walk, "hello there")["id"])

    assert told.index("SCRIPT:slow please") < told.index("queued while it runs") < told.index("after the compaction")


def test_compaction_and_clear(walk: Walk) -> None:
    """/compact is one compaction; /clear begins a session of its own."""
    before, after = session_with(walk, "hello there"), session_with(walk, "after clear")

    assert (1, 0) == (before["compactions"], after["compactions"])
    assert before["id"] != after["id"]
    assert after["parent"] is None
