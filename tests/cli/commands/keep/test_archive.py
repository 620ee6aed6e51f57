"""`backscroll archive` and its commands."""

import json
from pathlib import Path

from command import said
from make import UUID, Draft, home, write_transcript


def test_sync_status_and_verify(tmp_path: Path) -> None:
    """The commands answer for people and for scripts, and damage exits with 5."""
    root = home(tmp_path / "root")
    write_transcript(root, "-home-ann-app", UUID, Draft(UUID).prompt("A").answer("B").lines())
    assert "The archive is empty." in said("--root", root, "archive")[1]
    code, out, _ = said("--root", root, "archive", "sync")
    assert (0, "added 1 of 1 files") == (code, out[:18])
    assert 1 == json.loads(said("--root", root, "archive", "status", "--json")[1])["sessions"]
    code, out, _ = said("--root", root, "archive", "verify", "--read-data")
    assert (0, True) == (code, "all good" in out)
    place = Path(json.loads(said("--root", root, "archive", "--json")[1])["path"])
    (segment,) = place.glob("segments/*.zst")
    segment.write_bytes(segment.read_bytes()[:-1])

    assert 5 == said("--root", root, "archive", "verify")[0]
