"""Model values to JSON: the keys of docs/json.md, in its order, one object a line.

Comes in: sessions, messages, calls and their kin.  Goes out: text in pieces, so that an answer of any length is
written as it is read; together the pieces of one function are one valid document.
Characters that could command a terminal are written as JSON escapes, which lose nothing; broken surrogates, which
UTF-8 cannot carry, are written as the visible escapes of `scrub`.

Only the standard library's `json`: it costs 9 ms of CPU to start, orjson 26 ms, and answers are small.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.scrub import escaped, suspect
from backscroll.sessions.model import (
    Agent,
    Branch,
    Call,
    Message,
    Part,
    Result,
    Session,
    StoreSummary,
    Transcript,
    TreeNode,
    Usage,
)
from backscroll.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from backscroll.text.hits import Found, Hit

Object = dict[str, Any]

_DEEPEST = 200


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def place_object(place: Place) -> Object:
    """Return where a thing was read."""
    return {"path": place.path, "line": place.line, "offset": place.offset, "length": place.length}


def damage_object(damage: Damage | Note) -> Object:
    """Return what could not be read, or was repaired, and where."""
    return {"place": place_object(damage.place), "reason": damage.reason}


def usage_object(usage: Usage) -> Object:
    """Return tokens and cost."""
    return {
        "input": usage.input,
        "output": usage.output,
        "cache_write": usage.cache_write,
        "cache_read": usage.cache_read,
        "cost": usage.cost,
        "cache_write_5m": usage.cache_write_5m,
        "cache_write_1h": usage.cache_write_1h,
        "messages": usage.messages,
        "lower_bound": usage.lower_bound,
        "unpriced": usage.unpriced,
        "web_searches": usage.web_searches,
    }


def session_object(session: Session) -> Object:
    """Return SESSION of the contract, with the keys added since at the end."""
    return {
        "id": session.id,
        "title": session.title,
        "project": session.project,
        "cwd": session.cwd,
        "stores": session.stores,
        "state": session.state,
        "started": _time(session.started),
        "updated": _time(session.updated),
        "messages": session.messages,
        "calls": session.calls,
        "agents": session.agents,
        "branches": session.branches,
        "compactions": session.compactions,
        "damage": session.damage,
        "model": session.model,
        "models": session.models,
        "usage": usage_object(session.usage),
        "branch": session.branch,
        "version": session.version,
        "account": session.account,
        "rows": session.rows,
        "parent": session.parent,
        "transcripts": session.transcripts,
        "expires": _time(session.expires),
        "prompts": session.prompts,
        "copied": session.copied,
        "copies": session.copies,
        "title_source": session.title_source,
        "project_source": session.project_source,
        "entrypoint": session.entrypoint,
        "bytes": session.bytes,
        "notes": session.notes,
        "tag": session.tag,
        "internal_agents": session.internal_agents,
        "project_key": session.project_key,
    }


def part_object(part: Part) -> Object:
    """Return one part of a message: its kind, its text, then whatever else its kind has."""
    return {"kind": part.kind, "text": part.text} | {
        key: value for key, value in part.data.items() if key not in ("kind", "text")
    }


def message_object(message: Message) -> Object:
    """Return MESSAGE of the contract."""
    return {
        "id": message.id,
        "parent": message.parent,
        "session": message.session,
        "role": message.role,
        "time": _time(message.time),
        "model": message.model,
        "agent": message.agent,
        "branch": message.branch,
        "parts": [part_object(part) for part in message.parts],
        "usage": None if message.usage is None else usage_object(message.usage),
        "place": place_object(message.place),
        "message_id": message.message_id,
        "is_typed": message.is_typed,
        "copied_from": message.copied_from,
        "copies": message.copies,
        "marks": message.marks,
        "depth": message.depth,
    }


def result_object(result: Result) -> Object:
    """Return what a call gave back."""
    return {"text": result.text, "error": result.error, "data": result.data, "persisted": result.persisted}


def call_object(call: Call) -> Object:
    """Return CALL of the contract."""
    return {
        "id": call.id,
        "name": call.name,
        "input": call.input,
        "result": None if call.result is None else result_object(call.result),
        "session": call.session,
        "message": call.message,
        "agent": call.agent,
        "started": _time(call.started),
        "finished": _time(call.finished),
        "branch": call.branch,
        "started_agent": call.started_agent,
        "place": None if call.place is None else place_object(call.place),
        "marks": call.marks,
    }


def branch_object(branch: Branch) -> Object:
    """Return one branch of a session."""
    return {
        "name": branch.name,
        "messages": branch.messages,
        "fork": branch.fork,
        "parent": branch.parent,
        "label": branch.label,
        "tip": branch.tip,
        "started": _time(branch.started),
        "updated": _time(branch.updated),
    }


def agent_object(agent: Agent) -> Object:
    """Return one agent of a session."""
    return {
        "id": agent.id,
        "kind": agent.kind,
        "type": agent.type,
        "description": agent.description,
        "call": agent.call,
        "joined_by": agent.joined_by,
        "parent": agent.parent,
        "is_internal": agent.is_internal,
        "messages": agent.messages,
        "calls": agent.calls,
        "transcript": agent.transcript,
        "started": _time(agent.started),
        "updated": _time(agent.updated),
    }


def node_object(node: TreeNode) -> Object:
    """Return one node of a tree."""
    return {
        "id": node.id,
        "parent": node.parent,
        "kind": node.kind,
        "label": node.label,
        "messages": node.messages,
        "time": _time(node.time),
    }


def store_object(store: StoreSummary) -> Object:
    """Return what was found in one store."""
    return {
        "kind": store.kind,
        "path": store.path,
        "files": store.files,
        "bytes": store.bytes,
        "sessions": store.sessions,
        "damage": [damage_object(damage) for damage in store.damage],
    }


def hit_object(hit: "Hit") -> Object:
    """Return HIT of the contract, with the keys added since at the end."""
    around = {"before": hit.before, "after": hit.after} if hit.before or hit.after else {}
    return {
        "session": hit.session,
        "message": hit.message,
        "title": hit.title,
        "project": hit.project,
        "role": hit.role,
        "kind": hit.kind,
        "time": _time(hit.time),
        "snippet": hit.snippet,
        "score": hit.score,
        "place": None if hit.place is None else place_object(hit.place),
        "marks": hit.marks,
        "agent": hit.agent,
        "others": hit.others,
    } | {name: [message_object(message) for message in found] for name, found in around.items()}


def search_document(found: "Found") -> Iterator[str]:
    """Yield the answer of `search`."""
    yield f'{{"query": {dumps(found.query)},\n"total": {dumps(found.total)},\n"hits": '
    yield from _array_in_pieces(map(hit_object, found.hits))
    yield f',\n"is_current": {dumps(found.is_current)}}}\n'


def overview_document(
    stores: Iterable[StoreSummary], sessions: int, latest: Iterable[Session], expiring: Iterable[Session]
) -> Iterator[str]:
    """Yield the answer of `backscroll` alone."""
    yield '{"stores": ' + _array(map(store_object, stores))
    yield f',\n"sessions": {sessions}'
    yield ',\n"latest": ' + _array(map(session_object, latest))
    yield ',\n"expiring": ' + _array(map(session_object, expiring)) + "}\n"


def stores_document(stores: Iterable[StoreSummary]) -> Iterator[str]:
    """Yield the answer of `stores`."""
    yield '{"stores": ' + _array(map(store_object, stores)) + "}\n"


def list_document(
    total: int, sessions: Iterable[Session], agents: dict[str, list[Agent]] | None = None
) -> Iterator[str]:
    """Yield the answer of `list`; `agents` are those of each session, where they were asked for."""
    yield f'{{"total": {total},\n"sessions": '
    yield from _array_in_pieces(map(session_object, sessions))
    if agents is not None:
        yield ',\n"agents": ' + dumps({key: [agent_object(agent) for agent in found] for key, found in agents.items()})
    yield "}\n"


def show_document(transcript: Transcript) -> Iterator[str]:
    """Yield the answer of `show`, each message as it comes; damage and notes follow, as only the end knows them."""
    yield '{"session": ' + dumps(session_object(transcript.session))
    yield ',\n"branches": ' + _array(map(branch_object, transcript.branches))
    yield ',\n"messages": '
    yield from _array_in_pieces(map(message_object, transcript.messages))
    yield ',\n"damage": ' + _array(map(damage_object, transcript.damage))
    yield ',\n"notes": ' + _array(map(damage_object, transcript.notes)) + "}\n"


def tree_document(session: Session, nodes: Iterable[TreeNode]) -> Iterator[str]:
    """Yield the answer of `tree`."""
    yield '{"session": ' + dumps(session_object(session))
    yield ',\n"nodes": ' + _array(map(node_object, nodes)) + "}\n"


def calls_document(calls: Iterable[Call]) -> Iterator[str]:
    """Yield the answer of `calls`, each as it comes; their number comes last, as only the end knows it."""
    total = 0
    yield '{"calls": ['
    for total, call in enumerate(calls, 1):
        yield (",\n" if total > 1 else "\n") + dumps(call_object(call))
    yield f'],\n"total": {total}}}\n'


def lines(objects: Iterable[Object]) -> Iterator[str]:
    """Yield JSON Lines: one object a line."""
    for value in objects:
        yield dumps(value) + "\n"


def dumps(value: Any) -> str:
    """Return one JSON value on one line, whatever a store put into it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_foreign)
    except (ValueError, RecursionError):
        text = json.dumps(_tamed(value, 0), ensure_ascii=False, allow_nan=False, default=_foreign)
    return suspect().sub(_json_escape, text) if not text.isascii() or "\x7f" in text else text


def _array(objects: Iterable[Object]) -> str:
    return "".join(_array_in_pieces(objects))


def _array_in_pieces(objects: Iterable[Object]) -> Iterator[str]:
    before = "[\n"
    for value in objects:
        yield before + dumps(value)
        before = ",\n"
    yield "[]" if before == "[\n" else "]"


def _json_escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\\" + escaped(character)
    return json.dumps(character)[1:-1]


def _foreign(value: object) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _tamed(value: Any, depth: int) -> Any:
    """Return a copy that JSON can carry: no NaN, no endless depth, no number too long to print."""
    if depth > _DEEPEST:
        return "[nested too deep]"
    if isinstance(value, dict):
        return {key: _tamed(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tamed(item, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and value.bit_length() > 10_000:
        return hex(value)
    return value
