"""Join records into messages: the one place where stored field names become parts.

Input: a node of the tree and its conversation; the records are read from their
places and decoded whole.  Output: one `Message`.  Unknown content becomes a part of kind
`other` with its raw form.
"""

from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from backscroll.errors import BackscrollError
from backscroll.formats.images import raster_kind
from backscroll.place import Place
from backscroll.records import fault
from backscroll.sessions.message import Message, Part
from backscroll.sessions.reading.results import text_of_result
from backscroll.sessions.searchable.texts import rejoined
from backscroll.sessions.session import Usage
from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import queued_text
from backscroll.sessions.transcript.moments import moment_of
from backscroll.sessions.transcript.rows import BOUNDARY, PROGRESS, QUEUED, Row
from backscroll.sessions.transcript.tree import NOBODY, Node, Tree

TREE_FIELDS = {
    "parentUuid",
    "logicalParentUuid",
    "isSidechain",
    "userType",
    "cwd",
    "sessionId",
    "session_id",
    "version",
    "gitBranch",
    "type",
    "uuid",
    "timestamp",
    "slug",
    "entrypoint",
    "agentId",
    "isMeta",
    "level",
}
CHANGED = "changed while it was being read"
"""The mark of a message whose file shrank, or was rewritten, between reading its rows and reading its texts."""

IMAGE_DATA = "base64"
"""The bytes of an image or document, in the data of its part, if the caller asked for them."""
_FIRST = 24
"""This many characters of base64 are enough to identify the format of an image."""

PLAN_MARK = "plan"
"""The mark of a prompt that the program wrote when a person accepted a plan."""


def join_message(  # noqa: PLR0913 - a node, its surroundings, and one choice
    node: Node, tree: Tree, conversation: Conversation, session: str, agent: str | None, *, images: bool = False
) -> Message:
    """Read a node's records and make their message; with `images` the bytes of images come too, as base64.

    A bug of ours costs this message only: its mark names the exception.
    """
    try:
        return _joined(node, tree, conversation, session, agent, images=images)
    except (OSError, BackscrollError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of one message must not affect another
        place = _place(conversation, node.head)
        marks = [fault(error, "reading this message")]
        return Message(
            *(node.head.id, None, session, "system", None, None, agent, node.branch, [], None, place),
            marks=marks,
        )


def _joined(  # noqa: PLR0913 - as above
    node: Node, tree: Tree, conversation: Conversation, session: str, agent: str | None, *, images: bool
) -> Message:
    head = node.head
    values = [conversation.value(row) for row in node.rows]
    whole = [(row, value) for row, value in zip(node.rows, values, strict=True) if value]
    parts = [part for row, value in whole for part in _parts(row, value)]
    if not images:
        _drop_image_data(parts)
    return Message(
        id=head.id,
        parent=_parent(node, tree),
        session=session,
        role=head.role,
        time=moment_of(min((row.time for row in node.rows if isinstance(row.time, str)), default=head.time)),
        model=head.model,
        agent=agent,
        branch=node.branch,
        parts=parts,
        usage=_usage(node),
        place=_place(conversation, head),
        message_id=head.group,
        is_typed=head.kind in {prompts.TYPED, QUEUED} and agent is None,
        copies=len(node.repeats),
        marks=[
            *node.marks,
            *([PLAN_MARK] if head.kind == prompts.PLAN else []),
            *([] if len(whole) == len(values) else [CHANGED]),
        ],
    )


def _place(conversation: Conversation, row: Row) -> Place:
    return Place(conversation.sources[row.source].path, row.line, row.offset, row.length)


def _drop_image_data(parts: Iterable[Part]) -> None:
    """Leave the bytes of images in the transcript."""
    for part in parts:
        inner = part.data.get("parts") if part.kind == "result" else None
        for data in (part.data, *(inner if isinstance(inner, list) else ())):
            data.pop(IMAGE_DATA, None)


def _parent(node: Node, tree: Tree) -> str | None:
    """Return the message before a node; skip progress records."""
    position, steps = node.parent, 0
    while position != NOBODY and tree.nodes[position].head.kind == PROGRESS and steps < len(tree.nodes):
        position = tree.nodes[position].parent
        steps += 1
    return tree.nodes[position].head.id if position != NOBODY else None


def _usage(node: Node) -> Usage | None:
    """Return the usage of the record with the greatest output, the later one on a tie."""
    rows = [row for row in (*node.rows, *node.repeats) if row.tokens is not None]
    if not rows:
        return None
    tokens = max(enumerate(rows), key=lambda item: ((item[1].tokens.output or 0) if item[1].tokens else 0, item[0]))[
        1
    ].tokens
    if tokens is None:
        return None
    return Usage(
        input=tokens.input,
        output=tokens.output,
        cache_write=tokens.cache_write,
        cache_read=tokens.cache_read,
        cost=tokens.cost,
        cache_write_5m=tokens.cache_write_5m,
        cache_write_1h=tokens.cache_write_1h,
        messages=1,
        lower_bound=tokens.is_lower_bound,
    )


def _parts(row: Row, value: dict[str, Any]) -> Iterator[Part]:
    if value.get("type") == "attachment":
        return _attachment_parts(row, value)
    message = value.get("message")
    if message is None:
        return _system_parts(row, value)
    return _message_parts(row, value, message)


def _attachment_parts(row: Row, value: dict[str, Any]) -> Iterator[Part]:
    attachment = value.get("attachment")
    detail = attachment if isinstance(attachment, dict) else {}
    if row.kind == QUEUED:
        prompt = detail.get("prompt")
        if text := queued_text(prompt):
            yield from _spoken_parts(text, "text")
        yield from (
            part for part in _parts_with_images(prompt if isinstance(prompt, list) else []) if part.kind != "text"
        )
    else:
        yield Part("other", None, {"type": str(detail.get("type") or "attachment"), "raw": attachment})


def _system_parts(row: Row, value: dict[str, Any]) -> Iterator[Part]:
    text = value.get("content")
    kind = str(value.get("subtype") or value.get("type") or "record")
    raw = {name: item for name, item in value.items() if name not in TREE_FIELDS and name not in {"subtype", "content"}}
    data: dict[str, Any] = {"type": kind, "raw": raw}
    if row.kind == BOUNDARY:
        metadata = value.get("compactMetadata")
        data |= {"trigger": _get(metadata, "trigger"), "tokens_before": _get(metadata, "preTokens")}
    yield Part("other", text if isinstance(text, str) else None, data)


def _get(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _message_parts(row: Row, value: dict[str, Any], message: Any) -> Iterator[Part]:
    if isinstance(message, str):
        yield Part("text", message)
        return
    content = message.get("content") if isinstance(message, dict) else None
    kind = "summary" if row.kind == prompts.SUMMARY else "text"
    if isinstance(message, dict) and "0" in message:
        yield Part("text", rejoined(message), {"repaired": "message was stored as single characters"})
    if isinstance(content, str):
        yield from _spoken_parts(content, kind)
    elif isinstance(content, list):
        for part in _parts_with_images(content):
            yield _with_detail(part, value) if part.kind == "result" else _as_summary(part, kind)


def _spoken_parts(text: str, kind: str) -> Iterator[Part]:
    spoken = prompts.spoken(text) if text.lstrip().startswith("<") else text
    yield Part(kind, text, {"spoken": spoken} if spoken != text.strip() and spoken != text else {})


def _as_summary(part: Part, kind: str) -> Part:
    if part.kind != "text" or part.text is None:
        return part
    if kind == "summary":
        return Part("summary", part.text, part.data)
    return next(_spoken_parts(part.text, "text"))


def _with_detail(part: Part, value: dict[str, Any]) -> Part:
    """Add the program's own data of a result."""
    if "toolUseResult" in value:
        part.data["detail"] = value["toolUseResult"]
    return part


def _parts_with_images(blocks: Iterable[Any]) -> Iterator[Part]:
    for block in blocks:
        if isinstance(block, str):
            yield Part("text", block)
        elif isinstance(block, dict):
            yield _part(block)
        else:
            yield Part("other", None, {"type": type(block).__name__, "raw": block})


def _part(block: dict[str, Any]) -> Part:
    kind = str(block.get("type"))
    if kind in _PART_MAKERS:
        return _PART_MAKERS[kind](block)
    if kind.endswith("tool_use"):
        return Part("call", None, {"id": block.get("id"), "name": block.get("name"), "input": block.get("input")})
    if kind.endswith("tool_result"):
        return _result_part(block)
    return Part("other", _text(block.get("text")), {"type": _text(block.get("type")) or "block", "raw": block})


def _result_part(block: dict[str, Any]) -> Part:
    content = block.get("content")
    data = {"id": block.get("tool_use_id"), "error": block.get("is_error") is True}
    if isinstance(content, str):
        return Part("result", content, data)
    if isinstance(content, dict):
        return Part("result", None, data | {"raw": content})
    inner = _parts_with_images(content if isinstance(content, list) else [])
    others = [{"kind": part.kind, **part.data} for part in inner if part.kind != "text"]
    return Part("result", text_of_result(content), data | ({"parts": others} if others else {}))


def _media_part(block: dict[str, Any]) -> Part:
    """Return a part with the type, size and format of an image or document, and its bytes as base64."""
    source = block.get("source")
    detail = source if isinstance(source, dict) else {}
    stored = detail.get("data")
    is_text = detail.get("type") == "text"
    data = {
        "media_type": detail.get("media_type"),
        "source": detail.get("type"),
        "bytes": (len(stored.encode()) if is_text else len(stored) * 3 // 4) if isinstance(stored, str) else None,
        "title": block.get("title"),
    }
    if detail.get("type") == "base64" and isinstance(stored, str):
        data |= {"format": raster_kind(decoded(stored[:_FIRST])), IMAGE_DATA: stored}
    text = stored if is_text and isinstance(stored, str) else detail.get("url")
    return Part(str(block["type"]), _text(text), {name: item for name, item in data.items() if item is not None})


def decoded(stored: str) -> bytes:
    """Return the bytes of an image or document; none if its base64 is damaged."""
    try:
        return a2b_base64(stored.encode("ascii", "replace"), strict_mode=True)
    except ValueError:
        return b""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_PART_MAKERS: dict[str, Callable[[dict[str, Any]], Part]] = {
    "text": lambda block: Part("text", _text(block.get("text"))),
    "thinking": lambda block: Part("thinking", _text(block.get("thinking"))),
    "redacted_thinking": lambda _: Part("thinking", None, {"redacted": True}),
    "image": _media_part,
    "document": _media_part,
}
