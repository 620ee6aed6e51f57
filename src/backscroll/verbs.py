"""The library: one function for each command.

Each takes `root`, a home directory of any system to read instead of this user's own, and brings the
index up to date first unless `update` is False.  Long answers come as iterators.  Nothing is ever
written outside backscroll's own directory, but for `recover_files`, which does as it is asked.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscroll import dirs
from backscroll.errors import CorruptError, NotFoundError, RefusedError
from backscroll.index import query, sums
from backscroll.index.db import Connection, in_use, open_in_memory, open_index, path_for, words_beside
from backscroll.index.progress import Progress, Report
from backscroll.index.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.sessions.model import (
    MAIN,
    SHORTEST_GLOBAL_ID,
    Call,
    Message,
    Overview,
    Session,
    SessionList,
    StoreSummary,
    Transcript,
    TreeNode,
)
from backscroll.stores import (
    BrowserStore,
    CodeStore,
    SideStore,
    Store,
    browser_stores,
    desktop_directories,
    find_stores,
)
from backscroll.stores.single import SingleStore

if TYPE_CHECKING:
    import watchfiles

    from backscroll.desktop import accounts as desktop_accounts
    from backscroll.desktop import cowork as desktop_cowork
    from backscroll.desktop import logs as desktop_logs
    from backscroll.index import details, fulltext, texting, traces
    from backscroll.index import search as searching
    from backscroll.inventory import report as drift_report
    from backscroll.inventory import schema as drift_schema
    from backscroll.records import Damage
    from backscroll.sessions import follow, leases, reader
    from backscroll.sessions import marks as desktop_marks
    from backscroll.sessions.desktop_model import Accounts, LogLine, Manifest, McpServer, Schedule
    from backscroll.stats import audit as audit_stats
    from backscroll.stats import costs as session_costs
    from backscroll.stats import prices as price_table
    from backscroll.stats import timeline as timeline_stats
    from backscroll.stats import tools as tool_stats
    from backscroll.stats import usage as usage_stats
    from backscroll.stats.model import Audit, Timeline, ToolReport, UsageReport
    from backscroll.stores import flags as feature_flags
    from backscroll.stores import storage as browser_storage
    from backscroll.stores import worktrees as registry
    from backscroll.text import hits, language
    from backscroll.versions import catalogue, recovery, restore
    from backscroll.versions import history as histories
    from backscroll.versions.model import FileHistory, FileList, Match, OnFile, Recovered, WritePlan
else:
    desktop_accounts = lazily("backscroll.desktop.accounts")
    desktop_cowork = lazily("backscroll.desktop.cowork")
    desktop_logs = lazily("backscroll.desktop.logs")
    drift_report = lazily("backscroll.inventory.report")
    drift_schema = lazily("backscroll.inventory.schema")
    details = lazily("backscroll.index.details")
    texting = lazily("backscroll.index.texting")
    searching = lazily("backscroll.index.search")
    fulltext = lazily("backscroll.index.fulltext")
    language = lazily("backscroll.text.language")
    leases = lazily("backscroll.sessions.leases")
    desktop_marks = lazily("backscroll.sessions.marks")
    traces = lazily("backscroll.index.traces")
    reader = lazily("backscroll.sessions.reader")
    follow = lazily("backscroll.sessions.follow")
    watchfiles = lazily("watchfiles")
    audit_stats = lazily("backscroll.stats.audit")
    session_costs = lazily("backscroll.stats.costs")
    price_table = lazily("backscroll.stats.prices")
    timeline_stats = lazily("backscroll.stats.timeline")
    tool_stats = lazily("backscroll.stats.tools")
    usage_stats = lazily("backscroll.stats.usage")
    catalogue = lazily("backscroll.versions.catalogue")
    histories = lazily("backscroll.versions.history")
    recovery = lazily("backscroll.versions.recovery")
    restore = lazily("backscroll.versions.restore")
    feature_flags = lazily("backscroll.stores.flags")
    browser_storage = lazily("backscroll.stores.storage")
    registry = lazily("backscroll.stores.worktrees")

Root = str | os.PathLike[str] | None
OnProgress = Callable[[Progress], None] | None
OwnPrices = Mapping[str, Any] | None
"""A user's own prices, as docs/usage.md describes them."""
WARNING = timedelta(days=7)
LATEST = 5


def overview(
    root: Root = None, *, prices: OwnPrices = None, update: bool = True, on_progress: OnProgress = None
) -> Overview:
    """Return what was found, how much, the latest sessions, and what Claude Code will delete soon."""
    with _index(root, update=update, on_progress=on_progress) as database:
        everything = query.Filter()
        messages, damage = query.totals(database)
        return Overview(
            stores=query.stores(database),
            sessions=query.count(database, everything),
            latest=_priced(database, query.sessions(database, everything, LATEST), prices),
            expiring=_priced(database, query.expiring(database, datetime.now(UTC) + WARNING), prices),
            messages=messages,
            damage=damage,
        )


def list_stores(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> list[StoreSummary]:
    """Return what was found and where."""
    with _index(root, update=update, on_progress=on_progress) as database:
        return query.stores(database)


def list_sessions(  # noqa: PLR0913 - one argument per filter of the command
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
    """Return sessions, newest first; `limit=None` for all of them.

    `account` is an id, its beginning or an e-mail address; so is `sidebar`, which asks for what Desktop's Code tab
    shows somebody who is signed in with that account instead, pinned ones first.  `pinned` leaves out what is not
    pinned there.
    """
    with _index(root, update=update, on_progress=on_progress) as database:
        wanted = query.Filter(project, store, _account(database, account), since, until, state, pinned)
        if sidebar is not None:
            found = query.sidebar(database, _account(database, sidebar) or "", datetime.now(UTC))
            total = len(found)
        else:
            found, total = query.sessions(database, wanted, limit), query.count(database, wanted)
        found = _priced(database, found[:limit], prices)
        children = {session.id: query.agents(database, session.id) for session in found} if agents else {}
        return SessionList(total, found, children)


def _account(database: Connection, asked: str | None) -> str | None:
    """Return the id that is meant where somebody gave an e-mail address."""
    return desktop_accounts.account_id(database, asked) if asked and "@" in asked else asked


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
    """Return one session with its branches, its messages as they are asked for, and its damage.

    `at` is the id of a message, or the beginning of one: messages begin there, on the branch that holds it.
    """
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        opened = _opened(database, name)
        _priced(database, [opened.session], prices)
        damage, notes = details.damage_and_notes(database, name)
    # The session's own files were just read again, and may have changed or vanished since they were indexed.
    own = set(opened.session.transcripts)
    damage = opened.damage() + [item for item in damage if item.place.path not in own]
    branches = opened.branches()
    if not all_branches and branch not in {item.name for item in branches}:
        opened.close()
        names = ", ".join(item.name for item in branches)
        raise NotFoundError("this session has no such branch", branch, f"It has: {names}")
    messages = opened.messages(None if all_branches or at else branch, internal=internal or bool(at))
    if at is not None:
        messages = _from_message(messages, at)
    return Transcript(opened.session, branches, messages, damage, notes)


def _from_message(messages: Iterator[Message], at: str) -> Iterator[Message]:
    """Return the messages from one on, along the branch that it is on."""
    first = next((message for message in messages if message.id.startswith(at)), None)
    if first is None:
        raise NotFoundError("this session has no such message", at, "backscroll search gives the ids of messages.")
    return chain([first], (message for message in messages if message.branch in (first.branch, MAIN)))


def raw(session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Iterator[bytes]:
    """Yield the stored lines of a session's transcripts as they are."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        paths = details.files_of(database, name).transcripts
    return reader.stored_lines(paths)


def tree(
    session: str,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> tuple[Session, list[TreeNode]]:
    """Return a session and its branches, compactions, agents, copies and forks."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        opened = _opened(database, name)
        _priced(database, [opened.session], prices)
        forks = query.forks(database, name)
    try:
        return opened.session, opened.tree_nodes(forks)
    finally:
        opened.close()


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
    if session is None:
        with _index(root, update=update, on_progress=on_progress) as database:
            names = [item.id for item in query.sessions(database, query.Filter(), None)]
            readers = (_opened(database, name) for name in names)
            yield from _chosen(_once(item.calls(internal=internal) for item in readers), tool, errors=errors)
        return
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        opened = _opened(database, name)
    yield from _chosen(opened.calls(internal=internal), tool, errors=errors)


def _once(sessions: Iterator[Iterator[Call]]) -> Iterator[Call]:
    """Yield each call once, though forks and resumes hold copies of it."""
    seen: set[tuple[str | None, str]] = set()
    for found in sessions:
        for call in found:
            is_global = len(call.id) >= SHORTEST_GLOBAL_ID and "#" not in call.id
            key = (None if is_global else call.session, call.id)
            if key not in seen:
                seen.add(key)
                yield call


def _chosen(found: Iterator[Call], tool: str | None, *, errors: bool) -> Iterator[Call]:
    for call in found:
        if tool is not None and call.name.lower() != tool.lower():
            continue
        if errors and not (call.result and call.result.error):
            continue
        yield call


def _opened(database: Connection, name: str) -> "reader.SessionReader":
    return reader.SessionReader(
        query.session(database, name),
        query.agents(database, name),
        details.files_of(database, name),
        details.copied_from(database, name),
    )


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
) -> "UsageReport":
    """Return tokens and cost, each API message once, grouped by one key or by several that cross.

    Days and hours are those of `zone`, or of this machine; `since` and `until` count to the quarter of an hour.
    """
    keys = by.split(",") if isinstance(by, str) else by
    with _perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = sums.Wanted(since, until, project, store, _account(database, account), name, model)
        table = price_table.load_prices(prices)
        return usage_stats.report(database, wanted, keys, table, zone=zone, now=datetime.now(UTC))


def usage_audit(
    session: str | None = None,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> "Audit":
    """Return the way from the records on disk to the total, of everything or of one session."""
    with _perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        return audit_stats.report(database, name, price_table.load_prices(prices))


def timeline(
    session: str,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> "Timeline":
    """Return one session turn by turn: working and waiting time, calls, cost, and how its context grew."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        found = _priced(database, [query.session(database, name)], prices)[0]
        files = details.files_of(database, name)
    return timeline_stats.read_timeline(found, files.transcripts, price_table.load_prices(prices))


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
) -> "ToolReport":
    """Return how often each tool was called, how that ended and how long it took, each call once."""
    with _perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = sums.Wanted(since, until, project, store, _account(database, account), name)
        return tool_stats.report(database, wanted)


def accounts(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> "Accounts":
    """Return every account that something on this disk names, who is signed in with which, and Desktop's counters."""
    with _index(root, update=update, on_progress=on_progress) as database:
        return desktop_accounts.accounts(database)


def cowork(
    session: str | None = None, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> "list[Manifest]":
    """Return all that Desktop wrote down of one session, or without their audits of every session of Cowork."""
    with _perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        return list(desktop_cowork.read_manifests(database, name))


def schedules(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> "list[Schedule]":
    """Return the scheduled tasks that Desktop keeps for each account."""
    with _index(root, update=update, on_progress=on_progress) as database:
        return desktop_cowork.read_schedules(database)


def mcp_servers(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> "list[McpServer]":
    """Return the MCP servers that Desktop's settings declare; never the values of their variables."""
    with _index(root, update=update, on_progress=on_progress) as database:
        return desktop_accounts.mcp_servers(database)


def log_files(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> list[str]:
    """Return where the logs of Desktop and Cowork lie."""
    with _index(root, update=update, on_progress=on_progress) as database:
        return desktop_logs.log_files(database)


def logs(
    session: str,
    root: Root = None,
    *,
    zone: tzinfo | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> "tuple[Session, list[LogLine | Damage]]":
    """Return a session, and the errors in Desktop's logs that lie near its time or name it.

    Logs without a zone are read as written in `zone`, or in that of this machine.
    """
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        found = query.session(database, name)
        return found, list(desktop_logs.errors_near(database, found, zone))


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
) -> "FileList":
    """Return the files that sessions touched, the last touched first; `limit=None` for all of them."""
    with _perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = traces.Wanted(name, project, since, until)
        return catalogue.list_files(database, wanted, match, limit, _on_file(on_progress, "counting versions"))


def recover(path: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> "FileHistory":
    """Return all versions of a file, oldest first, and what was tried but never reached the disk."""
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        name = catalogue.find_path(database, path, opened)
        found = opened.history(name)
        found.related = catalogue.related(database, name)
        return found


def recover_content(  # noqa: PLR0913 - one argument per way to choose a version
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
) -> "Recovered":
    """Return one version of a file with its bytes: by number, by moment, by message, or the last one."""
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        name = catalogue.find_path(database, path, opened)
        moment = recovery.message_time(database, opened, name, message) if message is not None else at
        return recovery.recovered(name, recovery.choose(opened, name, version, moment, candidate), partly=partly)


def recover_diff(  # noqa: PLR0913 - as above
    path: str, old: int, new: int, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[bytes]:
    """Return the unified diff from one version of a file to another, line by line."""
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        return list(recovery.diff(opened, catalogue.find_path(database, path, opened), old, new))


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
) -> "Iterator[Match]":
    """Yield the lines of any version of any file that hold a text, with the versions that have them."""
    with _perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = traces.Wanted(name, project, since, until)
        yield from recovery.search(database, text, wanted, match, _on_file(on_progress, "searching versions"))


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
) -> "WritePlan":
    """Write one file, or all files of a project as they were at a moment, into a new or empty directory.

    Without a directory they go where they were: a plan, unless `apply` is True; what is there is kept beside them.
    """
    if directory is None and root is not None:
        raise RefusedError("the files of another root are not put in place", str(root), "Write them into a directory.")
    with _histories(root, update=update, on_progress=on_progress) as (database, opened):
        forbidden = [str(store.path) for store in _stores(root)]
        if path is None:
            wanted = traces.Wanted(project=project)
            wishes = recovery.all_wishes(database, wanted, match, at, _on_file(on_progress, "replaying files"))
        else:
            name = catalogue.find_path(database, path, opened)
            moment = recovery.message_time(database, opened, name, message) if message is not None else at
            state = recovery.choose(opened, name, version, moment, candidate)
            wishes = iter([recovery.wish(database, name, state)])
        if directory is not None:
            return restore.write_into(Path(directory), wishes, forbidden, restore.this_system(), risky=risky)
        ground = restore.Ground(forbidden, os.path.expanduser("~"), risky)  # noqa: PTH111 - never raises
        return restore.in_place(wishes, ground, datetime.now().astimezone(), apply=apply)


def session_patch(
    session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[bytes]:
    """Return one patch of all that a session did to the files of its project, as `git apply` takes it."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        return list(recovery.session_patch(database, name))


@contextmanager
def _histories(
    root: Root, *, update: bool, on_progress: OnProgress
) -> "Iterator[tuple[Connection, histories.Histories]]":
    with _index(root, update=update, on_progress=on_progress) as database:
        opened = histories.Histories(database)
        try:
            yield database, opened
        finally:
            opened.close()


def _on_file(on_progress: OnProgress, what: str) -> "OnFile | None":
    return None if on_progress is None else lambda done, total: on_progress(Progress(done, total, 0, what))


def _priced(database: Connection, sessions: list[Session], prices: OwnPrices) -> list[Session]:
    """Give sessions their costs."""
    session_costs.fill_costs(database, sessions, price_table.load_prices(prices))
    return sessions


def storage(  # noqa: PLR0913 - one argument per option of the command
    key: str | None = None,
    root: Root = None,
    *,
    origin: str | None = None,
    indexeddb: bool = False,
    deleted: bool = False,
    everything: bool = False,
    secrets: bool = False,
) -> "browser_storage.Storage":
    """Return what Claude Desktop's pages keep in the browser: Local Storage, and IndexedDB where it is asked for.

    `deleted` adds what is deleted or superseded and still lies on the disk; `secrets` shows tokens as they are.
    """
    wanted = browser_storage.Wanted(key, origin, indexeddb, deleted, everything, secrets)
    found = [store for store in _stores(root) if isinstance(store, BrowserStore)]
    return browser_storage.read_storage(found, wanted)


def marks(root: Root = None) -> "list[desktop_marks.DesktopMarks]":
    """Return what each Desktop remembers of sessions outside their rows, and which of its places says so."""
    return [desktop_marks.read_desktop_marks(store) for store in browser_stores(_stores(root))]


def flags(root: Root = None, *, prefix: str = "") -> "feature_flags.FlagReport":
    """Return the feature flags that Claude Code last heard of."""
    return feature_flags.read_flags([store for store in _stores(root) if isinstance(store, SideStore)], prefix)


def compare_flags(
    other: str | os.PathLike[str], root: Root = None, *, prefix: str = ""
) -> "feature_flags.FlagDifference":
    """Return the feature flags that differ between this home, or `root`, and another one."""
    return feature_flags.compare_flags(flags(root, prefix=prefix), flags(other, prefix=prefix))


def worktrees(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> "registry.WorktreeReport":
    """Return the git worktrees that Claude Desktop made for sessions, each with the session that was held in it."""
    found = registry.read_worktrees(desktop_directories(_place(root), os.environ))
    with _index(root, update=update, on_progress=on_progress) as database:
        joined = leases.join_worktrees(found.worktrees, query.sessions(database, query.Filter(), None))
    return found._replace(worktrees=joined)


def drift(root: Root = None, *, on_progress: OnProgress = None) -> "drift_report.Drift":
    """Return which types of records and fields lie on the disk, against those that are known."""
    return drift_report.read_drift(_stores(root), on_progress)


def drift_json_schema(root: Root = None, *, on_progress: OnProgress = None) -> dict[str, Any]:
    """Return a JSON Schema of the records that lie on the disk, inferred from them."""
    return drift_schema.infer_schema(drift(root, on_progress=on_progress).types)


def update_index(root: Root = None, *, rebuild: bool = False, on_progress: OnProgress = None) -> Report:
    """Bring the index and its words up to date, or make them anew, and say what that took."""
    with _database(root, rebuild=rebuild) as (database, found), _words(database, rebuild=rebuild) as text:
        words = texting.Words(database, text, on_progress, may_wait=True)
        report = bring_up_to_date(database, found, on_progress, words)
        report.sessions = query.count(database, query.Filter())
        return report


def search(  # noqa: PLR0913 - one argument per option of the command
    wanted: str,
    root: Root = None,
    *,
    options: "searching.Options | None" = None,
    fields: Mapping[str, str | None] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    context: int = 0,
    update: bool = True,
    on_progress: OnProgress = None,
) -> "hits.Found":
    """Return what matches a query, the best first; docs/search.md tells the language of queries.

    `fields` are the fields of that language given apart: project, role, kind, tool, session and so on.
    """
    with search_index(root, update=update, on_progress=on_progress) as ask:
        return ask(wanted, options, fields=fields, since=since, until=until, context=context)


@contextmanager
def search_index(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> Iterator["Callable[..., hits.Found]"]:
    """Open everything for many searches in a row; what is yielded takes the arguments of `search`."""
    with _database(root) as (database, stores), _words(database) as text:
        words = texting.Words(database, text, on_progress)
        if update or query.is_empty(database):
            bring_up_to_date(database, stores, on_progress, words)

        def ask(  # noqa: PLR0913 - one argument per option of the command
            wanted: str,
            options: "searching.Options | None" = None,
            *,
            fields: Mapping[str, str | None] | None = None,
            since: datetime | None = None,
            until: datetime | None = None,
            context: int = 0,
        ) -> "hits.Found":
            parsed = _query(database, wanted, options, fields or {}, since, until)
            found = searching.search(database, text, parsed, options or searching.Options())
            found.is_current = words.is_current
            for hit in found.hits if context else ():
                _add_context(database, hit, context)
            return found

        yield ask


def _query(  # noqa: PLR0913, PLR0917 - as `search`
    database: Connection,
    wanted: str,
    options: "searching.Options | None",
    fields: Mapping[str, str | None],
    since: datetime | None,
    until: datetime | None,
) -> "language.Query":
    """Return the query that somebody typed, with what was said apart."""
    is_language = options is None or options.mode is None
    parsed = language.parse_query(wanted, datetime.now().astimezone()) if is_language else language.Query(wanted)
    for name, value in fields.items():
        if value:
            value = query.resolve(database, value) if name == "session" else value  # noqa: PLW2901
            parsed.wishes.setdefault(name, []).append(language.Wish(value))
    parsed.since, parsed.until = since or parsed.since, until or parsed.until
    return parsed


def _add_context(database: Connection, hit: "hits.Hit", width: int) -> None:
    """Give a hit the messages around it, of the session itself or of the same agent."""
    if hit.session is None or hit.message is None:
        return
    earlier: deque[Message] = deque(maxlen=width)
    is_met = False
    for message in _opened(database, hit.session).messages(None, internal=True):
        if message.agent != hit.agent:
            continue
        if message.id == hit.message:
            is_met, hit.before = True, list(earlier)
        elif is_met:
            hit.after.append(message)
            if len(hit.after) >= width:
                return
        earlier.append(message)


def watch(
    session: str | None = None,
    root: Root = None,
    *,
    wakes: Iterable[object] | None = None,
    on_progress: OnProgress = None,
) -> Iterator[Message]:
    """Yield messages as they are written: of all sessions, or of one with its agents; it ends when `wakes` do.

    Each of `wakes` is a reason to look; without them the file system tells when something changes.
    """
    name = None
    if session is not None:
        with _session(session, root, update=True, on_progress=on_progress) as (_, name):
            pass
    stores = [store for store in _stores(root) if isinstance(store, CodeStore)]
    wanted = None if name is None else (lambda file: file.session == name)
    return follow.follow(stores, wakes or _changes(stores), datetime.now(UTC), wanted)


def _changes(stores: "Sequence[CodeStore]") -> Iterator[object]:
    """Yield whenever something changes below stores, and every second, for a file system that tells nothing."""
    paths = [store.projects for store in stores if store.projects.is_dir()]
    if not paths:
        raise NotFoundError("there is nothing to watch", remedy="backscroll stores shows where was looked.")
    return watchfiles.watch(
        *paths, watch_filter=None, debounce=100, step=50, rust_timeout=1000, yield_on_timeout=True, raise_interrupt=True
    )


@contextmanager
def _words(database: Connection, *, rebuild: bool = False) -> Iterator["fulltext.FullText"]:
    """Open the full-text index that belongs to an index; made anew where it turns out to be damaged."""
    place = words_beside(database)
    if rebuild and place is not None:
        fulltext.remove_fulltext(place)
    with closing(fulltext.open_fulltext(place)) as text, fulltext.in_use(text):
        yield text


@contextmanager
def _index(root: Root, *, update: bool, on_progress: OnProgress) -> Iterator[Connection]:
    with ExitStack() as opened:
        database, found = opened.enter_context(_database(root))
        try:
            if update or query.is_empty(database):
                bring_up_to_date(database, found, on_progress)
        except CorruptError:
            opened.close()  # nothing is lost by making the index anew
            database, found = opened.enter_context(_database(root, rebuild=True))
            bring_up_to_date(database, found, on_progress)
        yield database


@contextmanager
def _session(asked: str, root: Root, *, update: bool, on_progress: OnProgress) -> Iterator[tuple[Connection, str]]:
    """Open the index that knows a session, and find its id; a path stands for the transcript it names."""
    if asked.endswith(".jsonl") and os.path.lexists(asked):
        with closing(open_in_memory()) as database:
            bring_up_to_date(database, [SingleStore(Path(asked))], on_progress)
            yield database, query.resolve(database, "latest")
        return
    with _index(root, update=update, on_progress=on_progress) as database:
        yield database, query.resolve(database, asked)


@contextmanager
def _perhaps_session(
    asked: str | None, root: Root, *, update: bool, on_progress: OnProgress
) -> Iterator[tuple[Connection, str | None]]:
    """Open the index, and find the session that is asked for, if one is."""
    if asked is not None:
        with _session(asked, root, update=update, on_progress=on_progress) as found:
            yield found
        return
    with _index(root, update=update, on_progress=on_progress) as database:
        yield database, None


@contextmanager
def _database(
    root: Root, env: Mapping[str, str] = os.environ, *, rebuild: bool = False
) -> Iterator[tuple[Connection, list[Store]]]:
    path = path_for(dirs.index(dirs.home(env)), _place(root))
    stores = _stores(root, env)
    database = open_index(path, rebuild=rebuild)
    with in_use(database, path):
        yield database, stores


def _stores(root: Root, env: Mapping[str, str] = os.environ) -> list[Store]:
    return find_stores(_place(root), env, dirs.home(env))


def _place(root: Root) -> Path | None:
    if root is None:
        return None
    place = Path(os.path.abspath(root))  # noqa: PTH100 - not resolved: links in it stay as they are
    if not place.is_dir():
        raise NotFoundError(
            "no such directory", str(place), "--root takes a home directory, a backup of one, or a .claude."
        )
    return place
