"""Run our own program as a user does: in a process of its own, in a pipe or at a terminal, watched or not.

    from command import answer, run

    answer(root, "list", "--all")["sessions"]       # the JSON of a command that must succeed
    run("--root", root, "show", "latest").stdout    # anything else

The process gets the environment of the test, so HOME and BACKSCROLL_HOME are those of conftest.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from backscroll.cli.main import run as run_command

__all__ = ["PROGRAM", "TIMEOUT", "answer", "run", "said", "shown", "strictly"]

PROGRAM = [sys.executable, "-m", "backscroll"]

TIMEOUT = 1200
"""Seconds after which a process hangs: far beyond what anything here takes."""


def run(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Run one command to its end and return what it wrote; a traceback is a failure whatever the test is about."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )

    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    assert b"internal error" not in done.stderr, done.stderr.decode(errors="replace")
    return done


def said(*arguments: str | Path) -> tuple[int, str, str]:
    """Run one command in this process, and return its exit code and what it wrote to both streams."""
    streams = sys.stdout, sys.stderr
    written = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in streams]
    sys.stdout, sys.stderr = written
    try:
        code = run_command([str(argument) for argument in arguments])
    finally:
        sys.stdout, sys.stderr = streams
    out, err = (stream.buffer.getvalue().decode() for stream in written)

    assert "Traceback" not in err
    assert "internal error" not in err, err
    return code, out, err


def answer(root: Path, *arguments: str | Path) -> Any:
    """Return the JSON answer of a command that must succeed."""
    done = run("--root", root, "--json", *arguments)

    assert (0, b"") == (done.returncode, done.stderr)
    return strictly(done.stdout)


def strictly(text: bytes) -> Any:
    """Read JSON as the standard has it: `NaN` and `Infinity` are none."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def shown(root: Path, session: str) -> Any:
    """Return the JSON answer of `show` for all branches of a session, whatever its id looks like."""
    return answer(root, "show", "--all-branches", "--", session)
