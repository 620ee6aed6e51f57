"""Hit: one result of a search; Found: the whole answer."""

from dataclasses import dataclass, field
from datetime import datetime

from backscroll.place import Place
from backscroll.sessions.message import Message

Marks = list[tuple[int, int]]
"""The matches in a snippet: start and end of each, in characters."""


@dataclass(slots=True)
class Hit:
    """A matching message, title, plan, list of todos or prompt without a message."""

    session: str | None
    """The session that said it first."""
    message: str | None
    title: str | None
    project: str | None
    role: str
    kind: str
    """The kind of the matching text: text, thinking, call, result, summary, title, tag, plan, todo, memory, schedule,
    row, other."""
    time: datetime | None
    snippet: str
    score: float | None
    place: Place | None
    marks: Marks = field(default_factory=list)
    agent: str | None = None
    resume: str | None = None
    """The command line that resumes its session in Claude Code."""
    others: int = 0
    """The number of matching messages in this session that are not returned, if only its best ones are."""
    copies: int = 0
    """The number of other sessions that hold this message."""
    is_listed: bool = True
    """False if only a typed prompt names its session, so that `show` finds none."""
    before: list[Message] = field(default_factory=list)
    after: list[Message] = field(default_factory=list)
    """The messages around it, as many as the caller asked for."""


@dataclass(frozen=True, slots=True)
class DayCount:
    """The number of matching messages on one day."""

    day: str
    hits: int


@dataclass(slots=True)
class Found:
    """The result of `search`."""

    query: str
    total: int | None
    """The number of matching messages, each counted once; None if time ran out."""
    hits: list[Hit]
    is_current: bool = True
    """False if another process was updating the search index: this search missed the uncommitted part."""
    suggestions: list[str] = field(default_factory=list)
    """Suggested queries, if nothing was found and a word of the query occurs nowhere."""
    counts: list[DayCount] | None = None
    """The matches of each day in this machine's time zone, if the caller asked for them."""
