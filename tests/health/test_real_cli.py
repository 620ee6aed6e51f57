"""The real Claude Code resumes broken transcripts as the doctor says, and repaired copies whole.

Needs ../shared/real-cli, root for its network namespace, and the program itself: `REAL_CLAUDE=/path/to/claude`.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from command import said
from lost_stories import STORIES, age, told
from make import UUID, write_transcript

from backscroll.stores.project_key import encode

REAL = os.environ.get("REAL_CLAUDE")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(REAL is None, reason="needs the real Claude Code: REAL_CLAUDE=/path/to/claude"),
]


def resumed(shared: Path, root: Path, work: Path, session: str) -> int:
    """Resume a session, and return the number of messages that the program sent to its model."""
    log = root / "requests"
    log.unlink(missing_ok=True)
    start = [str(shared / "real-cli/run.sh"), str(root), str(work), str(REAL)]
    line = [*start, "-p", "again", "--resume", session, "--output-format", "json"]
    subprocess.run(line, check=True, capture_output=True, timeout=120, env=os.environ | {"MOCKLOG": str(log)})
    sent = [json.loads(item) for item in log.read_text().splitlines() if item.startswith("{")]
    return max(int(item["nmsg"]) for item in sent if "messages" in item["path"])


@pytest.mark.parametrize("name", ["16 chain breaks", "17 one id twice", "18a stale leaf"])
def test_the_share_is_true_and_the_copy_is_whole(name: str, tmp_path: Path, shared: Path) -> None:
    """The program misses as many messages as the doctor counted, and none of them after the repair."""
    root, work = tmp_path / "user", tmp_path / "work"
    work.mkdir()
    STORIES[name].build(root)
    (old,) = root.rglob(f"{UUID}.jsonl")
    path = write_transcript(root, encode(str(work)), UUID, old.read_bytes().replace(b"/srv/shop", bytes(work)))
    old.unlink()
    age(path, 1)
    subprocess.run(["python3", shared / "real-cli/seedhome.py", root, work], check=True, capture_output=True)
    (found,) = told(root, "doctor", "--kind", "chain")["findings"]
    counts = re.search(r"reaches (\d+) of (\d+) messages", found["text"])
    assert counts is not None
    reached, total = map(int, counts.groups())

    before = path.read_bytes()
    assert 0 == said("--root", root, "doctor", "--fix", "--apply")[0]
    (copy,) = [item for item in path.parent.glob("*.jsonl") if item != path]
    whole = resumed(shared, root, work, copy.stem)
    part = resumed(shared, root, work, UUID)

    assert before == path.read_bytes()[: len(before)]
    assert total - reached == whole - part  # both also send results, notices and the new prompt
    assert total < whole
