"""Plan to rename a project everywhere that Claude's products name it, and to move its files if asked.

Transcripts keep every byte, because Claude Code finds their project by the name of their directory alone.
Other files that name the project are replaced, and their old bytes stay in the journal.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from backscroll.changes.in_use import owners
from backscroll.changes.plan import (
    COPY,
    KEEP,
    MOVE,
    REFUSE,
    REMOVE,
    SAME,
    SKIP,
    WRITE,
    ChangePlan,
    PlanStep,
    check_plan,
)
from backscroll.errors import NotFoundError, QueryError
from backscroll.files import read_small, reason_of
from backscroll.stores.desktop_files.worktrees import REGISTRY, is_local, read_worktrees
from backscroll.stores.side import known_cwds, read_object
from backscroll.transfer import renaming
from backscroll.transfer.guard import TransferScope, guards
from backscroll.transfer.json_style import LARGEST
from backscroll.transfer.keys import MEMORY, MovingKey, moving_keys
from backscroll.transfer.path_map import PathMap, checked_path
from backscroll.transfer.renaming import PathFields, Renamed

_INDEX = "sessions-index.json"
_CONFIGS = (".claude.json", ".config.json", "settings.json", "settings.local.json")


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """The options of one `transfer project`, and its places."""

    old: str
    new: str
    configs: Sequence[Path]
    desktops: Sequence[Path]
    journal: Path
    rows: Sequence[str]
    """The paths of all rows and manifests that may name the project."""
    cwds: Mapping[str, str | None]
    """The path of each transcript, and the directory of its session."""
    move_files: bool = False
    force: bool = False


def checked_map(old: str, new: str) -> PathMap:
    """Return the map from OLD to NEW; raise QueryError for impossible paths."""
    paths = PathMap(checked_path(old), checked_path(new))
    if paths.old == paths.new:
        raise QueryError("OLD and NEW are the same directory", old)
    if paths.moved(paths.new) is not None:
        raise QueryError("NEW is inside OLD", new)
    return paths


def plan_project(wish: ProjectOptions) -> ChangePlan:
    """Plan to rename a project."""
    paths = checked_map(wish.old, wish.new)
    if is_local(paths.new):  # Claude Code takes the real path of the directory that it is started in
        paths = PathMap(paths.old, _real(paths.new))
    touched = TransferScope()
    steps = [*_files(paths, wish), *_keys(paths, wish, touched), *_named_files(paths, wish, touched)]
    if any(step.action in (MOVE, WRITE, COPY) for step in steps):
        steps += _processes(paths, wish)
        steps += guards(touched, wish.configs, wish.journal, force=wish.force)
    elif not any(step.action == REFUSE for step in steps):
        steps.append(_renamed_already(paths, wish))
    roots = {*wish.configs, *wish.desktops, *(config.parent for config in wish.configs if _beside(config))}
    if wish.move_files:
        roots |= {Path(paths.old).parent, _existing(Path(paths.new).parent)}
    command = f"transfer project {wish.old} {wish.new}{' --move-files' if wish.move_files else ''}"
    return check_plan(ChangePlan(command, steps, sorted(roots)))


def _renamed_already(paths: PathMap, wish: ProjectOptions) -> PlanStep:
    """Return the step of a project that has its new name; raise NotFoundError if nothing has either name."""
    back = PathMap(paths.new, paths.old)
    if not any((*_keys(back, wish, TransferScope()), *_named_files(back, wish, TransferScope()))):
        remedy = "Run `backscroll list --all` to see the directories of all sessions."
        raise NotFoundError("no session and no file of Claude's names this directory", paths.old, remedy)
    return PlanStep(KEEP, None, paths.new, "the project has this name already", SAME)


def _real(path: str) -> str:
    """Return a path without links; its last part may be missing yet."""
    return str(Path(path).resolve()) if Path(path).is_dir() else str(Path(path).parent.resolve() / Path(path).name)


def _existing(directory: Path) -> Path:
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    return directory


def _files(paths: PathMap, wish: ProjectOptions) -> Iterator[PlanStep]:
    """Yield the step that moves the project's own files, or a note about them."""
    old, new = Path(paths.old), Path(paths.new)
    if not wish.move_files:
        if is_local(paths.new) and not new.is_dir():
            yield PlanStep(SKIP, str(new), None, "this directory is not here yet; move the files, or use --move-files")
    elif not is_local(paths.old) or not is_local(paths.new) or not old.is_dir() or old.is_symlink():
        yield PlanStep(REFUSE, str(old), None, "there is no such directory to move")
    elif os.path.lexists(new):
        yield PlanStep(REFUSE, str(new), None, "something is there already")
    elif old.lstat().st_dev != _existing(new.parent).stat().st_dev:
        why = "another disk: move the files yourself, then run this without --move-files"
        yield PlanStep(REFUSE, str(old), None, why)
    else:
        has_worktrees = any((old / ".git/worktrees").glob("*"))
        note = "then run `git worktree repair` in it" if has_worktrees else None
        yield PlanStep(MOVE, str(old), str(new), note)


def _processes(paths: PathMap, wish: ProjectOptions) -> Iterator[PlanStep]:
    """Yield a refusal for each process of Claude Code that works in the project."""
    for config in wish.configs:
        for pid in owners(config).values():
            place = config / "sessions" / f"{pid}.json"
            cwd = read_object(str(place), None).get("cwd")
            if isinstance(cwd, str) and paths.moved(cwd) is not None:
                action = SKIP if wish.force else REFUSE
                yield PlanStep(action, str(place), None, f"process {pid} works in this project; end it first")


# Key directories


def _keys(paths: PathMap, wish: ProjectOptions, touched: TransferScope) -> Iterator[PlanStep]:
    known = {path for config in wish.configs for file in _config_files(config) for path in known_cwds(str(file))}
    known.update(one.path for one in read_worktrees(wish.desktops).worktrees)
    taken: set[Path] = set()
    for config in wish.configs:
        for key in moving_keys(config, paths, wish.cwds, known):
            touched.sessions.update(key.sessions)
            touched.sources += [str(key.directory / name) for name in key.names]
            is_free = not os.path.lexists(key.target) and key.target not in taken
            taken.add(key.target)
            yield from _whole(key, paths) if key.is_whole and is_free else _piecewise(key, paths)


def _whole(key: MovingKey, paths: PathMap) -> Iterator[PlanStep]:
    """Yield the steps for a directory that moves with all its contents."""
    index = key.directory / _INDEX
    if index.is_file():
        yield from _replaced(
            index, lambda data: renaming.renamed_index(data, paths, index.parent.name, key.target.name)
        )
    yield PlanStep(MOVE, str(key.directory), str(key.target))


def _piecewise(key: MovingKey, paths: PathMap) -> Iterator[PlanStep]:
    """Yield the steps for a directory that other projects share, or whose new name is taken."""
    for name in key.others:
        yield PlanStep(SKIP, str(key.directory / name), None, "another project shares this key; its session stays")
    for name in key.names:
        source = key.directory / name
        if name == _INDEX:
            yield from _index_pieces(source, key, paths)
        elif name != MEMORY:
            yield from (_moved(path, key) for path in _below(source))
    memory = key.directory / MEMORY
    for path in _below(memory) if memory.is_dir() else ():
        yield from _memory(path, key, memory)


def _moved(path: Path, key: MovingKey) -> PlanStep:
    if path.is_symlink() or not path.is_file():
        return PlanStep(SKIP, str(path), None, "not a regular file")
    return PlanStep(MOVE, str(path), str(key.target / path.relative_to(key.directory)))


def _below(path: Path) -> list[Path]:
    if path.is_symlink() or not path.is_dir():
        return [path]
    return sorted(one for one in path.rglob("*") if one.is_symlink() or not one.is_dir())


def _index_pieces(source: Path, key: MovingKey, paths: PathMap) -> Iterator[PlanStep]:
    target = key.target / _INDEX
    if key.others or os.path.lexists(target):
        yield PlanStep(SKIP, str(source), None, "an old list that Claude Code no longer reads; it stays")
        return
    yield from _replaced(source, lambda data: renaming.renamed_index(data, paths, source.parent.name, key.target.name))
    yield PlanStep(MOVE, str(source), str(target))


def _memory(path: Path, key: MovingKey, memory: Path) -> Iterator[PlanStep]:
    """Yield the steps for one file of memory: the newer stays under its name, the other beside it."""
    target = key.target / MEMORY / path.relative_to(memory)
    action = COPY if key.others else MOVE
    if not os.path.lexists(target):
        yield PlanStep(action, str(path), str(target), "other projects share it" if key.others else None)
        return
    if path.read_bytes() == target.read_bytes():
        yield PlanStep(SKIP, str(path), str(target), "the same memory is there")
        return
    beside = target.with_name(f"{target.stem}.from-{key.directory.name[-40:].strip('-')}{target.suffix}")
    if path.stat().st_mtime_ns <= target.stat().st_mtime_ns or key.others:
        yield PlanStep(action, str(path), str(beside), "the memory there is newer and stays")
        return
    beside = target.with_name(f"{target.stem}.older{target.suffix}")
    data = target.read_bytes()
    yield PlanStep(COPY, str(target), str(beside), "the older memory stays beside the newer one")
    content = path.read_bytes()
    yield PlanStep(WRITE, str(path), str(target), "this memory is newer", content=content, replaces=_digest(data))
    yield PlanStep(REMOVE, None, str(path), "it is at the new place now")


# Files that name the project


def _named_files(paths: PathMap, wish: ProjectOptions, touched: TransferScope) -> Iterator[PlanStep]:
    for config in wish.configs:
        for path in _config_files(config):
            yield from _renamed(path, renaming.CONFIG, paths, touched)
        yield from _renamed(config / "history.jsonl", renaming.HISTORY, paths, touched)
    for data in wish.desktops:
        for step in _renamed(data / REGISTRY, renaming.WORKTREES, paths, touched):
            touched.desktops.add(data)
            yield step
    for row in wish.rows:
        for step in _renamed(Path(row), renaming.ROW, paths, touched):
            touched.desktops.update(data for data in wish.desktops if Path(row).is_relative_to(data))
            yield step


def _beside(config: Path) -> bool:
    """Return True if Claude Code keeps the global config of a configuration directory beside it."""
    return config.name == ".claude"


def _config_files(config: Path) -> list[Path]:
    places = [config / name for name in _CONFIGS]
    return [*places, *([config.parent / ".claude.json"] if _beside(config) else [])]


def _renamed(path: Path, fields: PathFields, paths: PathMap, touched: TransferScope) -> Iterator[PlanStep]:
    rename = renaming.renamed_lines if path.suffix == ".jsonl" else renaming.renamed_json
    for step in _replaced(path, partial(rename, fields=fields, paths=paths)):
        if step.action == WRITE:
            touched.sources.append(str(path))
        yield step


def _replaced(path: Path, rename: Callable[[bytes], Renamed | None]) -> Iterator[PlanStep]:
    """Yield the step that replaces a file, if it names the project; name a file that cannot be read."""
    try:
        data = read_small(path, LARGEST)
        found = rename(data)
    except FileNotFoundError:
        return
    except OSError as error:
        yield PlanStep(SKIP, str(path), None, f"cannot be read: {reason_of(error)}")
        return
    except ValueError as error:
        yield PlanStep(SKIP, str(path), None, f"cannot be read: {error}")
        return
    if found is not None:
        why = f"{found.places} {'place names' if found.places == 1 else 'places name'} the project"
        yield PlanStep(WRITE, None, str(path), why, content=found.data, replaces=_digest(data))


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
