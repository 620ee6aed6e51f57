"""Copy sessions of a backup, a Time Machine disk or another home into the archive.

A file gets the path that it would have in this home, so that a restore puts it there.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from backscroll.archive.sources import Copyable, SyncReport, copyables, session_of
from backscroll.archive.sync import require_apart, take_in
from backscroll.errors import NotFoundError
from backscroll.stores.base import Store
from backscroll.stores.code import CodeStore
from backscroll.stores.find import find_stores


def import_from(
    directories: Sequence[Path], part: Path, home: Path, env: Mapping[str, str], *, dry_run: bool = False
) -> SyncReport:
    """Copy everything below some directories into one part of the archive."""
    begun = time.monotonic()
    report, sessions = SyncReport(), set[str]()
    for directory in directories:
        stores = [store for store in find_stores(directory, env) if store.kind != "browser"]
        if not any(True for store in stores for _ in store.files()):
            raise NotFoundError("no sessions of Claude were found here", str(directory))
        require_apart(stores, part)
        take_in(_mapped(stores, report, home, sessions), report, part, dry_run=dry_run)
    report.sessions = len(sessions)
    report.seconds = time.monotonic() - begun
    return report


def _mapped(stores: list[Store], report: SyncReport, home: Path, sessions: set[str]) -> Iterator[Copyable]:
    for store in stores:
        moves = _moves(store, home)
        for item in copyables([store], report):
            path, config = (_moved(text, moves) for text in (item.file.path, item.file.config))
            if item.file.kind == "transcript" and item.file.session:
                sessions.add(item.file.session)
            named = item.file._replace(path=path, config=config, session=session_of(item.file))
            yield Copyable(named, item.open)


def _moves(store: Store, home: Path) -> list[tuple[str, str]]:
    """Return the directories of a store, each with its counterpart in this home, the innermost first."""
    origin = Path(getattr(store, "home", store.path))
    moves = [(origin, home)]
    if isinstance(store, CodeStore) and store.projects.parent != store.path:
        moves = [(store.projects, home / ".claude/projects")]
    elif store.path == origin or not store.path.is_relative_to(origin):
        # The user named this directory itself, so its home is unknown.
        desktop = "Library/Application Support/Claude" if sys.platform == "darwin" else ".config/Claude"
        data = getattr(store, "data", None)
        moves = [(data, home / desktop)] if data is not None else [(store.path, home / ".claude"), *moves]
    return [(spelled, str(target)) for top, target in moves for spelled in {str(top), os.path.realpath(top)}]


def _moved(path: str, moves: list[tuple[str, str]]) -> str:
    """Return a path below the other home as one below this home."""
    for top, target in moves:
        if path == top or path.startswith(top.rstrip(os.sep) + os.sep):
            return target + path[len(top.rstrip(os.sep)) :]
    return path
