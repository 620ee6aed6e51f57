"""The library inside another program: it changes nothing of the process, and works with threads and asyncio."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backscroll.demo.home import write_demo_home

HOST = """
import asyncio, builtins, gc, json, os, signal, stat, sys, threading, warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root, work = sys.argv[1], Path(sys.argv[2])
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE)


def umask():
    return next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("Umask"))


def state():
    return {
        "umask": umask(),
        "directory": os.getcwd(),
        "signals": [str(signal.getsignal(number)) for number in SIGNALS],
        "garbage": gc.get_threshold(),
        "hooks": [*map(id, (sys.excepthook, warnings.showwarning, builtins.__import__, threading.excepthook))],
        "warnings": len(warnings.filters),
        "environment": dict(os.environ),
        "modules": {name: id(module) for name, module in known.items()},
    }


known = dict(sys.modules)
before = state()
known_now = lambda: {name: id(sys.modules.get(name)) for name in known}
made, done = [], threading.Event()


def make_files():
    number = 0
    while not done.is_set():
        path = work / f"host-{number}"
        path.touch()
        made.append(stat.S_IMODE(path.stat().st_mode))
        number += 1
        done.wait(0.001)


maker = threading.Thread(target=make_files, daemon=True)  # an error below must not leave it running
maker.start()

import backscroll

with backscroll.open(root) as library, ThreadPoolExecutor(4) as pool:
    library.update_index(rebuild=True)
    words = ["the", "test", "parser", "error"] * 3
    totals = list(pool.map(lambda word: library.search(word).total, words))
    listed = list(pool.map(lambda _: library.list_sessions(limit=None).total, range(4)))


async def ask():
    found = await asyncio.gather(*(asyncio.to_thread(backscroll.search, word, root) for word in words[:4]))
    return [item.total for item in found]


again = asyncio.run(ask())
done.set()
maker.join()
try:
    children = [os.waitpid(-1, os.WNOHANG)]
except ChildProcessError:
    children = []
after = state()
print(json.dumps({
    "changed": [name for name in before if before[name] != after[name]],
    "replaced": [name for name, number in known_now().items() if number != id(known[name])],
    "totals": [totals, again],
    "listed": listed,
    "modes": sorted(set(made)),
    "children": children,
    "threads": [thread.name for thread in threading.enumerate() if not thread.daemon],
}))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the umask in /proc")
def test_the_process_stays_as_it_was(tmp_path: Path) -> None:
    """Four threads and an event loop search while another thread makes files; warnings are errors."""
    root = write_demo_home(tmp_path / "home")
    work = tmp_path / "work"
    work.mkdir()
    command = [sys.executable, "-W", "error", "-c", HOST, str(root), str(work)]
    environment = os.environ | {"BACKSCROLL_HOME": str(tmp_path / "ours")}
    done = subprocess.run(
        command, env=environment, cwd=work, umask=0o022, capture_output=True, text=True, check=False, timeout=300
    )

    assert (0, "") == (done.returncode, done.stderr)

    said = json.loads(done.stdout)
    totals, again = said["totals"]
    assert ([], [], []) == (said["changed"], said["replaced"], said["children"])
    assert [0o644] == said["modes"]
    assert ["MainThread"] == said["threads"]
    assert totals[:4] == totals[4:8] == totals[8:] == again
    assert 1 == len(set(said["listed"]))


def test_files_of_the_index_are_private(tmp_path: Path) -> None:
    """Under any umask all that we write is for its owner alone."""
    root = write_demo_home(tmp_path / "home")
    ours = tmp_path / "ours"
    command = [sys.executable, "-c", f"import backscroll; backscroll.search('the', {str(root)!r})"]
    subprocess.run(command, env=os.environ | {"BACKSCROLL_HOME": str(ours)}, umask=0, check=True)
    files = [path for path in ours.rglob("*") if path.is_file()]

    assert len(files) > 3
    assert [] == [str(path) for path in files if path.stat().st_mode & 0o077 and not path.name.startswith(".")]
    assert [] == [str(path) for path in (ours, *ours.rglob("*")) if path.is_dir() and path.stat().st_mode & 0o077]


@pytest.mark.parametrize("end", ["", "del library", "library.close()"])
def test_a_library_that_nobody_closes(tmp_path: Path, end: str) -> None:
    """A program that ends without a close leaves an index that the next one goes on with."""
    root = write_demo_home(tmp_path / "demo")
    transcript = next((root / ".claude" / "projects").glob("*/*.jsonl"))
    for last in ("library.close()", end, end):
        program = f"import backscroll, sys\nlibrary = backscroll.open(sys.argv[1])\nlibrary.search('the')\n{last}"
        subprocess.run([sys.executable, "-W", "error", "-c", program, root], check=True)
        with transcript.open("a", encoding="utf-8") as file:
            file.write('{"type": "mode", "mode": "plan"}\n')
