"""Audit: Cowork's own log of a session; a substitute for a lost transcript, and a source of extra facts.

Each line is a message as the SDK sends it, with the time in `_audit_timestamp`.  It repeats the whole conversation,
and adds the permissions of tools and the cost of each run.  docs/formats.md, "Cowork".
"""

from typing import Any

import msgspec
from msgspec import Struct

from backscroll.formats.json.lines import scan
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.desktop_model import AuditTrail, Permission, Run
from backscroll.sessions.transcript.heads import Head, decode_head
from backscroll.times import parse

_CONVERSATION = {"user", "assistant", "system"}
_TOOL_KEYS = ("tool_name", "toolName", "tool", "name")
_DECISION_KEYS = ("decision", "behavior", "response", "outcome", "granted", "approved")
_REASON_KEYS = ("reason", "source", "message", "decision_reason", "reasonType")


class _Audited(Struct, rename={"time": "_audit_timestamp"}):
    """The fields that an audit adds to a record, under the names of the SDK."""

    time: str | None = None
    session_id: str | None = None
    parent_tool_use_id: str | None = None
    isSynthetic: bool | None = None  # noqa: N815 - spelled as stored


_decode_audited = msgspec.json.Decoder(_Audited).decode


def decode_audit(raw: bytes) -> Head:
    """Return the head of a record of an audit, as if it came from a transcript."""
    head, audited = decode_head(raw), _decode_audited(raw)
    head.timestamp = head.timestamp or audited.time
    head.sessionId = head.sessionId or audited.session_id
    if audited.parent_tool_use_id is not None:
        head.isSidechain, head.agentId = True, audited.parent_tool_use_id
    head.isMeta = head.isMeta or audited.isSynthetic
    if head.type is not None and head.type not in _CONVERSATION:
        head.type, head.subtype = "system", head.type
    return head


def spelled_as_transcript(value: dict[str, Any]) -> dict[str, Any]:
    """Return a record of an audit with the program's own data of a result under the name that transcripts use."""
    return {**value, "toolUseResult": value["tool_use_result"]} if "tool_use_result" in value else value


def read_trail(stream: Any, path: str) -> AuditTrail:
    """Read the permissions and runs, which no transcript has, from an open audit."""
    trail = AuditTrail(path)
    for item in scan(stream, path):
        if isinstance(item, Damage):
            trail.damage.append(item)
        elif isinstance(item.value, dict):
            _take(trail, item.value, Place(path, item.line, item.offset, item.length))
    return trail


def _take(trail: AuditTrail, value: dict[str, Any], place: Place) -> None:
    kind = value.get("subtype") if value.get("type") == "system" else value.get("type")
    time = parse(value.get("_audit_timestamp"))
    if isinstance(kind, str) and kind.startswith("permission"):
        decision = _first(value, _DECISION_KEYS) or kind.removeprefix("permission_")
        trail.permissions.append(
            Permission(time, kind, _first(value, _TOOL_KEYS), decision, _first(value, _REASON_KEYS), place)
        )
    elif kind == "result":
        trail.runs.append(
            Run(
                time,
                _text(value.get("terminal_reason")) or _text(value.get("subtype")),
                _number(value.get("total_cost_usd")),
                _number(value.get("num_turns")),
                _number(value.get("duration_ms")),
                place,
            )
        )


def _first(value: dict[str, Any], names: tuple[str, ...]) -> str | None:
    for item in (value[name] for name in names if name in value):
        if isinstance(item, dict):
            return _first(item, names)
        if isinstance(item, bool):
            return "approved" if item else "denied"
        if isinstance(item, str) and item:
            return item
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
