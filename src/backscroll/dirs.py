"""Return the paths of our own directories, all below one home, and the program with the roots that it reads.

`BACKSCROLL_HOME` moves our home.
The three defaults below replace `platformdirs`.
The environment is an argument; this module neither reads nor creates anything.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote

NAME = "backscroll"
"""The program, as hints name it."""


def user_home(env: Mapping[str, str]) -> Path | None:
    """Return the user's home directory, or None if the environment names none."""
    named = env.get("HOME") or env.get("USERPROFILE")
    return Path(named).absolute() if named else None


def home(env: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the one directory that holds all our files."""
    if named := env.get("BACKSCROLL_HOME"):
        return Path(named).absolute()
    # Without HOME this is a path that only root may write: the caller then works without an index.
    user = user_home(env) or Path("/")
    if platform == "darwin":
        return user / "Library/Application Support/backscroll"
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or user / "AppData/Local") / "backscroll"
    data = env.get("XDG_DATA_HOME", "")
    # The XDG specification says to ignore a relative path.
    return (Path(data) if data.startswith("/") else user / ".local/share") / "backscroll"


def index(home: Path) -> Path:
    """Return the directory of the index; the user may delete it at any time."""
    return home / "index"


def archive(home: Path) -> Path:
    """Return the directory of the archive."""
    return home / "archive"


def prices(home: Path) -> Path:
    """Return the path of the user's own price file, which may not exist."""
    return home / "prices.toml"


def redact(home: Path) -> Path:
    """Return the path of the user's own redaction rules, which may not exist."""
    return home / "redact.toml"


def demo(home: Path) -> Path:
    """Return the directory of the built-in demo home."""
    return home / "demo"


def journal(home: Path) -> Path:
    """Return the directory of the journals of changes."""
    return home / "journal"


def program_with(roots: Sequence[str | os.PathLike[str]]) -> str:
    """Return the program with the roots that it reads; without any it reads this user's own home."""
    return " ".join([NAME, *(f"--root {quote(os.fspath(root))}" for root in roots)])


def named_in(hint: str, program: str) -> str:
    """Return a hint whose commands, which stand between backticks, name the program with its roots."""
    return hint.replace(f"`{NAME} ", f"`{program} ")
