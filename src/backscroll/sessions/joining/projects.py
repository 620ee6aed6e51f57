"""The true working directory of a session, and its project.

A directory name below `projects/` cannot be decoded (docs/formats.md, "Project directory key").  So the directory
comes from other evidence, strongest first, and the result names the evidence.  A worktree belongs to the project of
its repository.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from backscroll.stores.project_key import could_be


@cache
def _worktree() -> re.Pattern[str]:
    return re.compile(r"^(.+?)[/\\]\.(?:claude[/\\])?worktrees[/\\][^/\\]+(?:[/\\].*)?$")


class Cwd(NamedTuple):
    """A working directory and the evidence for it: record, relocated, sibling, config, index, elsewhere."""

    path: str
    source: str


def true_cwd(
    key: str | None, recorded: Iterable[str], relocated: str | None, hints: Iterable[tuple[str, str]]
) -> Cwd | None:
    """Return the directory in which a session ran.

    `recorded` are the directories in its own records, in order; `hints` are (path, source)
    from siblings and side files.  A path that fits the name of the project directory wins; if none
    fits, the result is the first recorded one, as `elsewhere`.
    """
    recorded = list(recorded)
    candidates = [Cwd(path, "record") for path in recorded]
    candidates += [Cwd(relocated, "relocated")] if relocated else []
    candidates += [Cwd(path, source) for path, source in hints]
    for candidate in candidates:
        if key is not None and could_be(key, candidate.path):
            return candidate
    return Cwd(recorded[0], "elsewhere") if recorded else None


def project_of(cwd: str | None, worktree_of: str | None) -> str | None:
    """Return the project of a working directory; for a worktree, its repository."""
    if cwd is None:
        return None
    if "worktrees" in cwd and (inside := _worktree().match(cwd)):
        return inside.group(1)
    return worktree_of or cwd
