"""Asides: the texts of records beside the tree that no message repeats.

These are queued prompts that no message holds, the last prompt of a transcript without its messages, earlier titles,
summaries of other sessions, and links.  Each text is searchable once: a queued prompt that became a message is in that
message, and the current title belongs to the session.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from backscroll.sessions.transcript.facts import OPENING_LENGTH, Aside
from backscroll.sessions.transcript.fingerprint import text_key

QUEUED, LAST_PROMPT = PROMPT_TYPES = ("queue-operation", "last-prompt")
TITLE_TYPES = ("custom-title", "ai-title", "agent-name")
COMPARED = 100
"""The length of a last prompt to compare: Claude Code may have cut it."""


class SpokenTexts:
    """The texts of the messages of a conversation that asides may repeat.

    `prompts` has the key and label of each prompt, `notices` the keys of the texts of notices, `title` the current
    title of the session.
    """

    def __init__(
        self, prompts: Iterable[tuple[bytes | None, str | None]], notices: AbstractSet[bytes], title: str | None
    ) -> None:
        known = list(prompts)
        self._keys = {key for key, _ in known} | notices
        self._labels = {label for _, label in known if label}
        self._openings = {_opening(label) for label in self._labels}
        self._title = text_key(title) if title else None

    def found(self, asides: Mapping[str, Aside]) -> Iterator[Aside]:
        """Yield the asides with a text that no message has."""
        queued = {_opening(aside.opening) for aside in asides.values() if aside.type == QUEUED}
        openings = self._openings | queued
        for aside in asides.values():
            if aside.type in TITLE_TYPES:
                is_said = aside.key == self._title
            elif aside.type == QUEUED:
                is_said = aside.key in self._keys or self._is_label(aside)
            else:
                is_said = aside.type == LAST_PROMPT and _opening(aside.opening) in openings
            if not is_said:
                yield aside

    def _is_label(self, aside: Aside) -> bool:
        """Return the key of a prompt as a person would repeat it: the program stores commands in tags."""
        return len(aside.opening) < OPENING_LENGTH and aside.opening.strip() in self._labels


def _opening(text: str) -> str:
    return " ".join(text.split()).rstrip("…")[:COMPARED]
