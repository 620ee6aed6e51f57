"""The worktrees of a git repository, from git's own files; git is not run."""

import os
from pathlib import Path

from backscroll.files import read_small

_LONGEST = 1 << 16
_MOST = 1000


def related_directories(directory: str) -> list[str]:
    """Return the repository of a directory and all its worktrees; nothing if the directory is none of these."""
    try:
        common = _common(Path(directory, ".git"))
        kept = sorted((common / "worktrees").iterdir())[:_MOST]
    except (OSError, ValueError):
        return []
    files = (Path(_line(place / "gitdir")) for place in kept)
    found = [str(common.parent), *(str(file.parent) for file in files if file.is_absolute())]
    return found if directory in found else []


def _common(own: Path) -> Path:
    """Return git's directory; the `.git` file of a worktree names REPOSITORY/.git/worktrees/NAME."""
    if own.is_dir():
        return own
    place = own.parent / _line(own).removeprefix("gitdir:").strip()
    return Path(os.path.normpath(place)).parent.parent


def _line(path: Path) -> str:
    """Return the line in a small file of git; empty if it cannot be read."""
    try:
        return os.fsdecode(read_small(path, _LONGEST)).strip()
    except (OSError, ValueError):
        return ""
