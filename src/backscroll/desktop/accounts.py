"""Accounts: all that a path, a row, a transcript or a settings file names, and the programs that use them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from backscroll.errors import NotFoundError
from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.sessions.desktop_model import Account, Accounts, Counter, McpServer, SignedIn, Workspace
from backscroll.stores.desktop_files import allowed
from backscroll.times import parse

_NEVER = datetime.min.replace(tzinfo=UTC)
_MOST = 8
_PRIVATE = "local-agent-mode-sessions"
"""Cowork's private settings name the account of its run, not the account of the terminal."""


def accounts(database: Connection) -> Accounts:
    """Return all accounts, the most recently used first, with the signed-in programs and Desktop's counters."""
    found: dict[str, Account] = {}
    for row, person in query.desktop_rows(database):
        if row["account"] and row["product"] in ("code", "cowork"):
            _add_row(found.setdefault(row["account"], Account(row["account"])), row, person)
    for name, sessions in query.sessions_by_account(database).items():
        found.setdefault(name, Account(name)).sessions = sessions
    signed_in = [*_signed_in_cli(database, found), *_signed_in_desktop(database)]
    for one in signed_in:
        account = found.setdefault(one.account, Account(one.account))
        account.current = sorted({*account.current, one.program})
    ordered = sorted(found.values(), key=lambda one: one.id)
    ordered.sort(key=lambda one: one.updated or _NEVER, reverse=True)
    return Accounts(ordered, signed_in, _counters(database))


def account_id(database: Connection, asked: str) -> str:
    """Return the account with an e-mail address, or `asked` itself if it starts an id, with or without organization."""
    known = accounts(database).accounts
    if "@" in asked:
        found = [one.id for one in known if (one.email or "").lower() == asked.lower()]
    else:
        found = [asked for one in known if one.id.startswith(asked.partition("/")[0])]
    if not found:
        raise NotFoundError("no such account", asked, _remedy(known))
    return found[0]


def _remedy(known: list[Account]) -> str:
    """Return a sentence that names the accounts."""
    names = ", ".join(f"{one.id[:8]} ({one.email})" if one.email else one.id[:8] for one in known[:_MOST])
    return f"Known accounts: {names}. `backscroll accounts` shows them." if names else "No account is known here."


def mcp_servers(database: Connection) -> list[McpServer]:
    """Return the MCP servers in Desktop's settings, without the values of their variables."""
    paths = query.settings_and_logs(database, "desktop-settings")
    return [McpServer(**server, path=path) for path in paths for server in allowed.mcp_servers(path)]


def _add_row(account: Account, row: dict[str, Any], person: dict[str, str]) -> None:
    account.email = account.email or person.get("email")
    account.name = account.name or person.get("name")
    is_cowork = row["product"] == "cowork"
    account.rows += not is_cowork
    account.cowork += is_cowork
    workspace = _workspace(account, row["organization"])
    if workspace is not None:
        workspace.rows += not is_cowork
        workspace.cowork += is_cowork
    moment = parse(row["active"])
    if moment is not None:
        account.updated = max(account.updated or moment, moment)


def _workspace(account: Account, name: str | None) -> Workspace | None:
    if name is None:
        return None
    for workspace in account.workspaces:
        if workspace.id == name:
            return workspace
    account.workspaces.append(Workspace(name, None, 0, 0))
    return account.workspaces[-1]


def _signed_in_cli(database: Connection, found: dict[str, Account]) -> Iterator[SignedIn]:
    for path in query.settings_and_logs(database, "global-config"):
        told = allowed.cli_account(path)
        if "account" not in told:
            continue
        account = found.setdefault(told["account"], Account(told["account"]))
        account.email, account.name = account.email or told.get("email"), account.name or told.get("name")
        workspace = _workspace(account, told.get("organization"))
        if workspace is not None:
            workspace.name = workspace.name or told.get("organization_name")
        if _PRIVATE not in path:
            yield SignedIn("cli", told["account"], path)


def _signed_in_desktop(database: Connection) -> Iterator[SignedIn]:
    for path in query.settings_and_logs(database, "desktop-config"):
        name = allowed.desktop_account(path)
        if name is not None:
            yield SignedIn("desktop", name, path)


def _counters(database: Connection) -> list[Counter]:
    paths = query.settings_and_logs(database, "counter")
    names = [(PurePath(path).name, path) for path in paths]
    return [Counter(name, path, allowed.COUNTERS[name](path)) for name, path in names]
