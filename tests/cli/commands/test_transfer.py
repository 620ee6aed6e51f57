"""`backscroll transfer` at the command line: plans on a terminal, the log, undo."""

import json
import os
import re
from pathlib import Path

import pytest
from command import said
from make import UUID, Draft, home, row
from screens import at_terminal
from two_accounts import BEN, app_id, transcript_id, two_accounts

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


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_a_plan_leads_on(tmp_path: Path, width: int) -> None:
    """At every width a plan names its files whole, says that nothing has changed, and then how to undo it."""
    root = two_accounts(tmp_path / "user", "linux", 2)
    copy = ("--root", root, "transfer", "copy", "--all", "--to", BEN)
    plan, done, again = (at_terminal(*copy, *more, width=width) for more in ((), ("--apply",), ("--apply",)))
    name = f"{app_id(1)[12:]}.json"

    assert "This is only the plan." in plan
    assert all(name in shown for shown in (plan, done, again))
    assert re.search(rf"^Undo: backscroll --root {root} transfer undo \S+$", done, re.MULTILINE)
    assert "Nothing is left to do." in again
    assert not [line for line in plan.splitlines() if len(line) > width]


@pytest.mark.parametrize("width", [40, 80])
def test_a_refusal_is_read_to_its_end(tmp_path: Path, width: int) -> None:
    """The reason of a refused step is wrapped below it, never cut, and its command carries --root."""
    root = two_accounts(tmp_path / "user", "linux", 1)
    (root / ".claude/projects/-work-shop" / f"{transcript_id(1)}.jsonl").unlink()
    shown = at_terminal("--root", root, "transfer", "copy", app_id(1), "--to", BEN, width=width, code=4)

    assert "its transcript is not on this machine, so the row would open nothing" in " ".join(shown.split())
    assert "Nothing was changed." in shown


def test_commands_in_a_reason_carry_the_root(tmp_path: Path) -> None:
    """A reason that names a command can be pasted."""
    root = home(tmp_path / "user")
    Draft(UUID, "/work/shop").prompt("Hello").answer("Hi.").write(root)
    two_accounts(root, "linux", 1)
    code, out, _ = said("--root", root, "transfer", "copy", UUID, "--to", BEN, "--json")

    assert 4 == code
    assert f"`backscroll --root {root} transfer row {UUID}` makes one" in json.loads(out)["plan"][0]["why"]


def test_nothing_to_pack(tmp_path: Path) -> None:
    """A project without a session that can go is refused, and no empty bundle is written."""
    root = home(tmp_path / "user")
    row(root, cliSessionId=UUID, cwd="/work/shop")
    code, _, err = said("--root", root, "transfer", "pack", "--project", "shop", "-o", tmp_path / "x.tar.zst")

    assert 4 == code
    assert "nothing can be packed: it has no transcript on this machine" in err
    assert not (tmp_path / "x.tar.zst").exists()
