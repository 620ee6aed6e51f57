"""Every directory of ours, all below one home that `BACKSCROLL_HOME` moves.

The three defaults below are all of `platformdirs` that we need, so we do not depend on it.
The environment is an argument; nothing is made here and nothing is read.
"""

import sys
from collections.abc import Mapping
from pathlib import Path


def user_home(env: Mapping[str, str]) -> Path | None:
    """Return the user's home directory, or None where the environment names none."""
    named = env.get("HOME") or env.get("USERPROFILE")
    return Path(named).absolute() if named else None


def home(env: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the one directory that holds everything of ours."""
    if named := env.get("BACKSCROLL_HOME"):
        return Path(named).absolute()
    # Without HOME the place is one that only root may write: the caller then works without an index.
    user = user_home(env) or Path("/")
    if platform == "darwin":
        return user / "Library/Application Support/backscroll"
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or user / "AppData/Local") / "backscroll"
    data = env.get("XDG_DATA_HOME", "")
    # The XDG specification: a relative path is invalid and ignored.
    return (Path(data) if data.startswith("/") else user / ".local/share") / "backscroll"


def index(home: Path) -> Path:
    """Return where the index lies; it may be deleted at any time."""
    return home / "index"


def prices(home: Path) -> Path:
    """Return where a user's own prices lie, if there are any."""
    return home / "prices.toml"


def demo(home: Path) -> Path:
    """Return where the built-in demo home is written."""
    return home / "demo"
