"""Files with secrets in them: only what is named is taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from backscroll.stores.desktop_files import allowed

HIDDEN = "5ecret-value"


def written(directory: Path, value: object) -> str:
    """Write JSON and return its path."""
    path = directory / "settings.json"
    path.write_text(json.dumps(value))
    return str(path)


def test_who_is_signed_in_at_the_terminal(tmp_path: Path) -> None:
    """Of .claude.json the account is taken, and nothing of its keys and tokens."""
    account = {"accountUuid": "A", "emailAddress": "a@x", "organizationUuid": "O", "organizationName": "N"}
    path = written(tmp_path, {"oauthAccount": {**account, "accessToken": HIDDEN}, "primaryApiKey": HIDDEN})
    found = allowed.cli_account(path)

    assert {"account": "A", "email": "a@x", "organization": "O", "organization_name": "N"} == found


def test_who_is_signed_in_in_desktop(tmp_path: Path) -> None:
    """Of config.json the last known account is taken, and nothing of its token caches."""
    path = written(tmp_path, {"lastKnownAccountUuid": "A", "oauth:tokenCache": HIDDEN})

    assert "A" == allowed.desktop_account(path)
    assert None is allowed.desktop_account(written(tmp_path, {"lastKnownAccountUuid": 7}))


def test_declared_servers(tmp_path: Path) -> None:
    """Of an MCP server name, command, address and names of variables are taken; no value, no argument, no key."""
    servers = {
        "a": {"command": "npx", "args": ["--key", HIDDEN], "env": {"B": HIDDEN, "A": HIDDEN}},
        "b": {"url": f"https://user:{HIDDEN}@host.example/mcp?key={HIDDEN}#{HIDDEN}", "headers": {"X": HIDDEN}},
        "c": "not an object",
    }
    found = allowed.mcp_servers(written(tmp_path, {"mcpServers": servers}))

    assert HIDDEN not in json.dumps(found)
    assert {"name": "a", "command": "npx", "url": None, "env": ["A", "B"]} == found[0]
    assert "https://host.example/mcp" == found[1]["url"]
    assert {"name": "c", "command": None, "url": None, "env": []} == found[2]


@pytest.mark.parametrize(
    "value", [{"tokens-today": {"date": "2026-05-01", "tokens": 5}}, {"date": "2026-05-01", "tokens": 5}]
)
def test_tokens_of_a_day(tmp_path: Path, value: dict[str, Any]) -> None:
    """The day and its tokens are taken, and nothing else: other versions keep keys in this file."""
    path = written(tmp_path, {**value, "session_token": HIDDEN, "accounts": {"a": HIDDEN}})

    assert {"date": "2026-05-01", "tokens": 5} == allowed.tokens_today(path)
    assert {} == allowed.tokens_today(written(tmp_path, {"tokens": HIDDEN, "date": 7}))


def test_use_of_the_plan(tmp_path: Path) -> None:
    """The last sample of each organization counts; one that could not be taken says nothing."""
    samples: list[Any] = [
        {"t": 1780000000000, "org": "O", "u": {"fh": 10, "sd": 20}},
        {"t": 1780000900000, "org": "O", "u": {"fh": 45, "sd": 21, "xu": 3, "note": HIDDEN}},
        {"t": 1780001800000, "org": "O", "u": {}},
        {"t": "soon", "org": "O", "u": {"fh": 1}},
        None,
    ]
    found = allowed.plan_usage(written(tmp_path, {"version": 2, "samples": samples}))

    assert {"five_hours": 45, "seven_days": 21, "xu": 3} == found["O"]["percent"]
    assert (2, "2026-05-28T20:26:40.000Z", "2026-05-28T20:41:40.000Z") == (
        found["O"]["samples"],
        found["O"]["first"],
        found["O"]["last"],
    )


def test_damaged_settings_say_nothing(tmp_path: Path) -> None:
    """Settings that are no JSON, or are gone, give nothing and do not fail."""
    (tmp_path / "x.json").write_bytes(b"\0\0")
    for path in (str(tmp_path / "x.json"), str(tmp_path / "gone.json")):
        assert ({}, None, []) == (allowed.cli_account(path), allowed.desktop_account(path), allowed.mcp_servers(path))


def test_prompts_of_a_config(tmp_path: Path) -> None:
    """What was typed is taken with its project and what was pasted; what is no prompt is damage."""
    pasted = {"1": {"type": "text", "content": "a kudu", "key": HIDDEN}, "2": {"type": "image", "content": HIDDEN}}
    history = [{"display": "feed [Pasted text #1]", "pastedContents": pasted, "token": HIDDEN}, "plain", 7, {"x": 1}]
    history += [{"display": "look at [Pasted text #1]", "pastedText": "an okapi"}]
    about = {"history": history, "mcpServers": {"a": {"env": {"KEY": HIDDEN}}}}
    damage: list[Any] = []
    path = written(tmp_path, {"projects": {"/p": about, "/q": {}}, "primaryApiKey": HIDDEN})
    found = list(allowed.config_prompts(path, damage))

    assert ["feed a kudu", "plain", "look at an okapi"] == [prompt.whole({}) for prompt in found]
    assert {("/p", None, None, path)} == {(item.project, item.session, item.time, item.place.path) for item in found}
    assert HIDDEN not in repr(found)
    assert ["not a prompt: no display text"] * 2 == [item.reason for item in damage]


def test_a_config_that_cannot_be_read(tmp_path: Path) -> None:
    """A torn config with prompts in it is damage, and so is one that is gone."""
    damage: list[Any] = []
    path = tmp_path / ".claude.json"
    path.write_text('{"projects": {"/p": {"history": ["feed')

    assert [] == list(allowed.config_prompts(str(path), damage))
    assert [] == list(allowed.config_prompts(str(tmp_path / "gone"), damage))
    assert ["not JSON", "vanished"] == [item.reason.partition(":")[0] for item in damage]
