r"""Map paths of any system: a directory that moved, or that has another name on another machine.

>>> PathMap("/home/ann/shop", "/work/shop").moved("/home/ann/shop/src")
'/work/shop/src'
>>> PathMap("C:\\shop", "/work/shop").moved("c:/shop/src")
'/work/shop/src'
"""

import os
import re
from dataclasses import dataclass

from backscroll.errors import QueryError

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\/]")


@dataclass(frozen=True, slots=True)
class PathMap:
    """A directory and its new name."""

    old: str
    new: str

    def moved(self, path: str) -> str | None:
        """Return the new name of a path at or below the old directory; None for any other."""
        head, rest = path[: len(self.old)], path[len(self.old) :]
        is_windows = is_windows_path(self.old)
        if (_folded(head) != _folded(self.old)) if is_windows else (head != self.old):
            return None
        if rest and rest[0] not in ("\\/" if is_windows else "/"):
            return None
        if not is_windows_path(self.new):
            return self.new + (rest.replace("\\", "/") if is_windows else rest)
        # Claude Code writes keys of its configuration with slashes, also on Windows.
        slash = "/" if is_windows and "/" in path and "\\" not in path else "\\"
        return self.new.replace("\\", slash) + rest.replace("\\", "/").replace("/", slash)

    def key_of(self, key: str, old_key: str, new_key: str) -> str:
        """Return a project key that begins with the old directory's key, with the new one's beginning."""
        return new_key + key[len(old_key) :]


def is_windows_path(path: str) -> bool:
    """Return True if a path has a drive or names a share."""
    return _DRIVE.match(path) is not None


def checked_path(path: str) -> str:
    """Return an absolute directory without its last slash; raise QueryError for any other."""
    if "\0" in path or not (path.startswith("/") or is_windows_path(path)):
        raise QueryError("not an absolute path", path, "Give an absolute path: it starts with / or a drive.")
    trimmed = path.rstrip("\\/") if is_windows_path(path) else os.path.normpath(path)
    if trimmed in ("", "/", "//") or re.fullmatch(r"[A-Za-z]:", trimmed):
        raise QueryError("the root of a disk is not a project", path)
    return trimmed.replace("//", "/", 1) if trimmed.startswith("//") else trimmed


def parsed_map(text: str) -> PathMap:
    """Return the map of an option OLD=NEW."""
    old, equals, new = text.partition("=")
    if not equals:
        raise QueryError("a map has the form OLD=NEW", text)
    return PathMap(checked_path(old), checked_path(new))


def moved_by(maps: list[PathMap], path: str) -> str:
    """Return the new name of a path by the map with the longest old directory, or the path itself."""
    for one in sorted(maps, key=lambda one: -len(one.old)):
        if (moved := one.moved(path)) is not None:
            return moved
    return path


def _folded(path: str) -> str:
    return path.replace("/", "\\").lower()
