"""The values that `usage`, `tools`, `usage --audit` and `usage --timeline` return.

Field names are the keys of the JSON contract (docs/json.md).  `None` means unknown.  A cost is in US
dollars and sums all usage with a known price.
"""

from dataclasses import dataclass, field
from datetime import datetime

from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions.session import Session


@dataclass(slots=True)
class Amount:
    """Tokens and cost of any number of API messages; lower bounds are counted separately."""

    input: int | None = None
    output: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None
    cost: float | None = None
    messages: int = 0
    """API messages counted."""
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    web_searches: int | None = None
    web_fetches: int | None = None
    lower_bound: bool = False
    """True if some outputs are placeholders that the program wrote before the answer was complete."""
    lower_bound_messages: int = 0
    lower_bound_output: int = 0
    unpriced: list[str] = field(default_factory=list)
    """Models without a known price; `cost` does not include them."""
    first: datetime | None = None
    last: datetime | None = None

    @property
    def tokens(self) -> int:
        """All tokens, cache included."""
        return (self.input or 0) + (self.output or 0) + (self.cache_write or 0) + (self.cache_read or 0)


@dataclass(slots=True)
class Burn:
    """The rate at which a block of five hours is used."""

    start: datetime
    end: datetime
    active: bool
    tokens_per_minute: float | None
    cost_per_hour: float | None
    projected_tokens: int | None = None
    """The projected total of an active block at this rate."""
    projected_cost: float | None = None


@dataclass(slots=True)
class UsageRow(Amount):
    """One row of `usage`: the usage under one key, or under a combination of keys."""

    key: str | None = None
    keys: dict[str, str | None] = field(default_factory=dict)
    title: str | None = None
    """Set for sessions only."""
    burn: Burn | None = None
    """Set for blocks only."""


@dataclass(slots=True)
class Unpriced:
    """The usage of a model without a known price."""

    model: str | None
    messages: int
    input: int | None
    output: int | None
    cache_write: int | None
    cache_read: int | None


@dataclass(frozen=True, slots=True)
class UsageReport:
    """The result of `usage`."""

    by: list[str]
    rows: list[UsageRow]
    total: Amount
    unpriced: list[Unpriced]
    prices: str
    """The source and the day of the prices."""


@dataclass(slots=True)
class ToolUse:
    """The number of calls of one tool, MCP server, skill or type of agent, each call once."""

    name: str
    calls: int = 0
    errors: int = 0
    """Calls with an error as result, refusals included."""
    sessions: int = 0
    seconds: float | None = None
    """The time from each call to its result, if both have a time; it includes the time a person needs to decide."""
    refusals: int = 0
    """Calls that a person, a rule or a hook did not allow."""
    unanswered: int = 0
    """Calls without a result."""
    files: int | None = None
    """Different files that calls name; only for tools that work on one file."""
    slowest: float | None = None
    server: str | None = None
    """The MCP server of a tool."""


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The result of `tools`."""

    tools: list[ToolUse]
    servers: list[ToolUse]
    skills: list[ToolUse]
    agents: list[ToolUse]
    """Types of agents that calls started."""
    total: ToolUse


@dataclass(frozen=True, slots=True)
class Turn:
    """One prompt up to the next: the time that the program worked, and the time that it waited."""

    number: int
    message: str
    """The id of the prompt."""
    text: str
    time: datetime | None
    first_answer: datetime | None
    end: datetime | None
    working: float | None
    """Seconds from the prompt to the last record of its turn."""
    waiting: float | None
    """Seconds from there to the next prompt."""
    tools: float
    """Seconds during which at least one call was running."""
    calls: int
    errors: int
    usage: Amount
    context: int | None
    """The longest prompt of an API message in this turn, in tokens."""
    branch: str
    compactions: int = 0
    copied: int = 0
    """API messages that a fork copied: their usage counts for another session, not in `usage`."""


@dataclass(frozen=True, slots=True)
class ContextPoint:
    """The length of the prompt of one API message."""

    time: datetime | None
    message: str
    tokens: int
    turn: int
    is_compaction: bool = False
    """True if a compaction is directly before it."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The result of `usage --session ID --timeline`."""

    session: Session
    turns: list[Turn]
    context: list[ContextPoint]
    working: float
    waiting: float
    tools: float


@dataclass(frozen=True, slots=True)
class CopiedFrom:
    """The usage in a session that another session spent first."""

    session: str
    first_session: str
    first_transcript: str | None
    """The file that holds the original."""
    amount: Amount


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """The usage of a model in a session according to Claude Code, and according to the transcripts."""

    model: str
    stated: Amount
    found: Amount
    """In the session's files, copies included."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The cost of a session according to Claude Code, our cost, and the reasons for a difference."""

    session: str
    source: str
    """cost-state: its last sum of the session; costUSD: its price of each message."""
    recorded: float
    computed: float | None
    """Our cost of the session without copies."""
    with_copies: float | None
    """Our cost of everything in its files, copies included."""
    repriced: float | None
    """Our price of the tokens that Claude Code counted."""
    is_equal: bool
    reasons: list[str]
    models: list[ModelDifference] = field(default_factory=list)


@dataclass(slots=True)
class AuditMessage:
    """One API message of a session, with the reason why it counts or not."""

    place: Place
    model: str | None
    usage: Amount
    counted: bool
    reason: str
    records: int
    """Records in this file that repeat its usage."""
    first_place: Place | None = None
    """The file of the original, if this is a copy."""
    first_session: str | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of `usage --audit`: the steps from records on disk to the total."""

    records: int
    """Records with usage, in all files."""
    repeated: int
    """Of them, further records of a message in the same file."""
    copies: int
    """Of them, messages whose original is in another file or session."""
    counted: int
    """The rest: API messages, each once."""
    synthetic: int
    """Records of the model without usage: error notices and texts that the program wrote."""
    total: Amount
    unpriced: list[Unpriced]
    copied: list[CopiedFrom]
    """By session: the usage that counts for another session."""
    comparisons: list[Comparison]
    prices: str
    messages: list[AuditMessage] = field(default_factory=list)
    """The messages of the session, if the caller named one."""
    uncounted: list[Damage] = field(default_factory=list)
    """Places in transcripts that could not be read: a record there may have carried usage."""
    doubted: list[Note] = field(default_factory=list)
    """Records with implausible token counts; these counts are unknown, not 0."""
