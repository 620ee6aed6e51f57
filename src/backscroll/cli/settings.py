"""Settings: the values of the options that every command takes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll import dirs
else:
    dirs = lazily("backscroll.dirs")


class Settings:
    """The options that every command takes, and what its answer met on the way."""

    root: tuple[str, ...] | None = None
    json: bool = False
    jsonl: bool = False
    color: bool = True
    update: bool = True
    strict: bool = False
    pager: bool = True
    is_incomplete: bool = False
    """Some paths may not be read."""
    damage: int = 0
    """The number of damaged places that the answer met."""
    is_damage_near: bool = False
    """The damage is in the one session, or in the few files, that the answer is about."""
    damaged: Sequence[str] = ()
    """The ids of the sessions with damage that the answer is about."""
    is_damage_beside: bool = False
    """Some of the damage is in files that are no transcripts; `stores` lists it."""

    @property
    def command(self) -> str:
        """How a hint names the program: with the root that was given, as it must be pasted."""
        return dirs.program_with(self.root or ())
