"""Find losses and risks: the findings of the doctor, and the plan that repairs some of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll import dirs
from backscroll.errors import QueryError
from backscroll.index.db import DatabaseError
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.verbs.desktop import DesktopVerbs

if TYPE_CHECKING:
    from backscroll.archive.timer import install as installing
    from backscroll.archive.timer import schedulers
    from backscroll.changes import apply as applying
    from backscroll.changes import plan as plans
    from backscroll.health import model as health
    from backscroll.health import repairs
    from backscroll.health import surroundings as shared
    from backscroll.health.checks import table as checks
    from backscroll.index import health_facts
    from backscroll.index.db import Connection
    from backscroll.sessions.session import Session
    from backscroll.stores import archived
else:
    installing = lazily("backscroll.archive.timer.install")
    schedulers = lazily("backscroll.archive.timer.schedulers")
    plans = lazily("backscroll.changes.plan")
    applying = lazily("backscroll.changes.apply")
    archived = lazily("backscroll.stores.archived")
    checks = lazily("backscroll.health.checks.table")
    health_facts = lazily("backscroll.index.health_facts")
    health = lazily("backscroll.health.model")
    repairs = lazily("backscroll.health.repairs")
    shared = lazily("backscroll.health.surroundings")


class HealthVerbs(DesktopVerbs):
    """The verbs about the health of sessions."""

    def doctor(
        self, session: str | None = None, *, kind: str | None = None, program: str = "backscroll"
    ) -> health.HealthReport:
        """Return the findings about one session, or about everything; remedies name the program as `program`.

        With `kind` every transcript is read for `secrets` and `drift`, and else only a sample.
        """
        if kind is not None and kind not in health.KINDS:
            raise QueryError("no such kind of finding", kind, f"Known kinds: {', '.join(health.KINDS)}.")
        findings = []
        if session is None and kind in (None, "index"):
            findings += checks.check_index(self._path, program)
        with self.optional_session(session) as (database, name):
            around = self._surroundings(database, program, is_thorough=kind is not None)
            asked = around.sessions if name is None else [query.session(database, name)]
            findings += checks.check_sessions(asked, around, kind)
            if name is None:
                findings += checks.check_home(around, kind)
            checked = _checked(database, asked, is_one=name is not None)
        return health.HealthReport(checks.in_order(findings), checked)

    def doctor_fix(
        self, session: str | None = None, *, kind: str | None = None, apply: bool = False
    ) -> plans.ChangePlan:
        """Plan to repair one session, or all that can be repaired; `apply=True` carries the plan out.

        A damaged or broken transcript gets a repaired copy under a new id.  A row is rebuilt from its transcript.
        """
        top = dirs.journal(dirs.home(self._env))
        with self.optional_session(session) as (database, name):
            around = self._surroundings(database, "backscroll", is_thorough=False)
            asked = around.sessions if name is None else [query.session(database, name)]
            found = [item for one in repairs.MENDS for item in checks.check_sessions(asked, around, one)]
            plan = repairs.Repairs(around, top, is_named=name is not None).plan(
                item for item in found if kind in (None, item.kind)
            )
        if apply:
            applying.apply_plan(plan, top)
        return plan

    def _surroundings(self, database: Connection, program: str, *, is_thorough: bool) -> shared.Surroundings:
        part, own = self.archive_part(), dirs.home(self._env)
        try:
            rows, fault = archived.rows_of(part), None
        except DatabaseError as error:
            rows, fault = [], str(error)
        timer = installing.installed_timer(schedulers.place_of(self._env, part.name, self.roots))
        return shared.Surroundings(
            database,
            datetime.now(UTC),
            program,
            is_own=self.root is None,
            sessions=query.sessions(database, SessionFilter(), None),
            open_file=self.open_file(),
            part=part,
            own=own,
            homes=self.roots or [Path(self._env.get("HOME", "/"))],
            archived=rows,
            archive_fault=fault,
            has_timer=timer is not None,
            is_thorough=is_thorough,
        )


def _checked(database: Connection, found: Sequence[Session], *, is_one: bool) -> health.CheckedAmount:
    """Return the checked amounts: one session with its transcripts, or all files of all stores."""
    if is_one:
        return health.CheckedAmount(1, len(found[0].transcripts), found[0].bytes)
    files, size = health_facts.file_totals(database)
    return health.CheckedAmount(len(found), files, size)
