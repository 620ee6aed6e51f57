"""Find the stores: the places where Claude's products keep sessions.

`find_stores` probes the known places of every operating system below a home directory; it lists directories and
opens no file.  A configuration directory is two stores with the same path: `code` for the files below `projects/`,
and `side` for all others.  A data directory of Claude Desktop is `desktop` and `cowork`.
docs/formats.md, "Locations".
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from backscroll.dirs import user_home
from backscroll.stores.base import FoundFile, Store, closed, is_inside, is_there
from backscroll.stores.browser import BrowserStore, holds_storage
from backscroll.stores.code import CodeStore, uuid_pattern
from backscroll.stores.desktop import COWORK_ROWS, DesktopStore, is_data_directory
from backscroll.stores.side import SideStore

__all__ = [
    "BrowserStore",
    "CodeStore",
    "DesktopStore",
    "FoundFile",
    "SideStore",
    "Store",
    "browser_stores",
    "desktop_directories",
    "find_stores",
]

HOMES = ("home/*", "Users/*", "root")
"""The directories of homes in a backup of a whole disk."""

DESKTOP = (
    "Library/Application Support/Claude*",
    ".config/Claude*",
    "AppData/Roaming/Claude*",
    "AppData/Local/Packages/*Claude*_*/LocalCache/Roaming/Claude*",
    "AppData/Local/Claude-3p",
    "AppData/Local/Claude-Data",
    "AppData/Local/Claude-Data/*",
)
CONFIGS = (".config/claude", ".claude-*", ".config/claude-*")


@cache
def _key() -> re.Pattern[str]:
    return re.compile(r"-|[A-Za-z]--|ssh-[0-9a-f]{8}-")


class _Config(NamedTuple):
    """A configuration directory, and the home that its links may point into."""

    path: Path
    home: Path
    is_home: bool = False
    """True if it is a home directory too, which must not be walked."""


def find_stores(root: Path | None, env: Mapping[str, str], own: Path | None = None) -> list[Store]:
    """Return every store of this user, or with `root` every store below that directory.

    `root` is read as a home directory of any system, a backup of several homes, a configuration directory or a
    `projects` directory; then environment variables are ignored.  `own` is our own directory: it is never walked.
    """
    stores: list[Store] = []
    seen: set[tuple[str, int, int]] = set()
    for config in _configs_of_user(env) if root is None else _configs_below(root.absolute()):
        projects = config.path / "projects"
        if is_there(projects) and _is_new(projects, "code", seen):
            stores.append(CodeStore("code", config.path, projects, config.home, own))
        if _is_new(config.path, "side", seen):
            stores.append(SideStore(config.path, config.home, own, is_home=config.is_home))
    for path, home in _desktops_of_user(env) if root is None else _desktops_below(root.absolute()):
        stores += _desktop_stores(path, home, seen, own)
    if root is not None and not stores and _holds_projects(root):
        stores.append(CodeStore("code", root.absolute().parent, root.absolute(), root.absolute(), own))
    return stores


def browser_stores(stores: Iterable[Store]) -> list[BrowserStore]:
    """Return the browser storage of every Desktop; a Desktop without storage may still have groups in its settings."""
    known = list(stores)
    found = {store.path: store for store in known if isinstance(store, BrowserStore)}
    for store in known:
        if isinstance(store, DesktopStore):
            found.setdefault(store.data, BrowserStore(store.data, store.home, store.own))
    return list(found.values())


def desktop_directories(root: Path | None, env: Mapping[str, str]) -> list[Path]:
    """Return every existing data directory of Claude Desktop, of this user or below `root`."""
    seen: set[tuple[str, int, int]] = set()
    places = _desktops_of_user(env) if root is None else _desktops_below(root.absolute())
    return [path for path, _ in places if is_there(path) and _is_new(path, "desktop", seen)]


def _configs_of_user(env: Mapping[str, str]) -> Iterator[_Config]:
    home = user_home(env)
    for path in _named(env.get("CLAUDE_CONFIG_DIR", ""), home):
        is_home = home is not None and is_inside(os.path.realpath(home), os.path.realpath(path))
        yield _Config(path, home or path, is_home=is_home)
    if home is None:
        return
    yield from _configs_in_home(home)
    if xdg := absolute_or_none(env.get("XDG_CONFIG_HOME")):
        yield from _configs_by_pattern(xdg, ("claude", "claude-*"), home)


def _configs_below(root: Path) -> Iterator[_Config]:
    if root.name.startswith(".claude") or _holds_projects(root / "projects"):
        yield _Config(root, root, is_home=is_there(root / ".claude"))
    yield from _configs_in_home(root)
    for home in matching(root, HOMES):
        yield from _configs_in_home(home)


def _configs_in_home(home: Path) -> Iterator[_Config]:
    if any(is_there(home / name) for name in (".claude", ".claude.json")):
        yield _Config(home / ".claude", home)
    yield from _configs_by_pattern(home, CONFIGS, home)


def _configs_by_pattern(directory: Path, patterns: Iterable[str], home: Path) -> Iterator[_Config]:
    for path in matching(directory, patterns):
        if os.path.lexists(path / "projects") or os.path.lexists(path / "history.jsonl"):
            yield _Config(path, home)


def _desktops_of_user(env: Mapping[str, str]) -> Iterator[tuple[Path, Path]]:
    """Yield every possible data directory of Claude Desktop, with its home."""
    home = user_home(env)
    if home is None:
        return
    named = [absolute_or_none(env.get(name)) for name in ("CLAUDE_USER_DATA_DIR", "APPDATA", "LOCALAPPDATA")]
    xdg = absolute_or_none(env.get("XDG_CONFIG_HOME"))
    paths = (*matching(home, DESKTOP), *(matching(xdg, ("Claude*",)) if xdg else ()), *_desktop_named(*named))
    yield from ((path, home) for path in paths)


def _desktops_below(root: Path) -> Iterator[tuple[Path, Path]]:
    yield root, root
    for home in (root, *matching(root, HOMES)):
        yield from ((path, home) for path in matching(home, DESKTOP))


def _desktop_stores(path: Path, home: Path, seen: set[tuple[str, int, int]], own: Path | None) -> Iterator[Store]:
    if is_data_directory(path) and _is_new(path, "desktop", seen):
        yield DesktopStore("desktop", path, home, own)
    if is_there(path / COWORK_ROWS) and _is_new(path / COWORK_ROWS, "cowork", seen):
        yield DesktopStore("cowork", path, home, own)
    if holds_storage(path) and _is_new(path, "browser", seen):
        yield BrowserStore(path, home, own)


def _named(variable: str, home: Path | None) -> list[Path]:
    """Return the existing directories that CLAUDE_CONFIG_DIR names."""
    return [path for path in spellings_of(variable, home) if is_there(path)]


def spellings_of(variable: str, home: Path | None) -> list[Path]:
    """Return the directories that CLAUDE_CONFIG_DIR may name: Claude Code reads one path, other tools split it."""
    names = [variable] if variable and os.path.isdir(variable) else variable.split(",")
    # Claude Code normalises the value; on most systems the other spelling is another directory.
    spelled = [spelling for name in names if name.strip() for spelling in _spellings(name, home)]
    return list(dict.fromkeys(spelled))


def _spellings(name: str, home: Path | None) -> list[Path]:
    text = name if os.path.isdir(name) else name.strip()
    if home and (text == "~" or text.startswith(("~/", "~\\"))):
        text = str(home) + text[1:]
    return [Path(text).absolute(), Path(unicodedata.normalize("NFC", text)).absolute()]


def _desktop_named(user_data: Path | None, roaming: Path | None, local: Path | None) -> Iterator[Path]:
    if user_data:
        yield user_data
    if roaming:
        yield from matching(roaming, ("Claude*",))
    if local:
        yield from matching(local, [pattern.removeprefix("AppData/Local/") for pattern in DESKTOP[3:]])


def absolute_or_none(text: str | None) -> Path | None:
    return Path(text) if text and os.path.isabs(text) else None


def matching(directory: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the existing directories that match, in the order of the patterns."""
    found: list[Path] = []
    for pattern in patterns:
        paths = [directory]
        for part in pattern.split("/"):
            paths = [child for path in paths for child in _children(path, part)]
        found += paths
    return found


def _children(directory: Path, pattern: str) -> list[Path]:
    if "*" not in pattern:
        child = directory / pattern
        return [child] if os.path.isdir(child) else []
    if pattern == "Claude*" and closed(directory):
        return [directory / "Claude"]  # nobody can tell whether it is there: the store reports it
    return [child for child in _subdirectories(directory, follow=True) if fnmatchcase(child.name, pattern)]


def _subdirectories(directory: Path, follow: bool = False) -> list[Path]:
    try:
        with os.scandir(directory) as scan:
            return sorted(Path(entry.path) for entry in scan if entry.is_dir(follow_symlinks=follow))
    except OSError:
        return []


def _holds_projects(directory: Path) -> bool:
    """Return True if a directory looks like Claude Code's `projects`, and not like a user's own ~/projects."""
    children = _subdirectories(directory, follow=True)
    return any(_key().match(child.name) for child in children) or any(map(_holds_transcript, children))


def _holds_transcript(directory: Path) -> bool:
    try:
        names = os.listdir(directory)
    except OSError:
        return False
    return any(name.endswith(".jsonl") and uuid_pattern().fullmatch(name[:-6]) for name in names)


def _is_new(path: Path, kind: str, seen: set[tuple[str, int, int]]) -> bool:
    try:
        status = os.stat(path)
    except OSError:
        return True
    key = (kind, status.st_dev, status.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True
