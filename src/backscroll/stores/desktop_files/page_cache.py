"""Sessions that Claude's own pages cached in the browser storage of Desktop.

    epitaxy.local.transcript.<id>    a transcript that a page showed; it may be the last copy of a session
    react-query-cache-ls             answers of the server, with its list of sessions

These values have no documentation, so this module accepts any shape: a list of records or messages is a
transcript, and an object with the id of a remote session is an entry of the list.  docs/formats.md, "Page cache".
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.records import Damage

TRANSCRIPT = "epitaxy.local.transcript."
LIST = "react-query-cache-ls"

_CLAUDE = "https://claude.ai"
_ROLES = ("user", "assistant")
_IDS = ("id", "uuid", "session_id", "sessionId")
_REMOTE = ("session_", "cse_")
_TITLES = ("title", "name", "session_name", "summary")
_CREATED = ("created_at", "createdAt")
_ACTIVE = ("updated_at", "updatedAt", "last_activity_at", "lastActivityAt")
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class CachedSession:
    """A session that a page cached: the records of its transcript, or an entry of the server's list."""

    id: str
    key: str
    title: str | None
    created: Any
    active: Any
    records: list[dict[str, Any]] | None
    """None for an entry of the list."""


def cached_sessions(items: Iterable[StorageRecord | Damage]) -> list[CachedSession]:
    """Return the sessions that Claude's pages cached, once for each place."""
    found: dict[tuple[str, str], CachedSession] = {}
    for record in items:
        if isinstance(record, Damage) or record.state is not State.LIVE or record.origin != _CLAUDE:
            continue
        if record.key.startswith(TRANSCRIPT):
            session = _transcript(record)
            found[session.key, session.id] = session
        elif record.key == LIST:
            for session in _listed(record.json, 0):
                found.setdefault((session.key, session.id), session)
    return list(found.values())


def lines_of(session: CachedSession) -> bytes:
    """Return a cached transcript in the form of Claude Code: one record per line."""
    lines = (json.dumps(record, ensure_ascii=False) for record in session.records or ())
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _transcript(record: StorageRecord) -> CachedSession:
    value = record.json if record.has_json else None
    records = [_as_record(item) for item in _longest_list(value, 0) if isinstance(item, dict)]
    outer = value if isinstance(value, dict) else {}
    times = [item.get("timestamp") for item in records if item.get("timestamp") is not None]
    return CachedSession(
        id=record.key.removeprefix(TRANSCRIPT),
        key=record.key,
        title=_first_text(outer, _TITLES),
        created=times[0] if times else None,
        active=times[-1] if times else (record.time.isoformat() if record.time else None),
        records=records,
    )


def _longest_list(value: Any, depth: int) -> list[Any]:
    """Return the longest list of records or messages inside a value."""
    if depth > _DEEPEST:
        return []
    if isinstance(value, list) and any(isinstance(item, dict) and _is_spoken(item) for item in value):
        return value
    inner = value.values() if isinstance(value, dict) else ()
    return max((_longest_list(item, depth + 1) for item in inner), key=len, default=[])


def _is_spoken(item: dict[str, Any]) -> bool:
    return item.get("type") in _ROLES or item.get("role") in _ROLES


def _as_record(item: dict[str, Any]) -> dict[str, Any]:
    """Return a record unchanged, and a bare message as a record."""
    if isinstance(item.get("message"), dict) or item.get("role") not in _ROLES:
        return item
    kept: dict[str, Any] = {name: item[name] for name in ("uuid", "parentUuid", "timestamp") if name in item}
    moment = next((item[name] for name in _CREATED if name in item), None)
    told = {} if moment is None else {"timestamp": moment}
    message = {"role": item["role"], "content": item.get("content", item.get("text", ""))}
    return {"type": item["role"], "message": message, **told, **kept}


def _listed(value: Any, depth: int) -> Iterator[CachedSession]:
    """Yield every object inside a value that has the id of a remote session."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        name = _first_text(value, _IDS)
        if name is not None and name.startswith(_REMOTE):
            created, active = (next((value[key] for key in keys if key in value), None) for keys in (_CREATED, _ACTIVE))
            yield CachedSession(name, LIST, _first_text(value, _TITLES), created, active, None)
            return
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _listed(inner, depth + 1)


def _first_text(value: dict[str, Any], names: Iterable[str]) -> str | None:
    return next((text for name in names if isinstance(text := value.get(name), str) and text), None)
