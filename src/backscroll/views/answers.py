"""Results under their calls, in pages and in Markdown.

Input: messages in order.  Output: groups of a message and the results that follow it, and the call of each result.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from backscroll.sessions.message import Message, Part
from backscroll.views.call_summary import about
from backscroll.views.terminal.paper import Paper

_MOST_WAITING = 2000


def grouped(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Yield each message with the results that follow it directly."""
    group: list[Message] = []
    for message in messages:
        follows = group and message.role == "tool" and message.depth == group[0].depth and group[0].role != "tool"
        if group and not (follows and not message.marks):
            yield group
            group = []
        group.append(message)
    if group:
        yield group


class CallLabel(NamedTuple):
    """The name of a call's tool, and its input in one line."""

    name: str
    about: str


class Answers:
    """The results of one group of messages, and the calls whose result comes later."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._results: dict[str, Part] = {}
        self._placed: list[Part] = []
        self._waiting: dict[str, CallLabel] = {}

    def enter(self, group: list[Message]) -> None:
        """Go on to the next group."""
        self._results = {_id(part): part for one in group[1:] for part in one.parts if part.kind == "result"}
        self._placed = []

    def result_of(self, call: Part) -> Part | None:
        """Return the result that belongs under a call; None if it comes later, or never."""
        result = self._results.get(_id(call))
        if result is not None:
            self._placed.append(result)
            return result
        name = str(call.data.get("name") or "?")
        self._waiting[_id(call)] = CallLabel(name, about(name, call.data.get("input"), self._paper))
        if len(self._waiting) > _MOST_WAITING:  # calls that were never answered are forgotten in time
            del self._waiting[next(iter(self._waiting))]
        return None

    def is_placed(self, result: Part) -> bool:
        """Return True if a result stands under its call."""
        return any(result is one for one in self._placed)

    def label_of(self, result: Part) -> CallLabel:
        """Return the label of the call of a late result."""
        return self._waiting.pop(_id(result), None) or CallLabel(str(result.data.get("name") or "call"), "")


def _id(part: Part) -> str:
    return str(part.data.get("id"))
