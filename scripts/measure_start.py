"""Measure the CPU time of warm commands on the demo home against bare Python: `python scripts/measure_start.py [runs]`.

The commands take turns, so that a busy moment of the machine meets all of them.
CPU time (user and system) is used, not wall time, so that other jobs on the machine matter less.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BUDGET = 100
"""Milliseconds of CPU that a warm command may cost more than bare Python."""
COMMANDS = (
    ["--version"],
    ["--help"],
    ["list"],
    ["list", "--json"],
    ["show", "latest"],
    ["search", "test"],
    ["statusline"],
)


def main() -> None:
    """Print one line for each command: its median and least time, and the differences to bare Python."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory, "home")
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "BACKSCROLL_HOME": str(Path(directory, "own"))}
        backscroll = [str(Path(sys.executable).with_name("backscroll"))]
        subprocess.run([*backscroll, "demo", str(home)], env=environment, check=True, capture_output=True)
        subprocess.run([*backscroll, "index"], env=environment, check=True, capture_output=True)
        programs = {"bare Python": [sys.executable, "-c", "pass"]}
        programs |= {" ".join(command): [*backscroll, *command] for command in COMMANDS}
        for program in programs.values():
            _cpu(program, environment)  # the first run writes byte code
        turns = [{name: _cpu(program, environment) for name, program in programs.items()} for _ in range(runs)]
    bare = [turn["bare Python"] for turn in turns]
    print(f"{'':20}{'median':>10}{'more':>10}{'least':>10}{'more':>10}")
    for name in programs:
        times = [turn[name] for turn in turns]
        middle, least = statistics.median(times), min(times)
        more = middle - statistics.median(bare)
        over = "" if more <= BUDGET else f"  over the budget of {BUDGET} ms"
        print(f"{name:20}{middle:10.1f}{more:+10.1f}{least:10.1f}{least - min(bare):+10.1f}{over}")


def _cpu(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


if __name__ == "__main__":
    main()
