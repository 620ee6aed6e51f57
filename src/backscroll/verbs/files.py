"""Files that sessions touched: their versions, and writing them back to disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll import dirs
from backscroll.errors import RefusedError
from backscroll.files import read_small
from backscroll.index.db import Connection
from backscroll.index.progress import Progress
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.verbs.base import LibraryBase, OnProgress, When, moment_of

if TYPE_CHECKING:
    from backscroll.index.queries import file_changes
    from backscroll.recovery import blame as blaming
    from backscroll.recovery import catalogue, restore
    from backscroll.recovery import history as histories
    from backscroll.recovery import model as recovery_model
    from backscroll.recovery import session_patch as patching
    from backscroll.recovery import versions as recovery
else:
    recovery_model = lazily("backscroll.recovery.model")
    file_changes = lazily("backscroll.index.queries.file_changes")
    blaming = lazily("backscroll.recovery.blame")
    catalogue = lazily("backscroll.recovery.catalogue")
    recovery = lazily("backscroll.recovery.versions")
    restore = lazily("backscroll.recovery.restore")
    histories = lazily("backscroll.recovery.history")
    patching = lazily("backscroll.recovery.session_patch")


_SETTINGS = (
    *("CLAUDE_CONFIG_DIR", "CLAUDE_USER_DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    *("APPDATA", "LOCALAPPDATA"),
)
"""The variables that name directories of settings; recovered files go there only with `risky`."""


_LARGEST = 64 << 20


def _on_file(on_progress: OnProgress, what: str) -> recovery_model.OnFile | None:
    return None if on_progress is None else lambda done, total: on_progress(Progress(done, total, 0, what))


def _bytes_on_disk(path: str) -> bytes | None:
    """Return the bytes of a file of the user, None if it is missing, no file or too large."""
    try:
        return read_small(Path(path), _LARGEST)
    except (OSError, ValueError):
        return None


class FileVerbs(LibraryBase):
    """The verbs about files that sessions touched, and their versions."""

    def list_files(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        match: str | None = None,
        since: When = None,
        until: When = None,
        limit: int | None = 50,
        deleted: bool = False,
    ) -> recovery_model.FileList:
        """Return the files that sessions touched, the most recent first; `limit=None` for all of them.

        `deleted` leaves out the files whose last recorded version is not a deletion.
        """
        with self.optional_session(session) as (database, name):
            sessions = SessionFilter(session=name, project=project)
            wanted = file_changes.FileFilter(sessions, moment_of(since), moment_of(until))
            found = catalogue.list_files(
                database,
                wanted,
                match,
                None if deleted else limit,
                _on_file(self.on_progress, "counting versions"),
                self.open_file(),
            )
        if not deleted:
            return found
        gone = [file for file in found.files if file.deleted]
        return type(found)(len(gone), gone[:limit])

    def touched_paths(self, *, limit: int) -> list[str]:
        """Return the paths of the files that sessions touched, the last touched first."""
        with self.catalogue() as database:
            return [item.path for item in file_changes.touched(database, file_changes.FileFilter())[:limit]]

    def recover(self, path: str) -> recovery_model.FileHistory:
        """Return all versions of a file, oldest first, and the changes that never reached the disk."""
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
        at: When = None,
        message: str | None = None,
        candidate: int | None = None,
        partly: bool = False,
        redact: bool = False,
    ) -> recovery_model.Recovered:
        """Return one version of a file with its bytes: by number, moment or message, or the last one."""
        redactor = self.redactor() if redact else None
        with self._histories() as (database, opened):
            name = catalogue.find_path(database, path, opened)
            moment = recovery.message_time(database, opened, name, message) if message is not None else moment_of(at)
            found = recovery.recovered(name, recovery.choose(opened, name, version, moment, candidate), partly=partly)
        if redactor is None:
            return found
        return replace(redactor.value(found), data=redactor.data(found.data))

    def blame(
        self, path: str, *, version: int | None = None, at: When = None, lines: str | None = None
    ) -> recovery_model.Blame:
        """Return the lines of a version of a file, each with the session, message and time that wrote it.

        Without a version or a moment: the lines on the disk, or of the last version where the file is not there or
        another root is read.  `lines` is 12 or 12-20.
        """
        with self._histories() as (database, opened):
            name = catalogue.find_path(database, path, opened)
            state = recovery.choose(opened, name, version, moment_of(at), None)
            is_now = version is None and at is None and self.root is None
            disk = _bytes_on_disk(name) if is_now else None
            found = blaming.blame(name, opened.states(name), state.version.n, disk)
        return blaming.chosen_lines(found, lines)

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
        since: When = None,
        until: When = None,
    ) -> Iterator[recovery_model.Match]:
        """Yield the lines with a text in any version of any file, with the versions that have them."""
        with self.optional_session(session) as (database, name):
            sessions = SessionFilter(session=name, project=project)
            wanted = file_changes.FileFilter(sessions, moment_of(since), moment_of(until))
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
        at: When = None,
        message: str | None = None,
        candidate: int | None = None,
        risky: bool = False,
        apply: bool = False,
    ) -> recovery_model.WritePlan:
        """Write one file, or all files of a project as of a moment, into a new or empty directory.

        Without a directory, return a plan for their old paths; `apply=True` writes them and keeps existing files aside.
        """
        if directory is None and self.root is not None:
            raise RefusedError("files of another root cannot be written in place", str(self.root), "Use --write DIR.")
        with self._histories() as (database, opened):
            forbidden = [str(store.path) for store in self.stores()]
            moment = moment_of(at)
            if path is None:
                wanted = file_changes.FileFilter(SessionFilter(project=project))
                on_file = _on_file(self.on_progress, "replaying files")
                wanted_files = recovery.wanted_files(database, wanted, match, moment, on_file, self.open_file())
            else:
                name = catalogue.find_path(database, path, opened)
                if message is not None:
                    moment = recovery.message_time(database, opened, name, message)
                state = recovery.choose(opened, name, version, moment, candidate)
                wanted_files = iter([recovery.wanted_file(database, name, state)])
            if directory is not None:
                return restore.write_into(Path(directory), wanted_files, forbidden, restore.this_system(), risky=risky)
            ground = restore.Ground(
                forbidden,
                os.path.expanduser("~"),  # noqa: PTH111 - never raises
                file_changes.roots(database, sure=True),
                [*filter(None, map(self._env.get, _SETTINGS)), str(dirs.home(self._env))],
                risky,
            )
            return restore.in_place(wanted_files, ground, datetime.now().astimezone(), apply=apply)

    def session_patch(self, session: str, *, redact: bool = False) -> list[bytes]:
        """Return one patch of all changes of a session to its project, for `git apply`."""
        with self.session(session) as (database, name):
            lines = list(patching.session_patch(database, name, self.open_file()))
        return self.redactor().data(b"".join(lines)).splitlines(keepends=True) if redact else lines

    @contextmanager
    def _histories(self) -> Iterator[tuple[Connection, histories.Histories]]:
        with self.catalogue() as database:
            opened = histories.Histories(database, self.open_file())
            try:
                yield database, opened
            finally:
                opened.close()
