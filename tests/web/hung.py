"""Ends a browser that no longer answers, so that its test fails with the cause.

Playwright's first look at an element has no time limit: a page that hangs would keep the test until pytest's own limit.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import NamedTuple

LIMIT = 270.0
"""Seconds for one test: a busy machine may be slow.  pytest's own limit allows for two such runs."""
PAUSE = 3.0
"""Seconds between two looks at the processes: CPU time that grew meanwhile tells a loop from a wait."""


ended: list[str] = []
"""The processes of each browser that was ended, as they were."""


class Running(NamedTuple):
    """A process: its parent, its state, its CPU time, the call that it waits in, and its arguments."""

    pid: int
    parent: int
    state: str
    cpu: str
    waits_in: str
    args: str

    @property
    def kind(self) -> str:
        """Return what Chromium uses the process for."""
        return self.args.partition("--type=")[2].partition(" ")[0] or "browser"

    def __str__(self) -> str:
        return f"{self.kind} {self.pid}: {self.state} {self.cpu} in {self.waits_in}"


@contextmanager
def ended_if_hung(limit: float = LIMIT) -> Iterator[None]:
    """End the browsers of this process if the block takes longer than a limit; `ended` then tells what they did."""
    timer = Timer(limit, _end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def browser_processes() -> list[Running]:
    """Return the processes of Chromium that descend from this one."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,time=,wchan=,args="], capture_output=True, text=True, check=True
    )
    fields = [line.split(None, 5) for line in listed.stdout.splitlines()]
    every = [Running(int(one[0]), int(one[1]), *one[2:]) for one in fields if len(one) == 6]
    family, size = {os.getpid()}, 0
    while len(family) > size:
        size = len(family)
        family |= {one.pid for one in every if one.parent in family}
    return [one for one in every if one.pid in family and "--user-data-dir=" in one.args]


def _end() -> None:
    found = browser_processes()
    time.sleep(PAUSE)
    later = browser_processes()
    titles = ("The browser does not answer. Its processes:", f"The same after {PAUSE:g} seconds:")
    ended.append("\n".join(_listed(title, those) for title, those in zip(titles, (found, later), strict=True)))
    for one in found:
        if one.kind == "browser":
            os.kill(one.pid, signal.SIGKILL)


def _listed(title: str, processes: list[Running]) -> str:
    return "\n  ".join([title, *map(str, processes)])
