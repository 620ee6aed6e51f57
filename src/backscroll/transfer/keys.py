"""Project keys that move: the directories below `projects/` that hold sessions of one project, and their new names.

Several projects may share a key, so the directory of each session decides if the session moves.
docs/formats.md, "Project directory key".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from backscroll.stores.code import label
from backscroll.stores.project_key import canon, could_be, encode
from backscroll.transfer.path_map import PathMap

_LONGEST = 200
MEMORY = "memory"


@dataclass(slots=True)
class MovingKey:
    """A key directory with sessions of the project."""

    directory: Path
    target: Path
    names: list[str] = field(default_factory=list)
    """The entries that move; the rest belongs to other projects."""
    others: list[str] = field(default_factory=list)
    """The sessions of other projects, which stay."""
    sessions: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Return True if the directory holds nothing of other projects."""
        return not self.others


def moving_keys(config: Path, paths: PathMap, cwds: Mapping[str, str | None], known: set[str]) -> Iterator[MovingKey]:
    """Yield the key directories of a configuration that hold sessions of the old directory.

    `cwds` maps the path of a transcript to the directory of its session; `known` are directories without sessions.
    """
    old, new = canon(paths.old), canon(paths.new)
    for directory in _directories(config / "projects"):
        if not _may_be(directory.name, old):
            continue
        by_target: dict[str, MovingKey] = {}
        others, unknown, shared = [], [], []
        for name in sorted(path.name for path in directory.iterdir()):
            found = label((directory.name, name)) if not (directory / name).is_dir() else None
            if found is None or found.kind not in ("transcript", "agent", "superseded"):
                shared.append(name)
                continue
            cwd = cwds.get(str(directory / name))
            moved = None if cwd is None else paths.moved(cwd)
            if cwd is None:
                unknown.append(name)
            elif moved is None:
                others.append(name)
            else:
                key = encode(moved) if could_be(directory.name, cwd) else new + directory.name[len(old) :]
                by_target.setdefault(key, MovingKey(directory, directory.parent / key)).names.append(name)
        if not by_target and not others and (name_there := _known_key(directory.name, paths, known)) is not None:
            by_target[name_there] = MovingKey(directory, directory.parent / name_there)
        yield from _settled(by_target, others, unknown, shared)


def _settled(
    by_target: dict[str, MovingKey], others: list[str], unknown: list[str], shared: list[str]
) -> list[MovingKey]:
    """Add the entries beside its transcripts to each moving key."""
    keys = list(by_target.values())
    is_only = len(keys) == 1 and not others
    for key in keys:
        key.sessions = [name.partition(".jsonl")[0] for name in key.names]
        key.others = others if is_only else [*others, *(name for one in keys if one is not key for name in one.names)]
        stems = tuple(key.sessions)
        mine = shared if is_only else [name for name in shared if name.startswith(stems)]
        key.names += [*mine, *(unknown if is_only else [])]
    return keys


def _known_key(name: str, paths: PathMap, known: set[str]) -> str | None:
    """Return the new key of a directory without sessions, if it belongs to a directory that is known."""
    for path in (paths.old, *sorted(known)):
        if could_be(name, path) and (moved := paths.moved(path)) is not None:
            return encode(moved)
    return None


def _may_be(name: str, old: str) -> bool:
    found, wanted = canon(name).lower()[:_LONGEST], old.lower()[:_LONGEST]
    return found == wanted or found.startswith(wanted if len(old) >= _LONGEST else f"{wanted}-")


def _directories(projects: Path) -> list[Path]:
    try:
        return sorted(path for path in projects.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []
