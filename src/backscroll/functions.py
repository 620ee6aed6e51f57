"""The functions of the package: each opens a Library, asks it once, and closes it."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, tzinfo
from typing import Any

from backscroll.index import search as searching
from backscroll.index.progress import Report
from backscroll.inventory import report as drift_report
from backscroll.library import open_library
from backscroll.records import Damage
from backscroll.sessions import marks as desktop_marks
from backscroll.sessions.desktop_model import Accounts, LogLine, Manifest, McpServer, Schedule
from backscroll.sessions.model import (
    MAIN,
    Call,
    Message,
    MessagePage,
    Outline,
    Overview,
    Session,
    SessionList,
    StoreSummary,
    Transcript,
    TreeNode,
)
from backscroll.stats.model import Audit, Timeline, ToolReport, UsageReport
from backscroll.stores import flags as feature_flags
from backscroll.stores import storage as browser_storage
from backscroll.stores import worktrees as registry
from backscroll.text import hits
from backscroll.verbs.opened import OnProgress, OwnPrices, Root
from backscroll.versions.model import FileHistory, FileList, Match, Recovered, WritePlan


def overview(
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Overview:
    """Return what was found, how much, the latest sessions, and what Claude Code will delete soon."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.overview(prices=prices)


def list_stores(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[StoreSummary]:
    """Return what was found and where."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.list_stores()


def list_sessions(  # noqa: PLR0913 - one argument per option of the command
    root: Root = None,
    *,
    limit: int | None = 20,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    state: str | None = None,
    sidebar: str | None = None,
    pinned: bool = False,
    agents: bool = False,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> SessionList:
    """Return sessions, newest first; `limit=None` for all of them."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.list_sessions(
            limit=limit,
            project=project,
            store=store,
            account=account,
            since=since,
            until=until,
            state=state,
            sidebar=sidebar,
            pinned=pinned,
            agents=agents,
            prices=prices,
        )


def show(  # noqa: PLR0913 - one argument per option of the command
    session: str,
    root: Root = None,
    *,
    branch: str = MAIN,
    all_branches: bool = False,
    at: str | None = None,
    internal: bool = False,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Transcript:
    """Return one session with its branches, its messages as they are asked for, and its damage."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.show(session, branch=branch, all_branches=all_branches, at=at, internal=internal, prices=prices)


def messages(  # noqa: PLR0913 - one argument per option of the command
    session: str,
    root: Root = None,
    *,
    offset: int = 0,
    limit: int = 50,
    around: str | None = None,
    branch: str | None = None,
    all_branches: bool = False,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> MessagePage:
    """Return a page of a session's messages, in the order in which `show` tells them."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.messages(
            session,
            offset=offset,
            limit=limit,
            around=around,
            branch=branch,
            all_branches=all_branches,
            prices=prices,
        )


def outline(
    session: str,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Outline:
    """Return the landmarks of a session: prompts, compactions, forks, agents, errors and file changes."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.outline(session, prices=prices)


def raw(
    session: str,
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Iterator[bytes]:
    """Yield the stored lines of a session's transcripts as they are."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.raw(session)


def tree(
    session: str,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> tuple[Session, list[TreeNode]]:
    """Return a session and its branches, compactions, agents, copies and forks."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.tree(session, prices=prices)


def calls(  # noqa: PLR0913 - one argument per option of the command
    session: str | None = None,
    root: Root = None,
    *,
    tool: str | None = None,
    errors: bool = False,
    internal: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Iterator[Call]:
    """Yield tool calls with their results: of one session, or of all, each call once."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        yield from library.calls(session, tool=tool, errors=errors, internal=internal)


def update_index(
    root: Root = None,
    *,
    rebuild: bool = False,
    on_progress: OnProgress = None,
) -> Report:
    """Bring the index and its words up to date, or make them anew, and say what that took."""
    with open_library(root, on_progress=on_progress) as library:
        return library.update_index(rebuild=rebuild)


def search(  # noqa: PLR0913 - one argument per option of the command
    wanted: str,
    root: Root = None,
    *,
    options: searching.Options | None = None,
    fields: Mapping[str, str | None] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    context: int = 0,
    counts: str | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> hits.Found:
    """Return what matches a query, the best first; docs/search.md tells the language of queries."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.search(
            wanted, options=options, fields=fields, since=since, until=until, context=context, counts=counts
        )


@contextmanager
def search_index(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Iterator[Callable[..., hits.Found]]:
    """Open everything for many searches in a row; what is yielded takes the arguments of `search`."""
    with open_library(root, update=update, on_progress=on_progress) as library, library.search_index() as ask:
        yield ask


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
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.list_files(session=session, project=project, match=match, since=since, until=until, limit=limit)


def recover(
    path: str,
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> FileHistory:
    """Return all versions of a file, oldest first, and what was tried but never reached the disk."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover(path)


def recover_content(  # noqa: PLR0913 - one argument per option of the command
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
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover_content(
            path, version=version, at=at, message=message, candidate=candidate, partly=partly
        )


def recover_diff(  # noqa: PLR0913 - one argument per option of the command
    path: str,
    old: int,
    new: int,
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[bytes]:
    """Return the unified diff from one version of a file to another, line by line."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover_diff(path, old, new)


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
    with open_library(root, update=update, on_progress=on_progress) as library:
        yield from library.recover_search(text, session=session, project=project, match=match, since=since, until=until)


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
    """Write one file, or all files of a project as they were at a moment, into a new or empty directory."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover_files(
            directory,
            path,
            project=project,
            match=match,
            version=version,
            at=at,
            message=message,
            candidate=candidate,
            risky=risky,
            apply=apply,
        )


def session_patch(
    session: str,
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[bytes]:
    """Return one patch of all that a session did to the files of its project, as `git apply` takes it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.session_patch(session)


def usage(  # noqa: PLR0913 - one argument per option of the command
    root: Root = None,
    *,
    by: str | Sequence[str] = "day",
    since: datetime | None = None,
    until: datetime | None = None,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    session: str | None = None,
    model: str | None = None,
    zone: tzinfo | None = None,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> UsageReport:
    """Return tokens and cost, each API message once, grouped by one key or by several that cross."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.usage(
            by=by,
            since=since,
            until=until,
            project=project,
            store=store,
            account=account,
            session=session,
            model=model,
            zone=zone,
            prices=prices,
        )


def usage_audit(
    session: str | None = None,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Audit:
    """Return the way from the records on disk to the total, of everything or of one session."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.usage_audit(session, prices=prices)


def timeline(
    session: str,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Timeline:
    """Return one session turn by turn: working and waiting time, calls, cost, and how its context grew."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.timeline(session, prices=prices)


def tools(  # noqa: PLR0913 - one argument per option of the command
    root: Root = None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    session: str | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> ToolReport:
    """Return how often each tool was called, how that ended and how long it took, each call once."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.tools(since=since, until=until, project=project, store=store, account=account, session=session)


def accounts(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Accounts:
    """Return every account that something on this disk names, who is signed in with which, and Desktop's counters."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.accounts()


def cowork(
    session: str | None = None,
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[Manifest]:
    """Return all that Desktop wrote down of one session, or without their audits of every session of Cowork."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.cowork(session)


def schedules(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[Schedule]:
    """Return the scheduled tasks that Desktop keeps for each account."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.schedules()


def mcp_servers(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[McpServer]:
    """Return the MCP servers that Desktop's settings declare; never the values of their variables."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.mcp_servers()


def log_files(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> list[str]:
    """Return where the logs of Desktop and Cowork lie."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.log_files()


def logs(
    session: str,
    root: Root = None,
    *,
    zone: tzinfo | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> tuple[Session, list[LogLine | Damage]]:
    """Return a session, and the errors in Desktop's logs that lie near its time or name it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.logs(session, zone=zone)


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
    """Return what Claude Desktop's pages keep in the browser: Local Storage, and IndexedDB where it is asked for."""
    with open_library(root) as library:
        return library.storage(
            key, origin=origin, indexeddb=indexeddb, deleted=deleted, everything=everything, secrets=secrets
        )


def marks(
    root: Root = None,
) -> list[desktop_marks.DesktopMarks]:
    """Return what each Desktop remembers of sessions outside their rows, and which of its places says so."""
    with open_library(root) as library:
        return library.marks()


def flags(
    root: Root = None,
    *,
    prefix: str = "",
) -> feature_flags.FlagReport:
    """Return the feature flags that Claude Code last heard of."""
    with open_library(root) as library:
        return library.flags(prefix=prefix)


def compare_flags(
    other: str | os.PathLike[str],
    root: Root = None,
    *,
    prefix: str = "",
) -> feature_flags.FlagDifference:
    """Return the feature flags that differ between this home, or `root`, and another one."""
    with open_library(root) as library:
        return library.compare_flags(other, prefix=prefix)


def worktrees(
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> registry.WorktreeReport:
    """Return the git worktrees that Claude Desktop made for sessions, each with the session that was held in it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.worktrees()


def drift(
    root: Root = None,
    *,
    on_progress: OnProgress = None,
) -> drift_report.Drift:
    """Return which types of records and fields lie on the disk, against those that are known."""
    with open_library(root, on_progress=on_progress) as library:
        return library.drift()


def drift_json_schema(
    root: Root = None,
    *,
    on_progress: OnProgress = None,
) -> dict[str, Any]:
    """Return a JSON Schema of the records that lie on the disk, inferred from them."""
    with open_library(root, on_progress=on_progress) as library:
        return library.drift_json_schema()


def watch(
    session: str | None = None,
    root: Root = None,
    *,
    wakes: Iterable[object] | None = None,
    on_progress: OnProgress = None,
) -> Iterator[Message]:
    """Yield messages as they are written: of all sessions, or of one with its agents; it ends when `wakes` do."""
    with open_library(root, on_progress=on_progress) as library:
        return library.watch(session, wakes=wakes)
