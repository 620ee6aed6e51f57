"""Files with secrets in them: only what is named is taken."""

import json
from pathlib import Path

from backscroll.stores import allowed

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


def test_counters(tmp_path: Path) -> None:
    """Counters are shown as they are, without what could be a secret."""
    path = written(tmp_path, {"date": "2026-05-01", "tokens": 5, "session_token": HIDDEN})

    assert {"date": "2026-05-01", "tokens": 5, "session_token": allowed.WITHHELD} == allowed.counter(path)


def test_damaged_settings_say_nothing(tmp_path: Path) -> None:
    """Settings that are no JSON, or are gone, give nothing and do not fail."""
    (tmp_path / "x.json").write_bytes(b"\0\0")
    for path in (str(tmp_path / "x.json"), str(tmp_path / "gone.json")):
        assert ({}, None, []) == (allowed.cli_account(path), allowed.desktop_account(path), allowed.mcp_servers(path))
