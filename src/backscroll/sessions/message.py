"""Message, and its parts."""

from dataclasses import dataclass, field
from datetime import datetime

from backscroll.place import Place
from backscroll.records import Json
from backscroll.sessions.session import Usage


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message.

    kind: text, thinking, call, result, image, document, summary, other.
    `data` holds the other fields of the kind: for a call `id`, `name`, `input`; for a result `id`,
    `error`, `name`; for an image or document `media_type`, `bytes`, `format`; for other `type` and `raw`.
    """

    kind: str
    text: str | None = None
    data: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class Message:
    """The words of one speaker, joined from one or more records.

    role: user (a person or, for an agent, its caller), assistant, tool (results of calls),
    system (added by the program).
    """

    id: str
    parent: str | None
    session: str
    role: str
    time: datetime | None
    model: str | None
    agent: str | None
    branch: str
    parts: list[Part]
    usage: Usage | None
    place: Place
    message_id: str | None = None
    """The API's id of an assistant message."""
    is_typed: bool = False
    """True if a human typed it."""
    copied_from: str | None = None
    """The session that holds the original, if this message is a copy."""
    copies: int = 0
    """The number of other records in the session's own files that hold this message."""
    marks: list[str] = field(default_factory=list)
    """Notices to show before it: gap, cycle, compaction, fork, or that its file changed while we read it."""
    depth: int = 0
    """0 in the session itself, 1 in its agents, 2 in their agents."""
