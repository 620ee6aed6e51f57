"""Sessions: the overview, lists, and one session as messages, records, tree and calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from backscroll.errors import NotFoundError, QueryError
from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.index.queries.damage import damage_and_notes
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.records import FAULT
from backscroll.sessions.joining import resume as resuming
from backscroll.sessions.session import MAIN, Session, SessionList
from backscroll.verbs.base import LibraryBase, OwnPrices, When, account_of, moment_of

if TYPE_CHECKING:
    from backscroll.index.queries import byte_account, details
    from backscroll.index.queries import calls as call_owners
    from backscroll.index.queries import messages as session_messages
    from backscroll.sessions import model, summaries
    from backscroll.sessions import page as pages
    from backscroll.sessions.message import Message
    from backscroll.sessions.reading import media as session_media
    from backscroll.sessions.reading import reader
    from backscroll.stats import costs as session_costs
    from backscroll.stats import prices as price_table
    from backscroll.stores import places
else:
    call_owners = lazily("backscroll.index.queries.calls")
    byte_account = lazily("backscroll.index.queries.byte_account")
    details = lazily("backscroll.index.queries.details")
    session_messages = lazily("backscroll.index.queries.messages")
    model = lazily("backscroll.sessions.model")
    pages = lazily("backscroll.sessions.page")
    reader = lazily("backscroll.sessions.reading.reader")
    session_media = lazily("backscroll.sessions.reading.media")
    summaries = lazily("backscroll.sessions.summaries")
    session_costs = lazily("backscroll.stats.costs")
    price_table = lazily("backscroll.stats.prices")
    places = lazily("backscroll.stores.places")

WARNING = timedelta(days=7)
LATEST = 5
ORDERS = ("updated", "started", "title", "project", "messages", "tokens", "cost")
"""The keys that a list can be sorted by."""


def _in_order(sessions: list[Session], sort: str) -> list[Session]:
    """Return sessions in an order: texts from A to Z, anything else the greatest first, the unknown last."""
    if sort not in ORDERS:
        raise QueryError(f"no such order: {sort}", remedy=f"Use one of: {', '.join(ORDERS)}.")
    if sort == "updated":
        return sessions
    if sort in ("title", "project"):
        return sorted(sessions, key=lambda one: (getattr(one, sort) is None, (getattr(one, sort) or "").casefold()))
    values = {session.id: _size_of(session, sort) for session in sessions}
    known = [session for session in sessions if values[session.id] is not None]
    rest = [session for session in sessions if values[session.id] is None]
    return sorted(known, key=lambda one: values[one.id], reverse=True) + rest  # type: ignore[arg-type,return-value]


def _size_of(session: Session, sort: str) -> datetime | float | None:
    usage = session.usage
    if sort == "tokens":
        return sum(filter(None, (usage.input, usage.output, usage.cache_write, usage.cache_read)))
    found: datetime | float | None = usage.cost if sort == "cost" else getattr(session, sort)
    return found


def _from_message(messages: Iterator[Message], at: str) -> Iterator[Message]:
    """Return the messages from one message on, along its branch."""
    first = next((message for message in messages if message.id.startswith(at)), None)
    if first is None:
        raise NotFoundError("this session has no such message", at, "`backscroll search` shows the ids of messages.")
    return chain([first], (message for message in messages if message.branch in (first.branch, MAIN)))


def _chosen(found: Iterator[model.Call], tool: str | None, *, errors: bool) -> Iterator[model.Call]:
    for call in found:
        if tool is not None and call.name.lower() != tool.lower():
            continue
        if errors and not (call.result and call.result.error):
            continue
        yield call


class SessionVerbs(LibraryBase):
    """The verbs about sessions: the overview, lists, and one session as messages, records, tree and calls."""

    def overview(self, *, prices: OwnPrices = None) -> summaries.Overview:
        """Return the stores, their totals, the latest sessions, and those that Claude Code will delete soon."""
        with self.catalogue() as database:
            everything = SessionFilter()
            messages, damage = query.totals(database)
            expiring = self.priced(database, query.expiring(database, datetime.now(UTC) + WARNING), prices)
            return summaries.Overview(
                stores=query.stores(database),
                sessions=query.count(database, everything),
                latest=self.priced(database, query.sessions(database, everything, LATEST), prices),
                expiring=expiring,
                messages=messages,
                damage=damage,
                unkept=0 if self.keeps_something() else len(expiring),
            )

    def list_stores(self) -> list[summaries.StoreAccount]:
        """Return all stores with their paths, totals and byte accounts."""
        with self.catalogue() as database:
            return byte_account.account(database, query.stores(database), self.stores(), self.open_file())

    def looked_at(self) -> list[places.LookedAt]:
        """Return every place that is searched for stores, found or not."""
        return [place for root in self.roots or [None] for place in places.looked_at(root, self._env)]

    def list_sessions(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        limit: int | None = 20,
        offset: int = 0,
        project: str | None = None,
        store: str | None = None,
        account: str | None = None,
        since: When = None,
        until: When = None,
        state: str | None = None,
        sidebar: str | None = None,
        pinned: bool = False,
        agents: bool = False,
        prices: OwnPrices = None,
        title: Sequence[str] = (),
        model: str | None = None,
        branch: str | None = None,
        sort: str = "updated",
    ) -> SessionList:
        """Return sessions, newest first; `limit=None` for all of them, `offset` to leave out the first ones.

        `title` are words that titles hold, `model` and `branch` parts of names; `sort` is one of ORDERS.
        `account` is an id, its beginning or an e-mail address; so is `sidebar`.  `sidebar` selects the sessions that
        Desktop's Code tab shows to that account, pinned ones first.  `pinned` selects only pinned sessions.
        """
        with self.catalogue() as database:
            owner = account_of(database, account)
            wanted = SessionFilter(
                *(project, store, owner, moment_of(since), moment_of(until), state, pinned),
                title=tuple(title),
                model=model,
                branch=branch,
            )
            if sidebar is not None:
                found = query.sidebar(database, account_of(database, sidebar) or "", datetime.now(UTC))
                total = len(found)
            else:
                page = (limit, offset) if sort == "updated" else (None, 0)
                found, total = query.sessions(database, wanted, *page), query.count(database, wanted)
                offset -= page[1]
            end = None if limit is None else offset + limit
            found = _in_order(self.priced(database, found, prices), sort)[offset:end]
            children = {session.id: query.agents(database, session.id) for session in found} if agents else {}
            unkept = 0 if self.keeps_something() else query.count_expiring(database, datetime.now(UTC) + WARNING)
            return SessionList(total, found, children, unkept)

    def show(  # noqa: PLR0913 - one argument per option of the command
        self,
        session: str,
        *,
        branch: str = MAIN,
        all_branches: bool = False,
        at: str | None = None,
        internal: bool = False,
        images: bool = False,
        prices: OwnPrices = None,
        redact: bool = False,
    ) -> model.Transcript:
        """Return one session with its branches, the requested messages, and its damage.

        `at` is the id of a message, or its beginning: the messages start there, on the branch of that message.
        With `images` the parts of images hold their bytes as `base64`.
        `redact` puts a pseudonym in place of each secret and identity.
        """
        with self.session(session) as (database, name):
            opened = self.read_session(database, name)
            self.priced(database, [opened.session], prices)
            damage, notes = damage_and_notes(database, name)
        # We just read the session's own files again; they may have changed or vanished since the update of the index.
        own = set(opened.session.transcripts)
        fresh = opened.damage()
        other = [item for item in damage if item.place.path not in own or item.reason.startswith(FAULT)]
        damage = fresh + [item for item in other if item not in fresh]
        branches = opened.branches()
        if not all_branches and branch not in {item.name for item in branches}:
            opened.close()
            names = ", ".join(item.name for item in branches)
            raise NotFoundError("this session has no such branch", branch, f"Its branches: {names}")
        along = None if all_branches or at else branch
        messages = opened.messages(along, internal=internal or bool(at), images=images)
        if at is not None:
            messages = _from_message(messages, at)
        found = model.Transcript(opened.session, branches, messages, damage, notes)
        return self.redactor().transcript(found) if redact else found

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
        redact: bool = False,
    ) -> pages.MessagePage:
        """Return a page of a session's messages, in the order of `show`.

        The page starts at number `offset`, or surrounds the message whose id starts with `around`.
        """
        if redact:
            page = self.messages(
                session,
                offset=offset,
                limit=limit,
                around=around,
                branch=branch,
                all_branches=all_branches,
                prices=prices,
            )
            return self.redactor().page(page)
        with self.session(session) as (database, name):
            found = self.priced(database, [query.session(database, name)], prices)[0]
            damage, _ = damage_and_notes(database, name)
            if branch not in (None, MAIN) and not all_branches:
                opened = self.read_session(database, name)
                page = self._page_along(opened, found, branch or MAIN, offset, limit, around)
            else:
                page = session_messages.page(
                    database,
                    found,
                    offset=offset,
                    limit=limit,
                    around=around,
                    all_branches=all_branches,
                    open_file=self.open_file(),
                )
            shown = {message.agent for message in page.messages}
            agents = [agent for agent in query.agents(database, name) if agent.id in shown]
            return replace(page, damage=damage, agents=agents)

    def _page_along(  # noqa: PLR0913, PLR0917 - as `messages`
        self,
        opened: reader.SessionReader,
        found: Session,
        branch: str,
        offset: int,
        limit: int,
        around: str | None,
    ) -> pages.MessagePage:
        """Return a page along a branch that was left; only the transcript has the messages that lead to it."""
        if branch not in {item.name for item in opened.branches()}:
            opened.close()
            raise NotFoundError("this session has no such branch", branch, "`backscroll tree ID` shows its branches.")
        messages = list(opened.messages(branch))
        if around is not None:
            place = next((number for number, item in enumerate(messages) if item.id.startswith(around)), None)
            if place is None:
                raise NotFoundError("this branch has no such message", around)
            offset = max(0, place - limit // 2)
        return pages.MessagePage(found, len(messages), offset, messages[offset : offset + limit])

    def media(self, session: str, message: str, number: int = 1) -> summaries.Media:
        """Return an image or document of a message, counted from 1; NotFoundError if the transcript does not have it.

        An image comes without its metadata.  `message` is an id or its beginning.
        """
        with self.session(session) as (database, name):
            page = session_messages.page(
                database,
                query.session(database, name),
                offset=0,
                limit=1,
                around=message,
                all_branches=True,
                open_file=self.open_file(),
                images=True,
            )
        every = [data for one in page.messages for data in session_media.media_of(one.parts)]
        found = session_media.read_media(every[number - 1]) if 0 < number <= len(every) else None
        if found is None:
            raise NotFoundError("this message has no such image or document", f"{message}, number {number}")
        return found

    def outline(self, session: str, *, prices: OwnPrices = None) -> pages.Outline:
        """Return the landmarks of a session: prompts, compactions, forks, agents, errors and file changes."""
        with self.session(session) as (database, name):
            found = self.priced(database, [query.session(database, name)], prices)[0]
            return session_messages.outline(database, found)

    def resume(self, session: str, *, prices: OwnPrices = None) -> Session:
        """Return a session with the command that resumes it in Claude Code, or the reason why there is none."""
        with self.session(session) as (database, name):
            return self.priced(database, [query.session(database, name)], prices)[0]

    def raw(self, session: str) -> Iterator[bytes]:
        """Yield the stored lines of a session's transcripts, unchanged."""
        with self.session(session) as (database, name):
            paths = details.files_of(database, name).transcripts
        return reader.stored_lines(paths, self.open_file())

    def tree(self, session: str, *, prices: OwnPrices = None) -> tuple[Session, list[model.TreeNode]]:
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
        self,
        session: str | None = None,
        *,
        tool: str | None = None,
        errors: bool = False,
        internal: bool = False,
        redact: bool = False,
    ) -> Iterator[model.Call]:
        """Yield tool calls with their results: of one session with copies marked, or of all, each call once."""
        if redact:
            found = self.calls(session, tool=tool, errors=errors, internal=internal)
            yield from map(self.redactor().value, found)
            return
        if session is None:
            with self.catalogue() as database:
                listed = query.sessions(database, SessionFilter(), None)
                names = [item.id for item in listed if item.calls or (internal and item.internal_agents)]
                shared = call_owners.SharedCalls(database)
                every = (call for name in names for call in self._calls(database, name, shared, internal=internal))
                own = (call for call in every if not shared.is_further(call.session, call.agent, call.id))
                yield from _chosen(own, tool, errors=errors)
            return
        with self.session(session) as (database, name):
            found = self._calls(database, name, call_owners.SharedCalls(database, name), internal=internal)
            yield from _chosen(found, tool, errors=errors)

    def _calls(
        self, database: Connection, name: str, shared: call_owners.SharedCalls, *, internal: bool
    ) -> Iterator[model.Call]:
        """Yield the calls of one session; take a missing result from another transcript."""
        results: dict[str, dict[str, model.Call]] = {}
        for call in self.read_session(database, name).calls(internal=internal):
            maker = shared.maker(name, call.agent, call.id)
            call.copied_from = maker if maker != name else None
            other = shared.answered_in(name, call.agent, call.id)
            if call.result is None and other is not None:
                if other not in results:
                    results[other] = {item.id: item for item in self.read_session(database, other).calls()}
                if (answered := results[other].get(call.id)) is not None:
                    call.result, call.finished = answered.result, answered.finished
            yield call

    def read_session(self, database: Connection, name: str) -> reader.SessionReader:
        """Open a session for reading."""
        return reader.SessionReader(
            query.session(database, name),
            query.agents(database, name),
            details.files_of(database, name),
            details.copied_from(database, name),
            self.open_file(),
        )

    def priced(self, database: Connection, sessions: list[Session], prices: OwnPrices) -> list[Session]:
        """Set the costs of sessions, and the command that resumes each."""
        session_costs.fill_costs(database, sessions, price_table.load_prices(prices))
        resuming.add_resume(sessions, self.roots, self._env)
        return sessions
