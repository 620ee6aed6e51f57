"""Long answers on a terminal go through a pager, line by line, so that the first screen is there at once."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice


def page(lines: Iterable[str], write: Callable[[Iterable[str]], None], screen: int) -> None:
    """Print lines, through the user's pager if there are more than the lines of the screen."""
    height = max(screen - 1, 1)
    iterator = iter(lines)
    first = list(islice(iterator, height + 1))
    command = pager_command() if len(first) > height else None
    if command is None:
        write(chain(first, iterator))
    else:
        _pipe(chain(first, iterator), command)


def pager_command() -> list[str] | None:
    """Return BACKSCROLL_PAGER, PAGER or less; None if there is none or the user wants none."""
    chosen = os.environ.get("BACKSCROLL_PAGER", os.environ.get("PAGER", "less"))
    try:
        command = shlex.split(chosen)
    except ValueError:
        return None
    if not command or command == ["cat"] or shutil.which(command[0]) is None:
        return None
    return command


def _pipe(lines: Iterator[str], command: list[str]) -> None:
    """Feed a pager; leaving it early ends the answer, and an interrupt waits until the user leaves it."""
    sys.stdout.flush()
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:  # noqa: S603  (the user's own)
        assert pager.stdin is not None  # noqa: S101  (asked for above)
        try:
            for line in lines:
                pager.stdin.write(line.encode("utf-8", "backslashreplace"))
            pager.stdin.close()
        except BrokenPipeError:
            pass
        finally:
            _wait(pager)


def _wait(pager: "subprocess.Popen[bytes]") -> None:
    while True:
        try:
            if pager.stdin is not None and not pager.stdin.closed:
                pager.stdin.close()
        except BrokenPipeError:
            pass
        try:
            pager.wait()
        except KeyboardInterrupt:
            continue
        return
