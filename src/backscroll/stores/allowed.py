"""Files that hold secrets beside what is wanted, read by a list of what may be taken.

Desktop's `config.json` caches tokens, `.claude.json` holds keys, declarations of MCP servers hold passwords in their
environment.  Each function here names the fields that it takes; nothing else leaves it.
"""

import re
from typing import Any

from backscroll.records import Damage
from backscroll.stores.side import read_object

_SECRET = re.compile(
    r"token|secret|passw|credential|cookie|authoriz|api_?-?key|private_?-?key|^env$|^headers?$|signature|bearer|^auth$",
    re.IGNORECASE,
)
WITHHELD = "(not read)"
_DEEPEST = 60


def without_secrets(value: Any, name: str = "", depth: int = 0) -> Any:
    """Return a value in which the texts of every field whose name speaks of a secret are left unread.

    Numbers stay, for a count of tokens is none; `name` is that of the value itself.
    """
    is_secret = _SECRET.search(name) is not None
    if depth > _DEEPEST or (is_secret and isinstance(value, str)):
        return WITHHELD
    if isinstance(value, dict):
        return {key: without_secrets(item, name if is_secret else str(key), depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item, name, depth + 1) for item in value]
    return value


def cli_account(path: str, damage: list[Damage] | None = None) -> dict[str, str]:
    """Return who the command line is signed in as: account, email, name, organization, organization_name."""
    account = read_object(path, damage).get("oauthAccount")
    names = {
        "account": "accountUuid",
        "email": "emailAddress",
        "name": "displayName",
        "organization": "organizationUuid",
        "organization_name": "organizationName",
    }
    return _texts(account, names)


def desktop_account(path: str, damage: list[Damage] | None = None) -> str | None:
    """Return the account that Desktop was last signed in with."""
    return _texts(read_object(path, damage), {"account": "lastKnownAccountUuid"}).get("account")


def mcp_servers(path: str, damage: list[Damage] | None = None) -> list[dict[str, Any]]:
    """Return name, command, address and the names of the variables of each MCP server that a settings file declares."""
    servers = read_object(path, damage).get("mcpServers")
    return [
        {
            "name": name,
            "command": _texts(server, {"command": "command"}).get("command"),
            "url": _address(_texts(server, {"url": "url"}).get("url")),
            "env": sorted(env) if isinstance(server, dict) and isinstance(env := server.get("env"), dict) else [],
        }
        for name, server in (servers.items() if isinstance(servers, dict) else ())
    ]


def counter(path: str, damage: list[Damage] | None = None) -> Any:
    """Return a counter file of Desktop without what could be a secret."""
    return without_secrets(read_object(path, damage))


def tasks(path: str, damage: list[Damage] | None = None) -> Any:
    """Return the scheduled tasks in a file, without what could be a secret."""
    return without_secrets(read_object(path, damage))


def _address(url: str | None) -> str | None:
    """Return an address without user, password and query, where keys are kept."""
    found = re.match(r"([a-z][a-z0-9+.-]*://)(?:[^/@]*@)?([^?#]*)", url or "", re.IGNORECASE)
    return found[1] + found[2] if found else None


def _texts(value: Any, names: dict[str, str]) -> dict[str, str]:
    taken = {key: value.get(name) for key, name in names.items()} if isinstance(value, dict) else {}
    return {key: text for key, text in taken.items() if isinstance(text, str) and text}
