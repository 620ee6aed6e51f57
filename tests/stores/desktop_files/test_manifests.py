"""Manifests: every known field has its group, nothing is lost but secrets."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, shared_path
from make import inside, manifest

from backscroll.stores.desktop_files import manifests
from backscroll.stores.desktop_files.allowed import WITHHELD, without_secrets

SEEDS_27 = {
    "identity": "sessionId processName vmProcessName cliSessionId createdAt lastActivityAt model isArchived title"
    " initialMessage systemPrompt accountName emailAddress slashCommands",
    "folders": "cwd userSelectedFolders",
    "egress": "egressAllowedDomains",
    "mcp": "remoteMcpServersConfig enabledMcpTools",
    "browser": "chromePermissionMode chromeAllowedDomains",
    "answers": "mcqAnswers",
    "files": "fsDetectedFiles",
    "approvals": "userApprovedFileAccessPaths fileDeleteApprovedMounts",
    "error": "error",
    "schedule": "scheduledTaskId",
}


def test_the_27_fields_of_the_seed_have_their_groups() -> None:
    """Each field of the published schema is known, in the group that people look for it in."""
    groups = {name: group for group, names in SEEDS_27.items() for name in names.split()}

    assert 27 == len(groups)
    assert groups == {name: manifests.KNOWN[name][0] for name in groups}


@pytest.mark.corpus
def test_every_field_of_the_seeds_schema_is_known() -> None:
    """The published schema itself names no field that we do not know."""
    schema = json.loads(shared_path("seeds/003_950595b3bf2c1ef2.txt").read_text())

    assert [] == [name for name in schema["properties"] if name not in manifests.KNOWN]


def test_more_than_160_fields_are_known() -> None:
    """The rows of October 2026 have 161 fields, manifests some more; each name stands once, in one group."""
    names = [name for by_type in manifests._FIELDS.values() for names in by_type.values() for name in names.split()]

    assert len(names) == len(set(names)) == len(manifests.KNOWN)
    assert len(names) > 190
    assert [] == [name for name in RECENT.split() if name not in manifests.KNOWN]


RECENT = """gitAnchors worktreePinned withheldConnectorHosts sshReattach autoArchiveExempt seenCommentIds titleOffers
    tccFolderKind turnWrapUp ranInSandboxVm queryCrashes scratchCarried transcriptCuts sideSessionNotes asides
    cliBinaryPin devIntents terminalClaudeTabOrdinal remoteControlUserToggled keptDirtyAt color"""
"""Fields that were new in the rows of Desktop 2.19675."""


@pytest.mark.parametrize(
    "value, expected",
    [
        (7, 7),
        (True, True),
        (None, None),
        ("high", "high"),
        ("auto_mode", "auto_mode"),
        ("eyJhbGciOi.eyJzdWIi.c2ln", {"type": "text", "characters": 24}),
        ("two words", {"type": "text", "characters": 9}),
        ("correcthorsebatterystaple", {"type": "text", "characters": 25}),
        ({"a": [1, None]}, {"type": "map", "fields": 1}),
        (["x", "y"], {"type": "list", "items": 2}),
    ],
)
def test_unknown_fields_are_described(value: Any, expected: Any) -> None:
    """Of a field that nobody knows only type and size are shown, unless its value is plainly harmless."""
    found = manifests.sort_fields({"title": "T", "newThing": value})

    assert {"identity": {"title": "T"}, "other": {"newThing": expected}} == found.groups
    assert (["newThing"], []) == (found.unknown, found.odd)


@pytest.mark.parametrize("name, value", [("title", 7), ("createdAt", True), ("mcqAnswers", []), ("isArchived", "yes")])
def test_odd_fields_are_named(name: str, value: Any) -> None:
    """A known field of another type is shown as it is, and named."""
    found = manifests.sort_fields({name: value})

    assert [name] == found.odd
    assert [{name: value}] == list(found.groups.values())


def test_times_are_shown_as_such() -> None:
    """Milliseconds become moments."""
    assert {"identity": {"createdAt": "2026-05-28T20:26:40.000Z"}} == manifests.sort_fields(
        {"createdAt": 1780000000000}
    ).groups


def test_long_prompts_are_measured() -> None:
    """Of the program's own prompts the length is told, not the text."""
    found = manifests.sort_fields({"systemPrompt": "x" * 42_000, "systemPromptNew": "y" * 7})

    assert [{"systemPrompt": {"characters": 42_000}}, {"systemPromptNew": {"characters": 7}}] == list(
        found.groups.values()
    )


HIDDEN = "5ecret-value"


@pytest.mark.parametrize(
    "fields",
    [
        {"remoteMcpServersConfig": [{"name": "n", "url": f"https://x/?k={HIDDEN}", "headers": {"X": HIDDEN}}]},
        {"remoteMcpServersConfig": {"servers": [{"name": "n", "headers": {"X": HIDDEN}}], "auth": HIDDEN}},
        {"remoteMcpServersConfig": [{"name": "n", "env": {"K": HIDDEN}, "tools": [{"name": "t", "apiKey": HIDDEN}]}]},
        {"sshConfig": {"host": "h", "password": HIDDEN, "identityFile": HIDDEN}},
        {"otelConfig": {"headers": HIDDEN}},
        {"sessionSettings": {"env": {"TOKEN": HIDDEN}}},
        {"newThing": {"accessToken": HIDDEN, "deep": [{"client_secret": HIDDEN, "Authorization": HIDDEN}]}},
        {"refresh_token": HIDDEN},
        {"spawnSeed": {"env": HIDDEN}},
        {"jwt": HIDDEN},
        {"agent": HIDDEN},
        {"createdAt": HIDDEN},
        {"mcqAnswers": HIDDEN},
        {"mcqAnswers": {"question": {"jwt": HIDDEN}}},
        {"mcqAnswers": {"jwt": HIDDEN}},
        {"fsDetectedFiles": [{"fileName": "a", "x": HIDDEN}]},
        {"recap": {"text": "fine", "x": [HIDDEN]}},
        {"webFetchAllowedUrls": [f"https://ann:{HIDDEN}@x.test/a?k={HIDDEN}"]},
        {"prs": [{"url": f"https://x.test/?k={HIDDEN}", "title": "Fix"}]},
        *({name: {"x": HIDDEN}} for name in manifests.KNOWN if name not in manifests._OWN_KEYS),
    ],
)
def test_secrets_are_never_read_into_anything(fields: dict[str, Any]) -> None:
    """Whatever a row holds of keys, tokens and environments, nothing of it comes out."""
    found = manifests.sort_fields(fields)

    assert HIDDEN not in json.dumps(found)
    assert found.groups


def test_texts_under_known_names_are_shown() -> None:
    """The lists of names let everything through that people look for."""
    fields = {
        "mcqAnswers": {"toolu_1": {"question": "How long?", "answer": "One page"}, "Which?": "This one."},
        "fsDetectedFiles": [{"hostPath": "/home/ann/a b.csv", "fileName": "a b.csv", "timestamp": 5}],
        "sessionPermissionUpdates": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm run *"}]}],
        "userSelectedFolders": ["/home/ann/tides"],
        "spawnedFrom": {"sessionId": "local_1", "taskId": "t 1", "title": "Another session"},
        "recap": "All is well.",
    }
    found = manifests.sort_fields(fields)

    assert fields == {name: value for group in found.groups.values() for name, value in group.items()}


def test_counts_of_tokens_are_no_secrets() -> None:
    """What counts tokens is a number, and stays one."""
    assert {"tokens": 5, "maxTokens": 7, "token": WITHHELD} == without_secrets(
        {"tokens": 5, "maxTokens": 7, "token": "x"}
    )


def test_endless_nesting_ends() -> None:
    """A value that nests beyond reason is cut, not followed."""
    value: Any = "deep"
    for _ in range(500):
        value = [value]

    assert WITHHELD in json.dumps(without_secrets(value))


def test_the_files_of_a_session(tmp_path: Path) -> None:
    """Outputs and uploads are listed with files of the same name told apart, under long and short names."""
    path = manifest(tmp_path)
    inside(path, "outputs/a/report.md", b"12345")
    inside(path, "uploads/report.md", b"1")
    directory = manifests.session_directory(str(path))

    assert str(path.with_suffix("")) == directory
    found = [
        (kind, item.parts, item.status.st_size)
        for kind, item in manifests.files_of(directory)
        if not hasattr(item, "reason")
    ]
    assert [("outputs", ("a", "report.md"), 5), ("uploads", ("report.md",), 1)] == found
    Path(directory).rename(path.parent / path.stem.removeprefix("local_")[:8])
    assert str(path.parent / path.stem.removeprefix("local_")[:8]) == manifests.session_directory(str(path))


def test_every_known_field_is_documented() -> None:
    """docs/formats.md lists the fields of a row, group by group, as the code knows them."""
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    section = page.partition("## Fields of a row")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ") and "`" in line]
    documented = {
        name: cells[0].strip() for cells in rows for name in cells[1].replace("`", "").replace(",", " ").split()
    }

    assert {name: group for name, (group, _) in manifests.KNOWN.items()} == documented
