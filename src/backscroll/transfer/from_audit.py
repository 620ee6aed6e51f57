"""A transcript made of Cowork's audit, for a session whose own transcript is gone.

The audit repeats the conversation as the SDK sent it.  Records get the fields that Claude Code asks for when it resumes
a session: parent, session, directory and time.  docs/formats.md, "Cowork".
"""

import json
import uuid
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from backscroll.formats.json.lines import scan
from backscroll.records import Damage
from backscroll.sessions.transcript.audit import spelled_as_transcript

_CONVERSATION = ("user", "assistant")
_NO_TIME = "1970-01-01T00:00:00.000Z"


class BuiltTranscript(NamedTuple):
    """A transcript, its new id, and the number of its records and of lines that could not be read."""

    id: str
    data: bytes
    records: int
    damage: int


def build_transcript(stream: BinaryIO, path: str, cwd: str) -> BuiltTranscript:
    """Build a transcript from an open audit; the same audit always gets the same id."""
    lines: list[dict[str, Any]] = []
    damage, version = 0, "2.1.0"
    digest = sha256()
    for item in scan(stream, path):
        if isinstance(item, Damage):
            damage += 1
        elif isinstance(item.value, dict):
            digest.update(json.dumps(item.value, sort_keys=True).encode("utf-8", "surrogatepass"))
            lines.append(item.value)
            told = item.value.get("claude_code_version")
            version = told if isinstance(told, str) else version
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"backscroll:audit:{digest.hexdigest()}"))
    frame = {"isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": name, "version": version}
    records = _chained(lines, frame)
    data = b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records)
    return BuiltTranscript(name, data, len(records), damage)


def _chained(lines: list[dict[str, Any]], frame: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records of the conversation itself, each with its parent; a repeated one counts once."""
    records: list[dict[str, Any]] = []
    seen: set[str] = set()
    parent, time = None, _NO_TIME
    for line in map(spelled_as_transcript, lines):
        is_agents = line.get("parent_tool_use_id") is not None
        if line.get("type") not in _CONVERSATION or not isinstance(line.get("message"), dict) or is_agents:
            continue
        own = line.get("uuid")
        if not isinstance(own, str) or not own:
            own = str(uuid.uuid5(uuid.UUID(frame["sessionId"]), str(len(records))))
        if own in seen:
            continue
        seen.add(own)
        told = line.get("timestamp") or line.get("_audit_timestamp")
        time = told if isinstance(told, str) else time
        extra = {"toolUseResult": line["toolUseResult"]} if "toolUseResult" in line else {}
        meta = {"isMeta": True} if line.get("isSynthetic") is True else {}
        about = {"type": line["type"], "message": line["message"], "uuid": own, "timestamp": time}
        records.append({"parentUuid": parent, **frame, **about, **extra, **meta})
        parent = own
    return records
