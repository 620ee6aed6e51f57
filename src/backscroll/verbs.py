"""The library: one function for each command.

Each takes `root`, a home directory of any system to read instead of this user's own, and brings the
index up to date first unless `update` is False.  Long answers come as iterators.  Nothing is ever
written outside backscroll's own directory.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from backscroll import dirs
from backscroll.errors import NotFoundError
from backscroll.index import query
from backscroll.index.db import open_in_memory, open_index, path_for
from backscroll.index.progress import Progress, Report
from backscroll.index.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.sessions.model import MAIN, Call, Overview, Session, SessionList, StoreSummary, Transcript, TreeNode
from backscroll.stores import Store, find_stores
from backscroll.stores.single import SingleStore

if TYPE_CHECKING:
    from backscroll.index import details
    from backscroll.sessions import reader
else:
    details = lazily("backscroll.index.details")
    reader = lazily("backscroll.sessions.reader")

Root = str | os.PathLike[str] | None
OnProgress = Callable[[Progress], None] | None
WARNING = timedelta(days=7)
LATEST = 5


def overview(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Overview:
    """Return what was found, how much, the latest sessions, and what Claude Code will delete soon."""
    with _index(root, update=update, on_progress=on_progress) as database:
        everything = query.Filter()
        messages, damage = query.totals(database)
        return Overview(
            stores=query.stores(database),
            sessions=query.count(database, everything),
            latest=query.sessions(database, everything, LATEST),
            expiring=query.expiring(database, datetime.now(UTC) + WARNING),
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
    agents: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> SessionList:
    """Return sessions, newest first; `limit=None` for all of them."""
    wanted = query.Filter(project, store, account, since, until, state)
    with _index(root, update=update, on_progress=on_progress) as database:
        found = query.sessions(database, wanted, limit)
        children = {session.id: query.agents(database, session.id) for session in found} if agents else {}
        return SessionList(query.count(database, wanted), found, children)


def show(  # noqa: PLR0913 - one argument per option of the command
    session: str,
    root: Root = None,
    *,
    branch: str = MAIN,
    all_branches: bool = False,
    internal: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Transcript:
    """Return one session with its branches, its messages as they are asked for, and its damage."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        opened = _opened(database, name)
        damage, notes = details.damage_and_notes(database, name)
    branches = opened.branches()
    if not all_branches and branch not in {item.name for item in branches}:
        opened.close()
        names = ", ".join(item.name for item in branches)
        raise NotFoundError("this session has no such branch", branch, f"It has: {names}")
    messages = opened.messages(None if all_branches else branch, internal=internal)
    return Transcript(opened.session, branches, messages, damage, notes)


def raw(session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Iterator[bytes]:
    """Yield the stored lines of a session's transcripts as they are."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        paths = details.files_of(database, name).transcripts
    return reader.stored_lines(paths)


def tree(
    session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> tuple[Session, list[TreeNode]]:
    """Return a session and its branches, compactions, agents, copies and forks."""
    with _session(session, root, update=update, on_progress=on_progress) as (database, name):
        opened = _opened(database, name)
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
    seen: set[str] = set()
    for found in sessions:
        for call in found:
            if call.id not in seen:
                seen.add(call.id)
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


def update_index(root: Root = None, *, rebuild: bool = False, on_progress: OnProgress = None) -> Report:
    """Bring the index up to date, or make it anew, and say what that took."""
    with _database(root, rebuild=rebuild) as (database, found):
        report = bring_up_to_date(database, found, on_progress)
        report.sessions = query.count(database, query.Filter())
        return report


@contextmanager
def _index(root: Root, *, update: bool, on_progress: OnProgress) -> Iterator[Connection]:
    with _database(root) as (database, found):
        if update or query.is_empty(database):
            bring_up_to_date(database, found, on_progress)
        yield database


@contextmanager
def _session(asked: str, root: Root, *, update: bool, on_progress: OnProgress) -> Iterator[tuple[Connection, str]]:
    """Open the index that knows a session, and find its id; a path stands for the transcript it names."""
    if asked.endswith(".jsonl") and os.path.lexists(asked):
        database = open_in_memory()
        bring_up_to_date(database, [SingleStore(Path(asked))], on_progress)
        yield database, query.resolve(database, "latest")
        return
    with _index(root, update=update, on_progress=on_progress) as database:
        yield database, query.resolve(database, asked)


@contextmanager
def _database(
    root: Root, env: Mapping[str, str] = os.environ, *, rebuild: bool = False
) -> Iterator[tuple[Connection, list[Store]]]:
    own = dirs.home(env)
    place = Path(os.path.abspath(root)) if root is not None else None
    if place is not None and not place.is_dir():
        raise NotFoundError(
            "no such directory", str(place), "--root takes a home directory, a backup of one, or a .claude."
        )
    database = open_index(path_for(dirs.index(own), place), rebuild=rebuild)
    try:
        yield database, find_stores(place, env, own)
    finally:
        database.close()
