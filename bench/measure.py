"""Measure what a program costs: CPU of all its processes, wall time, peak memory.

CPU is user and system time of the program and of everything that it started, also of what it left running:
this process adopts such orphans (Linux), and what they spent meanwhile is added.
Peak memory is the largest sum over the program's processes, shared pages once; it is sampled, and at least
what the system says of the largest single process.
"""

import ctypes
import fcntl
import json
import math
import os
import resource
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

LAUNCHER = Path(__file__).with_name("launch.py")
SAMPLED_EVERY, SAMPLED_AT_LEAST_EVERY = 0.025, 0.2
"""Seconds between two looks at the memory of a program, more and more the longer it runs."""
STOPPED = -1000
"""The exit code of a program that ran out of time."""

_SET_CHILD_SUBREAPER = 36
_NEW_NETWORK = 0x40000000
_SET_FLAGS, _UP = 0x8914, 1


class FailedError(Exception):
    """A program that is measured did not do what it was asked to."""


class Memory(NamedTuple):
    """How much memory some processes have, in bytes."""

    all: int = 0
    anonymous: int = 0
    """Mapped files left out: those belong to the system."""

    def higher(self, other: "Memory") -> "Memory":
        """Return the higher of each."""
        return Memory(max(self.all, other.all), max(self.anonymous, other.anonymous))


@dataclass(slots=True)
class Cost:
    """What one run cost: seconds, seconds, bytes."""

    cpu: float | None
    """None where somebody else did the work, as a server does."""
    wall: float
    peak: int
    code: int = 0
    anonymous: int = 0
    """The part of the peak that is no mapped file, the highest of all samples; 0 where nobody looked."""

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped because it took too long: then its time is a lower bound."""
        return self.code == STOPPED


@dataclass(slots=True)
class Figure:
    """All runs of one program at one task."""

    task: str
    who: str
    how: str
    """The command, as a reader would type it."""
    costs: list[Cost] = field(default_factory=list)
    note: str = ""
    failure: str = ""
    facts: dict[str, float | str] = field(default_factory=dict)
    """What else is worth telling, by the heading of its column."""

    @property
    def is_timed(self) -> bool:
        """Whether its CPU time is known."""
        return bool(self.costs) and all(cost.cpu is not None for cost in self.costs)

    @property
    def cpu(self) -> float:
        """The median of its CPU time."""
        return statistics.median(self.values("cpu"))

    @property
    def least(self) -> float:
        """The least of its CPU times: what is left when nothing else disturbs."""
        return min(self.values("cpu"))

    @property
    def wall(self) -> float:
        """The median of its wall time."""
        return statistics.median(self.values("wall"))

    @property
    def peak(self) -> float:
        """The median of its peak memory."""
        return statistics.median(self.values("peak"))

    @property
    def highest(self) -> float:
        """The highest of its peaks of memory."""
        return max(self.values("peak"))

    @property
    def anonymous(self) -> float:
        """The highest of its peaks of anonymous memory."""
        return max(self.values("anonymous"))

    @property
    def is_lower_bound(self) -> bool:
        """Whether it never came to an end."""
        return bool(self.costs) and all(cost.is_stopped for cost in self.costs)

    def values(self, name: str) -> list[float]:
        """Return the cpu, wall, peak or anonymous of each run, the least first."""
        return sorted(getattr(cost, name) for cost in self.costs)

    def worst(self, name: str, share: float = 0.99) -> float:
        """Return what that share of the runs kept to: of fewer than a hundred, the worst of them."""
        values = self.values(name)
        return values[math.ceil(len(values) * share) - 1]


def run(
    command: Sequence[object],
    env: dict[str, str],
    *,
    output: Path = Path(os.devnull),
    timeout: float = 300,
    is_reporting: bool = False,
) -> list[Cost]:
    """Run a program to its end and return what it cost; raise FailedError where it fails.

    With `is_reporting` the program's own account counts: the CPU and wall seconds of each thing it did, as a list in
    JSON in the last line of its output.
    """
    with tempfile.TemporaryDirectory(prefix="backscroll-bench-") as scratch:
        place = Path(scratch)
        before = cpu_of(_descendants(os.getpid()))
        with output.open("wb") as answer, (place / "errors").open("wb") as errors:
            started = subprocess.Popen(
                [sys.executable, "-I", "-S", LAUNCHER, place / "result", *map(str, command)],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=errors,
                start_new_session=True,
            )
            memory, is_stopped, wall = _watch(started, timeout)
        left = max(cpu_of(_descendants(os.getpid())) - before, 0.0)
        if is_stopped:
            return [Cost(left, wall, memory.all, STOPPED, memory.anonymous)]
        cost = _read_cost(place, memory)
        if cost.code != 0:
            raise FailedError(f"exit code {cost.code}: {_last_line(place / 'errors')}")
        if is_reporting:
            return [Cost(cpu, wall, cost.peak) for cpu, wall in json.loads(_last_line(output))]
        cost.cpu = (cost.cpu or 0.0) + left
        return [cost]


def _read_cost(place: Path, memory: Memory) -> Cost:
    try:
        code, cpu, wall, largest = (place / "result").read_text(encoding="ascii").split()
    except OSError:
        raise FailedError(f"could not be started: {_last_line(place / 'errors')}") from None
    return Cost(float(cpu), float(wall), max(memory.all, int(largest)), int(code), memory.anonymous)


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _watch(started: subprocess.Popen[bytes], timeout: float) -> tuple[Memory, bool, float]:
    """Wait for a program's end; return the most memory seen, whether it had to be stopped, and how long it took."""
    begun, peak, spent = time.perf_counter(), Memory(), 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            started.wait(min(max(SAMPLED_EVERY, spent / 100), SAMPLED_AT_LEAST_EVERY))
            return peak, False, time.perf_counter() - begun
        peak = peak.higher(memory_of(pid for pid in _descendants(os.getpid()) if pid != started.pid))
        spent = time.perf_counter() - begun
        if spent > timeout:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
            return peak, True, spent


def family(pid: int) -> list[int]:
    """Return a process and all below it."""
    return [pid, *_descendants(pid)]


def _descendants(pid: int) -> list[int]:
    """Return the processes below one, itself left out; none where the system does not tell."""
    found: list[int] = []
    pending = [pid]
    while pending:
        children = _children(pending.pop())
        found += children
        pending += children
    return found


def _children(pid: int) -> list[int]:
    """Return the processes that a process started, from whichever of its threads."""
    names: list[str] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            names += (thread / "children").read_text(encoding="ascii").split()
    return [int(name) for name in names]


def memory_of(pids: Iterable[int]) -> Memory:
    """Return the memory of some processes together, of each its share of shared pages."""
    found = Counter[str]()
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
            found.update({line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]})
    return Memory(found["Pss"], found["Anonymous"])


def cpu_of(pids: Iterable[int]) -> float:
    """Return the CPU seconds that living processes, and the children they waited for, have spent."""
    ticks = 0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            ticks += sum(int(value) for value in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def spent_by_others() -> float:
    """Return the CPU seconds that this machine ever spent on anything but the bench; 0 where it does not tell."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
    except OSError:
        return 0.0
    user, nice, system, _, _, irq, softirq, steal = map(int, fields[1:9])
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return busy - sum(used.ru_utime + used.ru_stime for used in own) - cpu_of(_descendants(os.getpid()))


def adopt_orphans() -> None:
    """Become the parent of whatever the measured programs leave running (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def settle(patience: float = 10) -> None:
    """Wait until what was left running has nothing to do any more."""
    for _ in range(int(patience * 2)):
        before = cpu_of(_descendants(os.getpid()))
        time.sleep(0.5)
        if cpu_of(_descendants(os.getpid())) - before < 0.02:
            return


def call(env: dict[str, str], *command: object, timeout: float = 300) -> str:
    """Run a program without measuring it, and return what it says; orphans that end meanwhile are buried."""
    with tempfile.TemporaryDirectory(prefix="backscroll-bench-") as scratch:
        place = Path(scratch)
        with (place / "output").open("wb") as output, (place / "errors").open("wb") as errors:
            words = [str(word) for word in command]
            started = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
            begun = time.perf_counter()
            while started.poll() is None:
                _bury(set(_descendants(os.getpid())) - {started.pid})
                time.sleep(0.01)
                if time.perf_counter() - begun > timeout:
                    started.kill()
        if started.returncode != 0:
            raise FailedError(f"exit code {started.returncode}: {_last_line(place / 'errors')}")
        return (place / "output").read_text(encoding="utf-8", errors="replace")


def _bury(pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def end_orphans() -> None:
    """End and bury what the measured programs left running; each is a child of ours by now."""
    for pid in _descendants(os.getpid()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    for _ in range(100):
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            return
    for pid in _descendants(os.getpid()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def leave_the_network() -> bool:
    """Go on without any network but the machine's own loop; say whether that could be done (Linux, as root)."""
    if sys.platform != "linux" or ctypes.CDLL(None).unshare(_NEW_NETWORK) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
    return True
