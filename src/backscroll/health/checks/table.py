"""The table of all checks: the kind of each, its function, and the command that usually helps."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from backscroll.health.chains import chain
from backscroll.health.checks import content, expiry, home, losses, own
from backscroll.health.checks import sessions as of_session
from backscroll.health.checks.sessions import FIX
from backscroll.health.model import KINDS, SEVERITIES, HealthFinding
from backscroll.health.surroundings import CheckResult, Surroundings, named
from backscroll.place import Place
from backscroll.sessions.session import Session


class SessionCheck(NamedTuple):
    """A check of one session."""

    kind: str
    check: Callable[[Session, Surroundings], Iterator[CheckResult]]
    remedy: str


class HomeCheck(NamedTuple):
    """A check of everything else."""

    kind: str
    check: Callable[[Surroundings], Iterator[CheckResult]]
    remedy: str | None


SESSION_CHECKS = (
    SessionCheck("expiring", expiry.expiring, "archive sync"),
    SessionCheck("ghost", of_session.ghost, "show {id}"),
    SessionCheck("orphan", of_session.orphan, "show {id}"),
    SessionCheck("deleted", of_session.deleted, "archive sync"),
    SessionCheck("cloud", of_session.cloud, "show {id}"),
    SessionCheck("in-vm", of_session.in_vm, "cowork {id}"),
    SessionCheck("damaged", of_session.damaged, FIX),
    SessionCheck("chain", chain, FIX),
    SessionCheck("unanswered", of_session.unanswered, "calls {id}"),
    SessionCheck("twice", of_session.twice, "transfer resume --as-new --cwd . {id}"),
    SessionCheck("moved", of_session.moved, "transfer resume --cwd . {id}"),
    SessionCheck("large", of_session.large, "outline {id}"),
)
HOME_CHECKS = (
    HomeCheck("cleanup-setting", expiry.cleanup_setting, "archive sync"),
    HomeCheck("lost", losses.lost, None),
    HomeCheck("mass-loss", losses.mass_loss, "doctor --kind lost"),
    HomeCheck("account", home.account, "accounts"),
    HomeCheck("worktree", home.worktree, "worktrees"),
    HomeCheck("permissions", home.permissions, "stores"),
    HomeCheck("secrets", content.secrets, "redact latest"),
    HomeCheck("secrets", home.names_in_clear, "accounts"),
    HomeCheck("archive", own.archive, "archive verify --read-data"),
    HomeCheck("timer", own.timer, "archive install"),
    HomeCheck("disk", own.disk, "archive status"),
    HomeCheck("drift", content.drift, "drift"),
)
_INDEX = "index --rebuild"


def check_index(path: Path, program: str) -> list[HealthFinding]:
    """Return the findings about our index file; call it before an update, which would repair the index."""
    return [_finding("index", result, program, _INDEX) for result in own.index_health(path)]


def check_sessions(sessions: Sequence[Session], around: Surroundings, kind: str | None) -> Iterator[HealthFinding]:
    """Yield the findings about sessions, of one kind or of all."""
    checks = [check for check in SESSION_CHECKS if kind in (None, check.kind)]
    for check in checks:
        for session in sorted(sessions, key=_urgency) if check.kind == "expiring" else sessions:
            for result in check.check(session, around):
                placed = result._replace(session=session.id, place=result.place or _place_of(session))
                yield _finding(check.kind, placed, around.program, check.remedy)


def _urgency(session: Session) -> datetime:
    return session.expires or datetime.max.replace(tzinfo=UTC)


def check_home(around: Surroundings, kind: str | None) -> Iterator[HealthFinding]:
    """Yield the findings about everything else, of one kind or of all."""
    for check in HOME_CHECKS:
        if kind in (None, check.kind):
            for result in check.check(around):
                yield _finding(check.kind, result, around.program, check.remedy)


def in_order(findings: Iterable[HealthFinding]) -> list[HealthFinding]:
    """Return findings, the most severe first."""
    return sorted(findings, key=lambda item: (SEVERITIES.index(item.severity), KINDS.index(item.kind)))


def _finding(kind: str, result: CheckResult, program: str, usual: str | None) -> HealthFinding:
    return HealthFinding(
        kind, result.severity, result.session, result.place, result.text, _remedy(result, program, usual)
    )


def _remedy(result: CheckResult, program: str, usual: str | None) -> str | None:
    """Return the command line that helps; a command that begins with `$` is a program of the system."""
    command = result.remedy or usual
    if command is None or command.startswith("$"):
        return command and command[1:]
    ending = "={id}" in command
    name = result.session or ""
    return f"{program} {command.replace('{id}', _quoted(name) if ending else named(name))}"


def _quoted(name: str) -> str:
    return named(name).removeprefix("-- ")


def _place_of(session: Session) -> Place:
    """Return the first file that proves a session."""
    paths = [*session.transcripts, *(row["path"] for row in session.rows)]
    return Place(paths[0] if paths else session.id)
