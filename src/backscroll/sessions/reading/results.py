"""Results of calls: the block of a record that answers a call, and its text."""

from typing import Any


def result_block(call: str, content: Any) -> dict[str, Any] | None:
    """Return the block of a message that is the result of a call."""
    blocks = content if isinstance(content, list) else []
    return next((block for block in blocks if _is_result(block) and block.get("tool_use_id") == call), None)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and str(block.get("type")).endswith("tool_result")


def text_of_result(content: Any) -> str | None:
    """Return the text of a result; None if it has no text."""
    if isinstance(content, str):
        return content
    texts = [_text_of(block) for block in content] if isinstance(content, list) else []
    return "\n".join(filter(None, texts)) or None


def _text_of(block: Any) -> str | None:
    if isinstance(block, dict):
        block = block.get("text") if block.get("type") == "text" else None
    return block if isinstance(block, str) else None


def text_of_answer(block: dict[str, Any] | None, content: Any) -> str | None:
    """Return the text of the result in a message; old records have no block, and the text is their content."""
    if block is not None:
        return text_of_result(block.get("content"))
    return content if isinstance(content, str) else None
