"""Pages and outlines: some messages of a session, and its landmarks."""

from dataclasses import dataclass, field
from datetime import datetime

from backscroll.records import Damage
from backscroll.sessions.message import Message
from backscroll.sessions.session import Agent, Session


@dataclass(frozen=True, slots=True)
class MessagePage:
    """The result of `messages`: some messages of a session, in the order of `show`."""

    session: Session
    total: int
    """The number of messages in all."""
    offset: int
    """The number of the first message of this page."""
    messages: list[Message]
    damage: list[Damage] = field(default_factory=list)
    """All places of the session that could not be read."""
    agents: list[Agent] = field(default_factory=list)
    """The agents that said some of these messages."""


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """One landmark of a session."""

    n: int
    """The number of its message in `messages`."""
    message: str
    kind: str
    """prompt, plan, compaction, fork, agent, error, change."""
    label: str
    time: datetime | None


@dataclass(frozen=True, slots=True)
class Outline:
    """The result of `outline`: the landmarks of a session in order."""

    session: Session
    total: int
    """The number of messages in the session."""
    items: list[OutlineItem]
