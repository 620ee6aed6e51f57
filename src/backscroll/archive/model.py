"""The values that the verbs of the archive return."""

from dataclasses import dataclass, field
from datetime import datetime

from backscroll.changes.plan import PLANNED, ChangePlan
from backscroll.place import Place
from backscroll.records import Damage, Json


@dataclass(frozen=True, slots=True)
class ArchiveTimer:
    """An installed timer that runs `archive sync`."""

    kind: str
    """systemd, launchd or windows."""
    every: int | None
    """Minutes between two runs."""
    path: str


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """The contents of the archive of one root."""

    path: str
    bytes: int
    raw_bytes: int
    sessions: int
    files: int
    versions: int
    synced: datetime | None
    timer: ArchiveTimer | None
    """None if no timer is installed."""
    free: int | None
    """The free bytes of its disk."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `archive verify`."""

    ok: bool
    segments: int
    bytes: int
    damage: list[Damage]


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A source file in the archive: its newest version, and the number of versions."""

    path: str
    session: str | None
    kind: str
    bytes: int
    sha256: str
    versions: int


@dataclass(frozen=True, slots=True)
class ArchivedVersion:
    """One version of a source file in the archive."""

    path: str
    session: str | None
    kind: str
    version: int
    bytes: int
    sha256: str
    copied: datetime | None


@dataclass(frozen=True, slots=True)
class ArchivedFact:
    """An archived value of settings or browser storage, and the time of its change."""

    path: str
    """The settings file, or the directory of the browser storage's profile."""
    name: str
    value: Json
    """None if the value is gone."""
    time: datetime | None
    """The moment of the sync that found it."""


@dataclass(slots=True)
class Mirroring:
    """The plan of `archive mirror`, and the copied amounts."""

    changes: ChangePlan
    target: str
    copied: int = 0
    """Segments that were copied."""
    bytes: int = 0
    """Their size."""
    damage: list[Damage] = field(default_factory=list)
    """Damage that was found in the mirror."""


@dataclass(slots=True)
class Pruning:
    """The plan of `archive prune`."""

    changes: ChangePlan
    bytes: int
    """The size of the segments that go."""


@dataclass(slots=True)
class Repair:
    """The plan of `archive repair`, and the places that are lost for good."""

    changes: ChangePlan
    lost: list[Place]


@dataclass(frozen=True, slots=True)
class Restored:
    """One session of a `Restoration`."""

    session: str
    """The id that it gets."""
    command: str | None
    """The command that resumes it after the plan."""


@dataclass(slots=True)
class Restoration:
    """The plan of `archive restore`, and the commands that resume the restored sessions."""

    changes: ChangePlan
    sessions: list[Restored]


@dataclass(slots=True)
class SchedulerCommand:
    """One command that starts or stops a timer."""

    command: list[str]
    status: str = PLANNED
    """planned, done or failed."""
    why: str | None = None


@dataclass(slots=True)
class Installation:
    """The plan of `archive install` or `uninstall`, and its scheduler commands."""

    changes: ChangePlan
    commands: list[SchedulerCommand] = field(default_factory=list)
    before: list[SchedulerCommand] = field(default_factory=list)
    """The commands that come before the files change."""

    @property
    def all_commands(self) -> list[SchedulerCommand]:
        """All commands in their order."""
        return [*self.before, *self.commands]
