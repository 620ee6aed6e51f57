"""Findings: the values that `doctor` returns."""

from dataclasses import dataclass

from backscroll.place import Place

SEVERITIES = ("error", "warning", "note")
KINDS = (
    "expiring",
    "cleanup-setting",
    "lost",
    "mass-loss",
    "ghost",
    "orphan",
    "deleted",
    "account",
    "cloud",
    "in-vm",
    "damaged",
    "chain",
    "unanswered",
    "twice",
    "moved",
    "large",
    "worktree",
    "permissions",
    "secrets",
    "index",
    "archive",
    "timer",
    "disk",
    "drift",
)
"""Every kind of finding."""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One problem: something lost, at risk or odd, with its proof and the command that helps."""

    kind: str
    severity: str
    session: str | None
    place: Place | None
    text: str
    remedy: str | None


@dataclass(frozen=True, slots=True)
class CheckedAmount:
    """The amounts that the checks looked at."""

    sessions: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The findings, the most severe first, and the checked amounts."""

    findings: list[HealthFinding]
    checked: CheckedAmount

    @property
    def summary(self) -> dict[str, int]:
        """Return the number of findings of each severity."""
        return {name: sum(item.severity == name for item in self.findings) for name in SEVERITIES}
