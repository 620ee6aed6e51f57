"""Measure this commit beside an earlier one, in turn, on the same homes: python bench/before.py COMMIT.

CPU of the command and of all its processes, the median of each; ratios are what counts.  Memory is the peak of what is
anonymous, of all processes together: files that are mapped belong to the system.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import corpora

ROOT = Path(__file__).parent.parent
SAMPLE = 0.02
"""Seconds between two looks at the memory of a program."""


def main() -> None:
    """Do what the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("--size", default="M", help="the home: S, M (300 MB), L (2 GB)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--appends", type=int, default=40, help="how often 1 KB is appended")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="backscroll-before-") as scratch:
        place = Path(scratch)
        subprocess.run(
            ["git", "-C", ROOT, "worktree", "add", "--detach", place / "before", options.commit],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            bench = Bench(place, options.repeats)
            bench.all(corpora.sized(options.size).path, options.appends)
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", place / "before"], check=False)


class Bench:
    """Runs each task with both programs in turn."""

    def __init__(self, scratch: Path, repeats: int) -> None:
        self.scratch = scratch
        self.repeats = repeats
        shutil.copytree(ROOT / "src", scratch / "now")
        self.sources = {"before": scratch / "before" / "src", "now": scratch / "now"}

    def all(self, home: Path, appends: int) -> None:
        """Measure everything."""
        tiny = corpora.tiny(5000).path
        self.compare("catalogue from nothing", home, ["list"], fresh=True)
        self.compare("catalogue of 5,000 tiny sessions", tiny, ["list"], fresh=True)
        self.compare("full index", home, ["index"], fresh=True)
        self.compare("warm list", home, ["list"])
        self.compare("warm search", home, ["search", "deadlock"])
        self.append(home, appends)
        largest = max(home.rglob("*.jsonl"), key=lambda path: path.stat().st_size).stem
        self.run("now", home, ["list"])
        version = median(self.run("now", home, ["--version"])[0] for _ in range(5))
        page = median(self.run("now", home, ["show", largest, "--offset", "5000", "--json"])[0] for _ in range(5))
        print(f"page of 50 messages: {(page - version) * 1000:.0f} ms above --version")

    def compare(self, task: str, home: Path, command: list[str], *, fresh: bool = False) -> None:
        """Run one command with both programs in turn, and print the ratio of their CPU."""
        costs: dict[str, list[tuple[float, float]]] = {who: [] for who in self.sources}
        for who in self.sources:
            if not fresh:
                self.run(who, home, command)
        for _ in range(self.repeats if fresh else 3 * self.repeats):
            for who in self.sources:
                if fresh:
                    shutil.rmtree(self.own(who), ignore_errors=True)
                costs[who].append(self.run(who, home, command))
        cpu = {who: median(cost for cost, _ in found) for who, found in costs.items()}
        memory = {who: max(peak for _, peak in found) for who, found in costs.items()}
        ratio = cpu["now"] / cpu["before"]
        print(
            f"{task}: {ratio:.2f} of before ({cpu['now']:.3f} s, {cpu['before']:.3f} s); "
            f"memory {memory['now'] / 1e6:.0f} MB, {memory['before'] / 1e6:.0f} MB",
            flush=True,
        )

    def append(self, home: Path, times: int) -> None:
        """Append 1 KB to the largest session again and again; compare with an update that finds nothing changed."""
        copy = self.scratch / "growing"
        shutil.copytree(home, copy, symlinks=False)
        largest = max(copy.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
        for who in self.sources:
            self.run(who, copy, ["index"])
            nothing = median(self.run(who, copy, ["index"])[0] for _ in range(5))
            grown = []
            for _ in range(times):
                corpora.append_kilobyte(largest)
                grown.append(self.run(who, copy, ["index"])[0] - nothing)
            size = largest.stat().st_size / 1e6
            print(
                f"1 KB more in {size:.0f} MB, {who}: median {median(grown) * 1000:.0f} ms above nothing changed, "
                f"at most {max(grown) * 1000:.0f} ms",
                flush=True,
            )

    def own(self, who: str) -> Path:
        """Return the directory that a program keeps its index in."""
        return self.scratch / f"own-{who}"

    def run(self, who: str, home: Path, command: list[str]) -> tuple[float, float]:
        """Run a command; return its CPU seconds and the peak of its anonymous memory in bytes."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.scratch / "nobody"),
            "BACKSCROLL_HOME": str(self.own(who)),
            "PYTHONPATH": str(self.sources[who]),
            "LANG": "C.UTF-8",
        }
        begun = os.times()
        started = subprocess.Popen(
            [sys.executable, "-m", "backscroll", "--root", home, *command],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        peak = _watch(started, _anonymous)
        ended = os.times()
        cpu = ended.children_user + ended.children_system - begun.children_user - begun.children_system
        return cpu, peak


def _watch(started: "subprocess.Popen[bytes]", weigh: Callable[[int], int]) -> float:
    peak = 0
    while started.poll() is None:
        peak = max(peak, sum(map(weigh, [started.pid, *_children(started.pid)])))
        time.sleep(SAMPLE)
    return peak


def _children(pid: int) -> list[int]:
    try:
        below = [int(item) for item in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
    return [*below, *(child for one in below for child in _children(one))]


def _anonymous(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:")), 0)


if __name__ == "__main__":
    main()
