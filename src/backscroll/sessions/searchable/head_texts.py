"""Return the texts of a record from its head, so that most records are decoded only once."""

from collections.abc import Callable

from backscroll.sessions.searchable.texts import CALL, RESULT, THINKING, Text, strings_in, texts_of_result
from backscroll.sessions.transcript.heads import Block, Head, decoded, is_there

_TALKERS = ("user", "assistant")


def texts_of_head(head: Head, spoken: str) -> list[Text] | None:
    """Return the texts of a user or assistant record from its head; None if only the whole record has them."""
    content = head.message.content if head.message is not None and head.type in _TALKERS else None
    if content is None or is_there(head.planContent) or is_there(head.userFeedback):
        return None
    if isinstance(content, str):
        return [(spoken, content)]
    texts: list[Text] = []
    for block in content:
        if isinstance(block, str):
            texts.append((spoken, block))
        elif (read := _OF_BLOCKS.get(block.type)) is not None:
            texts += read(block, spoken)
        else:
            return None
    return texts


def _of_text(block: Block, spoken: str) -> list[Text]:
    return [(spoken, block.text)] if block.text else []


def _of_thinking(block: Block, _spoken: str) -> list[Text]:
    return [(THINKING, block.thinking)] if block.thinking else []


def _of_call(block: Block, _spoken: str) -> list[Text]:
    return [(CALL, "\n".join([block.name or "", *strings_in(decoded(block.input))]))]


def _of_result(block: Block, _spoken: str) -> list[Text]:
    return [(RESULT, text) for text in texts_of_result(decoded(block.content))]


_OF_BLOCKS: dict[str | None, Callable[[Block, str], list[Text]]] = {
    "text": _of_text,
    "thinking": _of_thinking,
    "tool_use": _of_call,
    "tool_result": _of_result,
}
