"""Secrets in every place of a row or manifest that no list of names allows: no command prints them or finds them."""

from pathlib import Path
from typing import Any

import pytest
from make import ACCOUNT, COWORK_ROWS, ORGANIZATION, UUID, Draft, desktop_file, home, manifest, row

from backscroll.cli.main import run
from backscroll.stores.desktop_files.manifests import KNOWN

SECRET = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl"  # noqa: S105 - nobody's
NEW_NAMES = ["jwt", "idToken", "sessionJwt", "blob", "x", "grant", "opaque", "t", "handle", "bearerish", "newField"]
COMMANDS = [
    ["cowork"],
    ["cowork", UUID],
    ["cowork", UUID, "--json"],
    ["cowork", "--json"],
    ["list", "--all", "--json"],
    ["show", UUID, "--json"],
    ["accounts", "--json"],
    ["search", "eyJhbGciOiJIUzI1NiJ9"],
    ["search", "c2lnbmF0dXJl", "--json"],
]


def fields() -> dict[str, Any]:
    """Return a secret under each unknown name, and under unknown names inside the known fields."""
    found: dict[str, Any] = dict.fromkeys(NEW_NAMES, SECRET)
    found |= {f"{name}2": [{"deep": SECRET}, SECRET] for name in NEW_NAMES}
    for name, (_, kind) in KNOWN.items():
        if kind in ("map", "any", "prose", "list"):
            found[name] = [{"x": SECRET, "jwt": {"value": SECRET}, "list": [SECRET]}] if kind == "list" else {}
        if kind in ("map", "any", "prose"):
            found[name] = {"inner": {"x": SECRET, "jwt": SECRET}, "jwt": SECRET, "more": {"deep": [{"y": SECRET}]}}
        if kind in ("time", "number", "flag") and name not in ("createdAt", "lastActivityAt", "isArchived"):
            found[name] = SECRET
    return found


@pytest.mark.parametrize("write", [row, manifest])
def test_no_command_prints_a_secret(write: Any, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Neither a row of the Code tab nor a manifest of Cowork gives away a text that the lists of names do not name."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root)
    write(root, cliSessionId=UUID, **fields())
    task = {"id": "weekly", "prompt": "weed", "jwt": SECRET, "x": [SECRET]}
    desktop_file(root, f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/scheduled-tasks.json", {"tasks": [task]})
    printed = {}
    for command in COMMANDS:
        code = run(["--root", str(root), *command])
        printed[" ".join(command)] = (code, SECRET.encode() in capsysbinary.readouterr().out)

    assert {" ".join(command): (int(command[0] == "search"), False) for command in COMMANDS} == printed
