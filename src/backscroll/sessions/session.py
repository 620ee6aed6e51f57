"""Session, and the values for a list of sessions.

They are not in `message` or `model`: each dataclass takes about a millisecond at every start.
Field names are the keys of the JSON contract (docs/json.md).  `None` means unknown.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from backscroll.records import Json

MAIN = "main"
"""The name of the visible branch."""

STATES = ("live", "archived", "kept", "ghost", "orphan", "deleted", "damaged", "unreadable", "remote")
"""Every state that a session may have."""

SHORTEST_GLOBAL_ID = 16
"""Real ids have 20 characters or more; people made shorter ones by hand, and they are valid in one file only."""


@dataclass(slots=True)
class Usage:
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
    """True if some outputs are placeholders that the program wrote before the answer was complete."""
    web_searches: int | None = None
    unpriced: list[str] = field(default_factory=list)
    """Models without a known price; `cost` does not include them."""


class DesktopRow(TypedDict):
    """A row of Claude Desktop's Code tab, or a manifest of Cowork: the fields that we read."""

    id: str
    product: str
    """code, cowork, cloud; page and page-list for the caches of pages; tombstone for a deleted row."""
    kind: str | None
    held: str | None
    account: str | None
    organization: str | None
    path: str
    title: str | None
    title_source: str | None
    created: str | None
    active: str | None
    archived: bool
    deleted: str | None
    model: str | None
    permission_mode: str | None
    cwd: str | None
    origin: str | None
    worktree: str | None
    branch: str | None
    folders: list[str]
    error: str | None
    schedule: str | None
    lineage: list[str]
    """All ids of this conversation on the command line, the current one first."""
    names: list[str]
    temporary: bool
    loads: bool
    damage: str | None
    copies: list[str]


class SessionMarks(TypedDict):
    """Desktop's marks on a session outside its rows; None for no mark."""

    pinned: bool | None
    pin: int | None
    """Its position among the pinned sessions, from 1."""
    group: str | None
    unread: bool | None
    panes: Json
    branch_status: Json


@dataclass(slots=True)
class Session:
    """One conversation, with all its files."""

    id: str
    title: str | None
    project: str | None
    cwd: str | None
    stores: list[str]
    state: str
    started: datetime | None
    updated: datetime | None
    messages: int
    """Messages of people and of the model, each once, with agents and all branches."""
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
    rows: list[DesktopRow]
    parent: str | None
    transcripts: list[str]
    expires: datetime | None
    prompts: int = 0
    """Messages that a human typed."""
    copied: int = 0
    """Messages that another session said first (the shared beginning of a fork)."""
    copies: list[str] = field(default_factory=list)
    """Earlier ids of this conversation; this session contains all their messages."""
    title_source: str | None = None
    project_source: str | None = None
    """The source of cwd: record, relocated, config, index; elsewhere: a record that does not match the key."""
    entrypoint: str | None = None
    bytes: int = 0
    notes: int = 0
    tag: str | None = None
    internal_agents: int = 0
    project_key: str | None = None
    """The stored name of its project directory; never a decoded path."""
    marks: SessionMarks | None = None
    ends_in: str | None = None
    """The last thing on its main branch: prompt, answer, call or result."""
    open_call: str | None = None
    """The tool of the call that it ended in, which has no result."""
    resume: str | None = None
    """The command line that resumes it in Claude Code."""
    resume_note: str | None = None
    """Why there is no such command or why it may not work, and the command that helps."""


@dataclass(slots=True)
class Agent:
    """An agent: a session that another session started."""

    id: str
    kind: str
    """The kind of its transcript: inline, flat, nested, workflow."""
    type: str | None
    description: str | None
    call: str | None
    """The call that started it."""
    joined_by: str | None
    """The evidence that links it to that call."""
    parent: str | None
    """The agent that started it; None if the session itself did."""
    is_internal: bool
    """True for a helper of the program (compaction, side question), which is not part of the conversation."""
    messages: int
    calls: int
    transcript: str | None
    started: datetime | None = None
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class SessionList:
    """The result of `list`."""

    total: int
    sessions: list[Session]
    agents: dict[str, list[Agent]] = field(default_factory=dict)
    """The agents of each session, if the caller asked for them."""
    unkept: int = 0
    """The sessions that Claude Code deletes within a week, while the archive has nothing."""
