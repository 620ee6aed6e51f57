"""What Claude Desktop and Claude Code keep beside sessions: accounts, manifests, logs, storage, flags, worktrees."""

from __future__ import annotations

import os
from datetime import tzinfo
from typing import TYPE_CHECKING

from backscroll.index import query
from backscroll.index.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.sessions.model import Session
from backscroll.stores import BrowserStore, SideStore, browser_stores, desktop_directories
from backscroll.verbs.opened import Opened

if TYPE_CHECKING:
    from backscroll.desktop import accounts as desktop_accounts
    from backscroll.desktop import cowork as desktop_cowork
    from backscroll.desktop import logs as desktop_logs
    from backscroll.sessions import leases
    from backscroll.sessions import marks as desktop_marks
    from backscroll.sessions.desktop_model import Accounts, LogLine, Manifest, McpServer, Schedule
    from backscroll.stores import flags as feature_flags
    from backscroll.stores import storage as browser_storage
    from backscroll.stores import worktrees as registry
else:
    desktop_accounts = lazily("backscroll.desktop.accounts")
    desktop_cowork = lazily("backscroll.desktop.cowork")
    desktop_logs = lazily("backscroll.desktop.logs")
    leases = lazily("backscroll.sessions.leases")
    desktop_marks = lazily("backscroll.sessions.marks")
    feature_flags = lazily("backscroll.stores.flags")
    browser_storage = lazily("backscroll.stores.storage")
    registry = lazily("backscroll.stores.worktrees")


class DesktopVerbs(Opened):
    """Asks what Claude Desktop and Claude Code keep beside sessions."""

    def accounts(self) -> Accounts:
        """Return every account that something on this disk names, who is signed in, and Desktop's counters."""
        with self.catalogue() as database:
            return desktop_accounts.accounts(database)

    def cowork(self, session: str | None = None) -> list[Manifest]:
        """Return all that Desktop wrote down of one session, or without their audits of every session of Cowork."""
        with self.perhaps_session(session) as (database, name):
            return list(desktop_cowork.read_manifests(database, name))

    def schedules(self) -> list[Schedule]:
        """Return the scheduled tasks that Desktop keeps for each account."""
        with self.catalogue() as database:
            return desktop_cowork.read_schedules(database)

    def mcp_servers(self) -> list[McpServer]:
        """Return the MCP servers that Desktop's settings declare; never the values of their variables."""
        with self.catalogue() as database:
            return desktop_accounts.mcp_servers(database)

    def log_files(self) -> list[str]:
        """Return where the logs of Desktop and Cowork lie."""
        with self.catalogue() as database:
            return desktop_logs.log_files(database)

    def logs(self, session: str, *, zone: tzinfo | None = None) -> tuple[Session, list[LogLine | Damage]]:
        """Return a session, and the errors in Desktop's logs that lie near its time or name it.

        Logs without a zone are read as written in `zone`, or in that of this machine.
        """
        with self.session(session) as (database, name):
            found = query.session(database, name)
            return found, list(desktop_logs.errors_near(database, found, zone))

    def storage(  # noqa: PLR0913 - one argument per option of the command
        self,
        key: str | None = None,
        *,
        origin: str | None = None,
        indexeddb: bool = False,
        deleted: bool = False,
        everything: bool = False,
        secrets: bool = False,
    ) -> browser_storage.Storage:
        """Return what Claude Desktop's pages keep in the browser: Local Storage, and IndexedDB where it is asked for.

        `deleted` adds what is deleted or superseded and still lies on the disk; `secrets` shows tokens as they are.
        """
        wanted = browser_storage.Wanted(key, origin, indexeddb, deleted, everything, secrets)
        found = [store for store in self.stores() if isinstance(store, BrowserStore)]
        return browser_storage.read_storage(found, wanted)

    def marks(self) -> list[desktop_marks.DesktopMarks]:
        """Return what each Desktop remembers of sessions outside their rows, and which of its places says so."""
        return [desktop_marks.read_desktop_marks(store) for store in browser_stores(self.stores())]

    def flags(self, *, prefix: str = "") -> feature_flags.FlagReport:
        """Return the feature flags that Claude Code last heard of."""
        return feature_flags.read_flags([store for store in self.stores() if isinstance(store, SideStore)], prefix)

    def compare_flags(self, other: str | os.PathLike[str], *, prefix: str = "") -> feature_flags.FlagDifference:
        """Return the feature flags that differ between this home, or `root`, and another one."""
        return feature_flags.compare_flags(self.flags(prefix=prefix), DesktopVerbs(other).flags(prefix=prefix))

    def worktrees(self) -> registry.WorktreeReport:
        """Return the git worktrees that Claude Desktop made for sessions, each with the session that was held in it."""
        found = registry.read_worktrees(desktop_directories(self.root, os.environ))
        with self.catalogue() as database:
            joined = leases.join_worktrees(found.worktrees, query.sessions(database, SessionFilter(), None))
        return found._replace(worktrees=joined)
