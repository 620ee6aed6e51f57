"""The facts that all checks share, looked up once; and the answer of a check."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from backscroll.health.remains import Loss, find_losses
from backscroll.health.retention import CleanupRule, cleanup_rule
from backscroll.index import health_facts
from backscroll.index.db import Connection
from backscroll.index.health_facts import SessionAge, Unanswered
from backscroll.index.queries.sessions import unreadable_paths
from backscroll.place import Place
from backscroll.sessions.session import Session
from backscroll.stores.archived import KeptFile
from backscroll.stores.base import Opener


class CheckResult(NamedTuple):
    """One answer of a check."""

    severity: str
    text: str
    place: Place | None = None
    """The proof; None means the first file of the session."""
    remedy: str | None = None
    """The command that helps, if it is not the usual one of its kind."""
    session: str | None = None
    """The session, if a check of a home knows one."""


@dataclass(frozen=True)
class Surroundings:
    """Facts that all checks share."""

    database: Connection
    now: datetime
    program: str
    """The program name for remedies, with its roots."""
    is_own: bool
    """True if the home is this user's own, so that its paths are paths of this machine."""
    sessions: Sequence[Session]
    """Every session, also if only one is checked."""
    open_file: Opener
    part: Path
    """The part of the archive that belongs to the roots."""
    own: Path
    """Our own directory."""
    homes: Sequence[Path]
    """The home directories that are read."""
    archived: Sequence[KeptFile] = ()
    archive_fault: str | None = None
    """The reason why the catalogue of the archive cannot be read."""
    has_timer: bool = False
    """True if the timer of the archive is installed."""
    is_thorough: bool = False
    """True if the user asked for one kind: then a check may read every file."""
    _rules: dict[str, CleanupRule] = field(default_factory=dict)

    @cached_property
    def kept(self) -> Mapping[str, int]:
        """The number of archived bytes of each path, in the newest version."""
        return {os.fsdecode(row.path): row.length for row in self.archived}

    @cached_property
    def ages(self) -> Mapping[str, SessionAge]:
        """The file time, configuration directory and release of each session."""
        return health_facts.ages(self.database)

    @cached_property
    def unanswered(self) -> Mapping[str, Unanswered]:
        """The calls without a result of each session."""
        return health_facts.unanswered(self.database)

    @cached_property
    def suspects(self) -> frozenset[str]:
        """The sessions whose links look broken."""
        return health_facts.suspects(self.database, self.open_file)

    @cached_property
    def losses(self) -> Sequence[Loss]:
        """The sessions of which only traces are left."""
        return [] if self.has_unreadable else find_losses(self.database)

    @cached_property
    def has_unreadable(self) -> bool:
        """True if a file cannot be read: it may hold everything that seems lost."""
        return bool(unreadable_paths(self.database))

    @cached_property
    def versions(self) -> Mapping[str, datetime]:
        """The last time that each version of Claude Code wrote here."""
        return health_facts.versions(self.database)

    def rule(self, config: str) -> CleanupRule:
        """Return the clean-up rule of a configuration directory."""
        if config not in self._rules:
            self._rules[config] = cleanup_rule(
                health_facts.paths_of_files(self.database, kind="settings", config=config)
            )
        return self._rules[config]

    def has_copies(self, session: Session) -> bool:
        """Return True if the archive has every byte of a session's transcripts."""
        return all(self.kept.get(path, -1) >= size_of(path) for path in session.transcripts)


def size_of(path: str) -> int:
    """Return the size of a file; 0 if it is gone."""
    try:
        return os.lstat(path).st_size
    except (OSError, ValueError):
        return 0


def named(name: str) -> str:
    """Return an id in the form of the last argument of a command line."""
    return f"-- {quote(name)}" if name.startswith("-") else quote(name)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "session"), counted(2000, "session")
    ('1 session', '2,000 sessions')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
