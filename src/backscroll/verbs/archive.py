"""The archive: our own copy of Claude's raw files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from backscroll import dirs
from backscroll.index.queries import sessions as query
from backscroll.lazy import lazily
from backscroll.sessions.session import SessionList
from backscroll.verbs.base import OwnPrices, When
from backscroll.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from backscroll.archive import contents as archive_contents
    from backscroll.archive import model as archive_model
    from backscroll.archive import restore as restoring
    from backscroll.archive import sources as archive_sources
    from backscroll.archive import sync as archive_syncing
    from backscroll.archive import verify as archive_checks
    from backscroll.changes import apply as applying
else:
    archive_sources = lazily("backscroll.archive.sources")
    archive_model = lazily("backscroll.archive.model")
    applying = lazily("backscroll.changes.apply")
    archive_contents = lazily("backscroll.archive.contents")
    restoring = lazily("backscroll.archive.restore")
    archive_syncing = lazily("backscroll.archive.sync")
    archive_checks = lazily("backscroll.archive.verify")


class ArchiveVerbs(SessionVerbs):
    """The verbs of the archive."""

    def archive_sync(self, *, dry_run: bool = False) -> archive_sources.SyncReport:
        """Copy everything new into the archive."""
        return archive_syncing.sync(self.stores(), self.archive_part(), dry_run=dry_run)

    def archive_verify(self, *, read_data: bool = False) -> archive_model.Verification:
        """Check the archive: its structure, or every byte."""
        return archive_checks.verify(self.archive_part(), read_data=read_data)

    def archive_restore(
        self,
        sessions: str | Sequence[str],
        *,
        cwd: str | os.PathLike[str] | None = None,
        as_new: bool = False,
        version: int | None = None,
        apply: bool = False,
    ) -> archive_model.Restoration:
        """Plan to restore sessions from the archive; `apply=True` carries the plan out."""
        journal = dirs.journal(dirs.home(self._env))
        if apply:
            applying.settle(journal)
        found = []
        for asked in dict.fromkeys([sessions] if isinstance(sessions, str) else sessions):
            with self.session(asked) as (database, name):
                paths = [agent.transcript for agent in query.agents(database, name)]
                found.append((query.session(database, name), [path for path in paths if path is not None]))
        place = None if cwd is None else os.fspath(cwd)
        wish = restoring.RestoreOptions(self.archive_part(), self.root, self._env, place, as_new, version)
        planned = restoring.plan_restore(found, wish)
        if apply:
            applying.apply_plan(planned.changes, journal)
        return planned

    def archive_list(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        limit: int | None = 20,
        project: str | None = None,
        store: str | None = None,
        account: str | None = None,
        since: When = None,
        until: When = None,
        state: str | None = None,
        prices: OwnPrices = None,
        title: Sequence[str] = (),
        model: str | None = None,
        branch: str | None = None,
        sort: str = "updated",
    ) -> SessionList:
        """Return the sessions that the archive has, live or not; the arguments are those of `list_sessions`."""
        found = self.list_sessions(
            limit=None,
            project=project,
            store=store,
            account=account,
            since=since,
            until=until,
            state=state,
            prices=prices,
            title=title,
            model=model,
            branch=branch,
            sort=sort,
        ).sessions
        kept = archive_contents.kept_sessions(self.archive_part())
        chosen = [session for session in found if session.id in kept or "archive" in session.stores]
        return SessionList(len(chosen), chosen[:limit])

    def archive_files(self) -> list[archive_model.ArchivedFile]:
        """Return every file that the archive has."""
        return archive_contents.files(self.archive_part())

    def archive_facts(self) -> list[archive_model.ArchivedFact]:
        """Return the values of settings and browser storage that the archive has, each since it changed."""
        return archive_contents.facts(self.archive_part())

    def archive_versions(self, session: str) -> list[archive_model.ArchivedVersion]:
        """Return every version of every file of a session that the archive has."""
        with self.session(session) as (_, name):
            return archive_contents.versions_of(self.archive_part(), name)
