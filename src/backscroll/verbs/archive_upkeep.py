"""The upkeep of the archive: its timer, imports, mirrors, pruning and repair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll import dirs
from backscroll.errors import QueryError
from backscroll.lazy import lazily
from backscroll.verbs.base import Directory, LibraryBase, When, moment_of, places_of

if TYPE_CHECKING:
    from backscroll.archive import imports as archive_imports
    from backscroll.archive import mirror as archive_mirrors
    from backscroll.archive import model as archive_model
    from backscroll.archive import prune as archive_pruning
    from backscroll.archive import repair as archive_repairs
    from backscroll.archive import sources as archive_sources
    from backscroll.archive import verify as archive_checks
    from backscroll.archive.timer import install as archive_installing
    from backscroll.archive.timer import schedulers
else:
    archive_sources = lazily("backscroll.archive.sources")
    archive_model = lazily("backscroll.archive.model")
    archive_imports = lazily("backscroll.archive.imports")
    archive_mirrors = lazily("backscroll.archive.mirror")
    archive_pruning = lazily("backscroll.archive.prune")
    archive_repairs = lazily("backscroll.archive.repair")
    archive_checks = lazily("backscroll.archive.verify")
    archive_installing = lazily("backscroll.archive.timer.install")
    schedulers = lazily("backscroll.archive.timer.schedulers")

_MOST_MINUTES = 24 * 60


class ArchiveUpkeepVerbs(LibraryBase):
    """The verbs that look after the archive."""

    def archive_status(self) -> archive_model.ArchiveStatus:
        """Return the contents of the archive, and its timer."""
        timer = archive_installing.installed_timer(self._timer_place())
        return archive_checks.status(self.archive_part(), timer)

    def archive_install(
        self, *, every: int = 10, hook: bool = False, apply: bool = False
    ) -> archive_model.Installation:
        """Plan a timer that runs `archive sync` every few minutes, and a Stop hook on request; `apply=True` acts."""
        if not 0 < every <= _MOST_MINUTES:
            raise QueryError(f"a timer runs every 1 to {_MOST_MINUTES:,} minutes, not every {every}")
        place = self._timer_place()
        planned = archive_installing.plan_install(place, self._config(), every=every, hook=hook)
        if apply:
            archive_installing.carry_out(planned, place, dirs.journal(place.own))
        return planned

    def archive_uninstall(self, *, apply: bool = False) -> archive_model.Installation:
        """Plan to remove the timer and the hook; `apply=True` acts.  The archive stays."""
        place = self._timer_place()
        planned = archive_installing.plan_uninstall(place, self._config())
        if apply:
            archive_installing.carry_out(planned, place, dirs.journal(place.own))
        return planned

    def archive_import(
        self, directories: Directory | Sequence[Directory], *, dry_run: bool = False
    ) -> archive_sources.SyncReport:
        """Copy the sessions of backups or other homes into the archive, as if they lay in this one."""
        places = places_of(directories)
        home = self.root or dirs.user_home(self._env) or Path("/")
        return archive_imports.import_from(places, self.archive_part(), home, self._env, dry_run=dry_run)

    def archive_mirror(
        self, directory: Directory, *, verify: bool = False, apply: bool = False
    ) -> archive_model.Mirroring:
        """Plan to copy the archive to a directory on another disk; `apply=True` acts, `verify=True` reads it all."""
        target = Path(directory).absolute()
        return archive_mirrors.mirror(self.archive_part(), target, self.stores(), apply=apply, check=verify)

    def archive_prune(
        self,
        *,
        older_than: When = None,
        session: str | Sequence[str] | None = None,
        superseded: bool = False,
        apply: bool = False,
    ) -> archive_model.Pruning:
        """Plan to move versions into the bin; all rules that are given must hold.  `apply=True` acts."""
        if older_than is None and session is None and not superseded:
            remedy = "Name a rule: --older-than, --session or --superseded."
            raise QueryError("prune needs a rule", remedy=remedy)
        names = None
        if session is not None:
            names = frozenset(map(self._name_of, [session] if isinstance(session, str) else session))
        rule = archive_pruning.PruneRule(moment_of(older_than), names, superseded)
        journal = dirs.journal(dirs.home(self._env)) if apply else None
        return archive_pruning.prune(self.archive_part(), rule, journal)

    def archive_repair(self, *, apply: bool = False) -> archive_model.Repair:
        """Plan to repair damage in the archive from live files; `apply=True` acts."""
        return archive_repairs.repair(self.archive_part(), dirs.journal(dirs.home(self._env)) if apply else None)

    def _name_of(self, asked: str) -> str:
        with self.session(asked) as (_, name):
            return name

    def _timer_place(self) -> schedulers.TimerPlace:
        return schedulers.place_of(self._env, self.archive_part().name, self.roots)

    def _config(self) -> Path:
        """Return the configuration directory of Claude Code whose settings take the hook."""
        found = [store.path for store in self.stores() if store.kind == "side"]
        root = self.root or dirs.user_home(self._env) or Path("/")
        return found[0] if found else root / ".claude"
