"""The values that the transfer verbs return."""

from dataclasses import dataclass, field

from backscroll.changes.plan import ChangePlan
from backscroll.records import Json
from backscroll.sessions.session import Session

SEEN = (
    "Claude Desktop reads rows when it starts, and when the account or the organisation changes."
    " Quit it before --apply; then start it, signed in to that account. Reloading the window does not help."
)


def absence(session: Session, otherwise: str = "it has no transcript on this machine") -> str:
    """Return the reason why there is no transcript here, and its place if known."""
    if session.state == "unreadable":
        return "you have no permission to read its files; `backscroll stores` names them"
    held = next((row["held"] for row in session.rows if row["held"]), None)
    return otherwise if held is None else f"its conversation is not on this machine: it is {held}"


@dataclass(slots=True)
class Resumption:
    """The plan of `transfer resume`, and the command that resumes the session afterwards."""

    changes: ChangePlan
    command: str | None
    session: str
    cwd: str | None


@dataclass(slots=True)
class RowCopies:
    """The plan of `transfer copy`, and the fields that are not copied."""

    changes: ChangePlan
    dropped: list[str]
    note: str = SEEN
    """The way to make Claude Desktop see the rows."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that a bundle omits."""

    path: str
    reason: str


@dataclass(slots=True)
class Packed:
    """A bundle that was written."""

    file: str
    bytes: int
    sha256: str
    files: int
    sessions: int
    skipped: list[LeftOut] = field(default_factory=list)


@dataclass(slots=True)
class Unpacking:
    """The plan of `transfer unpack`, the manifest, and the commands that resume the sessions afterwards."""

    changes: ChangePlan
    manifest: dict[str, Json]
    commands: dict[str, str]
    """Session to command."""
