"""Compare what `recover` gives back with claude-file-recovery, file by file: `python bench/recover_peers.py HOME...`.

The peer comes from PyPI at the version below, into bench/.venv.  Each HOME is copied, and both programs write all files
that they can into directories of their own.  Where a recorded path still exists on this machine, as it does for a home
that the real program was just run in, its bytes are the truth; elsewhere the two answers are compared with each other.
What differs, and who is right, is in docs/recovery.md.
"""

import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import peers

PEER = ("claude-file-recovery", "claude-file-recovery==0.2.0", "claude-file-recovery")
OURS = Path(sys.executable).with_name("backscroll")
PATIENCE = 600


@dataclass(slots=True)
class Answer:
    """What one program gives back of one home."""

    program: str
    listed: set[str] = field(default_factory=set)
    contents: dict[str, str] = field(default_factory=dict)
    """Path to the digest of what was written for it."""
    versions: int = 0
    seconds: float = 0.0


def compare(home: Path, peer: peers.Peer) -> list[Answer]:
    """Recover all files of one home, or of one .claude, with both programs."""
    with tempfile.TemporaryDirectory(prefix="recover-peers-") as scratch:
        place = Path(scratch)
        copy = place / "home"
        shutil.copytree(home, copy / ".claude" if (home / "projects").is_dir() else copy, symlinks=True)
        return [_ours(copy, place), _theirs(copy / ".claude", place, peer)]


def _ours(home: Path, place: Path) -> Answer:
    answer = Answer("backscroll")
    environment = {"BACKSCROLL_HOME": str(place / "index")}
    files, first = _run([OURS, "--root", home, "files", "--all", "--json"], environment)
    command = [OURS, "--root", home, "recover", "--all", "--write", place / "ours", "--json"]
    report, second = _run(command, environment)
    answer.seconds = first + second
    for file in json.loads(files)["files"]:
        answer.listed.add(file["path"])
        answer.versions += file["versions"]
    for file in json.loads(report)["files"]:
        if file["status"] == "written" and not file["target"].endswith(".partial"):
            answer.contents[file["path"]] = _digest(Path(file["target"]))
    return answer


def _theirs(config: Path, place: Path, peer: peers.Peer) -> Answer:
    answer = Answer(peer.name)
    if peer.absent:
        return answer
    environment = {"COLUMNS": "4000", "HOME": str(place)}
    listed, first = _run([peer.program, "list-files", "-c", config, "--csv"], environment)
    _, second = _run([peer.program, "extract-files", "-c", config, "-o", place / "theirs"], environment)
    answer.seconds = first + second
    text = listed.decode(errors="replace")
    rows = csv.DictReader(io.StringIO(text[text.index("last_modified") :]))
    answer.listed = {row["path"] for row in rows if row["path"]}
    answer.versions = len(answer.listed)
    for path in answer.listed:
        found = place / "theirs" / path.lstrip("/").replace("\\", "/")
        if found.is_file():
            answer.contents[path] = _digest(found)
    return answer


def _run(command: list[Any], environment: dict[str, str]) -> tuple[bytes, float]:
    """Run a program; return what it printed and the CPU seconds that it took."""
    with tempfile.TemporaryFile() as answer:
        env = {"PATH": os.environ["PATH"], **environment}
        words = [str(word) for word in command]
        process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=answer, stderr=subprocess.DEVNULL)
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        answer.seek(0)
        return answer.read(), spent.ru_utime + spent.ru_stime


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def report(home: Path, answers: list[Answer]) -> None:
    """Print what each program found, and how the two differ."""
    print(f"\n{home}\n")
    print("| program | files listed | given back | versions | right | wrong | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for answer in answers:
        truth = Counter(_is_right(path, digest) for path, digest in answer.contents.items())
        right, wrong = (truth[True], truth[False]) if truth[True] + truth[False] else ("", "")
        figures = (len(answer.listed), len(answer.contents), answer.versions, right, wrong, f"{answer.seconds:.2f}")
        print(f"| {answer.program} | {' | '.join(map(str, figures))} |")
    ours, theirs = answers
    both = ours.contents.keys() & theirs.contents.keys()
    same = sum(ours.contents[path] == theirs.contents[path] for path in both)
    print(f"\nBoth give {len(both)} files back, {same} of them with the same bytes.")
    for title, paths in (
        ("Listed by us alone", ours.listed - theirs.listed),
        ("Listed by the peer alone", theirs.listed - ours.listed),
        ("Given back by the peer alone", theirs.contents.keys() - ours.contents.keys()),
        ("Different", {path for path in both if ours.contents[path] != theirs.contents[path]}),
    ):
        print(f"\n{title}: {len(paths)}")
        print("".join(f"  {path}\n" for path in sorted(paths)[:100]), end="")


def _is_right(path: str, digest: str) -> bool | None:
    """Say whether a file on this machine holds what was given back; None where there is none."""
    try:
        return _digest(Path(path)) == digest
    except OSError:
        return None


def main() -> None:
    """Compare the homes that are named."""
    peer = peers.installed(*PEER, print)
    for home in map(Path, sys.argv[1:]):
        report(home, compare(home, peer))


if __name__ == "__main__":
    main()
