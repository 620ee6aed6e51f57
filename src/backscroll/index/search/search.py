"""Search: from a query to ranked hits, with the catalogue and the full-text index.

The full-text index finds the matching messages and their places; the text of a hit comes from the transcript.
The catalogue first answers the filters of whole sessions (project, store, account, git branch).
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from time import localtime, mktime, monotonic, strftime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import tantivy

from backscroll.errors import BackscrollError, QueryError
from backscroll.files import open_readonly
from backscroll.index.background import Meanwhile
from backscroll.index.queries.session_filter import WHERE, SessionFilter, parameters, searchable
from backscroll.index.search.hit_text import HitFiles, Holder, KeptMessage, kind_shown, moment, place_of, texts_at
from backscroll.index.search.ranking import BestDocuments, Ranked, RankedDocument, ranked
from backscroll.index.words.store import FullText
from backscroll.lazy import lazily
from backscroll.query import question as asking
from backscroll.query.fields import MIXED, OF_CLAUDE, SCHEMA, session_number
from backscroll.query.hits import DayCount, Found, Hit
from backscroll.query.language import Query, Term, Wish
from backscroll.query.question import Ask, Must, Not, Should
from backscroll.query.snippets import Finder, TextMatch, cut_out, exact_finder, finders_of, regex_finder
from backscroll.records import fault
from backscroll.sessions.transcript.moments import QUARTER
from backscroll.stores.base import Opener

if TYPE_CHECKING:
    from backscroll.index.search import near_words
else:
    near_words = lazily("backscroll.index.search.near_words")

PATIENCE = 10.0
"""The most seconds to read texts for `--regex` and `--exact`."""
PAGE = 200
HOUR = 3600
PHRASE_PAGE = 1000
"""Phrases take longer to find: fetch more of them at once instead of a second search that counts them."""
EXACT, REGEX = "exact", "regex"
MOST_COUNTED = 1_000_000
"""The most hits to count if each must be read."""

_OF_SESSIONS = ("project", "store", "account", "branch", "session")
"""The filters of whole sessions."""
_FITTING = f"SELECT id FROM session WHERE {WHERE}"
_COPIED_INTO = (
    "SELECT DISTINCT passage.key FROM json_each(?) AS asked CROSS JOIN unit ON unit.session = asked.value"
    " CROSS JOIN file ON file.unit = unit.id CROSS JOIN passage ON passage.file = file.id WHERE NOT passage.is_kept"
)
"""The messages of sessions that the full-text index has under another session, which said them first."""
_BEGINNING = "SELECT id FROM session WHERE substr(id, 1, length(:value)) = :value"


@dataclass(slots=True)
class Options:
    """The options of a search."""

    limit: int = 20
    mode: str | None = None
    """exact or regex: the query is one text or one regular expression; otherwise it is in the query language."""
    all_hits: bool = False
    per_session: int = 1
    """The most hits of one session, unless `all_hits` is set."""
    by_time: bool = False
    is_typing: bool = False
    """True if the last word may be incomplete."""
    patience: float = PATIENCE


class _Counted(NamedTuple):
    """The number of matching messages, in all and in the sessions of the hits."""

    total: int
    of_sessions: dict[int, int]


class _Match(NamedTuple):
    """The best matching text of a message, and its matches."""

    kind: str
    text: str
    matches: list[TextMatch]


Key = TypeVar("Key")

_Chosen = tuple[list[RankedDocument], Callable[[], _Counted]]
"""The hits, and a function that waits for the counts, which another thread computes meanwhile."""


def search(  # noqa: PLR0913, PLR0917 - the index, the question, and how to read the hits
    database: sqlite3.Connection,
    text: FullText,
    query: Query,
    options: Options,
    open_file: Opener = open_readonly,
    clean: Callable[[str], str] | None = None,
) -> Found:
    """Return the best hits of a query, and the number of matching messages.

    `clean` makes the text that a snippet is cut from, so that no snippet begins or ends inside a secret.
    """
    wanted = _typed(query) if options.is_typing else query
    found = _Search(database, text, wanted, options, open_file, clean).answer()
    if not found.hits and options.mode is None:
        found.suggestions = near_words.suggestions(text.searcher(), query)
    return found


def count_by_day(
    database: sqlite3.Connection, text: FullText, query: Query, options: Options, open_file: Opener = open_readonly
) -> list[DayCount]:
    """Count the matching messages of each day; messages without a time are omitted."""
    wanted = _typed(query) if options.is_typing else query
    return _Search(database, text, wanted, replace(options, all_hits=True, limit=MOST_COUNTED), open_file).days()


class _Search:
    """One search, on the index as committed at its start."""

    def __init__(  # noqa: PLR0913, PLR0917 - as `search`
        self,
        database: sqlite3.Connection,
        text: FullText,
        query: Query,
        options: Options,
        open_file: Opener,
        clean: Callable[[str], str] | None = None,
    ) -> None:
        self._clean = clean
        self._database = database
        self._searcher = text.searcher()
        self._shelf = HitFiles(database, open_file)
        self._query = query
        self._options = options
        self._finders = _finders(query, options.mode)
        self._is_scored = bool(query.clauses or options.mode) and not options.by_time

    def answer(self) -> Found:
        """Query, rank, and read the hits."""
        asked = self._asked()
        if asked is None:
            return Found(self._query.text, 0, [])
        if self._options.mode is not None:
            return self._verified(asked)
        is_by_session = self._is_scored and not self._options.all_hits
        choose = self._newest if is_by_session and asking.is_beginning(self._query) else self._best
        chosen, counted = choose(asked)
        self._shelf.look_up([candidate.file for candidate in chosen], [candidate.key for candidate in chosen])
        hits = [(candidate.session, hit) for candidate in chosen if (hit := self._hit(candidate)) is not None]
        total, of_sessions = counted()
        if not self._options.all_hits:
            _count_others_of(hits, of_sessions)
        return Found(self._query.text, total, [hit for _, hit in hits])

    def days(self) -> list[DayCount]:
        """Count the matches by day in this machine's time zone."""
        asked = self._asked()
        if asked is None:
            return []
        if self._options.mode is not None:
            hits = self._verified(asked).hits
            moments = Counter(int(hit.time.timestamp() // QUARTER) for hit in hits if hit.time)
        else:
            moments = self._moments(asked)
        return _by_day(moments)

    def _moments(self, asked: Ask) -> Counter[int]:
        """Count the matches of each quarter of an hour, or of whole hours where each day begins with one."""
        hours = self._counted_each(asked, HOUR)
        if all(localtime(hour * HOUR).tm_min == 0 for hour in hours):
            return Counter({hour * (HOUR // QUARTER): number for hour, number in hours.items()})
        return Counter(self._counted_each(asked, QUARTER))

    def _counted_each(self, asked: Ask, seconds: int) -> dict[int, int]:
        """Count the matches of each stretch of time, by its number."""
        each = {"histogram": {"field": "time", "interval": seconds * 1000, "min_doc_count": 1}}
        buckets = self._searcher.aggregate(asked, {"each": each})["each"]["buckets"]
        return {int(bucket["key"] // (seconds * 1000)): int(bucket["doc_count"]) for bucket in buckets}

    def _best(self, asked: Ask) -> _Chosen:
        """Choose the best matches."""
        page = PHRASE_PAGE if asking.has_phrases(self._query) else PAGE
        if self._options.all_hits:
            limit = self._options.limit
            found, total = self._ranked(asked, limit + page, least=limit)
            return found[:limit], partial(_Counted, total, {})
        found, total = self._ranked(asked, page)
        best = BestDocuments(self._options.limit, self._options.per_session)
        self._add_best(best, asked, found, total)
        chosen = best.chosen()
        if len(found) == total:
            return chosen, partial(_Counted, total, Counter(candidate.session for candidate in found))
        return chosen, Meanwhile(partial(self._count_others, asked, chosen, total)).result

    def _newest(self, asked: Ask) -> _Chosen:
        """Choose matches for a prefix, which may match nearly everything: the newest of the best kind of text.

        So tantivy only counts most matches, without scores or order.
        """
        best = BestDocuments(self._options.limit, self._options.per_session)
        for field in sorted(asking.fields_of(self._query), key=asking.weight_of, reverse=True):
            if best.is_complete:
                break
            if (narrowed := self._asked([field])) is not None:
                found, total = self._ranked(_outside(narrowed, best.sessions), PAGE, asking.weight_of(field))
                self._add_best(best, narrowed, found, total, asking.weight_of(field))
        shown = best.chosen()
        counting = [Meanwhile(partial(self._count_all, part, shown)) for part in self._asked_apart(asked)]
        return shown, lambda: _together([part.result() for part in counting])

    def _asked_apart(self, asked: Ask) -> list[Ask]:
        """Return disjoint queries that cover everything, so that each can be counted separately."""
        fields = asking.fields_of(self._query)
        groups = [[name for name in fields if (name in OF_CLAUDE) is is_of_claude] for is_of_claude in (True, False)]
        if not all(groups) or self._searcher.doc_freq("tag", MIXED):
            return [asked]
        return [part for group in groups if (part := self._asked(group)) is not None]

    def _asked(self, within: Iterable[str] | None = None) -> Ask | None:
        """Return the tantivy query for some kinds of text; None if there is nothing to search for."""
        parts: list[tuple[tantivy.Occur, Ask]] = []
        if self._options.mode is not None:
            if not self._query.text:
                return None
            ask = asking.with_literal if self._options.mode == EXACT else asking.with_pattern
            parts.append((Must, ask(self._query.text)))
        elif self._query.clauses and not asking.has_words(self._query):
            return None
        if (words := asking.question(self._query, within)) is not None:
            parts.append((Must, words))
        parts += self._asked_of_sessions
        return asking.all_of(parts) if parts else None

    @cached_property
    def _asked_of_sessions(self) -> list[tuple[tantivy.Occur, Ask]]:
        """The filters of whole sessions, looked up once."""
        wished = [(name, wishes) for name, wishes in self._query.wishes.items() if name in _OF_SESSIONS]
        return [part for name, wishes in wished for part in self._of_sessions(name, wishes)]

    def _of_sessions(self, name: str, wishes: list[Wish]) -> Iterator[tuple[tantivy.Occur, Ask]]:
        wanted = [ask for wish in wishes if not wish.is_negated for ask in self._belonging(name, wish.value)]
        if wanted:
            yield Must, Ask.const_score_query(Ask.boolean_query([(Should, ask) for ask in wanted]), 0.0)
        yield from ((Not, ask) for wish in wishes if wish.is_negated for ask in self._belonging(name, wish.value))

    def _belonging(self, name: str, value: str) -> Iterator[Ask]:
        """Yield the queries for documents that the sessions of a filter hold: copies and deleted sessions too."""
        sessions = self._fitting(name, value)
        yield _in_sessions(map(session_number, sessions))
        copies = [key for (key,) in self._database.execute(_COPIED_INTO, (json.dumps(sessions),))]
        if copies:
            yield Ask.const_score_query(Ask.term_set_query(SCHEMA, "key", copies), 0.0)
        if name in ("project", "session"):
            tags = (tag for tag, _ in self._searcher.terms_with_prefix("tag", f"{name}:", limit=None))
            if (asked := asking.belonging_by_itself(name, value, tags)) is not None:
                yield asked

    def _fitting(self, name: str, value: str) -> list[str]:
        """Return the sessions that pass a filter."""
        text = value.removeprefix("local_")
        if name == "session":
            rows = self._database.execute(_BEGINNING, {"value": searchable(text)})
        else:
            wish: dict[str, Any] = {name: text}
            rows = self._database.execute(_FITTING, parameters(SessionFilter(**wish)))
        return [session for (session,) in rows]

    def _ranked(self, asked: Ask, size: int, weight: float | None = None, *, least: int = 1) -> Ranked:
        """Return some of the best documents, and the number of matches; a weight replaces every score."""
        is_scored = self._is_scored and weight is None
        return ranked(self._searcher, asked, size, is_scored=is_scored, weight=weight, least=least)

    def _add_best(
        self, best: BestDocuments, asked: Ask, found: list[RankedDocument], total: int, weight: float | None = None
    ) -> None:
        """Add the best documents of the best sessions; `found` are the best of all."""
        left, size = total, PAGE
        while True:
            best.add(found)
            if best.is_complete or len(found) >= left:
                return
            size *= 2
            found, left = self._ranked(_outside(asked, best.sessions), size, weight)

    def _count_others(self, asked: Ask, chosen: list[RankedDocument], total: int) -> _Counted:
        """Count the matches in the sessions of the hits."""
        sessions = {candidate.session for candidate in chosen}
        within = asking.all_of([(Must, _in_sessions(sessions)), (Must, asked)])
        return _Counted(total, _by_session(self._searcher.aggregate(within, _each_of(sessions))))

    def _count_all(self, asked: Ask, chosen: list[RankedDocument]) -> _Counted:
        """Count all matches, and those in the sessions of the hits, with one query."""
        sessions = {candidate.session for candidate in chosen}
        if not sessions:
            return _Counted(0, {})
        within = {"filter": f"session: IN [{' '.join(map(str, sessions))}]", "aggs": _each_of(sessions)}
        counted = self._searcher.aggregate(asked, {"all": {"value_count": {"field": "session"}}, "shown": within})
        return _Counted(int(counted["all"]["value"]), _by_session(counted["shown"]))

    def _verified(self, asked: Ask) -> Found:
        """Read the texts of all possible matches, best first, until time runs out."""
        until = monotonic() + self._options.patience
        most = inf if self._options.all_hits else self._options.per_session
        hits: list[tuple[object, Hit]] = []
        matches: Counter[object] = Counter()
        total, is_whole = 0, True
        for candidate in self._ranked(asked, max(self._searcher.num_docs, 1))[0]:
            if monotonic() > until:
                is_whole = False
                break
            hit = self._hit(candidate, must_match=True)
            if hit is None:
                continue
            total += 1
            session = hit.session or total  # one without a session stands alone
            matches[session] += 1
            if matches[session] <= most and len(hits) < self._options.limit:
                hits.append((session, hit))
        if not self._options.all_hits:
            _count_others_of(hits, matches)
        return Found(self._query.text, total if is_whole else None, [hit for _, hit in hits])

    def _hit(self, candidate: RankedDocument, *, must_match: bool = False) -> Hit | None:
        """Read the text of a document; None if it is gone, or does not match after all."""
        holder = self._shelf.holder(candidate.file)
        if holder is None:
            return None
        kept = KeptMessage(*json.loads(bytes(self._searcher.doc(candidate.address).get_first("at") or b"[]")))
        best = self._best_text(holder, kept)
        if must_match and not best.matches:
            return None
        if self._clean is not None:
            best = self._cleaned(best, self._clean)
        snippet, marks = cut_out(best.text, best.matches)
        session = self._shelf.session(kept.session or holder.session)
        return Hit(
            session=session.id,
            message=kept.message or self._told_by(holder),
            title=session.title,
            project=session.project or kept.project,
            role=kept.role,
            kind=kind_shown(holder, kept, best.kind),
            time=moment(candidate.time),
            snippet=snippet,
            score=candidate.score,
            place=place_of(kept, self._shelf),
            marks=marks,
            agent=kept.agent,
            copies=self._shelf.copies(candidate.key),
        )

    def _best_text(self, holder: Holder, kept: KeptMessage) -> _Match:
        """Return the text of a message with most matches; the first if only its fields match."""
        fields = asking.fields_of(self._query)
        try:
            texts = list(texts_at(holder, kept, self._shelf))
        except (OSError, BackscrollError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one hit must not affect another
            texts = [("other", f"({fault(error, 'reading this message')})")]
        for find in self._finders:
            found = (_Match(kind, text, find(text)) for kind, text in texts if kind in fields)
            best = max(found, key=lambda item: len(item.matches), default=None)
            if best is not None and best.matches:
                return best
        return _Match(*texts[0], []) if texts else _Match("other", "", [])

    def _cleaned(self, match: _Match, clean: Callable[[str], str]) -> _Match:
        """Return the cleaned text, with the matches that are still in it."""
        text = clean(match.text)
        matches = next(filter(None, (find(text) for find in self._finders)), [])
        return _Match(match.kind, text, matches)

    def _told_by(self, holder: Holder) -> str | None:
        """Return the message that names an output in a file of its own."""
        if holder.kind != "tool-result" or holder.session is None:
            return None
        name = holder.path.replace("\\", "/").rsplit("/", 1)[-1]
        asked = [
            (Must, Ask.term_query(SCHEMA, "tag", f"output:{name}")),
            (Must, _in_sessions([session_number(holder.session)])),
        ]
        for _, address in self._searcher.search(asking.all_of(asked), 1, count=False).hits:
            return KeptMessage(*json.loads(bytes(self._searcher.doc(address).get_first("at") or b"[]"))).message
        return None


def _finders(query: Query, mode: str | None) -> Sequence[Finder]:
    """Return functions that find matches; a caller tries each only if those before it found nothing."""
    if mode == EXACT:
        return (exact_finder(query.text),)
    if mode == REGEX:
        try:
            return (regex_finder(query.text),)
        except ValueError:
            raise QueryError("not a regular expression", query.text, "See docs/search.md for its syntax.") from None
    return finders_of(query)


def _in_sessions(numbers: Iterable[int]) -> Ask:
    return Ask.const_score_query(Ask.term_set_query(SCHEMA, "session", sorted(set(numbers))), 0.0)


def _count_others_of(hits: list[tuple[Key, Hit]], matches: Mapping[Key, int]) -> None:
    """Set in each hit how many more messages of its session match."""
    shown = Counter(session for session, _ in hits)
    for session, hit in hits:
        hit.others = matches.get(session, 1) - shown[session]


def _outside(asked: Ask, sessions: Collection[int]) -> Ask:
    return asking.all_of([(Must, asked), (Not, _in_sessions(sessions))]) if sessions else asked


def _together(counted: list[_Counted]) -> _Counted:
    of_sessions: Counter[int] = Counter()
    for part in counted:
        of_sessions.update(part.of_sessions)
    return _Counted(sum(part.total for part in counted), of_sessions)


def _each_of(sessions: Collection[int]) -> dict[str, Any]:
    """Return an aggregation that counts the messages in each session."""
    return {"each": {"terms": {"field": "session", "size": len(sessions)}}}


def _by_session(counted: dict[str, Any]) -> dict[int, int]:
    return {int(bucket["key"]): int(bucket["doc_count"]) for bucket in counted["each"]["buckets"]}


def _by_day(quarters: Mapping[int, int]) -> list[DayCount]:
    """Sum the counts of quarters of an hour by day, in this machine's time zone."""
    days: Counter[str] = Counter()
    day, midnight = "", -inf
    for quarter in sorted(quarters):
        if quarter * QUARTER >= midnight:
            begun = localtime(quarter * QUARTER)
            day = strftime("%Y-%m-%d", begun)
            midnight = mktime((begun.tm_year, begun.tm_mon, begun.tm_mday + 1, 0, 0, 0, 0, 0, -1))
        days[day] += quarters[quarter]
    return [DayCount(day, count) for day, count in days.items()]


def _typed(query: Query) -> Query:
    """Return the query with its last word as a prefix."""
    if not query.clauses or query.text.endswith((" ", '"')):
        return query
    last = query.clauses[-1]
    terms = (*last.terms[:-1], Term(last.terms[-1].text, is_prefix=True))
    return replace(query, clauses=[*query.clauses[:-1], last._replace(terms=terms)])
