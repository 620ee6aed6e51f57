"""Measure the archive against a plain copy packed with zstd, and against restic.

    .venv/bin/python bench/archiving.py [S] [M] [L] [--write]

CPU of each command and of its processes, in seconds; sizes of the results on the disk.  The home is made once
(`corpora.py`) and copied, so that bytes can be appended to it.  restic is left out where it is not installed.
`list` and a sync that finds nothing new take so little that the median of several runs is taken.
With --write the tables go into docs/archive.md.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import corpora

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "archive.md"
BEGIN, END = "[//]: # (measured: begin)\n\n", "\n[//]: # (measured: end)"
SMALL = 5000
_RUNS = 7
_APPENDED = b'{"type":"x","note":"%s"}\n' % (b"0123456789abcdef" * 62)
"""About 1 kB."""

Figures = dict[str, tuple[str, str]]
"""What was measured, to its processor time and its size."""


def main() -> None:
    """Measure, print, and write the tables where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", default=["M"], help="the homes: S, M (300 MB), L (2 GB)")
    parser.add_argument("--write", action="store_true", help="write docs/archive.md")
    options = parser.parse_args()
    homes: dict[str, Figures] = {}
    counts = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory(prefix="backscroll-archiving-") as scratch:
            place = Path(scratch)
            home = place / "home"
            shutil.copytree(corpora.sized(size).path, home)
            name = f"{_size(home) / 1e6:,.0f} MB"
            counts.append(f"{name} in {sum(1 for _ in home.rglob('*.jsonl')):,} transcripts")
            print(counts[-1])
            figures = homes[name] = {}
            _plain(home, place, figures)
            _ours(home, place, figures)
            if shutil.which("restic") is not None:
                _restic(home, place, figures)
    small: Figures = {}
    _small_files(small)
    text = "\n".join([_conditions(options.sizes, counts), "", *_table(homes), "", *_table({_SMALL_HOME: small})]) + "\n"
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        pattern = f"(?s)(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})"
        PAGE.write_text(re.sub(pattern, lambda _: text, page), encoding="utf-8")


_SMALL_HOME = f"{SMALL:,} rows and todos"


def _conditions(sizes: list[str], counts: list[str]) -> str:
    """Return a paragraph that says how the figures were taken."""
    restic = "restic is not installed"
    if shutil.which("restic") is not None:
        version = subprocess.run(["restic", "version"], check=True, capture_output=True, text=True).stdout
        restic = " ".join(version.split()[:2])
    load = f"{os.cpu_count()} cores and a load of {os.getloadavg()[0]:.0f}"
    return (
        f"`python bench/archiving.py {' '.join(sizes)} --write` on {datetime.now(UTC):%Y-%m-%d}, a machine with {load};"
        f" homes of {' and '.join(counts)}; processor time, of the lines with *nothing changed* the median of"
        f" {_RUNS} runs; {restic}:"
    )


def _table(homes: Mapping[str, Figures]) -> Iterator[str]:
    """Yield one table: a line for each thing that was measured, two columns for each home."""
    yield "| | " + " | ".join(f"CPU, {name} | size" for name in homes) + " |"
    yield "|---|" + "---|---|" * len(homes)
    for what in next(iter(homes.values())):
        yield f"| {what} | " + " | ".join(" | ".join(figures.get(what, ("", ""))) for figures in homes.values()) + " |"


def _small_files(figures: Figures) -> None:
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
        first = _cpu([*program, "archive", "sync"], env)
        segments = sum(1 for path in archive.rglob("*.zst"))
        told = f"{_megabytes(archive)} in {segments:,} segment{'' if segments == 1 else 's'}"
        _tell(figures, "`archive sync`, the first", first, told)
        _cpu([*program, "list"], env)
        _tell(figures, "`list`, nothing changed", _middle([*program, "list"], env))
        _tell(figures, "`archive sync`, nothing changed", _middle([*program, "archive", "sync"], env))


def _id(number: int) -> str:
    return f"{number:08x}-1111-4111-8111-111111111111"


def _plain(home: Path, place: Path, figures: Figures) -> None:
    """Copy everything, then pack each file by itself."""
    copy = place / "copy"
    script = f"cp -r {home} {copy} && find {copy} -type f -print0 | xargs -0 -n 64 zstd -3 -q --rm"
    seconds = _cpu(["sh", "-c", script])
    _tell(figures, "`cp -r` and `zstd -3` for each file", seconds, _megabytes(copy))


def _ours(home: Path, place: Path, figures: Figures) -> None:
    env = {"BACKSCROLL_HOME": str(place / "ours"), "HOME": str(place)}
    program = [sys.executable, "-m", "backscroll", "--root", str(home)]
    archive = place / "ours" / "archive"
    seconds = _cpu([*program, "archive", "sync"], env)
    _tell(figures, "`archive sync`, the first", seconds, _megabytes(archive))
    _cpu([*program, "list"], env)
    _cpu([*program, "archive", "sync"], env)
    _tell(figures, "`list`, nothing changed", _middle([*program, "list"], env))
    _tell(figures, "`archive sync`, nothing changed", _middle([*program, "archive", "sync"], env))
    largest = _largest(home)
    before, size = _size(archive), f"{largest.stat().st_size / 1e6:,.0f} MB"
    with largest.open("ab") as file:
        file.write(_APPENDED)
    seconds = _cpu([*program, "archive", "sync"], env)
    _tell(figures, "`archive sync`, 1 kB more in the largest session", seconds, f"{_size(archive) - before:,} bytes")
    _tell(figures, "`archive verify`", _cpu([*program, "archive", "verify"], env))
    _tell(figures, "`archive verify --read-data`", _cpu([*program, "archive", "verify", "--read-data"], env))
    largest.unlink()
    _cpu([*program, "list"], env)
    restore = [*program, "archive", "restore", largest.stem, "--apply"]
    _tell(figures, "`archive restore` of the largest session", _cpu(restore, env), size)


def _restic(home: Path, place: Path, figures: Figures) -> None:
    env = {"RESTIC_REPOSITORY": str(place / "restic"), "RESTIC_PASSWORD": "x", "RESTIC_CACHE_DIR": str(place / "cache")}
    _cpu(["restic", "init", "-q"], env)
    seconds = _cpu(["restic", "backup", "-q", str(home)], env)
    _tell(figures, "`restic backup`, the first", seconds, _megabytes(place / "restic"))
    _tell(figures, "`restic backup`, nothing changed", _middle(["restic", "backup", "-q", str(home)], env))
    target = place / "restored"
    restore = ["restic", "restore", "-q", "latest", "--include", str(_largest(home)), "--target", str(target)]
    _tell(figures, "`restic restore` of the same session", _cpu(restore, env))
    _tell(figures, "`restic check`", _cpu(["restic", "check", "-q"], env))
    _tell(figures, "`restic check --read-data`", _cpu(["restic", "check", "-q", "--read-data"], env))


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


def _megabytes(place: Path) -> str:
    return f"{_size(place) / 1e6:,.1f} MB"


def _tell(figures: Figures, name: str, seconds: float, size: str = "") -> None:
    """Print a figure, and keep it for the table."""
    figures[name] = (f"{seconds:.2f} s", size)
    print(f"{name:52} {seconds:7.2f} s  {size}")


if __name__ == "__main__":
    main()
