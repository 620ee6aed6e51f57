"""Read files that also hold secrets: each function has a list of the fields that it returns.

Desktop's `config.json` caches tokens, `.claude.json` holds keys, and declarations of MCP servers hold passwords in
their environment.  No other field leaves this module.
"""

import re
from collections.abc import Iterator
from typing import Any

from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.side import HistoryPrompt, read_object
from backscroll.times import iso, parse

_SECRET = re.compile(
    r"token|secret|passw|jwt|credential|cookie|authoriz|(?:api|private|session|access)[_-]?key|^env$|^headers?$|signature|bearer|^auth$",
    re.IGNORECASE,
)
WITHHELD = "(not read)"
_HISTORY = re.compile(rb'"history"\s*:\s*\[\s*[^\]\s]')
"""The start of a history that is not empty; most configs have none."""
_DEEPEST = 120
"""Deeper than any value that our readers return."""


def without_secrets(value: Any, name: str = "", depth: int = 0) -> Any:
    """Return a value without the texts of fields whose name suggests a secret.

    Numbers stay, because a count of tokens is not a secret; `name` is the name of the value itself.
    """
    is_secret = _SECRET.search(name) is not None
    if depth > _DEEPEST or (is_secret and isinstance(value, str)):
        return WITHHELD
    if isinstance(value, dict):
        return {key: without_secrets(item, name if is_secret else str(key), depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item, name, depth + 1) for item in value]
    return value


_TOLD = frozenset(
    (
        *("id", "uuid", "sessionId", "taskId", "messageUuid", "name", "title", "label", "displayName", "appName"),
        *("bundleId", "agentName", "type", "kind", "status", "state", "category", "mode", "version", "model"),
        *("path", "hostPath", "filePath", "fileName", "folder", "cwd", "branch", "repo", "repository", "owner"),
        *("domain", "host", "url", "question", "answer", "answers", "option", "options", "header", "heading"),
        *("text", "summary", "description", "message", "reason", "note", "body", "content", "detail", "recap"),
        *("status_detail", "status_category", "needs_action", "instructions", "subject", "goal"),
        *("prompt", "tool", "toolName", "rule", "ruleContent", "rules", "behavior", "destination"),
        *("cron", "schedule", "every", "at"),
    )
)
"""Names of fields inside a value whose texts are shown."""
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,23}")


def is_harmless(value: Any) -> bool:
    """Return True if a value is no secret under any name: a number, a flag, or one short word of letters."""
    return not isinstance(value, (str, dict, list)) or (isinstance(value, str) and bool(_WORD.fullmatch(value)))


def described(value: Any) -> Any:
    """Return the type and size of an unknown value; the value itself if it is harmless."""
    if is_harmless(value):
        return value
    if isinstance(value, str):
        return {"type": "text", "characters": len(value)}
    return {"type": "map", "fields": len(value)} if isinstance(value, dict) else {"type": "list", "items": len(value)}


def only_allowed(value: Any, *, is_told: bool = False, has_own_keys: bool = False, depth: int = 0) -> Any:
    """Return a value with harmless texts and the texts of allowed names; withhold all others.

    `is_told` also allows the texts of the value itself; `has_own_keys` means that the keys of a map are data.
    """
    if depth > _DEEPEST:
        return WITHHELD
    if isinstance(value, dict):
        return {key: _inner(str(key), item, depth + 1, is_told=has_own_keys) for key, item in value.items()}
    if isinstance(value, list):
        return [only_allowed(item, is_told=is_told, depth=depth + 1) for item in value]
    return value if is_told or is_harmless(value) else WITHHELD


def _inner(key: str, value: Any, depth: int, *, is_told: bool) -> Any:
    if _SECRET.search(key):
        return without_secrets(value, key, depth)
    if isinstance(value, str) and key.lower().endswith("url"):
        return address(value) or WITHHELD
    return only_allowed(value, is_told=is_told or key in _TOLD, depth=depth)


def cli_account(path: str, damage: list[Damage] | None = None) -> dict[str, str]:
    """Return the signed-in account of the command line: account, email, name, organization, organization_name."""
    account = read_object(path, damage).get("oauthAccount")
    names = {
        "account": "accountUuid",
        "email": "emailAddress",
        "name": "displayName",
        "organization": "organizationUuid",
        "organization_name": "organizationName",
    }
    return _texts(account, names)


def config_prompts(path: str, damage: list[Damage] | None = None) -> Iterator[HistoryPrompt]:
    """Yield the typed prompts of each project, newest first, from the global config of Claude Code up to 1.0."""
    projects = read_object(path, damage, _HISTORY).get("projects")
    for project, about in projects.items() if isinstance(projects, dict) else ():
        history = about.get("history") if isinstance(about, dict) else None
        for item in history if isinstance(history, list) else ():
            typed = item if isinstance(item, dict) else {"display": item}
            if isinstance(text := typed.get("display"), str):
                yield HistoryPrompt(text, None, project, None, _pasted(typed), Place(path))
            elif damage is not None:
                damage.append(Damage(Place(path), "not a prompt: no display text"))


def _pasted(typed: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of pastes by number, as histories store them; no images."""
    pastes = typed.get("pastedContents")
    if not isinstance(pastes, dict):
        pastes = {"1": {"content": typed.get("pastedText")}}
    texts = {number: _texts(item, {"content": "content"}) for number, item in pastes.items() if not _is_image(item)}
    return {number: kept for number, kept in texts.items() if kept}


def _is_image(paste: Any) -> bool:
    return isinstance(paste, dict) and paste.get("type") == "image"


def desktop_account(path: str, damage: list[Damage] | None = None) -> str | None:
    """Return the account that Desktop was last signed in with."""
    return _texts(read_object(path, damage), {"account": "lastKnownAccountUuid"}).get("account")


def mcp_servers(path: str, damage: list[Damage] | None = None) -> list[dict[str, Any]]:
    """Return name, command, address and variable names of each MCP server in a settings file."""
    servers = read_object(path, damage).get("mcpServers")
    return [
        {
            "name": name,
            "command": _texts(server, {"command": "command"}).get("command"),
            "url": address(_texts(server, {"url": "url"}).get("url")),
            "env": sorted(env) if isinstance(server, dict) and isinstance(env := server.get("env"), dict) else [],
        }
        for name, server in (servers.items() if isinstance(servers, dict) else ())
    ]


def tokens_today(path: str, damage: list[Damage] | None = None) -> dict[str, Any]:
    """Return the day and the token counts in buddy-tokens.json; other versions of it may hold keys."""
    content = read_object(path, damage)
    entry = content.get("tokens-today")
    entry = entry if isinstance(entry, dict) else content
    taken = {"date": entry.get("date"), "tokens": entry.get("tokens")}
    return {
        name: value
        for name, value in taken.items()
        if isinstance(value, str if name == "date" else (int, float)) and not isinstance(value, bool)
    }


_WINDOWS = {"fh": "five_hours", "sd": "seven_days"}


def plan_usage(path: str, damage: list[Damage] | None = None) -> dict[str, Any]:
    """Return the samples of each organization in plan-usage-history.json: number, first time, last sample.

    Windows are in percent of the plan; a sample without windows failed and holds no value.
    """
    samples = read_object(path, damage).get("samples")
    found: dict[str, Any] = {}
    for sample in samples if isinstance(samples, list) else ():
        windows = sample.get("u") if isinstance(sample, dict) else None
        if not isinstance(windows, dict) or not windows or (moment := parse(sample.get("t"))) is None:
            continue
        name = sample["org"] if isinstance(sample.get("org"), str) else "unknown"
        known = found.setdefault(name, {"samples": 0, "first": iso(moment), "last": ""})
        known["samples"] += 1
        known["first"] = min(known["first"], iso(moment))
        if iso(moment) >= known["last"]:
            used = {_WINDOWS.get(key, key): value for key, value in windows.items() if isinstance(value, (int, float))}
            known |= {"last": iso(moment), "percent": used}
    return found


COUNTERS = {"buddy-tokens.json": tokens_today, "plan-usage-history.json": plan_usage}
"""Each counter file of Desktop, and the function that reads its allowed fields."""


def tasks(path: str, damage: list[Damage] | None = None) -> Any:
    """Return the scheduled tasks in a file, with the texts of known fields only."""
    return only_allowed(read_object(path, damage))


def address(url: str | None) -> str | None:
    """Return an address without user, password and query, because these may hold keys."""
    found = re.match(r"([a-z][a-z0-9+.-]*://)(?:[^/@]*@)?([^?#]*)", url or "", re.IGNORECASE)
    return found[1] + found[2] if found else None


def _texts(value: Any, names: dict[str, str]) -> dict[str, str]:
    taken = {key: value.get(name) for key, name in names.items()} if isinstance(value, dict) else {}
    return {key: text for key, text in taken.items() if isinstance(text, str) and text}
