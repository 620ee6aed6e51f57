"""Progress and Report: how far a long piece of work has come, and what it did in the end."""

from backscroll.value import NamedTuple, Value


class Progress(NamedTuple):
    """How far a long piece of work has come."""

    done: int
    total: int
    bytes: int
    what: str


class Report(Value):
    """What an update did."""

    files: int = 0
    read: int = 0
    skipped: int = 0
    bytes: int = 0
    records: int = 0
    sessions: int = 0
    damage: int = 0
    seconds: float = 0.0
