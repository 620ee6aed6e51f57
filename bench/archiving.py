"""Measure the archive against a plain copy packed with zstd, and against restic: python bench/archiving.py.

CPU of each command and of its processes, in seconds; sizes of the results on the disk.  The home is made once
(`corpora.py`) and copied, so that bytes can be appended to it.  restic is left out where it is not installed.
`list` and a sync that finds nothing new take so little that the middle of several runs is told.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import corpora

SMALL = 5000
_RUNS = 7
_APPENDED = b'{"type":"x","note":"%s"}\n' % (b"0123456789abcdef" * 62)
"""About 1 kB."""


def main() -> None:
    """Do what the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", default=["M"], help="the homes: S, M (300 MB), L (2 GB)")
    for size in parser.parse_args().sizes:
        with tempfile.TemporaryDirectory(prefix="backscroll-archiving-") as scratch:
            place = Path(scratch)
            home = place / "home"
            shutil.copytree(corpora.sized(size).path, home)
            print(f"{_size(home) / 1e6:.0f} MB, {sum(1 for _ in home.rglob('*.jsonl')):,} transcripts")
            _plain(home, place)
            _ours(home, place)
            if shutil.which("restic") is not None:
                _restic(home, place)
    _small_files()


def _small_files() -> None:
    """Sync as many rows and todos as years of work leave."""
    with tempfile.TemporaryDirectory(prefix="backscroll-archiving-") as scratch:
        home = Path(scratch, "home")
        rows = home / ".config/Claude/claude-code-sessions" / _id(1) / _id(2)
        todos = home / ".claude/todos"
        for directory in (rows, todos, home / ".claude/projects"):
            directory.mkdir(parents=True)
        for number in range(SMALL // 2):
            row = {"sessionId": f"local_{_id(number)}", "cliSessionId": _id(number), "title": f"Session {number}"}
            (rows / f"local_{_id(number)}.json").write_text(json.dumps(row))
            todo = [{"content": f"Step {number}", "status": "completed"}]
            (todos / f"{_id(number)}-agent-{_id(number)}.json").write_text(json.dumps(todo))
        env = {"BACKSCROLL_HOME": str(Path(scratch, "ours")), "HOME": scratch}
        program = [sys.executable, "-m", "backscroll", "--root", str(home)]
        archive = Path(scratch, "ours/archive")
        _tell(f"archive sync, {SMALL:,} small files", _cpu([*program, "archive", "sync"], env), archive)
        print(f"  in {sum(1 for path in archive.rglob('*.zst')):,} segments")
        _tell("archive sync, nothing changed", _middle([*program, "archive", "sync"], env))


def _id(number: int) -> str:
    return f"{number:08x}-1111-4111-8111-111111111111"


def _plain(home: Path, place: Path) -> None:
    """Copy everything, then pack each file by itself."""
    copy = place / "copy"
    script = f"cp -r {home} {copy} && find {copy} -type f -print0 | xargs -0 -n 64 zstd -3 -q --rm"
    _tell("cp -r and zstd -3", _cpu(["sh", "-c", script]), copy)


def _ours(home: Path, place: Path) -> None:
    env = {"BACKSCROLL_HOME": str(place / "ours"), "HOME": str(place)}
    program = [sys.executable, "-m", "backscroll", "--root", str(home)]
    archive = place / "ours" / "archive"
    _tell("archive sync, first", _cpu([*program, "archive", "sync"], env), archive)
    _cpu([*program, "list"], env)
    _cpu([*program, "archive", "sync"], env)
    _tell("list, nothing changed", _middle([*program, "list"], env))
    _tell("archive sync, nothing changed", _middle([*program, "archive", "sync"], env))
    largest = _largest(home)
    before = _size(archive)
    with largest.open("ab") as file:
        file.write(_APPENDED)
    _tell("archive sync, 1 kB more", _cpu([*program, "archive", "sync"], env))
    print(f"  took {_size(archive) - before:,} bytes")
    _tell("archive verify", _cpu([*program, "archive", "verify"], env))
    _tell("archive verify --read-data", _cpu([*program, "archive", "verify", "--read-data"], env))
    size = largest.stat().st_size
    largest.unlink()
    _cpu([*program, "list"], env)
    restore = [*program, "archive", "restore", largest.stem, "--apply"]
    _tell(f"archive restore, a session of {size / 1e6:.0f} MB", _cpu(restore, env))


def _restic(home: Path, place: Path) -> None:
    env = {"RESTIC_REPOSITORY": str(place / "restic"), "RESTIC_PASSWORD": "x", "RESTIC_CACHE_DIR": str(place / "cache")}
    _cpu(["restic", "init", "-q"], env)
    _tell("restic backup, first", _cpu(["restic", "backup", "-q", str(home)], env), place / "restic")
    _tell("restic backup, nothing changed", _middle(["restic", "backup", "-q", str(home)], env))
    target = place / "restored"
    restore = ["restic", "restore", "-q", "latest", "--include", str(_largest(home)), "--target", str(target)]
    _tell("restic restore, the largest session", _cpu(restore, env))
    _tell("restic check", _cpu(["restic", "check", "-q"], env))
    _tell("restic check --read-data", _cpu(["restic", "check", "-q", "--read-data"], env))


def _largest(home: Path) -> Path:
    """Return the largest transcript of a session."""
    found = (path for path in home.rglob("*.jsonl") if not path.name.startswith("agent-"))
    return max(found, key=lambda path: path.stat().st_size)


def _cpu(command: list[str], env: Mapping[str, str] | None = None) -> float:
    """Run a command, and return the processor time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=os.environ | (env or {}), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _middle(command: list[str], env: Mapping[str, str]) -> float:
    """Return the median processor time of several runs."""
    return statistics.median(_cpu(command, env) for _ in range(_RUNS))


def _size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def _tell(name: str, seconds: float, place: Path | None = None) -> None:
    size = "" if place is None else f"  {_size(place) / 1e6:8.1f} MB"
    print(f"{name:42} {seconds:7.2f} s{size}")


if __name__ == "__main__":
    main()
