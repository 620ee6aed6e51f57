"""The messages and parts of a session that go out.

Thinking, agents, images and the rest of long outputs are left out by default.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from backscroll.errors import QueryError
from backscroll.sessions.message import Message, Part

LARGEST_OUTPUT = 64_000
LONGEST_WORD = 4096
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_PROMPTS = "prompts"


@dataclass(frozen=True, slots=True)
class ShareChoice:
    """The parts of a session that go out."""

    branch: str = "main"
    select: str | None = None
    """Numbers of messages from 1, such as `3-9,12`, and the word `prompts`; None for all."""
    thinking: bool = False
    agents: bool = False
    images: bool = False
    outputs: bool = False
    """Share outputs whole, also those over 64 kB."""


def chosen(messages: Iterator[Message], choice: ShareChoice) -> Iterator[Message]:
    """Return the messages that were chosen, with their chosen parts; raise QueryError for a wrong selection."""
    is_chosen = selection(choice.select)
    return _chosen(messages, choice, is_chosen)


def _chosen(
    messages: Iterator[Message], choice: ShareChoice, is_chosen: Callable[[int, Message], bool]
) -> Iterator[Message]:
    kept = (message for message in messages if choice.agents or (message.depth == 0 and message.agent is None))
    for number, message in enumerate(kept, 1):
        if is_chosen(number, message):
            parts = [_reduced(part, choice) for part in message.parts if choice.thinking or part.kind != "thinking"]
            yield replace(message, parts=parts)


def _reduced(part: Part, choice: ShareChoice) -> Part:
    """Return a part without the program's own data of a result, but with its patch; a long output is cut."""
    if part.kind != "result":
        return part
    detail = part.data.get("detail")
    patch = detail.get("structuredPatch") if isinstance(detail, dict) else None
    data = {name: value for name, value in part.data.items() if name != "detail"}
    data |= {"detail": {"structuredPatch": patch}} if patch else {}
    text = part.text
    if text is not None and len(text) > LARGEST_OUTPUT and not choice.outputs:
        kept = _whole_words(text[:LARGEST_OUTPUT])
        text = f"{kept}\n… {len(text) - len(kept):,} more characters were not shared"
    return replace(part, text=text, data=data)


def _whole_words(text: str) -> str:
    """Return a cut text without the word at which it was cut: no rule knows half a secret."""
    return text[: max(text.rfind("\n"), text.rfind(" "), len(text) - LONGEST_WORD, 0)]


def selection(text: str | None) -> Callable[[int, Message], bool]:
    """Return the test of `3-9,12,prompts`."""
    if text is None:
        return lambda _number, _message: True
    words = [word.strip() for word in text.split(",")]
    ranges: list[tuple[int, int]] = []
    for word in words:
        found = _RANGE.fullmatch(word)
        is_reversed = found is not None and int(found[1]) > int(found[2] or found[1])
        if is_reversed or (found is None and word != _PROMPTS):
            raise QueryError(f"not a selection: {word}", remedy="Use numbers, ranges and `prompts`: 3-9,12,prompts.")
        if found is not None:
            ranges.append((int(found[1]), int(found[2] or found[1])))
    with_prompts = _PROMPTS in words
    return lambda number, message: (
        (with_prompts and message.is_typed) or any(first <= number <= last for first, last in ranges)
    )
