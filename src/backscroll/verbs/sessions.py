"""Sessions: the overview, lists, and one session as messages, records, tree and calls."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from backscroll.errors import NotFoundError
from backscroll.index import query
from backscroll.index.db import Connection
from backscroll.index.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.sessions.model import (
    MAIN,
    SHORTEST_GLOBAL_ID,
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
from backscroll.verbs.opened import Opened, OwnPrices, account_of

if TYPE_CHECKING:
    from backscroll.index import details
    from backscroll.index import messages as session_messages
    from backscroll.sessions import reader
    from backscroll.stats import costs as session_costs
    from backscroll.stats import prices as price_table
else:
    details = lazily("backscroll.index.details")
    session_messages = lazily("backscroll.index.messages")
    reader = lazily("backscroll.sessions.reader")
    session_costs = lazily("backscroll.stats.costs")
    price_table = lazily("backscroll.stats.prices")

WARNING = timedelta(days=7)
LATEST = 5


def _from_message(messages: Iterator[Message], at: str) -> Iterator[Message]:
    """Return the messages from one on, along the branch that it is on."""
    first = next((message for message in messages if message.id.startswith(at)), None)
    if first is None:
        raise NotFoundError("this session has no such message", at, "backscroll search gives the ids of messages.")
    return chain([first], (message for message in messages if message.branch in (first.branch, MAIN)))


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


class SessionVerbs(Opened):
    """Asks for sessions: the overview, lists, and one session as messages, records, tree and calls."""

    def overview(self, *, prices: OwnPrices = None) -> Overview:
        """Return what was found, how much, the latest sessions, and what Claude Code will delete soon."""
        with self.catalogue() as database:
            everything = SessionFilter()
            messages, damage = query.totals(database)
            return Overview(
                stores=query.stores(database),
                sessions=query.count(database, everything),
                latest=self.priced(database, query.sessions(database, everything, LATEST), prices),
                expiring=self.priced(database, query.expiring(database, datetime.now(UTC) + WARNING), prices),
                messages=messages,
                damage=damage,
            )

    def list_stores(self) -> list[StoreSummary]:
        """Return what was found and where."""
        with self.catalogue() as database:
            return query.stores(database)

    def list_sessions(  # noqa: PLR0913 - one argument per option of the command
        self,
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
    ) -> SessionList:
        """Return sessions, newest first; `limit=None` for all of them.

        `account` is an id, its beginning or an e-mail address; so is `sidebar`, which asks for what Desktop's Code tab
        shows somebody who is signed in with that account instead, pinned ones first.  `pinned` leaves out what is not
        pinned there.
        """
        with self.catalogue() as database:
            wanted = SessionFilter(project, store, account_of(database, account), since, until, state, pinned)
            if sidebar is not None:
                found = query.sidebar(database, account_of(database, sidebar) or "", datetime.now(UTC))
                total = len(found)
            else:
                found, total = query.sessions(database, wanted, limit), query.count(database, wanted)
            found = self.priced(database, found[:limit], prices)
            children = {session.id: query.agents(database, session.id) for session in found} if agents else {}
            return SessionList(total, found, children)

    def show(  # noqa: PLR0913 - one argument per option of the command
        self,
        session: str,
        *,
        branch: str = MAIN,
        all_branches: bool = False,
        at: str | None = None,
        internal: bool = False,
        prices: OwnPrices = None,
    ) -> Transcript:
        """Return one session with its branches, its messages as they are asked for, and its damage.

        `at` is the id of a message, or the beginning of one: messages begin there, on the branch that holds it.
        """
        with self.session(session) as (database, name):
            opened = self.read_session(database, name)
            self.priced(database, [opened.session], prices)
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

    def messages(  # noqa: PLR0913 - one argument per option of the command
        self,
        session: str,
        *,
        offset: int = 0,
        limit: int = 50,
        around: str | None = None,
        branch: str | None = None,
        all_branches: bool = False,
        prices: OwnPrices = None,
    ) -> MessagePage:
        """Return a page of a session's messages, in the order in which `show` tells them.

        The page begins at number `offset`, or lies around the message with the id `around`, or with one that begins so.
        """
        with self.session(session) as (database, name):
            found = self.priced(database, [query.session(database, name)], prices)[0]
            if branch not in (None, MAIN) and not all_branches:
                return self._page_along(self.read_session(database, name), found, branch or MAIN, offset, limit, around)
            return session_messages.page(
                database,
                found,
                offset=offset,
                limit=limit,
                around=around,
                all_branches=all_branches,
                open_file=self.open_file(),
            )

    def _page_along(  # noqa: PLR0913, PLR0917 - as `messages`
        self,
        opened: "reader.SessionReader",
        found: Session,
        branch: str,
        offset: int,
        limit: int,
        around: str | None,
    ) -> MessagePage:
        """Return a page along a branch that was left: only its transcript tells what leads to it."""
        if branch not in {item.name for item in opened.branches()}:
            opened.close()
            raise NotFoundError("this session has no such branch", branch, "backscroll tree ID names its branches.")
        messages = list(opened.messages(branch))
        if around is not None:
            place = next((number for number, item in enumerate(messages) if item.id.startswith(around)), None)
            if place is None:
                raise NotFoundError("this branch has no such message", around)
            offset = max(0, place - limit // 2)
        return MessagePage(found, len(messages), offset, messages[offset : offset + limit])

    def outline(self, session: str, *, prices: OwnPrices = None) -> Outline:
        """Return the landmarks of a session: prompts, compactions, forks, agents, errors and file changes."""
        with self.session(session) as (database, name):
            found = self.priced(database, [query.session(database, name)], prices)[0]
            return session_messages.outline(database, found)

    def raw(self, session: str) -> Iterator[bytes]:
        """Yield the stored lines of a session's transcripts as they are."""
        with self.session(session) as (database, name):
            paths = details.files_of(database, name).transcripts
        return reader.stored_lines(paths, self.open_file())

    def tree(self, session: str, *, prices: OwnPrices = None) -> tuple[Session, list[TreeNode]]:
        """Return a session and its branches, compactions, agents, copies and forks."""
        with self.session(session) as (database, name):
            opened = self.read_session(database, name)
            self.priced(database, [opened.session], prices)
            forks = query.forks(database, name)
        try:
            return opened.session, opened.tree_nodes(forks)
        finally:
            opened.close()

    def calls(
        self, session: str | None = None, *, tool: str | None = None, errors: bool = False, internal: bool = False
    ) -> Iterator[Call]:
        """Yield tool calls with their results: of one session, or of all, each call once."""
        if session is None:
            with self.catalogue() as database:
                names = [item.id for item in query.sessions(database, SessionFilter(), None)]
                readers = (self.read_session(database, name) for name in names)
                yield from _chosen(_once(item.calls(internal=internal) for item in readers), tool, errors=errors)
            return
        with self.session(session) as (database, name):
            opened = self.read_session(database, name)
        yield from _chosen(opened.calls(internal=internal), tool, errors=errors)

    def read_session(self, database: Connection, name: str) -> "reader.SessionReader":
        """Open a session for reading."""
        return reader.SessionReader(
            query.session(database, name),
            query.agents(database, name),
            details.files_of(database, name),
            details.copied_from(database, name),
            self.open_file(),
        )

    def priced(self, database: Connection, sessions: list[Session], prices: OwnPrices) -> list[Session]:
        """Give sessions their costs."""
        session_costs.fill_costs(database, sessions, price_table.load_prices(prices))
        return sessions
