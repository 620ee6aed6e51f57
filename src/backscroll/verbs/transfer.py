"""Transfers: sessions, rows, projects and pins to other places, the changes that were made, and their undo."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from backscroll import dirs
from backscroll.errors import ConflictError, NotFoundError, QueryError
from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.sessions.session import Session
from backscroll.stores.code import CodeStore
from backscroll.stores.desktop import DesktopStore
from backscroll.stores.side import SideStore
from backscroll.verbs.base import LibraryBase

if TYPE_CHECKING:
    from backscroll.archive import restore as restoring
    from backscroll.changes import apply as applying
    from backscroll.changes import journal as journalling
    from backscroll.changes import plan as plans
    from backscroll.desktop import accounts as desktop_accounts
    from backscroll.index.queries import details
    from backscroll.transfer import model as transfer_model
    from backscroll.transfer import project as renaming_projects
    from backscroll.transfer import resume as resuming
    from backscroll.transfer.rows import copy as row_copying
    from backscroll.transfer.rows import row as row_making
else:
    plans = lazily("backscroll.changes.plan")
    applying = lazily("backscroll.changes.apply")
    desktop_accounts = lazily("backscroll.desktop.accounts")
    details = lazily("backscroll.index.queries.details")
    journalling = lazily("backscroll.changes.journal")
    renaming_projects = lazily("backscroll.transfer.project")
    restoring = lazily("backscroll.archive.restore")
    resuming = lazily("backscroll.transfer.resume")
    row_copying = lazily("backscroll.transfer.rows.copy")
    transfer_model = lazily("backscroll.transfer.model")
    row_making = lazily("backscroll.transfer.rows.row")


Planned = TypeVar("Planned")


class TransferVerbs(LibraryBase):
    """The verbs that change Claude's directories, by plan and journal."""

    def transfer_log(self) -> list[journalling.JournalSummary]:
        """Return the journals of all changes that were made here, oldest first."""
        found = journalling.journals(self._journal)
        return [journalling.summary(journal) for journal in found if journal.notes]

    def transfer_undo(self, journal: str | None = None) -> plans.ChangePlan:
        """Undo a journal, or the last one that is not undone; files that were used since stay unchanged."""
        return applying.undo(self._journal, journal)

    def transfer_resume(  # noqa: PLR0913 - one argument per option of the command
        self,
        session: str,
        *,
        cwd: str | os.PathLike[str] | None = None,
        move: bool = False,
        as_new: bool = False,
        apply: bool = False,
        force: bool = False,
    ) -> transfer_model.Resumption:
        """Plan to make a session resumable in a directory; `apply=True` acts."""
        config, is_usual = resuming.target_config(self.root, self._env)
        place = None if cwd is None else os.fspath(cwd)
        wish = resuming.ResumeOptions(config, self._journal, place, move, as_new, is_usual, force)
        with self._one(session) as (database, name):
            found = query.session(database, name)
            agents = [agent.transcript for agent in query.agents(database, name) if agent.transcript is not None]
        if found.state == "kept" and not resuming.has_only_audit(found):
            planned = self._from_archive(found, agents, wish)
        else:
            planned = resuming.plan_resume(found, wish, self.open_file())
        return self._applied(planned, planned.changes, apply=apply)

    def transfer_copy(  # noqa: PLR0913 - one argument per option of the command
        self,
        sessions: str | Sequence[str] = (),
        *,
        to: str,
        project: str | None = None,
        everything: bool = False,
        undelete: bool = False,
        apply: bool = False,
        force: bool = False,
    ) -> transfer_model.RowCopies:
        """Plan to copy rows of Claude Desktop to an account, `ACCOUNT[/ORG]`; `apply=True` acts.

        The rows are those of the sessions, of a project, or all of them.
        """
        ids = [sessions] if isinstance(sessions, str) else list(sessions)
        is_bulk = project is not None or everything
        found, emails = self._rows_of(ids, project, everything=everything)
        wish = row_copying.CopyOptions(to, self._journal, self._configs(), emails, undelete, force, is_bulk)
        named = " ".join(ids) if ids else "--all" if everything else f"--project {project}"
        planned = row_copying.plan_copy(found, wish, f"transfer copy {named} --to {to}")
        return self._applied(planned, planned.changes, apply=apply)

    def transfer_row(
        self, session: str, *, to: str | None = None, apply: bool = False, force: bool = False
    ) -> plans.ChangePlan:
        """Plan a row of Claude Desktop for a session, or repair its row; `apply=True` acts."""
        with self._one(session) as (database, name):
            found = query.session(database, name)
            others = query.sessions(database, SessionFilter(project=found.cwd), None) if found.cwd else []
            emails = self._emails(database)
        wish = row_making.RowOptions(self._desktops(), self._configs(), self._journal, to, emails, force)
        planned = row_making.plan_row(found, others, wish)
        return self._applied(planned, planned, apply=apply)

    def transfer_project(
        self, old: str, new: str, *, move_files: bool = False, apply: bool = False, force: bool = False
    ) -> plans.ChangePlan:
        """Plan to rename a project wherever Claude's products name it; `apply=True` acts."""
        renaming_projects.checked_map(old, new)
        with self.catalogue() as database:
            cwds = details.directories_of_transcripts(database)
            rows = [row["path"] for row, _ in query.desktop_rows(database) if row["product"] in ("code", "cowork")]
        places = (self._configs(), self._desktops(), self._journal)
        wish = renaming_projects.ProjectOptions(old, new, *places, rows, cwds, move_files, force)
        planned = renaming_projects.plan_project(wish)
        return self._applied(planned, planned, apply=apply)

    def _from_archive(
        self, session: Session, agents: Sequence[str], wish: resuming.ResumeOptions
    ) -> transfer_model.Resumption:
        """Plan to resume a session that only the archive has."""
        cwd = resuming.directory_for(session, wish.cwd)
        options = restoring.RestoreOptions(self.archive_part(), self.root, self._env, cwd=cwd, as_new=wish.as_new)
        planned = restoring.plan_restore([(session, agents)], options)
        first = planned.sessions[0]
        return transfer_model.Resumption(planned.changes, first.command, first.session, cwd)

    @property
    def _journal(self) -> Path:
        return dirs.journal(dirs.home(self._env))

    def _applied(self, planned: Planned, changes: plans.ChangePlan, *, apply: bool) -> Planned:
        if apply:
            applying.apply_plan(changes, self._journal)
        for step in changes.steps:
            step.why = None if step.why is None else dirs.named_in(step.why, self.program)
        return planned

    def _configs(self) -> list[Path]:
        """Return the configuration directories of Claude Code."""
        kinds = (CodeStore, SideStore)
        return list(dict.fromkeys(store.path for store in self.stores() if isinstance(store, kinds)))

    def _desktops(self) -> list[Path]:
        """Return the data directories of Claude Desktop."""
        return list(dict.fromkeys(store.data for store in self.stores() if isinstance(store, DesktopStore)))

    @contextmanager
    def _one(self, asked: str) -> Iterator[tuple[Connection, str]]:
        """Hold the catalogue and find one session; an id that several have is a conflict."""
        with _conflicts(), self.session(asked) as found:
            yield found

    def _rows_of(
        self, ids: Sequence[str], project: str | None, *, everything: bool
    ) -> tuple[list[Session], dict[str, str]]:
        """Return the sessions whose rows are meant, and the accounts by e-mail address."""
        if bool(ids) + (project is not None) + everything != 1:
            raise QueryError("name sessions, or a project, or all", remedy="Give ID..., --project P or --all.")
        with self.catalogue() as database:
            if ids:
                found = [query.session(database, name) for name in self._named(database, ids)]
            else:
                listed = query.sessions(database, SessionFilter(project=project), None)
                if project is not None and not listed:
                    raise NotFoundError("no session belongs to this project", project)
                found = [one for one in listed if any(row["product"] in ("code", "cowork") for row in one.rows)]
            return found, self._emails(database)

    def _named(self, database: Connection, ids: Sequence[str]) -> list[str]:
        """Return the sessions that are named, each once; an id that several have is a conflict."""
        with _conflicts():
            return list(dict.fromkeys(query.resolve(database, one) for one in ids))

    def _emails(self, database: Connection) -> dict[str, str]:
        known = desktop_accounts.accounts(database).accounts
        return {one.email.lower(): one.id for one in known if one.email}


@contextmanager
def _conflicts() -> Iterator[None]:
    """Turn an ambiguous id into a conflict: a change is refused, with the candidates."""
    try:
        yield
    except QueryError as error:
        raise ConflictError(error.what, error.where, error.remedy) from error
