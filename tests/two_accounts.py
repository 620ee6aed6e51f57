"""Homes with a Claude Desktop of two accounts, on the layout of each system, all files old enough not to be in use."""

import json
import os
from pathlib import Path
from typing import Any

from command import said
from make import ACCOUNT, CODE_ROWS, COWORK_ROWS, ORGANIZATION, Draft, desktop_file, home, row

BEN, BENS_ORGANIZATION = "cccccccc-3333-4333-8333-333333333333", "dddddddd-4444-4444-8444-444444444444"
SYSTEMS = {
    "macos": "Library/Application Support/Claude",
    "linux": ".config/Claude",
    "windows": "AppData/Roaming/Claude",
}
OLD = 1_700_000_000
ANNS, BENS = f"{ACCOUNT}/{ORGANIZATION}", f"{BEN}/{BENS_ORGANIZATION}"


def transcript_id(number: int) -> str:
    """Return the id of the transcript of session `number`."""
    return f"{number:08x}-1111-4111-8111-111111111111"


def app_id(number: int) -> str:
    """Return the id of the row of session `number`."""
    return f"{number:08x}-9999-4999-8999-999999999999"


def rows_of(root: Path, system: str, owner: str = BENS) -> Path:
    """Return the directory of an account's rows."""
    return root / SYSTEMS[system] / CODE_ROWS / owner


def manifests_of(root: Path, system: str, owner: str = BENS) -> Path:
    """Return the directory of an account's manifests."""
    return root / SYSTEMS[system] / COWORK_ROWS / owner


def add_session(root: Path, system: str, number: int, cwd: str = "/work/shop", **fields: Any) -> Path:
    """Add a transcript and Ann's row of it, and return the path of the row."""
    Draft(transcript_id(number), cwd).prompt(f"Question {number}").answer("Answer.").write(root)
    given = {"cliSessionId": transcript_id(number), "cwd": cwd, "originCwd": cwd, "title": f"Session {number}"}
    return row(root, app_id(number), owner=ANNS, at=f"{SYSTEMS[system]}/{CODE_ROWS}", **(given | fields))


def two_accounts(directory: Path, system: str, sessions: int = 3) -> Path:
    """Make a home in which Ann has sessions, and Ben an empty directory of rows."""
    root = home(directory)
    for number in range(1, sessions + 1):
        add_session(root, system, number)
    desktop_file(root, f"{CODE_ROWS}/{BENS}/scheduled-tasks.json", {}, SYSTEMS[system])
    desktop_file(root, "config.json", {"lastKnownAccountUuid": BEN}, SYSTEMS[system])
    return aged(root)


def aged(directory: Path) -> Path:
    """Give everything below a directory an old time, and return it."""
    for parent, folders, files in os.walk(directory, topdown=False):
        for name in (*folders, *files):
            os.utime(Path(parent, name), (OLD, OLD), follow_symlinks=False)
    os.utime(directory, (OLD, OLD))
    return directory


def transfer(root: Path, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """Run one `transfer` command, and return its exit code and its answer, or the error."""
    code, out, err = said("--root", root, "transfer", *arguments, "--json")
    return code, json.loads(out) if out else {"error": err}


def statuses(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """Return action and status of each step."""
    return [(step["action"], step["status"]) for step in answer["plan"]]


def reasons(answer: dict[str, Any]) -> str:
    """Return all reasons of a plan."""
    return "\n".join(f"{step['why']}" for step in answer["plan"] if step["why"])
