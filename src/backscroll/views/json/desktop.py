"""Accounts, manifests, declared servers and logs to JSON: the keys of docs/json.md."""

from collections.abc import Iterable, Iterator

from backscroll.records import Damage
from backscroll.sessions.desktop_model import Accounts, LogLine, Manifest, McpServer, Schedule
from backscroll.sessions.session import Session
from backscroll.views.json.sessions import Object, array, dumps, object_of


def accounts_document(found: Accounts) -> Iterator[str]:
    """Yield the answer of `accounts`."""
    yield dumps(object_of(found) | {"agree": found.agree}) + "\n"


def cowork_document(manifests: Iterable[Manifest], schedules: Iterable[Schedule]) -> Iterator[str]:
    """Yield the answer of `cowork`."""
    yield '{"sessions": ' + array(map(manifest_object, manifests))
    yield ',\n"schedules": ' + array(map(object_of, schedules)) + "}\n"


def manifest_object(manifest: Manifest) -> Object:
    """Return all known facts of one row or manifest, with its files sorted into outputs and uploads."""
    found = object_of(manifest)
    files = found.pop("files")
    for kind in ("outputs", "uploads"):
        found[kind] = [file for file in files if file["kind"] == kind]
    found["audit"] = found.pop("trail")
    return found


def servers_document(servers: Iterable[McpServer]) -> Iterator[str]:
    """Yield the answer of `stores --mcp`."""
    yield dumps({"servers": [object_of(server) for server in servers]}) + "\n"


def log_files_document(paths: Iterable[str]) -> Iterator[str]:
    """Yield the answer of `stores --logs`."""
    yield dumps({"logs": list(paths)}) + "\n"


def logs_document(session: Session, lines: Iterable[LogLine | Damage]) -> Iterator[str]:
    """Yield the answer of `show --logs`."""
    found = list(lines)
    logs = [object_of(line) for line in found if isinstance(line, LogLine)]
    damage = [object_of(line) for line in found if isinstance(line, Damage)]
    yield dumps({"session": object_of(session), "logs": logs, "damage": damage}) + "\n"
