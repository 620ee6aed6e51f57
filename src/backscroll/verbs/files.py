"""Files that sessions touched: what they were at any moment, and the way back to disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll.errors import RefusedError
from backscroll.index.db import Connection
from backscroll.index.progress import Progress
from backscroll.index.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.verbs.opened import OnProgress, Opened

if TYPE_CHECKING:
    from backscroll.index import file_changes
    from backscroll.versions import catalogue, recovery, restore
    from backscroll.versions import history as histories
    from backscroll.versions.model import FileHistory, FileList, Match, OnFile, Recovered, WritePlan
else:
    file_changes = lazily("backscroll.index.file_changes")
    catalogue = lazily("backscroll.versions.catalogue")
    recovery = lazily("backscroll.versions.recovery")
    restore = lazily("backscroll.versions.restore")
    histories = lazily("backscroll.versions.history")


def _on_file(on_progress: OnProgress, what: str) -> OnFile | None:
    return None if on_progress is None else lambda done, total: on_progress(Progress(done, total, 0, what))


class FileVerbs(Opened):
    """Asks for files that sessions touched, in any of their versions."""

    def list_files(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        match: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = 50,
    ) -> FileList:
        """Return the files that sessions touched, the last touched first; `limit=None` for all of them."""
        with self.perhaps_session(session) as (database, name):
            wanted = file_changes.Wanted(SessionFilter(session=name, project=project), since, until)
            return catalogue.list_files(
                database, wanted, match, limit, _on_file(self.on_progress, "counting versions"), self.open_file()
            )

    def recover(self, path: str) -> FileHistory:
        """Return all versions of a file, oldest first, and what was tried but never reached the disk."""
        with self._histories() as (database, opened):
            name = catalogue.find_path(database, path, opened)
            found = opened.history(name)
            found.related = catalogue.related(database, name)
            return found

    def recover_content(  # noqa: PLR0913 - one argument per option of the command
        self,
        path: str,
        *,
        version: int | None = None,
        at: datetime | None = None,
        message: str | None = None,
        candidate: int | None = None,
        partly: bool = False,
    ) -> Recovered:
        """Return one version of a file with its bytes: by number, by moment, by message, or the last one."""
        with self._histories() as (database, opened):
            name = catalogue.find_path(database, path, opened)
            moment = recovery.message_time(database, opened, name, message) if message is not None else at
            return recovery.recovered(name, recovery.choose(opened, name, version, moment, candidate), partly=partly)

    def recover_diff(self, path: str, old: int, new: int) -> list[bytes]:
        """Return the unified diff from one version of a file to another, line by line."""
        with self._histories() as (database, opened):
            return list(recovery.diff(opened, catalogue.find_path(database, path, opened), old, new))

    def recover_search(  # noqa: PLR0913 - one argument per option of the command
        self,
        text: str,
        *,
        session: str | None = None,
        project: str | None = None,
        match: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Iterator[Match]:
        """Yield the lines of any version of any file that hold a text, with the versions that have them."""
        with self.perhaps_session(session) as (database, name):
            wanted = file_changes.Wanted(SessionFilter(session=name, project=project), since, until)
            yield from recovery.search(
                database, text, wanted, match, _on_file(self.on_progress, "searching versions"), self.open_file()
            )

    def recover_files(  # noqa: PLR0913 - one argument per option of the command
        self,
        directory: str | os.PathLike[str] | None,
        path: str | None = None,
        *,
        project: str | None = None,
        match: str | None = None,
        version: int | None = None,
        at: datetime | None = None,
        message: str | None = None,
        candidate: int | None = None,
        risky: bool = False,
        apply: bool = False,
    ) -> WritePlan:
        """Write one file, or all files of a project as they were at a moment, into a new or empty directory.

        Without a directory they go where they were: a plan, unless `apply` is True; what is there is kept beside them.
        """
        if directory is None and self.root is not None:
            raise RefusedError(
                "the files of another root are not put in place", str(self.root), "Write them into a directory."
            )
        with self._histories() as (database, opened):
            forbidden = [str(store.path) for store in self.stores()]
            if path is None:
                wanted = file_changes.Wanted(SessionFilter(project=project))
                wishes = recovery.all_wishes(
                    database, wanted, match, at, _on_file(self.on_progress, "replaying files"), self.open_file()
                )
            else:
                name = catalogue.find_path(database, path, opened)
                moment = recovery.message_time(database, opened, name, message) if message is not None else at
                state = recovery.choose(opened, name, version, moment, candidate)
                wishes = iter([recovery.wish(database, name, state)])
            if directory is not None:
                return restore.write_into(Path(directory), wishes, forbidden, restore.this_system(), risky=risky)
            ground = restore.Ground(forbidden, os.path.expanduser("~"), risky)  # noqa: PTH111 - never raises
            return restore.in_place(wishes, ground, datetime.now().astimezone(), apply=apply)

    def session_patch(self, session: str) -> list[bytes]:
        """Return one patch of all that a session did to the files of its project, as `git apply` takes it."""
        with self.session(session) as (database, name):
            return list(recovery.session_patch(database, name, self.open_file()))

    @contextmanager
    def _histories(self) -> Iterator[tuple[Connection, histories.Histories]]:
        with self.catalogue() as database:
            opened = histories.Histories(database, self.open_file())
            try:
                yield database, opened
            finally:
                opened.close()
