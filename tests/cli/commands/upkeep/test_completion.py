"""Completion in the real shells: values of closed options, sessions, projects, files and branches."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command import TIMEOUT, said
from make import UUID, Draft, home, write

Complete = Callable[[str], str]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the start of a command line for a home in the index; the program is on the PATH."""
    root = home(tmp_path / "home")
    draft = Draft(UUID, "/srv/bookshop", branch="topic-tides").prompt("First")
    draft.answer(calls=[write("/srv/bookshop/zebra.py", "a\n")])
    place = draft.tip
    draft.prompt("Left").answer("No.")
    draft.tip = place
    draft.prompt("Kept").answer("Yes.").write(root)
    said("--root", root, "index")
    program = tmp_path / "bin" / "backscroll"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m backscroll "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return f"backscroll --root {root} "


CASES = [
    ("comp", "completion"),
    ("list --sta", "--state"),
    ("list --state gh", "ghost"),
    ("list --store cow", "cowork"),
    ("list --sort co", "cost"),
    ("list --project boo", "bookshop"),
    ("list --branch top", "topic-tides"),
    ("search --role assi", "assistant"),
    ("show --detail pro", "prompts"),
    ("show 111", UUID),
    (f"show {UUID} --branch b", "b1"),
    ("recover zeb", "zebra.py"),
    ("blame zeb", "zebra.py"),
]


def needs(shell: str) -> None:
    """Skip a test whose shell is not installed."""
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}, which is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("typed, offered", CASES)
def test_bash(line: str, typed: str, offered: str) -> None:
    """Bash offers the value."""
    needs("bash")
    words = (line + typed).split()
    script = said("completion", "bash")[1]
    quoted = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _backscroll_completion backscroll"
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{ask}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )

    assert offered in done.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize("typed, offered", CASES)
def test_fish(line: str, typed: str, offered: str) -> None:
    """Fish offers the value."""
    needs("fish")
    script = said("completion", "fish")[1]
    done = subprocess.run(
        ["fish", "--no-config", "-c", f'{script}\ncomplete -C "{line}{typed}"'],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )

    assert offered in [answer.split("\t")[0] for answer in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("typed, offered", CASES)
def test_zsh(line: str, tmp_path: Path, typed: str, offered: str) -> None:
    """Zsh completes the value at the prompt."""
    needs("zsh")
    script = tmp_path / "completion.zsh"
    script.write_text(said("completion", "zsh")[1])
    start = f"autoload -U compinit; compinit -u -D; source {script}; PS1='READY'; print STARTED\n"
    process, terminal = pty.fork()
    if process == 0:
        os.environ["COLUMNS"] = "400"
        os.execvp("zsh", ["zsh", "-f", "-i"])  # noqa: S606 - the shell that is tested
    try:
        os.write(terminal, start.encode())
        seen_until(terminal, "READY", after="STARTED")
        os.write(terminal, f"{line}{typed}\t\t".encode())
        assert offered in seen_until(terminal, offered)
    finally:
        os.write(terminal, b"\x03exit\n")
        os.close(terminal)
        os.waitpid(process, 0)


def seen_until(terminal: int, wanted: str, after: str = "") -> str:
    """Return what a terminal shows until it shows a text, or for as long as there is patience."""
    text, end = "", time.monotonic() + 30
    while time.monotonic() < end and wanted not in (text.rpartition(after)[2] if after else text):
        if select.select([terminal], [], [], 0.5)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    return text
