"""The values that the verbs about Claude Desktop hand out: manifests, accounts, audits, logs.

Apart from `model`, because a list of sessions needs none of them and each costs half a millisecond to make.
"""

from datetime import datetime

from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.model import Json
from backscroll.value import Value, field


class Permission(Value):
    """One decision about a tool, as Cowork's audit tells it."""

    time: datetime | None
    kind: str
    """permission_request, permission_response, permission_auto_approved, permission_auto_denied."""
    tool: str | None
    decision: str | None
    reason: str | None
    place: Place


class Run(Value):
    """One run of a Cowork session, as its audit sums it up; the cost of a run may include those before it."""

    time: datetime | None
    outcome: str | None
    cost: float | None
    turns: float | None
    milliseconds: float | None
    place: Place


class AuditTrail(Value):
    """What only a Cowork session's audit knows."""

    path: str
    permissions: list[Permission] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)


class SessionFile(Value):
    """A file that a Cowork session made (`outputs`) or was given (`uploads`)."""

    kind: str
    path: str
    bytes: int
    time: datetime | None


class Manifest(Value):
    """Everything that Desktop wrote down of a session, in groups, and the files that belong to it."""

    session: str
    row: Json
    groups: dict[str, dict[str, Json]]
    """identity, folders, permissions, browser, answers, files, approvals, egress, mcp, schedule, error and more."""
    unknown: list[str]
    """Names of fields that are not known; they stand in the group `other`."""
    odd: list[str]
    """Names of known fields whose value has an unexpected type."""
    files: list[SessionFile]
    is_cut: bool
    """There are more files than are listed."""
    trail: AuditTrail | None
    damage: list[Damage]


class Schedule(Value):
    """The scheduled tasks of an account in an organization, as Desktop keeps them."""

    account: str | None
    organization: str | None
    path: str
    tasks: Json


class Workspace(Value):
    """An organization that an account has rows in."""

    id: str
    name: str | None
    rows: int
    cowork: int


class Account(Value):
    """An account of Anthropic's that something on this disk names."""

    id: str
    email: str | None = None
    name: str | None = None
    rows: int = 0
    cowork: int = 0
    sessions: int = 0
    """Sessions that are known to be of this account, rows or not."""
    current: list[str] = field(default_factory=list)
    """Who is signed in with it: cli, desktop."""
    workspaces: list[Workspace] = field(default_factory=list)
    updated: datetime | None = None


class SignedIn(Value):
    """Which account a program was last signed in with, and where that stands."""

    program: str
    """cli or desktop."""
    account: str
    path: str


class Counter(Value):
    """A counter file of Desktop, as it is: tokens of the day, use of the plan."""

    name: str
    path: str
    values: Json


class Accounts(Value):
    """What `accounts` answers."""

    accounts: list[Account]
    signed_in: list[SignedIn]
    counters: list[Counter]

    @property
    def agree(self) -> bool | None:
        """Whether all programs are signed in with one account; None where fewer than two are known."""
        known = [one.account for one in self.signed_in]
        return len(set(known)) == 1 if len({one.program for one in self.signed_in}) > 1 else None


class McpServer(Value):
    """An MCP server that Desktop's settings declare; never with the values of its environment."""

    name: str
    command: str | None
    url: str | None
    env: list[str]
    """Names of the variables that it is given."""
    path: str


class LogLine(Value):
    """A line of a log that tells of an error."""

    path: str
    line: int
    time: datetime | None
    level: str
    text: str
    names_session: bool
    """The line names the session itself, and does not only lie near its time."""
