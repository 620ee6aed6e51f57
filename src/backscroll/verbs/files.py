"""Files that sessions touched: what they were at any moment, and the way back to disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from backscroll.errors import RefusedError
from backscroll.index import traces
from backscroll.index.db import Connection
from backscroll.index.progress import Progress
from backscroll.verbs.opened import OnProgress, Root, open_index, open_session, perhaps_session, stores_of
from backscroll.versions import catalogue, recovery, restore
from backscroll.versions import history as histories
from backscroll.versions.model import FileHistory, FileList, Match, OnFile, Recovered, WritePlan


def list_files(  # noqa: PLR0913 - one argument per option of the command
    root: Root = None,
    *,
    session: str | None = None,
    project: str | None = None,
    match: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = 50,
    update: bool = True,
    on_progress: OnProgress = None,
) -> FileList:
    """Return the files that sessions touched, the last touched first; `limit=None` for all of them."""
    with perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = traces.Wanted(name, project, since, until)
        return catalogue.list_files(database, wanted, match, limit, _on_file(on_progress, "counting versions"))


def recover(path: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> FileHistory:
    """Return all versions of a file, oldest first, and what was tried but never reached the disk."""
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        name = catalogue.find_path(database, path, opened)
        found = opened.history(name)
        found.related = catalogue.related(database, name)
        return found


def recover_content(  # noqa: PLR0913 - one argument per way to choose a version
    path: str,
    root: Root = None,
    *,
    version: int | None = None,
    at: datetime | None = None,
    message: str | None = None,
    candidate: int | None = None,
    partly: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Recovered:
    """Return one version of a file with its bytes: by number, by moment, by message, or the last one."""
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        name = catalogue.find_path(database, path, opened)
        moment = recovery.message_time(database, opened, name, message) if message is not None else at
        return recovery.recovered(name, recovery.choose(opened, name, version, moment, candidate), partly=partly)


def recover_diff(  # noqa: PLR0913 - as above
    path: str, old: int, new: int, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[bytes]:
    """Return the unified diff from one version of a file to another, line by line."""
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        return list(recovery.diff(opened, catalogue.find_path(database, path, opened), old, new))


def recover_search(  # noqa: PLR0913 - one argument per option of the command
    text: str,
    root: Root = None,
    *,
    session: str | None = None,
    project: str | None = None,
    match: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Iterator[Match]:
    """Yield the lines of any version of any file that hold a text, with the versions that have them."""
    with perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = traces.Wanted(name, project, since, until)
        yield from recovery.search(database, text, wanted, match, _on_file(on_progress, "searching versions"))


def recover_files(  # noqa: PLR0913 - one argument per option of the command
    directory: str | os.PathLike[str] | None,
    path: str | None = None,
    root: Root = None,
    *,
    project: str | None = None,
    match: str | None = None,
    version: int | None = None,
    at: datetime | None = None,
    message: str | None = None,
    candidate: int | None = None,
    risky: bool = False,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> WritePlan:
    """Write one file, or all files of a project as they were at a moment, into a new or empty directory.

    Without a directory they go where they were: a plan, unless `apply` is True; what is there is kept beside them.
    """
    if directory is None and root is not None:
        raise RefusedError("the files of another root are not put in place", str(root), "Write them into a directory.")
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        forbidden = [str(store.path) for store in stores_of(root)]
        if path is None:
            wanted = traces.Wanted(project=project)
            wishes = recovery.all_wishes(database, wanted, match, at, _on_file(on_progress, "replaying files"))
        else:
            name = catalogue.find_path(database, path, opened)
            moment = recovery.message_time(database, opened, name, message) if message is not None else at
            state = recovery.choose(opened, name, version, moment, candidate)
            wishes = iter([recovery.wish(database, name, state)])
        if directory is not None:
            return restore.write_into(Path(directory), wishes, forbidden, restore.this_system(), risky=risky)
        ground = restore.Ground(forbidden, os.path.expanduser("~"), risky)  # noqa: PTH111 - never raises
        return restore.in_place(wishes, ground, datetime.now().astimezone(), apply=apply)


def session_patch(
    session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[bytes]:
    """Return one patch of all that a session did to the files of its project, as `git apply` takes it."""
    with open_session(session, root, update=update, on_progress=on_progress) as (database, name):
        return list(recovery.session_patch(database, name))


@contextmanager
def _histories(
    root: Root, *, update: bool, on_progress: OnProgress
) -> Iterator[tuple[Connection, histories.Histories]]:
    with open_index(root, update=update, on_progress=on_progress) as database:
        opened = histories.Histories(database)
        try:
            yield database, opened
        finally:
            opened.close()


def _on_file(on_progress: OnProgress, what: str) -> OnFile | None:
    return None if on_progress is None else lambda done, total: on_progress(Progress(done, total, 0, what))
