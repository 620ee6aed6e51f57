"""The values that the library returns about Claude Desktop: manifests, accounts, audits, logs.

They are not in `model`: a list of sessions needs none of them, and each class takes half a millisecond to create.
"""

from dataclasses import dataclass, field
from datetime import datetime

from backscroll.place import Place
from backscroll.records import Damage, Json
from backscroll.sessions.session import DesktopRow


@dataclass(frozen=True, slots=True)
class Permission:
    """One decision about a tool in Cowork's audit."""

    time: datetime | None
    kind: str
    """permission_request, permission_response, permission_auto_approved, permission_auto_denied."""
    tool: str | None
    decision: str | None
    reason: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a Cowork session in its audit; the cost of a run may include earlier runs."""

    time: datetime | None
    outcome: str | None
    cost: float | None
    turns: float | None
    milliseconds: float | None
    place: Place


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """The facts that only the audit of a Cowork session has."""

    path: str
    permissions: list[Permission] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A file that a Cowork session made (`outputs`) or that its user gave it (`uploads`)."""

    kind: str
    path: str
    bytes: int
    time: datetime | None


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that Desktop recorded about a session, in groups, and the files of the session."""

    session: str
    row: DesktopRow
    groups: dict[str, dict[str, Json]]
    """identity, folders, permissions, browser, answers, files, approvals, egress, mcp, schedule, error and more."""
    unknown: list[str]
    """Names of unknown fields; the group `other` holds them."""
    odd: list[str]
    """Names of known fields whose value has an unexpected type."""
    files: list[SessionFile]
    is_cut: bool
    """True if there are more files than this list holds."""
    trail: AuditTrail | None
    damage: list[Damage]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The scheduled tasks of an account in an organization, as Desktop stores them."""

    account: str | None
    organization: str | None
    path: str
    tasks: Json


@dataclass(slots=True)
class Workspace:
    """An organization in which an account has rows."""

    id: str
    name: str | None
    rows: int
    cowork: int


@dataclass(slots=True)
class Account:
    """An Anthropic account that some file on this disk names."""

    id: str
    email: str | None = None
    name: str | None = None
    rows: int = 0
    cowork: int = 0
    sessions: int = 0
    """Known sessions of this account, with or without rows."""
    current: list[str] = field(default_factory=list)
    """The programs that use this account now: cli, desktop."""
    workspaces: list[Workspace] = field(default_factory=list)
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The account that a program used last, and the file that says so."""

    program: str
    """cli or desktop."""
    account: str
    path: str


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter file of Desktop, unchanged: tokens of the day, use of the plan."""

    name: str
    path: str
    values: Json


@dataclass(frozen=True, slots=True)
class Accounts:
    """The result of `accounts`."""

    accounts: list[Account]
    signed_in: list[SignedIn]
    counters: list[Counter]

    @property
    def agree(self) -> bool | None:
        """Return True if all programs use one account; None if fewer than two are known."""
        known = [one.account for one in self.signed_in]
        return len(set(known)) == 1 if len({one.program for one in self.signed_in}) > 1 else None


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server in Desktop's settings, without the values of its environment variables."""

    name: str
    command: str | None
    url: str | None
    env: list[str]
    """Names of its environment variables."""
    path: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a log that reports an error."""

    path: str
    line: int
    time: datetime | None
    level: str
    text: str
    names_session: bool
    """True if the line names the session; False if it is only near in time."""
