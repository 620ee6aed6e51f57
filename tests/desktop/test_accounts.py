"""Accounts: all that are named anywhere, and who is signed in with which."""

import json
from pathlib import Path
from typing import Any

import pytest
from make import ACCOUNT, ORGANIZATION, UUID, Draft, desktop_file, home, inside, manifest, row, write_side

import backscroll
from backscroll.errors import NotFoundError

OTHER = "22222222-2222-4222-8222-222222222222"
OFFICE = "cccccccc-3333-4333-8333-333333333333"


def sign_in(root: Path, account: str, **fields: Any) -> None:
    """Sign the command line in."""
    value = {"oauthAccount": {"accountUuid": account, **fields}}
    write_side(home(root), "../.claude.json", json.dumps(value).encode())


def test_accounts_come_from_everywhere(tmp_path: Path) -> None:
    """Paths of rows, manifests, records of transcripts and both settings name accounts."""
    Draft(UUID).prompt("Hi").record(type="session-owner", accountUuid="from-a-record").write(home(tmp_path))
    row(tmp_path)
    manifest(tmp_path, OTHER, emailAddress="ann@example.com", accountName="Ann")
    sign_in(tmp_path, "from-settings", emailAddress="me@example.com", organizationUuid="O", organizationName="Harbour")
    desktop_file(tmp_path, "config.json", {"lastKnownAccountUuid": "from-config"})
    found = {one.id: one for one in backscroll.accounts(tmp_path).accounts}

    assert {ACCOUNT, "from-a-record", "from-settings", "from-config"} == found.keys()
    assert ("ann@example.com", "Ann", 1, 1) == (
        found[ACCOUNT].email,
        found[ACCOUNT].name,
        found[ACCOUNT].rows,
        found[ACCOUNT].cowork,
    )
    assert ["Harbour"] == [workspace.name for workspace in found["from-settings"].workspaces]
    assert (1, [ORGANIZATION]) == (found["from-a-record"].sessions, [one.id for one in found[ACCOUNT].workspaces])


@pytest.mark.parametrize(
    "cli, desktop, agree",
    [("a", "a", True), ("a", "b", False), ("a", None, None), (None, "b", None), (None, None, None)],
)
def test_who_is_signed_in(tmp_path: Path, cli: str | None, desktop: str | None, agree: bool | None) -> None:
    """The two programs may disagree; where one is unknown, nothing is claimed."""
    home(tmp_path)
    if cli:
        sign_in(tmp_path, cli)
    if desktop:
        desktop_file(tmp_path, "config.json", {"lastKnownAccountUuid": desktop})
    found = backscroll.accounts(tmp_path)

    assert agree == found.agree
    assert [(p, a) for p, a in (("cli", cli), ("desktop", desktop)) if a] == [
        (one.program, one.account) for one in found.signed_in
    ]


def test_cowork_is_not_the_terminal(tmp_path: Path) -> None:
    """The private settings of a Cowork session name its account, but nobody is signed in there."""
    path = manifest(tmp_path)
    inside(
        path,
        ".claude/.claude.json",
        json.dumps({"oauthAccount": {"accountUuid": ACCOUNT, "emailAddress": "a@x"}}).encode(),
    )
    found = backscroll.accounts(tmp_path)

    assert ([], "a@x") == (found.signed_in, found.accounts[0].email)


def test_the_account_used_last_comes_first(tmp_path: Path) -> None:
    """Accounts are in the order of their last use; those without one come last."""
    row(tmp_path)
    row(tmp_path, OTHER, owner=f"{OFFICE}/o", lastActivityAt=1790000000000)
    sign_in(tmp_path, "never-used")

    assert [OFFICE, ACCOUNT, "never-used"] == [one.id for one in backscroll.accounts(tmp_path).accounts]


def test_an_account_by_its_address(tmp_path: Path) -> None:
    """Lists and sums take an e-mail address for an account, in any case of letters."""
    manifest(tmp_path, OTHER, emailAddress="ann@example.com", cliSessionId=OTHER)
    row(tmp_path, owner=f"{OFFICE}/o", cliSessionId=UUID)

    assert [OTHER] == [one.id for one in backscroll.list_sessions(tmp_path, account="Ann@Example.com").sessions]
    assert 0 == backscroll.usage(tmp_path, account="ann@example.com").total.messages
    with pytest.raises(NotFoundError, match="no such account"):
        backscroll.list_sessions(tmp_path, account="bob@example.com")


def test_usage_by_account(tmp_path: Path) -> None:
    """What a session spent counts for the account of its row."""
    Draft(UUID, "/r").prompt("Hi").answer("Hello.").write(home(tmp_path))
    Draft(OTHER, "/r").prompt("Hi there").answer("Hello.").write(tmp_path)
    row(tmp_path, cliSessionId=UUID)

    assert {ACCOUNT: 1, None: 1} == {one.key: one.messages for one in backscroll.usage(tmp_path, by="account").rows}


def test_counters_and_servers(tmp_path: Path) -> None:
    """Desktop's counters are shown as they are, its servers without values."""
    desktop_file(tmp_path, "buddy-tokens.json", {"date": "2026-05-01", "tokens": 7})
    desktop_file(
        tmp_path, "claude_desktop_config.json", {"mcpServers": {"a": {"command": "x", "env": {"K": "hidden"}}}}
    )

    (counter,) = backscroll.accounts(tmp_path).counters
    assert ("buddy-tokens.json", {"date": "2026-05-01", "tokens": 7}) == (counter.name, counter.values)
    assert [("a", "x", ["K"])] == [(one.name, one.command, one.env) for one in backscroll.mcp_servers(tmp_path)]
