"""Progress and Report: the state of a long update, and its result."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a long update."""

    done: int
    total: int
    bytes: int
    what: str


@dataclass(slots=True)
class Report:
    """The result of an update."""

    files: int = 0
    read: int = 0
    skipped: int = 0
    bytes: int = 0
    records: int = 0
    sessions: int = 0
    damage: int = 0
    seconds: float = 0.0
    is_saved: bool = True
    """False if our own directory cannot be written, so that the index was in memory only."""
