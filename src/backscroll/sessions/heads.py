"""Heads: of each record just the fields that shape a conversation, decoded without its bulk.

A head is read from the raw bytes in one pass that skips texts of results, inputs and images.
Fields keep the names under which they are stored (docs/formats.md, "The transcript"); they do not
leave `sessions/`.  A record whose fields have unexpected types still gets a head: what does not fit
is left out of it, and the record's own bytes stay what they are.
"""

from typing import Any

import msgspec
import orjson
from msgspec import UNSET, Raw, Struct, UnsetType

from backscroll.formats.lenient import value_of

NOTHING = Raw()
"""What a part that was left out of a record looks like."""


class Block(Struct, gc=False):
    """A content block: its kind, and for a call or a result the id that pairs them."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    text: str | None = None
    input: Raw = NOTHING
    content: Raw = NOTHING


class CacheCreation(Struct, gc=False):
    """Cache writes by life time."""

    ephemeral_5m_input_tokens: int | None = None
    ephemeral_1h_input_tokens: int | None = None


class ServerToolUse(Struct, gc=False):
    """Requests of tools that the API runs itself."""

    web_search_requests: int | None = None
    web_fetch_requests: int | None = None


class UsageHead(Struct, gc=False):
    """Token counts as the API gave them, and what else decides their price."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    server_tool_use: ServerToolUse | None = None
    service_tier: str | None = None
    speed: str | None = None
    inference_geo: str | None = None


class MessageHead(Struct, gc=False):
    """The API message inside a record."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    content: str | list[Block | str] | None = None
    usage: UsageHead | None = None


class ForkedFrom(Struct, gc=False):
    """The record that this one was copied from."""

    sessionId: str | None = None
    messageUuid: str | None = None


class Origin(Struct, gc=False):
    """Who caused a user record."""

    kind: str | None = None


class AttachmentHead(Struct, gc=False):
    """What kind of attachment this is, and what was typed if it is a queued prompt."""

    type: str | None = None
    prompt: Raw = NOTHING
    commandMode: str | None = None
    origin: Origin | None = None


class Started(Struct, gc=False):
    """The agent or workflow run that a call started, where its result names one."""

    agentId: str | None = None
    runId: str | None = None


class ProgressData(Struct, gc=False):
    """What a progress record reports on."""

    type: str | None = None
    agentId: str | None = None


class CompactMetadata(Struct, gc=False):
    """Why and at what size a compaction happened."""

    trigger: str | None = None
    preTokens: int | None = None


class WorktreeSession(Struct, gc=False):
    """The worktree that a session works in, and the repository it belongs to."""

    originalCwd: str | None = None
    worktreePath: str | None = None


class Head(Struct, gc=False):
    """The shaping fields of one record of any type."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | UnsetType | None = UNSET
    logicalParentUuid: str | None = None
    sessionId: str | None = None
    timestamp: str | int | float | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    agentId: str | None = None
    requestId: str | None = None
    version: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    entrypoint: str | None = None
    promptSource: str | None = None
    origin: Origin | None = None
    forkedFrom: ForkedFrom | None = None
    sourceToolAssistantUUID: str | None = None
    apiBlockIndex: int | None = None
    costUSD: float | None = None
    message: MessageHead | None = None
    attachment: AttachmentHead | None = None
    toolUseResult: Raw = NOTHING
    slug: str | None = None
    content: Raw = NOTHING
    # progress
    data: ProgressData | None = None
    toolUseID: str | None = None
    parentToolUseID: str | None = None
    # compaction
    compactMetadata: CompactMetadata | None = None
    # session metadata
    leafUuid: str | None = None
    explicit: bool | None = None
    summary: str | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    agentName: str | None = None
    lastPrompt: str | None = None
    tag: str | None = None
    relocatedCwd: str | None = None
    worktreeSession: WorktreeSession | None = None
    continuedInSessionId: str | None = None
    parentSessionId: str | None = None
    sessions: list[Any] | None = None
    accountUuid: str | None = None
    operation: str | None = None
    # cost-state
    totalCostUSD: float | None = None
    modelUsage: Raw = NOTHING


decode_head = msgspec.json.Decoder(Head).decode
_decode_started = msgspec.json.Decoder(Started).decode


def head_of(value: Any) -> Head:
    """Return the head of a record that a scan decoded with `decode_head` or, failing that, leniently."""
    return value if type(value) is Head else _head_from_dict(value)


def _head_from_dict(value: dict[str, Any]) -> Head:
    return decode_head(orjson.dumps(_fitting(value, Head)))


def _fitting(value: dict[str, Any], struct: type[Struct]) -> dict[str, Any]:
    """Return the part of `value` that fits the fields of `struct`."""
    kept = {}
    for name, field in _FIELDS[struct].items():
        if name in value:
            fitted = field(value[name])
            if fitted is not None or value[name] is None:
                kept[name] = fitted
    return kept


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _moment(value: Any) -> str | float | None:
    return value if isinstance(value, str) else _number(value)


def _anything(value: Any) -> Any:
    return value


def _list(value: Any) -> list[Any] | None:
    return value if isinstance(value, list) else None


def _content(value: Any) -> str | list[Any] | None:
    if isinstance(value, list):
        return [
            _fitting(block, Block) if isinstance(block, dict) else block
            for block in value
            if isinstance(block, (dict, str))
        ]
    return _text(value)


def _struct(struct: type[Struct]) -> Any:
    return lambda value: _fitting(value, struct) if isinstance(value, dict) else None


def _message(value: Any) -> dict[str, Any] | None:
    """Fit the API message; one that is a bare text is taken as its content."""
    return (
        _fitting({"content": value} if isinstance(value, str) else value, MessageHead)
        if isinstance(value, (dict, str))
        else None
    )


_FIELDS: dict[type[Struct], dict[str, Any]] = {
    Block: dict.fromkeys(("type", "id", "name", "tool_use_id", "text"), _text)
    | {"is_error": _flag, "input": _anything, "content": _anything},
    CacheCreation: dict.fromkeys(("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"), _whole),
    ServerToolUse: dict.fromkeys(("web_search_requests", "web_fetch_requests"), _whole),
    UsageHead: {
        **dict.fromkeys(
            ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), _whole
        ),
        **dict.fromkeys(("service_tier", "speed", "inference_geo"), _text),
        "cache_creation": _struct(CacheCreation),
        "server_tool_use": _struct(ServerToolUse),
    },
    MessageHead: {
        **dict.fromkeys(("id", "role", "model", "stop_reason"), _text),
        "content": _content,
        "usage": _struct(UsageHead),
    },
    ForkedFrom: dict.fromkeys(("sessionId", "messageUuid"), _text),
    Origin: {"kind": _text},
    AttachmentHead: {"type": _text, "prompt": _anything, "commandMode": _text, "origin": _struct(Origin)},
    Started: dict.fromkeys(("agentId", "runId"), _text),
    ProgressData: dict.fromkeys(("type", "agentId"), _text),
    CompactMetadata: {"trigger": _text, "preTokens": _whole},
    WorktreeSession: dict.fromkeys(("originalCwd", "worktreePath"), _text),
}
_FIELDS[Head] = {
    **dict.fromkeys(Head.__struct_fields__, _text),
    **dict.fromkeys(
        ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage", "explicit"),
        _flag,
    ),
    "timestamp": _moment,
    "apiBlockIndex": _whole,
    "costUSD": _number,
    "totalCostUSD": _number,
    "modelUsage": _anything,
    "origin": _struct(Origin),
    "forkedFrom": _struct(ForkedFrom),
    "message": _message,
    "attachment": _struct(AttachmentHead),
    "toolUseResult": _anything,
    "content": _anything,
    "data": _struct(ProgressData),
    "compactMetadata": _struct(CompactMetadata),
    "worktreeSession": _struct(WorktreeSession),
    "sessions": _list,
}


def started_by(result: bytes) -> Started:
    """Return the agent or workflow run that the program's own data of a result names."""
    try:
        return _decode_started(result)
    except ValueError:
        value = decoded(Raw(result))
        return _decode_started(orjson.dumps(_fitting(value, Started))) if isinstance(value, dict) else Started()


def is_there(raw: Raw) -> bool:
    """Say whether a part that the head kept undecoded is there, and not null."""
    data = memoryview(raw)
    return data.nbytes > 4 or (data.nbytes > 0 and data.tobytes() != b"null")


def decoded(raw: Raw) -> Any:
    """Decode a part that the head kept undecoded: quickly, else leniently; a damaged one counts as absent."""
    try:
        return orjson.loads(memoryview(raw))
    except ValueError:
        try:
            return value_of(bytes(raw))[0]
        except ValueError:
            return None
