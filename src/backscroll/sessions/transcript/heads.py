"""Heads: the fields of each record that shape a conversation, decoded without its bulk.

One pass over the raw bytes reads a head; it skips the texts of results, inputs and images.
Fields keep their stored names (docs/formats.md, "The transcript") and do not
leave `sessions/`.  A record whose fields have unexpected types still gets a head: it omits
those fields, and the record keeps its bytes.
"""

from typing import Annotated, Any

import msgspec
import orjson
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from backscroll.formats.json.lenient import value_of
from backscroll.sessions.transcript.token_counts import LARGEST_COUNT, believed

NOTHING = Raw()
"""The value of a part that the head omits."""
Count = Annotated[int, Meta(ge=0, le=LARGEST_COUNT)]
"""A plausible token count; a record with any other count is decoded leniently, without that count."""


class Block(Struct, gc=False):
    """A content block: its kind, and for a call or a result the id that pairs them."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    text: str | None = None
    thinking: str | None = None
    input: Raw = NOTHING
    content: Raw = NOTHING


class CacheCreation(Struct, gc=False):
    """Cache writes by life time."""

    ephemeral_5m_input_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None


class ServerToolUse(Struct, gc=False):
    """Requests of tools that the API runs itself."""

    web_search_requests: Count | None = None
    web_fetch_requests: Count | None = None


class UsageHead(Struct, gc=False):
    """Token counts from the API, and the other fields that decide their price."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
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
    content: str | list[Block | str] | None = None
    usage: UsageHead | None = None


class ForkedFrom(Struct, gc=False):
    """The record that this one was copied from."""

    sessionId: str | None = None
    messageUuid: str | None = None


class Origin(Struct, gc=False):
    """The cause of a user record."""

    kind: str | None = None


class AttachmentHead(Struct, gc=False):
    """The kind of an attachment, and the typed text of a queued prompt."""

    type: str | None = None
    prompt: Raw = NOTHING
    commandMode: str | None = None
    origin: Origin | None = None


class Started(Struct, gc=False):
    """The agent or workflow run that a call started, if its result names one."""

    agentId: str | None = None
    runId: str | None = None


class ProgressData(Struct, gc=False):
    """The subject of a progress record."""

    type: str | None = None
    agentId: str | None = None


class CompactMetadata(Struct, gc=False):
    """The trigger and the size of a compaction."""

    trigger: str | None = None
    preTokens: int | None = None


class WorktreeSession(Struct, gc=False):
    """The repository of a session in a worktree."""

    originalCwd: str | None = None


class Head(Struct, gc=False):
    """The fields of a record of any type that shape a conversation."""

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
    apiBlockIndex: int | None = None
    costUSD: float | None = None
    message: MessageHead | None = None
    attachment: AttachmentHead | None = None
    toolUseResult: Raw = NOTHING
    planContent: Raw = NOTHING
    userFeedback: Raw = NOTHING
    slug: str | None = None
    requestSessionId: str | None = None
    content: Raw = NOTHING
    # progress
    data: ProgressData | None = None
    parentToolUseID: str | None = None
    # compaction
    compactMetadata: CompactMetadata | None = None
    # session metadata
    leafUuid: str | None = None
    summary: str | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    agentName: str | None = None
    lastPrompt: str | None = None
    tag: str | None = None
    relocatedCwd: str | None = None
    worktreeSession: WorktreeSession | None = None
    accountUuid: str | None = None
    operation: str | None = None
    # cost-state
    totalCostUSD: float | None = None
    modelUsage: Raw = NOTHING


decode_head = msgspec.json.Decoder(Head).decode
_decode_started = msgspec.json.Decoder(Started).decode


def head_of(value: Any) -> Head:
    """Return the head of a record that a scan decoded with `decode_head`, or leniently if that failed."""
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
    """Fit the API message; a bare text becomes its content."""
    return (
        _fitting({"content": value} if isinstance(value, str) else value, MessageHead)
        if isinstance(value, (dict, str))
        else None
    )


_FIELDS: dict[type[Struct], dict[str, Any]] = {
    Block: dict.fromkeys(("type", "id", "name", "tool_use_id", "text", "thinking"), _text)
    | {"is_error": _flag, "input": _anything, "content": _anything},
    CacheCreation: dict.fromkeys(("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"), believed),
    ServerToolUse: dict.fromkeys(("web_search_requests", "web_fetch_requests"), believed),
    UsageHead: {
        **dict.fromkeys(
            ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), believed
        ),
        **dict.fromkeys(("service_tier", "speed", "inference_geo"), _text),
        "cache_creation": _struct(CacheCreation),
        "server_tool_use": _struct(ServerToolUse),
    },
    MessageHead: {
        **dict.fromkeys(("id", "role", "model"), _text),
        "content": _content,
        "usage": _struct(UsageHead),
    },
    ForkedFrom: dict.fromkeys(("sessionId", "messageUuid"), _text),
    Origin: {"kind": _text},
    AttachmentHead: {"type": _text, "prompt": _anything, "commandMode": _text, "origin": _struct(Origin)},
    Started: dict.fromkeys(("agentId", "runId"), _text),
    ProgressData: dict.fromkeys(("type", "agentId"), _text),
    CompactMetadata: {"trigger": _text, "preTokens": _whole},
    WorktreeSession: {"originalCwd": _text},
}
_FIELDS[Head] = {
    **dict.fromkeys(Head.__struct_fields__, _text),
    **dict.fromkeys(
        ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage"),
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
    "planContent": _anything,
    "userFeedback": _anything,
    "content": _anything,
    "data": _struct(ProgressData),
    "compactMetadata": _struct(CompactMetadata),
    "worktreeSession": _struct(WorktreeSession),
}


def started_by(result: Raw | bytes) -> Started:
    """Return the agent or workflow run that the program's own data of a result names."""
    try:
        return _decode_started(result)
    except ValueError:
        value = decoded(result)
        return _decode_started(orjson.dumps(_fitting(value, Started))) if isinstance(value, dict) else Started()


def is_there(raw: Raw) -> bool:
    """Return True if an undecoded part is there and not null."""
    data = memoryview(raw)
    return data.nbytes > 4 or (data.nbytes > 0 and data.tobytes() != b"null")


def decoded(raw: Raw | bytes) -> Any:
    """Decode an undecoded part of a record: quickly, else leniently; a damaged part counts as absent."""
    data = memoryview(raw)
    try:
        return orjson.loads(data) if data.nbytes else None
    except ValueError:
        try:
            return value_of(bytes(raw))[0]
        except ValueError:
            return None


def decoded_object(raw: Raw | bytes) -> dict[str, Any]:
    """Decode a record, or a part of one, that must be an object; everything else counts as empty."""
    value = decoded(raw)
    return value if isinstance(value, dict) else {}
