"""The values that `usage`, `tools`, `usage --audit` and `usage --timeline` hand out.

Field names are the keys of the JSON contract (docs/json.md).  `None` means unknown; a cost is in US
dollars and the sum of what has a price.
"""

from datetime import datetime

from backscroll.place import Place
from backscroll.sessions.model import Session
from backscroll.value import Value, field


class Amount(Value):
    """Tokens and cost of any number of API messages, with what is only a lower bound counted apart."""

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
    """Some outputs are placeholders that the program wrote before the answer was complete."""
    lower_bound_messages: int = 0
    lower_bound_output: int = 0
    unpriced: list[str] = field(default_factory=list)
    """Models that no price is known for; what they spent is not in `cost`."""
    first: datetime | None = None
    last: datetime | None = None

    @property
    def tokens(self) -> int:
        """All tokens, cache included."""
        return (self.input or 0) + (self.output or 0) + (self.cache_write or 0) + (self.cache_read or 0)


class Burn(Value):
    """How quickly a block of five hours is used up."""

    start: datetime
    end: datetime
    active: bool
    tokens_per_minute: float | None
    cost_per_hour: float | None
    projected_tokens: int | None = None
    """What an active block comes to at this rate."""
    projected_cost: float | None = None


class UsageRow(Amount):
    """One row of `usage`: what was spent under one key, or under several that cross."""

    key: str | None = None
    keys: dict[str, str | None] = field(default_factory=dict)
    title: str | None = None
    """Only of sessions."""
    burn: Burn | None = None
    """Only of blocks."""


class Unpriced(Value):
    """What was spent with a model that no price is known for."""

    model: str | None
    messages: int
    input: int | None
    output: int | None
    cache_write: int | None
    cache_read: int | None


class UsageReport(Value):
    """What `usage` answers."""

    by: list[str]
    rows: list[UsageRow]
    total: Amount
    unpriced: list[Unpriced]
    prices: str
    """Where the prices come from, and of which day."""


class ToolUse(Value):
    """How often one tool, MCP server, skill or type of agent was called, each call once."""

    name: str
    calls: int = 0
    errors: int = 0
    """Calls whose result is an error, refusals included."""
    sessions: int = 0
    seconds: float | None = None
    """From each call to its result, where both have a time; a person's thinking included."""
    refusals: int = 0
    """Calls that a person, a rule or a hook did not allow."""
    unanswered: int = 0
    """Calls that have no result."""
    files: int | None = None
    """Different files that were named; only of tools that work on one."""
    slowest: float | None = None
    server: str | None = None
    """The MCP server of a tool."""


class ToolReport(Value):
    """What `tools` answers."""

    tools: list[ToolUse]
    servers: list[ToolUse]
    skills: list[ToolUse]
    agents: list[ToolUse]
    """Types of agents that were started."""
    total: ToolUse


class Turn(Value):
    """From one prompt to the next: how long the program worked on it, and how long it then waited."""

    number: int
    message: str
    """The prompt's id."""
    text: str
    time: datetime | None
    first_answer: datetime | None
    end: datetime | None
    working: float | None
    """Seconds from the prompt to the last thing said or done about it."""
    waiting: float | None
    """Seconds from there to the next prompt."""
    tools: float
    """Seconds in which at least one call was under way."""
    calls: int
    errors: int
    usage: Amount
    context: int | None
    """The longest prompt of an API message of this turn, in tokens."""
    branch: str
    compactions: int = 0


class ContextPoint(Value):
    """How long the prompt of one API message was."""

    time: datetime | None
    message: str
    tokens: int
    turn: int
    is_compaction: bool = False
    """A compaction stands right before it."""


class Timeline(Value):
    """What `usage --session ID --timeline` answers."""

    session: Session
    turns: list[Turn]
    context: list[ContextPoint]
    working: float
    waiting: float
    tools: float


class CopiedFrom(Value):
    """What a session holds of what another session spent first."""

    session: str
    first_session: str
    first_transcript: str | None
    """The file that it was first written to."""
    amount: Amount


class ModelDifference(Value):
    """What Claude Code says a model spent in a session, beside what the transcripts hold."""

    model: str
    stated: Amount
    found: Amount
    """In the session's files, what it copied included."""


class Comparison(Value):
    """What Claude Code recorded as the cost of a session, beside ours, and why they differ."""

    session: str
    source: str
    """cost-state: its last sum of the session; costUSD: its price of each message."""
    recorded: float
    computed: float | None
    """Our cost of the session alone."""
    with_copies: float | None
    """Our cost of everything in its files, whoever spent it first."""
    repriced: float | None
    """Our price of the tokens that Claude Code itself counted."""
    is_equal: bool
    reasons: list[str]
    models: list[ModelDifference] = field(default_factory=list)


class AuditMessage(Value):
    """One API message of a session, and why it counts or does not."""

    place: Place
    model: str | None
    usage: Amount
    counted: bool
    reason: str
    records: int
    """Records that repeat its usage, in this file."""
    first_place: Place | None = None
    """Where it was written first, if that is elsewhere."""
    first_session: str | None = None


class Audit(Value):
    """What `usage --audit` answers: the way from records on disk to the total."""

    records: int
    """Records that carry usage, in all files."""
    repeated: int
    """Of them, further records of a message that the same file holds already."""
    copies: int
    """Of them, messages that another file, or another session, wrote first."""
    counted: int
    """What is left: API messages, each once."""
    synthetic: int
    """Records that stand in a model's place without usage of their own: error notices, the program's words."""
    total: Amount
    unpriced: list[Unpriced]
    copied: list[CopiedFrom]
    """By session: what of it is counted elsewhere."""
    comparisons: list[Comparison]
    prices: str
    messages: list[AuditMessage] = field(default_factory=list)
    """Of one session, where one was asked for."""
