"""Settings: the values of the options that every command takes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll import dirs
else:
    dirs = lazily("backscroll.dirs")


class Settings:
    """The options of every command, and the damage that its answer met."""

    root: tuple[str, ...] | None = None
    json: bool = False
    jsonl: bool = False
    color: bool = True
    update: bool = True
    strict: bool = False
    pager: bool = True
    is_incomplete: bool = False
    """Some paths cannot be read."""
    damage: int = 0
    """The number of damaged places that the answer met."""
    is_damage_near: bool = False
    """True if the damage is in the session or the files of the answer."""
    damaged: Sequence[str] = ()
    """The ids of the damaged sessions in the answer."""
    is_damage_beside: bool = False
    """Some of the damage is in files that are no transcripts; `stores` lists it."""

    @property
    def command(self) -> str:
        """The program name in hints: with the given root, so that hints can be pasted."""
        return dirs.program_with(self.root or ())
