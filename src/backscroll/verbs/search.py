"""The index brought up to date with its words, and searched."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime

from backscroll.index import fulltext, query, texting
from backscroll.index import search as searching
from backscroll.index.db import Connection, words_beside
from backscroll.index.progress import Report
from backscroll.index.update import update as bring_up_to_date
from backscroll.sessions.model import Message
from backscroll.text import hits, language
from backscroll.verbs.opened import OnProgress, Root, open_database
from backscroll.verbs.sessions import read_session


def update_index(root: Root = None, *, rebuild: bool = False, on_progress: OnProgress = None) -> Report:
    """Bring the index and its words up to date, or make them anew, and say what that took."""
    with open_database(root, rebuild=rebuild) as (database, found), _words(database, rebuild=rebuild) as text:
        words = texting.Words(database, text, on_progress, may_wait=True)
        report = bring_up_to_date(database, found, on_progress, words)
        report.sessions = query.count(database, query.Filter())
        return report


def search(  # noqa: PLR0913 - one argument per option of the command
    wanted: str,
    root: Root = None,
    *,
    options: searching.Options | None = None,
    fields: Mapping[str, str | None] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    context: int = 0,
    update: bool = True,
    on_progress: OnProgress = None,
) -> hits.Found:
    """Return what matches a query, the best first; docs/search.md tells the language of queries.

    `fields` are the fields of that language given apart: project, role, kind, tool, session and so on.
    """
    with search_index(root, update=update, on_progress=on_progress) as ask:
        return ask(wanted, options, fields=fields, since=since, until=until, context=context)


@contextmanager
def search_index(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> Iterator[Callable[..., hits.Found]]:
    """Open everything for many searches in a row; what is yielded takes the arguments of `search`."""
    with open_database(root) as (database, stores), _words(database) as text:
        words = texting.Words(database, text, on_progress)
        if update or query.is_empty(database):
            bring_up_to_date(database, stores, on_progress, words)

        def ask(  # noqa: PLR0913 - one argument per option of the command
            wanted: str,
            options: searching.Options | None = None,
            *,
            fields: Mapping[str, str | None] | None = None,
            since: datetime | None = None,
            until: datetime | None = None,
            context: int = 0,
        ) -> hits.Found:
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
    options: searching.Options | None,
    fields: Mapping[str, str | None],
    since: datetime | None,
    until: datetime | None,
) -> language.Query:
    """Return the query that somebody typed, with what was said apart."""
    is_language = options is None or options.mode is None
    parsed = language.parse_query(wanted, datetime.now().astimezone()) if is_language else language.Query(wanted)
    for name, value in fields.items():
        if value:
            value = query.resolve(database, value) if name == "session" else value  # noqa: PLW2901
            parsed.wishes.setdefault(name, []).append(language.Wish(value))
    parsed.since, parsed.until = since or parsed.since, until or parsed.until
    return parsed


def _add_context(database: Connection, hit: hits.Hit, width: int) -> None:
    """Give a hit the messages around it, of the session itself or of the same agent."""
    if hit.session is None or hit.message is None:
        return
    earlier = deque[Message](maxlen=width)
    is_met = False
    for message in read_session(database, hit.session).messages(None, internal=True):
        if message.agent != hit.agent:
            continue
        if message.id == hit.message:
            is_met, hit.before = True, list(earlier)
        elif is_met:
            hit.after.append(message)
            if len(hit.after) >= width:
                return
        earlier.append(message)


@contextmanager
def _words(database: Connection, *, rebuild: bool = False) -> Iterator[fulltext.FullText]:
    """Open the full-text index that belongs to an index; made anew where it turns out to be damaged."""
    place = words_beside(database)
    if rebuild and place is not None:
        fulltext.remove_fulltext(place)
    with closing(fulltext.open_fulltext(place)) as text, fulltext.in_use(text):
        yield text
