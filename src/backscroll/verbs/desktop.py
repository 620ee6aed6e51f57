"""What Claude Desktop and Claude Code keep beside sessions: accounts, manifests, logs, storage, flags, worktrees."""

import os
from datetime import tzinfo

from backscroll.desktop import accounts as desktop_accounts
from backscroll.desktop import cowork as desktop_cowork
from backscroll.desktop import logs as desktop_logs
from backscroll.index import query
from backscroll.records import Damage
from backscroll.sessions import leases
from backscroll.sessions import marks as desktop_marks
from backscroll.sessions.desktop_model import Accounts, LogLine, Manifest, McpServer, Schedule
from backscroll.sessions.model import Session
from backscroll.stores import BrowserStore, SideStore, browser_stores, desktop_directories
from backscroll.stores import flags as feature_flags
from backscroll.stores import storage as browser_storage
from backscroll.stores import worktrees as registry
from backscroll.verbs.opened import OnProgress, Root, open_index, open_session, perhaps_session, place_of, stores_of


def accounts(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Accounts:
    """Return every account that something on this disk names, who is signed in with which, and Desktop's counters."""
    with open_index(root, update=update, on_progress=on_progress) as database:
        return desktop_accounts.accounts(database)


def cowork(
    session: str | None = None, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[Manifest]:
    """Return all that Desktop wrote down of one session, or without their audits of every session of Cowork."""
    with perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        return list(desktop_cowork.read_manifests(database, name))


def schedules(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> list[Schedule]:
    """Return the scheduled tasks that Desktop keeps for each account."""
    with open_index(root, update=update, on_progress=on_progress) as database:
        return desktop_cowork.read_schedules(database)


def mcp_servers(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> list[McpServer]:
    """Return the MCP servers that Desktop's settings declare; never the values of their variables."""
    with open_index(root, update=update, on_progress=on_progress) as database:
        return desktop_accounts.mcp_servers(database)


def log_files(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> list[str]:
    """Return where the logs of Desktop and Cowork lie."""
    with open_index(root, update=update, on_progress=on_progress) as database:
        return desktop_logs.log_files(database)


def logs(
    session: str,
    root: Root = None,
    *,
    zone: tzinfo | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> tuple[Session, list[LogLine | Damage]]:
    """Return a session, and the errors in Desktop's logs that lie near its time or name it.

    Logs without a zone are read as written in `zone`, or in that of this machine.
    """
    with open_session(session, root, update=update, on_progress=on_progress) as (database, name):
        found = query.session(database, name)
        return found, list(desktop_logs.errors_near(database, found, zone))


def storage(  # noqa: PLR0913 - one argument per option of the command
    key: str | None = None,
    root: Root = None,
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
    found = [store for store in stores_of(root) if isinstance(store, BrowserStore)]
    return browser_storage.read_storage(found, wanted)


def marks(root: Root = None) -> list[desktop_marks.DesktopMarks]:
    """Return what each Desktop remembers of sessions outside their rows, and which of its places says so."""
    return [desktop_marks.read_desktop_marks(store) for store in browser_stores(stores_of(root))]


def flags(root: Root = None, *, prefix: str = "") -> feature_flags.FlagReport:
    """Return the feature flags that Claude Code last heard of."""
    return feature_flags.read_flags([store for store in stores_of(root) if isinstance(store, SideStore)], prefix)


def compare_flags(
    other: str | os.PathLike[str], root: Root = None, *, prefix: str = ""
) -> feature_flags.FlagDifference:
    """Return the feature flags that differ between this home, or `root`, and another one."""
    return feature_flags.compare_flags(flags(root, prefix=prefix), flags(other, prefix=prefix))


def worktrees(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> registry.WorktreeReport:
    """Return the git worktrees that Claude Desktop made for sessions, each with the session that was held in it."""
    found = registry.read_worktrees(desktop_directories(place_of(root), os.environ))
    with open_index(root, update=update, on_progress=on_progress) as database:
        joined = leases.join_worktrees(found.worktrees, query.sessions(database, query.Filter(), None))
    return found._replace(worktrees=joined)
