"""`backscroll transfer log` and `transfer undo` at the command line."""

import json
import os
from pathlib import Path

from command import said
from make import home

from backscroll import dirs
from backscroll.changes.apply import apply_plan
from backscroll.changes.plan import ChangePlan, PlanStep, check_plan


def changed(root: Path, own: Path) -> Path:
    """Make one change below a root, and return the file."""
    path = root / ".claude" / "new.json"
    apply_plan(
        check_plan(ChangePlan("test", [PlanStep("write", None, str(path), content=b"{}")], [root])), dirs.journal(own)
    )
    return path


def test_log_and_undo(tmp_path: Path) -> None:
    """A change is listed, undone once, and then there is nothing left to undo."""
    root = home(tmp_path / "user")
    path = changed(root, Path(os.environ["BACKSCROLL_HOME"]))

    code, out, _ = said("--root", root, "transfer", "log", "--json")
    (entry,) = json.loads(out)["journals"]
    assert (0, "test", 1, "done") == (code, entry["command"], entry["steps"], entry["state"])

    code, out, _ = said("--root", root, "transfer", "undo", "--json")
    answer = json.loads(out)
    assert (0, True, entry["id"]) == (code, answer["applied"], answer["journal"])
    assert [("undone", str(path))] == [(step["status"], step["to"]) for step in answer["plan"]]
    assert not path.exists()

    assert 1 == said("--root", root, "transfer", "undo")[0]
    assert 1 == said("--root", root, "transfer", "undo", "nobody")[0]
    assert "undone" in said("--root", root, "transfer", "log")[1]


def test_a_damaged_journal_is_exit_5(tmp_path: Path) -> None:
    """A journal that fails its checksum ends both commands with 5, and the file stays."""
    root = home(tmp_path / "user")
    own = Path(os.environ["BACKSCROLL_HOME"])
    path = changed(root, own)
    journal = next(dirs.journal(own).glob("*/journal.jsonl"))
    journal.write_bytes(journal.read_bytes().replace(b'"act"', b'"acT"', 1))

    assert 5 == said("--root", root, "transfer", "log")[0]
    assert 5 == said("--root", root, "transfer", "undo")[0]
    assert path.exists()
