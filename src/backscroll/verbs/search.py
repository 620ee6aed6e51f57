"""The index brought up to date with its words, and searched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from backscroll.index import query
from backscroll.index.db import Connection
from backscroll.index.progress import Report
from backscroll.index.session_filter import SessionFilter
from backscroll.index.update.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.sessions.model import Message
from backscroll.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from backscroll.index import search as searching
    from backscroll.text import hits, language
else:
    searching = lazily("backscroll.index.search")
    hits = lazily("backscroll.text.hits")
    language = lazily("backscroll.text.language")


class SearchVerbs(SessionVerbs):
    """Brings the index up to date with its words, and searches it."""

    def update_index(self, *, rebuild: bool = False) -> Report:
        """Bring the index and its words up to date, or make them anew, and say what that took."""
        with self.rebuilding(rebuild=rebuild) as (database, words):
            report = bring_up_to_date(database, self.stores(), self.on_progress, words)
            report.sessions = query.count(database, SessionFilter())
            return report

    def search(  # noqa: PLR0913 - one argument per option of the command
        self,
        wanted: str,
        *,
        options: searching.Options | None = None,
        fields: Mapping[str, str | None] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        context: int = 0,
        counts: str | None = None,
    ) -> hits.Found:
        """Return what matches a query, the best first; docs/search.md tells the language of queries.

        `fields` are the fields of that language given apart: project, role, kind, tool, session and so on.
        `counts="day"` also counts the matches of each day.
        """
        with self.search_index() as ask:
            return ask(wanted, options, fields=fields, since=since, until=until, context=context, counts=counts)

    @contextmanager
    def search_index(self) -> Iterator[Callable[..., hits.Found]]:
        """Hold everything for many searches in a row; the function that is yielded takes the arguments of `search`."""
        with self.words() as (database, text, words):
            open_file = self.open_file()

            def ask(  # noqa: PLR0913 - one argument per option of the command
                wanted: str,
                options: searching.Options | None = None,
                *,
                fields: Mapping[str, str | None] | None = None,
                since: datetime | None = None,
                until: datetime | None = None,
                context: int = 0,
                counts: str | None = None,
            ) -> hits.Found:
                parsed = _query(database, wanted, options, fields or {}, since, until)
                chosen = options or searching.Options()
                found = searching.search(database, text, parsed, chosen, open_file)
                found.is_current = words.is_current
                if counts is not None:
                    found.counts = searching.count_by_day(database, text, parsed, chosen, open_file)
                for hit in found.hits if context else ():
                    self._add_context(database, hit, context)
                return found

            yield ask

    def _add_context(self, database: Connection, hit: hits.Hit, width: int) -> None:
        """Give a hit the messages around it, of the session itself or of the same agent."""
        if hit.session is None or hit.message is None:
            return
        earlier = deque[Message](maxlen=width)
        is_met = False
        for message in self.read_session(database, hit.session).messages(None, internal=True):
            if message.agent != hit.agent:
                continue
            if message.id == hit.message:
                is_met, hit.before = True, list(earlier)
            elif is_met:
                hit.after.append(message)
                if len(hit.after) >= width:
                    return
            earlier.append(message)


def _query(  # noqa: PLR0913, PLR0917 - as `search`
    database: Connection,
    wanted: str,
    options: searching.Options | None,
    fields: Mapping[str, str | None],
    since: datetime | None,
    until: datetime | None,
) -> language.Query:
    """Return the query that somebody typed, with the fields that were given apart."""
    is_language = options is None or options.mode is None
    parsed = language.parse_query(wanted, datetime.now().astimezone()) if is_language else language.Query(wanted)
    for name, value in fields.items():
        if value:
            value = query.resolve(database, value) if name == "session" else value  # noqa: PLW2901
            parsed.wishes.setdefault(name, []).append(language.Wish(value))
    parsed.since, parsed.until = since or parsed.since, until or parsed.until
    return parsed
