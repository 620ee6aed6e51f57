"""Mutated files of Claude Desktop and `.claude.json`: every command answers, and other sessions stay as they were."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chance import chance, rounds
from command import said, strictly
from hostile_values import VALUES, broken, fields, with_value
from make import APP, DESKTOPS, UUID, Draft, desktop_file, home, inside, manifest, row, write_side

SEED = 18
MANY = 40
"""Rows, or manifests, that lie side by side in a home."""
CASES = 120
OTHER = "33333333-3333-4333-8333-333333333333"
OWNER = "aaaaaaaa-1111-4111-8111-111111111111"
WHOLE = (b"", b"null", b"[]", b"7", b'"x"', b"[" * 100_000, b"\xff\xfe{\0}\0", b"\xef\xbb\xbf{}", b'{"a":' * 5000)
"""Contents that are no such file at all."""

COMMANDS = (["list", "--all"], ["accounts"], ["cowork"], ["worktrees"], ["flags"], ["storage"], ["overview"])
GROUP = {"groups": [{"id": "cg-1", "name": "Zoo"}], "assignments": {f"code:local_{APP}": "cg-1"}}
SETTINGS = {
    "claude_desktop_config.json": {
        "mcpServers": {"zoo": {"command": "zoo", "args": ["-x"], "env": {"KEY": "made-up"}}},
        "preferences": {"epitaxyPrefs": {"dframe-group-scopes": {f"{OWNER}/{OTHER}": GROUP}}},
    },
    "git-worktrees.json": {
        "schemaVersion": 2,
        "worktrees": {
            "w": {"path": "/r/w", "branch": "b", "leasedBy": f"local_{APP}", "createdAt": 1_777_000_000_000},
            "free": {"path": "C:\\w", "baseRepo": "/r", "sourceBranch": "main"},
        },
    },
    "config.json": {"lastKnownAccountUuid": OWNER, "theme": "dark"},
}
CODE = {
    "userID": "u",
    "oauthAccount": {"accountUuid": OWNER, "emailAddress": "ann@zoo.example", "organizationUuid": OTHER},
    "projects": {"/srv/gnu": {"history": [{"display": "feed the gnu", "pastedContents": {}}], "lastSessionId": OTHER}},
    "cachedGrowthBookFeatures": {"tengu_one": True, "tengu_two": {"note": "x"}},
}


def mutated(document: Any, numbers: Random) -> bytes:
    """Return a document with a hostile value in some fields, or damaged, or replaced by something else."""
    how = numbers.choice(["value", "value", "values", "key", "broken", "whole"])
    if how == "whole":
        return numbers.choice(WHOLE)
    if how == "broken":
        return broken(json.dumps(document).encode(), numbers)
    if how == "key":
        document = {**document, numbers.choice([v for v in VALUES if isinstance(v, str)]): numbers.choice(VALUES)}
    for _ in range({"value": 1, "values": 5}.get(how, 0)):
        document = with_value(document, numbers.choice(list(fields(document)) or [("x",)]), numbers.choice(VALUES))
    return json.dumps(document).encode()


def zoo(root: Path) -> Path:
    """Write a session that no Desktop knows, and another one."""
    draft = Draft(UUID, "/srv/okapi").prompt("feed the okapi").answer("Fed.").title("Okapi")
    draft.write(home(root))
    Draft(OTHER, "/srv/gnu").prompt("feed the gnu").answer("Fed.").write(root)
    return root


def essence(root: Path) -> Any:
    """Return all that is said of the session that no Desktop knows."""
    answers = {}
    for command in (["list", "--all"], ["show", UUID], ["search", "okapi"]):
        code, out, err = said("--root", root, "--json", *command)
        assert code == 0, err
        answers[command[0]] = strictly(out.encode())
    own = next(item for item in answers["list"]["sessions"] if item["id"] == UUID)
    return own, answers["show"], [hit["snippet"] for hit in answers["search"]["hits"]]


def check(root: Path, right: Any, what: object) -> None:
    """Ask every command about the whole home, as text and as JSON."""
    assert right == essence(root), what
    for command in COMMANDS:
        for form in ([], ["--json"]):
            code, out, err = said("--root", root, *form, *command)
            assert code in {0, 1}, (what, command, err)
            assert not form or strictly(out.encode()) is not None


@pytest.mark.slow
@pytest.mark.parametrize("write", [row, manifest])
def test_rows_and_manifests(write: Any, tmp_path: Path) -> None:
    """Whichever field of a row or manifest has whichever value, all commands answer and the others are as before."""
    numbers = chance(SEED)
    root = zoo(tmp_path)
    right = essence(root)
    lists = {"remoteMcpServersConfig": [{"name": "zoo", "tools": ["feed"]}], "enabledMcpTools": {"zoo:feed": True}}
    whole = json.loads(write(root, cliSessionId=OTHER, groupId="cg-1", **lists).read_bytes())
    for number in range(rounds(CASES) // MANY):
        for place in range(MANY):
            path = write(root, f"{place:08}-{number:04}-4999-8999-999999999999")
            path.write_bytes(mutated(whole, numbers))
            inside(path, "audit.jsonl", broken(b'{"type":"user","uuid":"a"}\n' * 3, numbers))
        check(root, right, number)


@pytest.mark.slow
def test_settings(tmp_path: Path) -> None:
    """Whatever stands in Desktop's settings, its registry of worktrees and `.claude.json`, all commands answer."""
    numbers = chance(SEED)
    root = zoo(tmp_path)
    right = essence(root)
    row(root, cliSessionId=OTHER)
    for number in range(rounds(CASES) // MANY * 2):
        for desktop in DESKTOPS:
            for name, document in SETTINGS.items():
                desktop_file(root, name, mutated(document, numbers), desktop)
        write_side(root, ".claude.json", mutated(CODE, numbers))
        (root / ".claude.json").write_bytes(mutated(CODE, numbers))
        check(root, right, number)


@pytest.mark.parametrize("command, name", [("worktrees", "git-worktrees.json"), ("flags", ".claude.json")])
def test_an_unreadable_file_is_named(command: str, name: str, tmp_path: Path) -> None:
    """A command about one kind of file does not say "none" of a file that it cannot read: it names the file."""
    root = zoo(tmp_path)
    desktop_file(root, "git-worktrees.json", b'{"worktrees": {')
    write_side(root, ".claude.json", b'{"cachedGrowthBookFeatures": {')

    assert f"{name}: not JSON" in said("--root", root, command)[1]
