"""Update the full-text index, and search it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from threading import get_ident
from typing import TYPE_CHECKING, Protocol

from backscroll.errors import RefusedError
from backscroll.index.db import Connection, words_beside
from backscroll.index.progress import Report
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.update.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.sessions.joining import resume as resuming
from backscroll.verbs.base import When, account_of, moment_of
from backscroll.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from backscroll.index import context as surroundings
    from backscroll.index.search import search as searching
    from backscroll.query import closed_fields, hits, language
    from backscroll.redaction import values
    from backscroll.sessions.message import Message
else:
    surroundings = lazily("backscroll.index.context")
    searching = lazily("backscroll.index.search.search")
    closed_fields = lazily("backscroll.query.closed_fields")
    hits = lazily("backscroll.query.hits")
    language = lazily("backscroll.query.language")
    values = lazily("backscroll.redaction.values")


TYPING = 5.0
"""Seconds: letters that are typed one after the other share one look at the files; a search with counts looks again."""


class SearchFunction(Protocol):
    """A search on an open index; it takes the arguments of `search`, but an open redactor instead of `redact`."""

    def __call__(  # noqa: PLR0913 - one argument per option of the command
        self,
        wanted: str,
        options: searching.Options | None = None,
        *,
        fields: Mapping[str, str | None] | None = None,
        since: When = None,
        until: When = None,
        context: int = 0,
        counts: str | None = None,
        redactor: values.ValueRedactor | None = None,
    ) -> hits.Found:
        """Return the matches of a query, best first."""


class SearchVerbs(SessionVerbs):
    """The verbs that update the full-text index and search it."""

    def update_index(self, *, rebuild: bool = False) -> Report:
        """Update the catalogue and the full-text index, or rebuild them, and return a report."""
        with self.rebuilding(rebuild=rebuild) as (database, words):
            report = bring_up_to_date(database, self.stores(), self.on_progress, words)
            report.sessions = query.count(database, SessionFilter())
            report.is_saved = words_beside(database) is not None
            self.note_all_damage(database)
            return report

    def search(  # noqa: PLR0913 - one argument per option of the command
        self,
        wanted: str,
        *,
        options: searching.Options | None = None,
        fields: Mapping[str, str | None] | None = None,
        since: When = None,
        until: When = None,
        context: int = 0,
        counts: str | None = None,
        redact: bool = False,
    ) -> hits.Found:
        """Return the matches of a query, best first; docs/search.md describes the query language.

        `fields` are fields of that language as a mapping: project, role, kind, tool, session and so on.
        `counts="day"` also counts the matches of each day; `redact` replaces secrets and identities by pseudonyms.
        """
        redactor = self.redactor() if redact else None
        is_passing = options is not None and options.is_typing and counts is None
        with self._index_for_search(TYPING if is_passing else 0.0) as ask:
            return ask(
                wanted,
                options,
                fields=fields,
                since=since,
                until=until,
                context=context,
                counts=counts,
                redactor=redactor,
            )

    @contextmanager
    def search_index(self) -> Iterator[SearchFunction]:
        """Hold the open index for many searches; the yielded function takes the arguments of `search`, but no `redact`.

        It works in the thread that opened it, until the context ends; otherwise it raises RefusedError.
        """
        with self._index_for_search() as ask:
            yield ask

    @contextmanager
    def _index_for_search(self, recent: float = 0.0) -> Iterator[SearchFunction]:
        with self.words(recent) as (database, text, is_current):
            open_file, owner, is_open = self.open_file(), get_ident(), True

            def ask(  # noqa: PLR0913 - one argument per option of the command
                wanted: str,
                options: searching.Options | None = None,
                *,
                fields: Mapping[str, str | None] | None = None,
                since: When = None,
                until: When = None,
                context: int = 0,
                counts: str | None = None,
                redactor: values.ValueRedactor | None = None,
            ) -> hits.Found:
                if not is_open or self._is_closed:
                    raise RefusedError("this search index is closed", remedy="Open another with search_index().")
                if get_ident() != owner:
                    remedy = "Open one in each thread, or call search() of a Library: it serves one thread at a time."
                    raise RefusedError("this search index belongs to another thread", remedy=remedy)
                parsed = _query(database, wanted, options, fields or {}, since, until)
                chosen = options or searching.Options()
                found = searching.search(
                    database, text, parsed, chosen, open_file, None if redactor is None else redactor.text
                )
                found.is_current = is_current
                if not found.total:
                    text.verify()  # "Nothing found" must be true
                if counts is not None:
                    found.counts = searching.count_by_day(database, text, parsed, chosen, open_file)
                self._add_resume(database, found.hits)
                if context:
                    with closing(surroundings.ContextReader(database, found.hits, open_file)) as reader:
                        for hit in found.hits:
                            hit.before, hit.after = reader.around(hit, context)
                return found if redactor is None else redactor.found(found)

            try:
                yield ask
            finally:
                is_open = False

    def in_context(
        self, found: list[hits.Hit], width: int, redactor: values.ValueRedactor | None = None
    ) -> Iterator[hits.Hit]:
        """Yield each hit with the messages around it, and drop them before the next hit."""
        if not width:
            yield from found
            return
        with (
            self._held() as database,
            closing(surroundings.ContextReader(database, found, self.open_file())) as reader,
        ):
            for hit in found:
                before, after = reader.around(hit, width)
                hit.before, hit.after = _clean(before, redactor), _clean(after, redactor)
                yield hit
                hit.before, hit.after = [], []

    def _add_resume(self, database: Connection, found: list[hits.Hit]) -> None:
        """Give hits the command that resumes their sessions."""
        names = {hit.session for hit in found if hit.session is not None}
        known = {session.id: session for session in query.named(database, names)}
        resuming.add_resume(list(known.values()), self.roots, self._env)
        for hit in found:
            hit.resume = known[hit.session].resume if hit.session in known else None
            hit.is_listed = hit.session is None or hit.session in known


def _clean(messages: list[Message], redactor: values.ValueRedactor | None) -> list[Message]:
    return messages if redactor is None else list(redactor.messages(messages))


def _known(database: Connection, name: str, value: str) -> str:
    """Return the id of the session or account in a field; any other value unchanged."""
    if name == "session":
        return query.resolve(database, value)
    return (account_of(database, value) or value) if name == "account" else value


def _query(  # noqa: PLR0913, PLR0917 - as `search`
    database: Connection,
    wanted: str,
    options: searching.Options | None,
    fields: Mapping[str, str | None],
    since: When,
    until: When,
) -> language.Query:
    """Return the typed query together with the separate fields."""
    is_language = options is None or options.mode is None
    parsed = language.parse_query(wanted, datetime.now().astimezone()) if is_language else language.Query(wanted)
    for number, wish in enumerate(parsed.wishes.get("account", [])):
        parsed.wishes["account"][number] = wish._replace(value=_known(database, "account", wish.value))
    for name, value in fields.items():
        if value:
            closed_fields.refuse_unknown(name, value)
            value = _known(database, name, value)  # noqa: PLW2901
            parsed.wishes.setdefault(name, []).append(language.Wish(value))
    parsed.since, parsed.until = moment_of(since) or parsed.since, moment_of(until) or parsed.until
    return parsed
