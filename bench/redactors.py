"""Recall and precision of backscroll beside other finders of secrets, and an outside judge over shared documents.

    .venv/bin/python bench/redactors.py [--values N] [--write]

The secrets and the look-alikes are those of the seeded generator of the tests.  Each secret lies in a file of its own,
in each of eight containers; a program finds it if it reports anything in that file.  That is generous: backscroll must
hide more than half of the value.  With --write the tables go into docs/redaction.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from corpora import public
from peers import Peer, from_pypi

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "redaction.md"
BEGIN, END = "[//]: # (beside others: begin)\n\n", "\n[//]: # (beside others: end)"
SESSION = "11111111-1111-4111-8111-111111111111"

sys.path.insert(0, str(ROOT / "tests"))

from make import Draft, home  # noqa: E402 - the tests are no installed package
from redact.generate import COMMONEST, CONTAINERS, FAMILIES, LOOKALIKES, lookalikes, planted, reveals  # noqa: E402
from redact.measure import SEED  # noqa: E402

import backscroll  # noqa: E402
from backscroll.cli.main import run as run_command  # noqa: E402
from backscroll.redact import Redactor  # noqa: E402

DETECT = """
import json, sys
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
with default_settings():
    for path in sys.stdin.read().split("\\n"):
        secrets = SecretsCollection()
        secrets.scan_file(path)
        if any(True for _ in secrets):
            print(path)
"""

Found = dict[str, set[str]]
"""The files in which each program reports something."""


def main() -> None:
    """Measure, print, and write the tables where that is asked for."""
    parser = argparse.ArgumentParser(description="Compare finders of secrets.")
    parser.add_argument("--values", type=int, default=20, help="values of each family")
    parser.add_argument("--write", action="store_true", help="write docs/redaction.md")
    options = parser.parse_args()
    peers = [from_pypi(name, print) for name in ("detect-secrets", "kingfisher")]
    with tempfile.TemporaryDirectory() as place:
        judged = [*_judge(Path(place), peers[1]), *_judge_corpus(Path(place), peers[1])]
        text = "\n".join([*_compare(Path(place), options.values, peers), "", *judged]) + "\n"
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        pattern = f"(?s)(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})"
        PAGE.write_text(re.sub(pattern, lambda _: text, page), encoding="utf-8")


def _compare(place: Path, values: int, peers: list[Peer]) -> Iterator[str]:
    """Yield the table of recall and false findings."""
    random = Random(SEED)  # noqa: S311 - fake secrets are meant to repeat
    redactor, ours, names = Redactor(), set(), []
    files, others = place / "planted", place / "lookalikes"
    files.mkdir()
    others.mkdir()
    for number, one in enumerate(planted(SEED, values)):
        for container, contain in CONTAINERS.items():
            parts = contain(one, random)
            name = f"{one.family}@{container.replace(' ', '_')}@{number}.txt"
            names.append(name)
            (files / name).write_text("\n".join(parts) + "\n", encoding="utf-8")
            if not reveals(redactor.redact_parts(parts), one.value):
                ours.add(name)
    mistaken = set()
    for number, (kind, text) in enumerate(lookalikes(SEED, LOOKALIKES)):
        name = f"{kind.replace(' ', '_')}@{number}.txt"
        (others / name).write_text(text + "\n", encoding="utf-8")
        if redactor.detector.find(text.encode()):
            mistaken.add(name)
    found: Found = {"backscroll": ours}
    false: Found = {"backscroll": mistaken}
    for peer in peers:
        if not peer.absent:
            found[f"{peer.name} {peer.version}"] = _reported(peer, files)
            false[f"{peer.name} {peer.version}"] = _reported(peer, others)
    yield from _table(names, found, false)


def _table(names: list[str], found: Found, false: Found) -> Iterator[str]:
    yield "| recall, secrets planted in | " + " | ".join(found) + " |"
    yield "|---|" + "---|" * len(found)
    for container in CONTAINERS:
        chosen = [name for name in names if name.split("@")[1] == container.replace(" ", "_")]
        yield f"| {container} | " + " | ".join(_share(chosen, one) for one in found.values()) + " |"
    common = [name for name in names if name.split("@")[0] in COMMONEST]
    yield "| the 15 commonest families | " + " | ".join(_share(common, one) for one in found.values()) + " |"
    yield f"| **all** {len(FAMILIES)} families | " + " | ".join(_share(names, one) for one in found.values()) + " |"
    counts = " | ".join(str(len(one)) for one in false.values())
    yield f"| false findings in {LOOKALIKES:,} look-alikes | {counts} |"


def _share(names: list[str], found: set[str]) -> str:
    return f"{sum(name in found for name in names) / len(names):.3f}"


def _reported(peer: Peer, directory: Path) -> set[str]:
    """Return the names of the files in which a peer reports something."""
    if peer.name == "detect-secrets":
        listed = "\n".join(map(str, sorted(directory.iterdir())))
        done = subprocess.run([peer.program, "-c", DETECT], input=listed, capture_output=True, text=True, check=True)
        return {Path(line).name for line in done.stdout.splitlines()}
    return {Path(path).name for path in _kingfisher(peer, directory).elements()}


def _kingfisher(peer: Peer, directory: Path) -> Counter[str]:
    """Return the number of findings by file; nothing is asked of any server."""
    options = ["scan", "--no-validate", "--no-update-check", "--no-dedup", "--format", "jsonl"]
    env = {"PATH": os.environ["PATH"], "HOME": str(directory.parent)}
    done = subprocess.run([peer.program, *options, directory], capture_output=True, text=True, check=False, env=env)
    found: Counter[str] = Counter()
    for line in done.stdout.splitlines():
        value = json.loads(line) if line.startswith("{") else {}
        if (path := value.get("finding", {}).get("path")) is not None:
            found[path] += 1
    return found


def _judge(place: Path, peer: Peer) -> Iterator[str]:
    """Yield what an outside judge finds in a session full of secrets, and in the documents shared from it."""
    if peer.absent:
        return
    root, shared = home(place / "home"), place / "shared"
    draft = Draft(SESSION, "/home/marguerite/shop")
    random = Random(SEED)  # noqa: S311 - as above
    for one in planted(SEED, 1):
        for contain in CONTAINERS.values():
            draft.prompt("\n".join(contain(one, random)))
    draft.write(root)
    os.environ |= {"HOME": str(place), "BACKSCROLL_HOME": str(place / "own")}
    shared.mkdir()
    for form in ("html", "md", "json"):
        code = run_command(["--root", str(root), "share", SESSION, "-o", str(shared / f"s.{form}")])
        if code:
            raise SystemExit(f"share {form} ended with {code}")
    before, after = _kingfisher(peer, root).total(), _kingfisher(peer, shared).total()
    who = f"{peer.name} {peer.version}, an outside judge,"
    yield f"{who} read a session with secrets of all families in all containers:"
    yield f"{before:,} findings in the transcript, {after:,} in the HTML, Markdown and JSON that `share` wrote from it."


def _judge_corpus(place: Path, peer: Peer) -> Iterator[str]:
    """Yield what the judge finds in the documents that were shared from real transcripts, where those are there."""
    root, shared = public().path, place / "corpus"
    if peer.absent or not root.exists():
        return
    with backscroll.open(root) as library:
        ids = [session.id for session in library.list_sessions(limit=None).sessions]
    shared.mkdir()
    for form in ("html", "md", "json"):
        options = ["--dir", str(shared / form), "--format", form, "--thinking", "--agents", "--outputs"]
        if code := run_command(["--root", str(root), "share", *ids, *options]):
            raise SystemExit(f"share {form} of the corpus ended with {code}")
    files = [path for path in shared.rglob("*") if path.is_file()]
    size, found = sum(path.stat().st_size for path in files), _kingfisher(peer, shared).total()
    yield f"It read all that `share` wrote from the {len(ids)} sessions of the shared corpus, agents and thinking too:"
    yield f"{found:,} findings in {len(files):,} files of {size / 1e6:.0f} MB."


if __name__ == "__main__":
    main()
