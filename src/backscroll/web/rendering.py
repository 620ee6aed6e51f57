"""The messages of a page as HTML that is safe to insert: the rendering that `show --format html` has."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from backscroll.sessions.message import Message, Part
from backscroll.sessions.reading.media import media_of
from backscroll.views.html import parts
from backscroll.views.json import sessions as json
from backscroll.views.terminal.paper import Paper

LONGEST = 200_000
"""A longer text is cut on the page; the download has all of it."""

LARGEST_IMAGE = 20_000_000
"""A larger image is named only."""
BESIDE = 8
"""This many messages before and after a page are read too, because a call and its result may be on different pages."""


class PageRenderer:
    """Renders the messages of one page: a result stands under its call, if that is on the page or just before it.

    The first `before` messages belong to the page before this one, which shows their results up to `BESIDE` further on.
    """

    def __init__(self, messages: Sequence[Message], before: int, paper: Paper) -> None:
        self._paper = paper
        for message in messages:
            _address_media(message)
        every = [part for message in messages for part in message.parts]
        self._results = {_call_of(part): part for part in every if part.kind == "result"}
        self._called = {_call_of(part) for one in messages[before:] for part in one.parts if part.kind == "call"}
        earlier = {_call_of(part) for one in messages[:before] for part in one.parts if part.kind == "call"}
        near = {_call_of(part) for one in messages[before : before + BESIDE] for part in one.parts}
        self._called |= earlier & near

    def message_object(self, message: Message) -> dict[str, Any]:
        """Return a message with the HTML of its parts; a very long text is cut and ends with a note."""
        value = json.object_of(message)
        for part, shown in zip(message.parts, value["parts"], strict=True):
            shown["html"] = self.part_html(message, part)
            if part.text is not None and len(part.text) > LONGEST:
                shown["text"], shown["cut"] = part.text[:LONGEST], len(part.text) - LONGEST
            if part.kind == "result" and len(json.dumps(shown.get("detail"))) > LONGEST:
                shown["detail"] = None
        return value

    def part_html(self, message: Message, part: Part) -> str:
        """Return a part as HTML, a very long one cut; nothing for a result that stands under its call."""
        if part.kind == "result" and _call_of(part) in self._called:
            return ""
        result = self._results.get(_call_of(part)) if part.kind == "call" else None
        return parts.part_html(_cut(part), self._paper, role=message.role, result=_cut(result) if result else None)


def _address_media(message: Message) -> None:
    """Give each image and document of a message the address of its bytes."""
    for number, data in enumerate(media_of(message.parts), 1):
        if data.get("source") == "base64" and (data.get("bytes") or 0) <= LARGEST_IMAGE:
            session, name = quote(message.session, safe=""), quote(message.id, safe="")
            data["address"] = f"/api/show/{session}?at={name}&image={number}"


def _call_of(part: Part) -> str:
    return str(part.data.get("id"))


def _cut(part: Part) -> Part:
    if part.text is None or len(part.text) <= LONGEST:
        return part
    rest = len(part.text) - LONGEST
    return Part(part.kind, f"{part.text[:LONGEST]}\n[{rest:,} more characters; the download has them]", part.data)
