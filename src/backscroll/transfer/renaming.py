"""Files that name a project: the fields in them that hold its path, and the same files with another path.

.claude.json, settings*.json   keys of `projects`, `additionalDirectories`, `githubRepoPaths`
history.jsonl                  `project` of each prompt
rows and manifests             `cwd`, `originCwd`, `worktreePath`, chosen folders
git-worktrees.json             `path`, `baseRepo`, and the lists of directories that it watches
sessions-index.json            `projectPath`, `originalPath`, and the key in `fullPath`
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from backscroll.transfer.json_style import parsed
from backscroll.transfer.path_map import PathMap


class PathFields(NamedTuple):
    """The names of fields that hold paths, and of maps whose keys are paths."""

    values: frozenset[str]
    keys: frozenset[str] = frozenset()


CONFIG = PathFields(frozenset({"additionalDirectories", "githubRepoPaths"}), frozenset({"projects"}))
HISTORY = PathFields(frozenset({"project"}))
ROW = PathFields(
    frozenset(
        ("cwd", "originCwd", "worktreePath", "gitAnchorsFolderRealpath", "userSelectedFolders", "additionalDirectories")
    ),
    frozenset({"folderMountNames", "resolvedFolderKinds"}),
)
WORKTREES = PathFields(
    frozenset({"path", "baseRepo", "placementRoot", "cwds", "roots"}), frozenset({"cwds", "roots", "sightings"})
)
INDEX = PathFields(frozenset({"projectPath", "originalPath"}))


class Renamed(NamedTuple):
    """The new content of a file, and the number of paths in it that changed."""

    data: bytes
    places: int


class _Renamer:
    def __init__(self, fields: PathFields, paths: PathMap) -> None:
        self._fields = fields
        self._paths = paths
        self.places = 0

    def value(self, value: Any) -> Any:
        """Return a value in which every known field has its new path."""
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {name: self._field(name, item) for name, item in value.items()}

    def _field(self, name: str, value: Any) -> Any:
        if name in self._fields.keys and isinstance(value, dict):
            return self._keys(value)
        return self._paths_in(value) if name in self._fields.values else self.value(value)

    def _keys(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a map with new keys; where both names have an entry, that of the new name counts more."""
        renamed: dict[str, Any] = {}
        for name, item in value.items():
            new, inner = self._path(name), self.value(item)
            if new in value and new != name:
                inner = _merged(inner, self.value(value[new]))
            elif isinstance(renamed.get(new), dict):
                inner = _merged(renamed[new], inner)
            renamed[new] = inner
        return renamed

    def _paths_in(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._path(value)
        if isinstance(value, list):
            return [self._paths_in(item) for item in value]
        if isinstance(value, dict):
            return {name: self._paths_in(item) for name, item in value.items()}
        return value

    def _path(self, path: str) -> str:
        moved = self._paths.moved(path)
        self.places += moved is not None
        return path if moved is None else moved


def _merged(old: Any, new: Any) -> Any:
    return {**old, **new} if isinstance(old, dict) and isinstance(new, dict) else new


def renamed_json(data: bytes, fields: PathFields, paths: PathMap) -> Renamed | None:
    """Return a JSON file with its new paths, or None if it names none; raise ValueError."""
    value, style = parsed(data)
    renamer = _Renamer(fields, paths)
    new = renamer.value(value)
    return Renamed(style.text(new), renamer.places) if renamer.places else None


def renamed_lines(data: bytes, fields: PathFields, paths: PathMap) -> Renamed | None:
    """Return a file of JSON lines with its new paths; an unreadable line stays unchanged."""
    lines, places = data.split(b"\n"), 0
    may_name = _filter(paths)
    for number, line in enumerate(lines):
        if may_name(line):
            try:
                found = renamed_json(line, fields, paths)
            except ValueError:
                continue
            if found is not None:
                lines[number] = found.data
                places += found.places
    return Renamed(b"\n".join(lines), places) if places else None


def _filter(paths: PathMap) -> Callable[[bytes], bool]:
    """Return a quick test for lines that may hold the old path: its last name, in either way of writing JSON."""
    last = paths.old.replace("\\", "/").rpartition("/")[2]
    spellings = {json.dumps(last, ensure_ascii=is_ascii)[1:-1].encode().lower() for is_ascii in (True, False)}
    return lambda line: any(text in line.lower() for text in spellings)


def renamed_index(data: bytes, paths: PathMap, old_key: str, new_key: str) -> Renamed | None:
    """Return a sessions-index.json with its new paths."""
    value, style = parsed(data)
    renamer = _Renamer(INDEX, paths)
    new = renamer.value(value)
    entries = new.get("entries") if isinstance(new, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        full = entry.get("fullPath") if isinstance(entry, dict) else None
        if isinstance(full, str):
            slash = "\\" if f"\\{old_key}\\" in full else "/"
            entry["fullPath"] = full.replace(f"{slash}{old_key}{slash}", f"{slash}{new_key}{slash}")
    return Renamed(style.text(new), renamer.places) if new != value else None
