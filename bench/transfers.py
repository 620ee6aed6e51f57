"""Measure `transfer project` on one project of 1,000 rows and 2 GB of transcripts: `python bench/transfers.py`.

The index is warm, as it is after any command; goals: a plan within 2 seconds, apply at the speed of a rename.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 1000
BYTES = 2 << 30
PROGRAM = Path(sys.executable).with_name("backscroll")
OLD = 1_700_000_000
DESKTOP = (
    ".config/Claude/claude-code-sessions/aaaaaaaa-1111-4111-8111-111111111111/bbbbbbbb-2222-4222-8222-222222222222"
)


def make_home(home: Path, rows: int, size: int) -> None:
    """Write a project with so many sessions and rows, and so many bytes of transcripts."""
    key, desktop = home / ".claude/projects/-work-shop", home / DESKTOP
    key.mkdir(parents=True)
    desktop.mkdir(parents=True)
    text = "The quick brown fox. " * (size // rows // 21 // 4)
    for number in range(rows):
        name = f"{number:08x}-1111-4111-8111-111111111111"
        with (key / f"{name}.jsonl").open("w") as file:
            for place in range(4):
                parent = f"{number}-{place - 1}-{name}" if place else None
                frame = {"uuid": f"{number}-{place}-{name}", "parentUuid": parent, "sessionId": name}
                moment = f"2026-05-01T10:00:0{place}.000Z"
                message = {"role": "user", "content": text}
                record = {"type": "user", **frame, "cwd": "/work/shop", "timestamp": moment, "message": message}
                file.write(json.dumps(record) + "\n")
        row = {"sessionId": f"local_{name}", "cliSessionId": name, "cwd": "/work/shop", "originCwd": "/work/shop"}
        times = {"createdAt": 1780000000000, "lastActivityAt": 1780000100000, "title": f"Session {number}"}
        (desktop / f"local_{name}.json").write_text(json.dumps(row | times, separators=(",", ":")))
    for parent, folders, files in os.walk(home, topdown=False):
        for name in (*folders, *files):
            os.utime(Path(parent, name), (OLD, OLD))


def timed(home: Path, own: Path, *words: str) -> tuple[float, float]:
    """Run one command, and return its wall and CPU seconds."""
    before, start = os.times(), time.perf_counter()
    environment = os.environ | {"BACKSCROLL_HOME": str(own), "HOME": str(own)}
    line = [str(PROGRAM), "--root", str(home), *words]
    subprocess.run(line, check=True, env=environment, stdout=subprocess.DEVNULL)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, spent


def main() -> None:
    """Make the home, and measure the first list, then plan, apply and undo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--bytes", type=int, default=BYTES)
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="backscroll-transfers-"))
    try:
        home, own = scratch / "home", scratch / "own"
        own.mkdir()
        make_home(home, options.rows, options.bytes)
        project = ("transfer", "project", "/work/shop", "/work/store", "--json")
        steps = {
            "list": ("list", "--json"),
            "plan": project,
            "plan again": project,
            "apply": (*project, "--apply"),
            "undo": ("transfer", "undo", "--json"),
        }
        for name, words in steps.items():
            wall, cpu = timed(home, own, *words)
            print(f"{name:12}{wall:8.2f} s wall{cpu:8.2f} s CPU")
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
