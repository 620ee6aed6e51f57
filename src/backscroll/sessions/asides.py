"""Asides: what records beside the tree say, where no message says it too.

Prompts that were typed while Claude worked and never reached it, the last prompt of a transcript that lost its
messages, earlier titles, summaries of other sessions, links.  Each is found once: a queued prompt that became a
message is found there, and the present title of a session belongs to the session.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from backscroll.sessions.facts import OPENING_LENGTH, Aside
from backscroll.sessions.fingerprint import text_key

QUEUED, LAST_PROMPT = PROMPT_TYPES = ("queue-operation", "last-prompt")
TITLE_TYPES = ("custom-title", "ai-title", "agent-name")
COMPARED = 100
"""How much of a last prompt is compared: Claude Code may have cut it."""


class Said:
    """What the messages of a conversation say, as far as asides repeat it.

    `prompts` are key and label of each prompt, `notices` the keys of the texts of notices, `title` is what the session
    is called now.
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
        """Yield the asides that say something which no message says."""
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
        """Find a prompt by how a person would repeat it: commands are stored in tags of their own."""
        return len(aside.opening) < OPENING_LENGTH and aside.opening.strip() in self._labels


def _opening(text: str) -> str:
    return " ".join(text.split()).rstrip("…")[:COMPARED]
