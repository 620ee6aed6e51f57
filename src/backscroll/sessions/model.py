"""Calls, branches and transcripts: the values of the verbs about sessions.

Field names are the keys of the JSON contract (docs/json.md).  `None` means unknown.
Nothing here depends on the format of a transcript.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from backscroll.place import Place
from backscroll.records import Damage, Json, Note
from backscroll.sessions.message import Message
from backscroll.sessions.session import MAIN, Session


@dataclass(slots=True)
class Result:
    """The answer to a call: the text for the model, and the program's own structured data."""

    text: str | None
    error: bool
    data: Json = None
    persisted: str | None = None
    """The file that holds the whole output, if it was too large for the transcript."""


@dataclass(slots=True)
class Call:
    """A tool call and its result; `result` is None if no record holds one."""

    id: str
    name: str
    input: Json
    result: Result | None
    session: str
    message: str
    agent: str | None
    started: datetime | None
    finished: datetime | None
    branch: str = MAIN
    started_agent: str | None = None
    """The agent that this call started."""
    place: Place | None = None
    marks: list[str] = field(default_factory=list)
    copied_from: str | None = None
    """The session that holds the original, if this call is a copy."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One path of a conversation: `main` is the visible one; people left the others."""

    name: str
    messages: int
    fork: str | None
    """The last message that this branch shares with its parent branch."""
    parent: str | None
    """The parent branch."""
    label: str
    """The first message on it."""
    tip: str
    started: datetime | None = None
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node of `tree`: session, branch, compaction, agent, copy, fork."""

    id: str
    parent: str | None
    kind: str
    label: str
    messages: int | None
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """The result of `show`: a session, its branches, and the requested messages."""

    session: Session
    branches: list[Branch]
    messages: Iterator[Message]
    damage: list[Damage]
    notes: list[Note]
