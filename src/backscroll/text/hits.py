"""Hit: one answer of a search, and what a search as a whole answers."""

from datetime import datetime

from backscroll.place import Place
from backscroll.sessions.model import Message
from backscroll.value import Value, field

Marks = list[tuple[int, int]]
"""Where in a snippet something matched: beginning and end of each match, in characters."""


class Hit(Value):
    """A message that matches, or a title, a plan, a list of todos, a prompt that no message holds."""

    session: str | None
    message: str | None
    title: str | None
    project: str | None
    role: str
    kind: str
    """Which kind of text matched: text, thinking, call, result, summary, title, tag, plan, todo, memory, schedule,
    row, other."""
    time: datetime | None
    snippet: str
    score: float | None
    place: Place | None
    marks: Marks = field(default_factory=list)
    agent: str | None = None
    others: int = 0
    """How many more messages of the same session match, where only the best of each session is given."""
    before: list[Message] = field(default_factory=list)
    after: list[Message] = field(default_factory=list)
    """The messages around it, as many as were asked for."""


class DayCount(Value):
    """How many messages of one day match."""

    day: str
    hits: int


class Found(Value):
    """What `search` answers."""

    query: str
    total: int | None
    """How many messages match, each counted once; None where time ran out before all were looked at."""
    hits: list[Hit]
    is_current: bool = True
    """False where another process was taking words in: what it has not committed yet was not searched."""
    counts: list[DayCount] | None = None
    """The matches of each day, where they were asked for; days are those of this machine."""
