"""Accounts, manifests, declared servers and logs to JSON: the keys of docs/json.md, in its order."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from backscroll.records import Damage
from backscroll.sessions.desktop_model import (
    Account,
    Accounts,
    AuditTrail,
    Counter,
    LogLine,
    Manifest,
    McpServer,
    SessionFile,
    SignedIn,
    Workspace,
)
from backscroll.sessions.model import Session
from backscroll.times import iso
from backscroll.views.json import Object, damage_object, dumps, place_object, session_object


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def accounts_document(found: Accounts) -> Iterator[str]:
    """Yield the answer of `accounts`."""
    answer = {
        "accounts": [account_object(account) for account in found.accounts],
        "signed_in": [_signed_in_object(one) for one in found.signed_in],
        "agree": found.agree,
        "counters": [_counter_object(counter) for counter in found.counters],
    }
    yield dumps(answer) + "\n"


def account_object(account: Account) -> Object:
    """Return ACCOUNT of the contract."""
    return {
        "id": account.id,
        "email": account.email,
        "name": account.name,
        "rows": account.rows,
        "cowork": account.cowork,
        "sessions": account.sessions,
        "current": account.current,
        "workspaces": [_workspace_object(workspace) for workspace in account.workspaces],
        "updated": _time(account.updated),
    }


def _workspace_object(workspace: Workspace) -> Object:
    return {"id": workspace.id, "name": workspace.name, "rows": workspace.rows, "cowork": workspace.cowork}


def _signed_in_object(one: SignedIn) -> Object:
    return {"program": one.program, "account": one.account, "path": one.path}


def _counter_object(counter: Counter) -> Object:
    return {"name": counter.name, "path": counter.path, "values": counter.values}


def cowork_document(manifests: Iterable[Manifest]) -> Iterator[str]:
    """Yield the answer of `cowork`."""
    yield '{"sessions": ['
    for number, manifest in enumerate(manifests):
        yield (",\n" if number else "\n") + dumps(manifest_object(manifest))
    yield "]}\n"


def manifest_object(manifest: Manifest) -> Object:
    """Return all that is known of one row or manifest."""
    return {
        "session": manifest.session,
        "row": manifest.row,
        "groups": manifest.groups,
        "unknown": manifest.unknown,
        "odd": manifest.odd,
        "outputs": [_file_object(file) for file in manifest.files if file.kind == "outputs"],
        "uploads": [_file_object(file) for file in manifest.files if file.kind == "uploads"],
        "is_cut": manifest.is_cut,
        "audit": None if manifest.trail is None else _trail_object(manifest.trail),
        "damage": [damage_object(damage) for damage in manifest.damage],
    }


def _file_object(file: SessionFile) -> Object:
    return {"path": file.path, "bytes": file.bytes, "time": _time(file.time)}


def _trail_object(trail: AuditTrail) -> Object:
    permissions = [
        {
            "time": _time(one.time),
            "kind": one.kind,
            "tool": one.tool,
            "decision": one.decision,
            "reason": one.reason,
            "place": place_object(one.place),
        }
        for one in trail.permissions
    ]
    runs = [
        {
            "time": _time(run.time),
            "outcome": run.outcome,
            "cost": run.cost,
            "turns": run.turns,
            "milliseconds": run.milliseconds,
            "place": place_object(run.place),
        }
        for run in trail.runs
    ]
    damage = [damage_object(item) for item in trail.damage]
    return {"path": trail.path, "permissions": permissions, "runs": runs, "damage": damage}


def servers_document(servers: Iterable[McpServer]) -> Iterator[str]:
    """Yield the answer of `stores --mcp`."""
    found = [
        {"name": one.name, "command": one.command, "url": one.url, "env": one.env, "path": one.path} for one in servers
    ]
    yield dumps({"servers": found}) + "\n"


def log_files_document(paths: Iterable[str]) -> Iterator[str]:
    """Yield the answer of `stores --logs`."""
    yield dumps({"logs": list(paths)}) + "\n"


def logs_document(session: Session, lines: Iterable[LogLine | Damage]) -> Iterator[str]:
    """Yield the answer of `show --logs`."""
    found = list(lines)
    logs = [_log_object(line) for line in found if isinstance(line, LogLine)]
    damage = [damage_object(line) for line in found if isinstance(line, Damage)]
    yield dumps({"session": session_object(session), "logs": logs, "damage": damage}) + "\n"


def _log_object(line: LogLine) -> Object:
    return {
        "path": line.path,
        "line": line.line,
        "time": _time(line.time),
        "level": line.level,
        "text": line.text,
        "names_session": line.names_session,
    }
