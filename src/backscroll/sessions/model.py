"""The values that every verb hands out: Session, Message, Part, Call, Usage and their kin.

Field names are the keys of the JSON contract (docs/json.md).  `None` means unknown.
Nothing here knows how a transcript is stored.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.value import Value, field

MAIN = "main"
"""The name of the visible branch."""

SHORTEST_GLOBAL_ID = 16
"""Real ids have 20 characters and more; a shorter one was made by hand and counts in its own file only."""

Json = Any
"""A decoded JSON value of foreign making: its shape is never ours to promise."""


class Usage(Value):
    """Tokens, each API message counted once; `cost` is None until a price is known."""

    input: int | None = None
    output: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None
    cost: float | None = None
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    messages: int = 0
    """API messages counted."""
    lower_bound: bool = False
    """Some outputs are placeholders that the program wrote before the answer was complete."""
    web_searches: int | None = None
    unpriced: list[str] = field(default_factory=list)
    """Models that no price is known for; what they spent is not in `cost`."""


class Part(Value):
    """One piece of a message.

    kind: text, thinking, call, result, image, document, summary, other.
    `data` carries what else the kind has: for a call `id`, `name`, `input`; for a result `id`,
    `error`, `name`; for an image or document `media_type`, `bytes`; for other `type` and `raw`.
    """

    kind: str
    text: str | None = None
    data: dict[str, Json] = field(default_factory=dict)


class Message(Value):
    """What one speaker said, joined from one or more records.

    role: user (a person or, for an agent, its caller), assistant, tool (results of calls),
    system (put in by the program).
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
    """The API's own id of an assistant message."""
    is_typed: bool = False
    """A human typed it."""
    copied_from: str | None = None
    """The session that this message was first said in, where this one is a copy."""
    copies: int = 0
    """How many more records of the session's own files hold this same message."""
    marks: list[str] = field(default_factory=list)
    """What a reader should see in front of it: gap, cycle, compaction, fork, or that its file changed meanwhile."""
    depth: int = 0
    """0 in the session itself, 1 in its agents, 2 in theirs."""


class Result(Value):
    """What a call gave back: the text shown to the model, and the program's own structured data."""

    text: str | None
    error: bool
    data: Json = None
    persisted: str | None = None
    """The file that holds the whole output, where it was too large for the transcript."""


class Call(Value):
    """A tool call and its result; `result` is None where none was recorded."""

    id: str
    name: str
    input: Json
    result: Result | None
    session: str
    message: str
    agent: str | None
    started: datetime | None
    finished: datetime | None
    branch: str = "main"
    started_agent: str | None = None
    """The agent that this call started."""
    place: Place | None = None
    marks: list[str] = field(default_factory=list)


class Branch(Value):
    """One path of a conversation: `main` is the visible one, the others were left behind."""

    name: str
    messages: int
    fork: str | None
    """The message after which this branch leaves the one it grew from."""
    parent: str | None
    """The branch it grew from."""
    label: str
    """The first thing said on it."""
    tip: str
    started: datetime | None = None
    updated: datetime | None = None


class Agent(Value):
    """An agent: a session started by another session."""

    id: str
    kind: str
    """inline, flat, nested, workflow: where its transcript lies."""
    type: str | None
    description: str | None
    call: str | None
    """The call that started it."""
    joined_by: str | None
    """Which evidence joined it to that call."""
    parent: str | None
    """The agent that started it; None for the session itself."""
    is_internal: bool
    """A helper of the program (compaction, side question), not part of the conversation."""
    messages: int
    calls: int
    transcript: str | None
    started: datetime | None = None
    updated: datetime | None = None


class Compaction(Value):
    """A place where the program summarised what came before."""

    id: str
    time: datetime | None
    trigger: str | None
    tokens_before: int | None
    message: str | None
    """The message that holds the summary."""


class TreeNode(Value):
    """One node of `tree`: session, branch, compaction, agent, copy, fork."""

    id: str
    parent: str | None
    kind: str
    label: str
    messages: int | None
    time: datetime | None = None


class Session(Value):
    """One conversation with one identity, wherever its pieces lie."""

    id: str
    title: str | None
    project: str | None
    cwd: str | None
    stores: list[str]
    state: str
    started: datetime | None
    updated: datetime | None
    messages: int
    """Messages of people and of the model, agents and all branches included, each once."""
    calls: int
    agents: int
    branches: int
    compactions: int
    damage: int
    model: str | None
    models: list[str]
    usage: Usage
    branch: str | None
    version: str | None
    account: str | None
    rows: list[Json]
    parent: str | None
    transcripts: list[str]
    expires: datetime | None
    prompts: int = 0
    """Messages that a human typed."""
    copied: int = 0
    """Messages that were first said in another session (a fork's shared beginning)."""
    copies: list[str] = field(default_factory=list)
    """Earlier session ids of this same conversation, wholly contained in it."""
    title_source: str | None = None
    project_source: str | None = None
    """Which evidence gave cwd: record, relocated, config, index; elsewhere: a record that does not fit the key."""
    entrypoint: str | None = None
    bytes: int = 0
    notes: int = 0
    tag: str | None = None
    internal_agents: int = 0
    project_key: str | None = None
    """The name of its project directory, as it is; never a decoded path."""
    marks: Json | None = None
    """What Desktop remembers of it outside its rows: pinned, pin, group, unread, panes, branch_status."""


class Transcript(Value):
    """What `show` answers: a session, its branches, and its messages as they are asked for."""

    session: Session
    branches: list[Branch]
    messages: Iterator[Message]
    damage: list[Damage]
    notes: list[Note]


class MessagePage(Value):
    """What `messages` answers: some messages of a session, in the order in which `show` tells them."""

    session: Session
    total: int
    """How many messages there are in all."""
    offset: int
    """The number of the first one here."""
    messages: list[Message]


class OutlineItem(Value):
    """One landmark of a session."""

    n: int
    """The number of its message, as `messages` counts."""
    message: str
    kind: str
    """prompt, compaction, fork, agent, error, change."""
    label: str
    time: datetime | None


class Outline(Value):
    """What `outline` answers: the landmarks of a session in their order."""

    session: Session
    total: int
    """How many messages the session has."""
    items: list[OutlineItem]


class StoreSummary(Value):
    """What was found in one store, and where."""

    kind: str
    path: str
    files: int
    bytes: int
    sessions: int
    damage: list[Damage]


class Overview(Value):
    """What `backscroll` alone answers."""

    stores: list[StoreSummary]
    sessions: int
    latest: list[Session]
    expiring: list[Session]
    """Sessions whose transcripts Claude Code will delete within a week, the next one first."""
    messages: int = 0
    damage: int = 0


class SessionList(Value):
    """What `list` answers."""

    total: int
    sessions: list[Session]
    agents: dict[str, list[Agent]] = field(default_factory=dict)
    """Session to its agents, where they were asked for."""
