"""Retention: the settings file that decides when Claude Code deletes transcripts.

docs/formats.md, "Retention".
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from backscroll.index.queries.sessions import DEFAULT_CLEANUP_DAYS
from backscroll.stores.side import read_object

if TYPE_CHECKING:
    from backscroll.records import Damage

SETTING = "cleanupPeriodDays"
LONG = 3650
"""Versions of Claude Code have ignored values as large as this."""


class CleanupRule(NamedTuple):
    """The rule of one configuration directory."""

    days: int | None
    """The days in effect; None if no settings file sets them."""
    path: str | None
    """The settings file that decides."""
    unreadable: str | None = None
    """The settings file that cannot be parsed; Claude Code then deletes nothing."""
    refused: str | None = None
    """The settings file with a value that is not a number of days."""

    @property
    def period(self) -> int:
        """The number of days after which Claude Code deletes a transcript."""
        return DEFAULT_CLEANUP_DAYS if self.days is None else max(self.days, 1)

    @property
    def text(self) -> str:
        """The rule as a sentence without its full stop."""
        if self.path is None:
            return f"no settings file sets {SETTING}, so {DEFAULT_CLEANUP_DAYS} days apply"
        return f"{self.path} sets {SETTING} to {self.days}"


def cleanup_rule(paths: Iterable[str]) -> CleanupRule:
    """Return the rule from settings files; the last file that sets a value decides."""
    rule = CleanupRule(None, None)
    for path in paths:
        damage: list[Damage] = []
        value = read_object(path, damage).get(SETTING)
        if damage:
            rule = rule._replace(unreadable=path)
        elif type(value) is int and value >= 0:
            rule = rule._replace(days=value, path=path)
        elif value is not None:
            rule = rule._replace(refused=path)
    return rule
