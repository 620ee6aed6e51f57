"""Asides: what records beside the tree say, where no message says it too.

Prompts that were typed while Claude worked and never reached it, the last prompt of a transcript that lost its
messages, earlier titles, summaries of other sessions, links.  Each is found once: a queued prompt that became a
message is found there, and the present title of a session belongs to the session.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from backscroll.sessions.conversation import Conversation
from backscroll.sessions.facts import OPENING_LENGTH, Aside
from backscroll.sessions.fingerprint import text_key
from backscroll.sessions.rows import Row

QUEUED, LAST_PROMPT = PROMPT_TYPES = ("queue-operation", "last-prompt")
TITLE_TYPES = ("custom-title", "ai-title", "agent-name")
COMPARED = 100
"""How much of a last prompt is compared: Claude Code may have cut it."""


def asides(conversation: Conversation, start: Sequence[int] | None = None) -> Iterator[tuple[Aside, bool]]:
    """Yield what is said beside the tree, and whether it is to be found there.

    `start` gives for each file a byte before which everything is known; then also comes what was to be found before
    and is so no longer.
    """
    messages = _Messages(conversation)
    for aside in conversation.facts.asides.values():
        is_known = start is not None and aside.offset < start[aside.source]
        if aside.type in TITLE_TYPES:
            if not messages.is_title(aside):
                yield aside, True
            elif start is not None:
                yield aside, False
            continue
        place = messages.place_of(aside)
        if place is None and not is_known:
            yield aside, True
        elif place is not None and start is not None and place[1] >= start[place[0]]:
            yield aside, False


class _Messages:
    """What the messages of a conversation say, as far as asides repeat it."""

    def __init__(self, conversation: Conversation) -> None:
        self._facts = conversation.facts
        self._conversation = conversation

    def is_title(self, aside: Aside) -> bool:
        """Say whether an aside holds what the session is called now."""
        return aside.key == self._title

    def place_of(self, aside: Aside) -> tuple[int, int] | None:
        """Return source and offset of a message that says the same as an aside."""
        if aside.type == QUEUED:
            return self._by_key.get(aside.key) or self._facts.notified.get(aside.key or b"") or self._by_label(aside)
        if aside.type == LAST_PROMPT:
            return self._by_opening.get(_opening(aside.opening))
        return None

    def _by_label(self, aside: Aside) -> tuple[int, int] | None:
        """Find a prompt by how a person would repeat it: commands are stored in tags of their own."""
        return self._labels.get(aside.opening.strip()) if len(aside.opening) < OPENING_LENGTH else None

    @cached_property
    def _title(self) -> bytes | None:
        title = self._facts.custom_title or self._facts.ai_title or self._facts.agent_name
        return text_key(title) if title else None

    @cached_property
    def _prompts(self) -> list[Row]:
        return [row for row in self._conversation.rows if row.text_key is not None]

    @cached_property
    def _by_key(self) -> dict[bytes | None, tuple[int, int]]:
        return {row.text_key: (row.source, row.offset) for row in self._prompts}

    @cached_property
    def _labels(self) -> dict[str, tuple[int, int]]:
        return {row.label: (row.source, row.offset) for row in self._prompts if row.label}

    @cached_property
    def _by_opening(self) -> dict[str, tuple[int, int]]:
        queued = (aside for aside in self._facts.asides.values() if aside.type == QUEUED)
        found = {_opening(aside.opening): (aside.source, aside.offset) for aside in queued}
        return found | {_opening(label): place for label, place in self._labels.items()}


def _opening(text: str) -> str:
    return " ".join(text.split()).rstrip("…")[:COMPARED]
