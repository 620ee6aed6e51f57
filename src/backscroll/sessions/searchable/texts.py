"""Return the searchable texts of a record, each with its kind.

Input: a decoded record of a transcript.  Output: (kind, text) pairs, each text once.  It omits encoded images,
signatures, and the program's own data beside a result (`toolUseResult`).  This module imports only the standard
library, so that a search can show hits without the code that reads whole transcripts.
"""

from collections.abc import Iterator
from typing import Any

PROMPT, ANSWER, THINKING, CALL, RESULT, SUMMARY, OTHER, TITLE = KINDS = (
    "prompt",
    "answer",
    "thinking",
    "call",
    "result",
    "summary",
    "other",
    "title",
)
"""The kind of a text; the `text` parts of a message are its prompt or its answer."""

SPOKEN = {"user": PROMPT, "assistant": ANSWER, "tool": OTHER, "system": OTHER}
"""The kind of the plain text of a message, by role."""

Text = tuple[str, str]

_MACHINERY = {
    "type",
    "subtype",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "session_id",
    "timestamp",
    "version",
    "cwd",
    "gitBranch",
    "userType",
    "entrypoint",
    "slug",
    "requestId",
    "level",
    "toolUseID",
    "parentToolUseID",
    "agentId",
    "message",
    "attachment",
    "planContent",
    "userFeedback",
}

_OF_ASIDES = {
    "queue-operation": ("content",),
    "last-prompt": ("lastPrompt",),
    "custom-title": ("customTitle",),
    "ai-title": ("aiTitle",),
    "agent-name": ("agentName",),
    "summary": ("summary",),
    "task-summary": ("summary",),
    "pr-link": ("prRepository", "prUrl"),
    "frame-link": ("title", "path", "frameUrl"),
    "checkpoint": ("label",),
}
"""The fields with text in records beside the tree."""
_SUMMARIES = {"summary", "task-summary"}
_SNAPSHOT = "prompt_snapshot"
"""An attachment that repeats the program's own prompt."""


def texts_of(value: dict[str, Any], spoken: str) -> Iterator[Text]:
    """Yield the texts of a record; `spoken` is the kind of its plain text."""
    kind = value.get("type")
    if isinstance(kind, str) and kind in _OF_ASIDES:
        said = SUMMARY if kind in _SUMMARIES else spoken
        yield from ((said, text) for name in _OF_ASIDES[kind] for text in strings_in(value.get(name), skip="type"))
        return
    yield from _texts_of_message(value, spoken)
    for name in ("planContent", "userFeedback"):
        yield from _text(value.get(name), OTHER)


def _texts_of_message(value: dict[str, Any], spoken: str) -> Iterator[Text]:
    message = value.get("message")
    if isinstance(message, str):
        yield spoken, message
    elif isinstance(message, dict):
        content = message.get("content")
        if isinstance(content, (str, list)):
            yield from _texts_of_content(content, spoken)
        elif "0" in message:
            yield spoken, rejoined(message)
    elif value.get("type") == "attachment":
        yield from _texts_of_attachment(value.get("attachment"), spoken)
    else:
        rest = {name: item for name, item in value.items() if name not in _MACHINERY}
        yield from ((spoken, text) for text in strings_in(rest))


def _texts_of_attachment(attachment: Any, spoken: str) -> Iterator[Text]:
    if isinstance(attachment, dict) and attachment.get("type") == _SNAPSHOT:
        return
    prompt = attachment.get("prompt") if isinstance(attachment, dict) else None
    if isinstance(prompt, (str, list)):
        yield from _texts_of_content(prompt, spoken)
        return
    yield from ((spoken, text) for text in strings_in(attachment, skip="type"))


def _texts_of_content(content: str | list[Any], spoken: str) -> Iterator[Text]:
    if isinstance(content, str):
        yield spoken, content
        return
    for block in content:
        if isinstance(block, str):
            yield spoken, block
        elif isinstance(block, dict):
            yield from _texts_of_block(block, spoken)


def _texts_of_block(block: dict[str, Any], spoken: str) -> Iterator[Text]:
    kind = block.get("type")
    kind = kind if isinstance(kind, str) else ""
    if kind == "text":
        yield from _text(block.get("text"), spoken)
    elif kind == "thinking":
        yield from _text(block.get("thinking"), THINKING)
    elif kind.endswith("tool_use"):
        yield CALL, "\n".join([str(block.get("name") or ""), *strings_in(block.get("input"))])
    elif kind.endswith("tool_result"):
        yield from ((RESULT, text) for text in texts_of_result(block.get("content")))
    elif kind in ("image", "document"):
        yield from _texts_of_media(block, spoken)
    elif kind != "redacted_thinking":
        yield from ((spoken, text) for text in strings_in(block, skip="type"))


def _text(text: Any, kind: str) -> Iterator[Text]:
    if isinstance(text, str) and text:
        yield kind, text


def texts_of_result(content: Any) -> Iterator[str]:
    """Yield the texts of a tool result."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from [block] if isinstance(block, str) else strings_in(block, skip="type")
    else:
        yield from strings_in(content)


def _texts_of_media(block: dict[str, Any], spoken: str) -> Iterator[Text]:
    source = block.get("source")
    detail = source if isinstance(source, dict) else {}
    names = ["data", "url"] if detail.get("type") == "text" else ["url"]
    for text in (block.get("title"), *(detail.get(name) for name in names)):
        yield from _text(text, spoken)


def strings_in(value: Any, skip: str | None = None) -> Iterator[str]:
    """Yield all texts inside a JSON value in order, except encoded data; `skip` names a field to omit."""
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is str:
            if item:
                yield item
        elif type(item) is dict:
            if item.get("type") != "base64":
                pending.extend(inner for name, inner in reversed(item.items()) if name not in (skip, "signature"))
        elif type(item) is list:
            pending.extend(reversed(item))


def rejoined(message: dict[str, Any]) -> str:
    """Join a text that was stored as one key per character."""
    numbers = sorted(int(name) for name in message if name.isascii() and name.isdigit())
    return "".join(str(message[str(number)]) for number in numbers if str(number) in message)
