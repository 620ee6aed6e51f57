"""Run tests on request, each time in a fork of a process that has everything imported but our own code.

`run_mutants.py` starts it with the directory of a copy of the repository.  A line of JSON on standard input names tests
and a time limit; a line on standard output says killed, survived or timeout.
"""

import json
import os
import signal
import sys
import time

import click  # noqa: F401
import hypothesis  # noqa: F401
import msgspec  # noqa: F401
import orjson  # noqa: F401
import pytest
import rich  # noqa: F401
import tantivy  # noqa: F401
from _pytest import assertion, terminal  # noqa: F401

_STEP = 0.05


def run(tests: list[str]) -> None:
    """Run tests in this process, and end it with their exit code."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open("tests.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.setsid()
    options = ["-q", "-x", "-n", "0", "-m", "not slow", "-p", "no:cacheprovider", "--hypothesis-profile=quick"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of the plugins that we imported above
    code = 99
    try:
        code = int(pytest.main([*options, *tests]))
    finally:
        os._exit(code)


def outcome(child: int, timeout: float) -> str:
    """Wait for a child; kill it and its children if it takes too long."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "survived" if code == 0 else "killed"
        time.sleep(_STEP)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def main() -> int:
    """Serve until standard input ends."""
    os.chdir(sys.argv[1])
    sys.path.insert(0, f"{sys.argv[1]}/src")
    os.environ["PYTHONPATH"] = sys.path[0]
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            run(request["tests"])
        sys.stdout.write(outcome(child, request["timeout"]) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
