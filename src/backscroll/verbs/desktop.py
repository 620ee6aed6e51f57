"""Data of Claude Desktop and Claude Code beside sessions: accounts, manifests, logs, storage, flags, worktrees."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import tzinfo
from typing import TYPE_CHECKING

from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.sessions.session import Session
from backscroll.stores.browser import BrowserStore
from backscroll.stores.find import browser_stores, desktop_directories
from backscroll.stores.side import SideStore
from backscroll.verbs.base import LibraryBase

if TYPE_CHECKING:
    from backscroll.desktop import accounts as desktop_accounts
    from backscroll.desktop import cowork as desktop_cowork
    from backscroll.desktop import logs as desktop_logs
    from backscroll.sessions import desktop_model
    from backscroll.sessions.joining import marks as desktop_marks
    from backscroll.sessions.joining import worktrees as leases
    from backscroll.stores.desktop_files import flags as feature_flags
    from backscroll.stores.desktop_files import storage as browser_storage
    from backscroll.stores.desktop_files import worktrees as registry
else:
    desktop_model = lazily("backscroll.sessions.desktop_model")
    desktop_accounts = lazily("backscroll.desktop.accounts")
    desktop_cowork = lazily("backscroll.desktop.cowork")
    desktop_logs = lazily("backscroll.desktop.logs")
    leases = lazily("backscroll.sessions.joining.worktrees")
    desktop_marks = lazily("backscroll.sessions.joining.marks")
    feature_flags = lazily("backscroll.stores.desktop_files.flags")
    browser_storage = lazily("backscroll.stores.desktop_files.storage")
    registry = lazily("backscroll.stores.desktop_files.worktrees")


class DesktopVerbs(LibraryBase):
    """The verbs about data that Claude Desktop and Claude Code store beside sessions."""

    def accounts(self) -> desktop_model.Accounts:
        """Return every account that a file on this disk names, the signed-in programs, and Desktop's counters."""
        with self.catalogue() as database:
            return desktop_accounts.accounts(database)

    def cowork(self, session: str | None = None) -> list[desktop_model.Manifest]:
        """Return the manifests of one session with their audits, or those of all Cowork sessions without."""
        with self.optional_session(session) as (database, name):
            found = list(desktop_cowork.read_manifests(database, name))
        self.note_damage(item for one in found for item in one.damage)
        return found

    def schedules(self) -> list[desktop_model.Schedule]:
        """Return the scheduled tasks of each account in Desktop."""
        with self.catalogue() as database:
            return desktop_cowork.read_schedules(database)

    def mcp_servers(self) -> list[desktop_model.McpServer]:
        """Return the MCP servers in Desktop's settings, without the values of their variables."""
        with self.catalogue() as database:
            return desktop_accounts.mcp_servers(database)

    def log_files(self) -> list[str]:
        """Return the paths of the logs of Desktop and Cowork."""
        with self.catalogue() as database:
            return desktop_logs.log_files(database)

    def logs(self, session: str, *, zone: tzinfo | None = None) -> tuple[Session, list[desktop_model.LogLine | Damage]]:
        """Return a session, and the errors in Desktop's logs that are near it in time or name it.

        Times without a zone count as times in `zone`, by default in this machine's time zone.
        """
        with self.session(session) as (database, name):
            found = query.session(database, name)
            lines = list(desktop_logs.errors_near(database, found, zone))
        self.note_damage(line for line in lines if isinstance(line, Damage))
        return found, lines

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
        """Return the browser data of Claude Desktop's pages: Local Storage, and IndexedDB on request.

        `deleted` adds deleted and superseded values that are still on the disk; `secrets` shows tokens unredacted.
        """
        wanted = browser_storage.StorageFilter(key, origin, indexeddb, deleted, everything, secrets)
        stores = [store for store in self.stores() if isinstance(store, BrowserStore)]
        found = browser_storage.read_storage(stores, wanted)
        self.note_damage(found.damage)
        return found

    def marks(self) -> list[desktop_marks.DesktopMarks]:
        """Return each Desktop's marks on sessions outside their rows, with the file that holds each mark."""
        found = [desktop_marks.read_desktop_marks(store) for store in browser_stores(self.stores())]
        self.note_damage(item for one in found for item in one.damage)
        return found

    def flags(self, *, prefix: str = "") -> feature_flags.FlagReport:
        """Return the feature flags that Claude Code last received."""
        found = feature_flags.read_flags([store for store in self.stores() if isinstance(store, SideStore)], prefix)
        self.note_damage(found.damage)
        return found

    def compare_flags(self, other: str | os.PathLike[str], *, prefix: str = "") -> feature_flags.FlagDifference:
        """Return the feature flags that differ between this home, or `root`, and another one."""
        found = feature_flags.compare_flags(self.flags(prefix=prefix), DesktopVerbs(other).flags(prefix=prefix))
        self.note_damage(found.damage)
        return found

    def worktrees(self) -> registry.WorktreeReport:
        """Return the git worktrees that Claude Desktop made for sessions, each with the session that was held in it."""
        found = registry.read_worktrees(
            [path for root in self.roots or [None] for path in desktop_directories(root, os.environ)]
        )
        with self.catalogue() as database:
            joined = leases.join_worktrees(found.worktrees, query.sessions(database, SessionFilter(), None))
        self.note_damage(found.damage)
        return replace(found, worktrees=joined)
