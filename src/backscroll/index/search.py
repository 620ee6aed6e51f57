"""Search: a query to ranked hits, from the catalogue and the full-text index together.

The full-text index says which messages match and where they lie; what a hit shows is read from there.  What is asked
of whole sessions (project, store, account, git branch) is looked up in the catalogue first.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, partial
from time import monotonic
from typing import Any

import tantivy

from backscroll.errors import QueryError
from backscroll.files import open_readonly
from backscroll.index.hit_text import Holder, Kept, Shelf, kind_shown, moment, place_of, texts_at
from backscroll.index.session_filter import WHERE, SessionFilter, parameters, searchable
from backscroll.index.words.store import FullText
from backscroll.meanwhile import Meanwhile
from backscroll.sessions.moments import QUARTER
from backscroll.stores.base import Opener
from backscroll.text import asking
from backscroll.text.asking import Ask, Must, Not, Should
from backscroll.text.fields import MIXED, OF_CLAUDE, SCHEMA, session_number
from backscroll.text.hits import DayCount, Found, Hit
from backscroll.text.language import Query, Term, Wish
from backscroll.text.snippets import Finder, Match, cut_out, exact_finder, finders_of, regex_finder
from backscroll.value import NamedTuple, Value

PATIENCE = 10.0
"""Seconds that looking through texts for `--regex` and `--exact` may take."""
PAGE = 200
PHRASE_PAGE = 1000
"""Phrases take longer to find: rather more of them at once than to look for them again to count them."""
EXACT, REGEX = "exact", "regex"
MOST_COUNTED = 1_000_000
"""So many hits are counted at most where each must be looked at."""

_OF_SESSIONS = ("project", "store", "account", "branch", "session")
"""What is asked of whole sessions."""
_FITTING = f"SELECT id FROM session WHERE {WHERE}"
_BEGINNING = "SELECT id FROM session WHERE substr(id, 1, length(:value)) = :value"


class Options(Value):
    """How to answer."""

    limit: int = 20
    mode: str | None = None
    """exact or regex: the query is one text or one regular expression; else it is in the language of queries."""
    all_hits: bool = False
    by_time: bool = False
    is_typing: bool = False
    """The last word may be the beginning of one."""
    patience: float = PATIENCE


class _Asked(NamedTuple):
    """What the full-text index is asked: all of it, and without what is asked of whole sessions."""

    everything: Ask
    of_messages: Ask


class _Candidate(NamedTuple):
    """A document that matches, before it is read."""

    score: float | None
    address: tantivy.DocAddress
    session: int
    file: int
    time: int


class _Counted(NamedTuple):
    """How many messages match, in all and in the sessions that are shown."""

    total: int
    of_sessions: dict[int, int]


class _Match(NamedTuple):
    """The text of a message that matches best, and where."""

    kind: str
    text: str
    matches: list[Match]


_Chosen = tuple[list[_Candidate], Callable[[], _Counted]]
"""What is shown, and what waits for the numbers: they are counted while that is read."""


def search(
    database: sqlite3.Connection, text: FullText, query: Query, options: Options, open_file: Opener = open_readonly
) -> Found:
    """Return the best hits of a query, and how many messages match."""
    wanted = _typed(query) if options.is_typing else query
    return _Search(database, text, wanted, options, open_file).answer()


def count_by_day(
    database: sqlite3.Connection, text: FullText, query: Query, options: Options, open_file: Opener = open_readonly
) -> list[DayCount]:
    """Count the messages of each day that match; those without a time are left out."""
    wanted = _typed(query) if options.is_typing else query
    return _Search(database, text, wanted, options.changed(all_hits=True, limit=MOST_COUNTED), open_file).days()


class _Search:
    """One search, on what was committed when it began."""

    def __init__(
        self, database: sqlite3.Connection, text: FullText, query: Query, options: Options, open_file: Opener
    ) -> None:
        self._database = database
        self._searcher = text.searcher()
        self._shelf = Shelf(database, open_file)
        self._query = query
        self._options = options
        self._finders = _finders(query, options.mode)
        self._is_scored = bool(query.clauses or options.mode) and not options.by_time

    def answer(self) -> Found:
        """Ask, rank, and read what is shown."""
        asked = self._asked()
        if asked is None:
            return Found(self._query.text, 0, [])
        if self._options.mode is not None:
            return self._verified(asked.everything)
        is_by_session = self._is_scored and not self._options.all_hits
        choose = self._newest if is_by_session and asking.is_beginning(self._query) else self._best
        chosen, counted = choose(asked)
        self._shelf.look_up([candidate.file for candidate in chosen])
        hits = [(candidate.session, hit) for candidate in chosen if (hit := self._hit(candidate)) is not None]
        total, of_sessions = counted()
        for session, hit in hits:
            hit.others = of_sessions.get(session, 1) - 1
        return Found(self._query.text, total, [hit for _, hit in hits])

    def days(self) -> list[DayCount]:
        """Count what matches by the days of this machine."""
        asked = self._asked()
        if asked is None:
            return []
        if self._options.mode is not None:
            hits = self._verified(asked.everything).hits
            moments = Counter(hit.time.timestamp() // QUARTER for hit in hits if hit.time)
        else:
            each = {"histogram": {"field": "time", "interval": QUARTER * 1000, "min_doc_count": 1}}
            buckets = self._searcher.aggregate(asked.everything, {"each": each})["each"]["buckets"]
            moments = Counter({bucket["key"] // (QUARTER * 1000): int(bucket["doc_count"]) for bucket in buckets})
        days: Counter[str] = Counter()
        for quarter, count in moments.items():
            days[f"{datetime.fromtimestamp(quarter * QUARTER).astimezone():%Y-%m-%d}"] += count
        return [DayCount(day, days[day]) for day in sorted(days)]

    def _best(self, asked: _Asked) -> _Chosen:
        """Choose what matches best."""
        page = PHRASE_PAGE if asking.has_phrases(self._query) else PAGE
        found, total = self._ranked(asked.everything, self._options.limit if self._options.all_hits else page)
        if self._options.all_hits:
            return found, partial(_Counted, total, {})
        chosen = self._best_of_each_session(asked.everything, found, total)
        if len(found) == total:
            return chosen, partial(_Counted, total, Counter(candidate.session for candidate in found))
        return chosen, Meanwhile(partial(self._count_others, asked.of_messages, chosen, total)).result

    def _newest(self, asked: _Asked) -> _Chosen:
        """Choose for the beginning of a word, which nearly everything may match: the newest of the best kind of text.

        So most of what matches is only counted, neither scored nor put in order.
        """
        best: dict[int, _Candidate] = {}
        for field in sorted(asking.fields_of(self._query), key=asking.weight_of, reverse=True):
            if len(best) >= self._options.limit:
                break
            if (narrowed := self._asked([field])) is not None:
                outside = _outside(narrowed.everything, best)
                found, total = self._ranked(outside, PAGE, asking.weight_of(field))
                chosen = self._best_of_each_session(outside, found, total, asking.weight_of(field))
                best |= {candidate.session: candidate for candidate in chosen}
        shown = list(best.values())[: self._options.limit]
        counting = [Meanwhile(partial(self._count_all, part, shown)) for part in self._asked_apart(asked)]
        return shown, lambda: _together([part.result() for part in counting])

    def _asked_apart(self, asked: _Asked) -> list[Ask]:
        """Return questions for everything that have no message in common, so that each can be counted by itself."""
        fields = asking.fields_of(self._query)
        groups = [[name for name in fields if (name in OF_CLAUDE) is is_of_claude] for is_of_claude in (True, False)]
        if not all(groups) or self._searcher.doc_freq("tag", MIXED):
            return [asked.everything]
        return [part.everything for group in groups if (part := self._asked(group)) is not None]

    def _asked(self, within: Iterable[str] | None = None) -> _Asked | None:
        """Return what the full-text index is asked, in some kinds of text; None where there is nothing to ask."""
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
        of_messages = asking.all_of(parts)
        parts += self._asked_of_sessions
        return _Asked(asking.all_of(parts), of_messages) if parts else None

    @cached_property
    def _asked_of_sessions(self) -> list[tuple[tantivy.Occur, Ask]]:
        """What is asked of whole sessions, looked up once."""
        wished = [(name, wishes) for name, wishes in self._query.wishes.items() if name in _OF_SESSIONS]
        return [part for name, wishes in wished for part in self._of_sessions(name, wishes)]

    def _of_sessions(self, name: str, wishes: list[Wish]) -> Iterator[tuple[tantivy.Occur, Ask]]:
        wanted = [ask for wish in wishes if not wish.is_negated for ask in self._belonging(name, wish.value)]
        if wanted:
            yield Must, Ask.const_score_query(Ask.boolean_query([(Should, ask) for ask in wanted]), 0.0)
        yield from ((Not, ask) for wish in wishes if wish.is_negated for ask in self._belonging(name, wish.value))

    def _belonging(self, name: str, value: str) -> Iterator[Ask]:
        """Yield the questions for what belongs to sessions that fit a wish, gone ones included."""
        yield _in_sessions(self._fitting(name, value))
        if name in ("project", "session"):
            tags = (tag for tag, _ in self._searcher.terms_with_prefix("tag", f"{name}:", limit=None))
            if (asked := asking.belonging_by_itself(name, value, tags)) is not None:
                yield asked

    def _fitting(self, name: str, value: str) -> Iterator[int]:
        """Yield the numbers of the sessions that fit a wish."""
        text = value.removeprefix("local_")
        if name == "session":
            rows = self._database.execute(_BEGINNING, {"value": searchable(text)})
        else:
            rows = self._database.execute(_FITTING, parameters(SessionFilter().changed(**{name: text})))
        return (session_number(session) for (session,) in rows)

    def _ranked(self, asked: Ask, limit: int, weight: float | None = None) -> tuple[list[_Candidate], int]:
        """Return the best documents, and how many match: by score, the newer first where it hardly differs; or by time.

        With a weight, that is everybody's score.  Both in one go: to count alone would cost as much again.
        """
        is_scored = self._is_scored and weight is None
        order = None if is_scored else "time"
        found = self._searcher.search(asked, limit, count=True, order_by_field=order)
        addresses = [address for _, address in found.hits]
        sessions, files, times = (
            self._searcher.fast_field_values(name, addresses) for name in ("session", "file", "time")
        )
        candidates = [
            _Candidate(score if is_scored else weight, address, int(session or 0), int(file or 0), int(time or 0))
            for (score, address), session, file, time in zip(found.hits, sessions, files, times, strict=True)
        ]
        ranked = sorted(candidates, key=lambda item: (-round(item.score or 0.0, 1), -item.time))
        return ranked, found.count  # type: ignore[attr-defined]

    def _best_of_each_session(
        self, asked: Ask, found: list[_Candidate], total: int, weight: float | None = None
    ) -> list[_Candidate]:
        """Return the best document of each of the best sessions; `found` are the best of all."""
        best: dict[int, _Candidate] = {}
        left, size = total, PAGE
        while True:
            for candidate in found:
                best.setdefault(candidate.session, candidate)
            if len(best) >= self._options.limit or len(found) >= left:
                return list(best.values())[: self._options.limit]
            size *= 2
            found, left = self._ranked(_outside(asked, best), size, weight)

    def _count_others(self, asked: Ask, chosen: list[_Candidate], total: int) -> _Counted:
        """Count what matches in the sessions of those that are shown, which fit as sessions."""
        sessions = {candidate.session for candidate in chosen}
        within = asking.all_of([(Must, _in_sessions(sessions)), (Must, asked)])
        return _Counted(total, _by_session(self._searcher.aggregate(within, _each_of(sessions))))

    def _count_all(self, asked: Ask, chosen: list[_Candidate]) -> _Counted:
        """Count everything that matches, and what of it is in the sessions of those that are shown, in one go."""
        sessions = {candidate.session for candidate in chosen}
        if not sessions:
            return _Counted(0, {})
        within = {"filter": f"session: IN [{' '.join(map(str, sessions))}]", "aggs": _each_of(sessions)}
        counted = self._searcher.aggregate(asked, {"all": {"value_count": {"field": "session"}}, "shown": within})
        return _Counted(int(counted["all"]["value"]), _by_session(counted["shown"]))

    def _verified(self, asked: Ask) -> Found:
        """Look through the texts of all that could match, the best first, for as long as there is time."""
        until = monotonic() + self._options.patience
        hits: dict[object, Hit] = {}
        total = 0
        for candidate in self._ranked(asked, max(self._searcher.num_docs, 1))[0]:
            if monotonic() > until:
                return Found(self._query.text, None, list(hits.values()))
            hit = self._hit(candidate, must_match=True)
            if hit is None:
                continue
            total += 1
            key = total if self._options.all_hits else hit.session or total
            if key in hits:
                hits[key].others += 1
            elif len(hits) < self._options.limit:
                hits[key] = hit
        return Found(self._query.text, total, list(hits.values()))

    def _hit(self, candidate: _Candidate, *, must_match: bool = False) -> Hit | None:
        """Read what a document stands for; None where it is gone, or does not match after all."""
        holder = self._shelf.holder(candidate.file)
        if holder is None:
            return None
        kept = Kept(*json.loads(bytes(self._searcher.doc(candidate.address).get_first("at") or b"[]")))
        best = self._best_text(holder, kept)
        if must_match and not best.matches:
            return None
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
        )

    def _best_text(self, holder: Holder, kept: Kept) -> _Match:
        """Return the text of a message in which most matches; the first where it is only found by its fields."""
        fields = asking.fields_of(self._query)
        texts = list(texts_at(holder, kept, self._shelf))
        for find in self._finders:
            found = (_Match(kind, text, find(text)) for kind, text in texts if kind in fields)
            best = max(found, key=lambda item: len(item.matches), default=None)
            if best is not None and best.matches:
                return best
        return _Match(*texts[0], []) if texts else _Match("other", "", [])

    def _told_by(self, holder: Holder) -> str | None:
        """Return the message that tells of an output which lies in a file of its own."""
        if holder.kind != "tool-result" or holder.session is None:
            return None
        name = holder.path.replace("\\", "/").rsplit("/", 1)[-1]
        asked = [
            (Must, Ask.term_query(SCHEMA, "tag", f"output:{name}")),
            (Must, _in_sessions([session_number(holder.session)])),
        ]
        for _, address in self._searcher.search(asking.all_of(asked), 1, count=False).hits:
            return Kept(*json.loads(bytes(self._searcher.doc(address).get_first("at") or b"[]"))).message
        return None


def _finders(query: Query, mode: str | None) -> Sequence[Finder]:
    """Return what finds the places that matched; each is asked only where those before it found nothing."""
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


def _outside(asked: Ask, sessions: Collection[int]) -> Ask:
    return asking.all_of([(Must, asked), (Not, _in_sessions(sessions))]) if sessions else asked


def _together(counted: list[_Counted]) -> _Counted:
    of_sessions: Counter[int] = Counter()
    for part in counted:
        of_sessions.update(part.of_sessions)
    return _Counted(sum(part.total for part in counted), of_sessions)


def _each_of(sessions: Collection[int]) -> dict[str, Any]:
    """Return what asks for the number of messages in each session."""
    return {"each": {"terms": {"field": "session", "size": len(sessions)}}}


def _by_session(counted: dict[str, Any]) -> dict[int, int]:
    return {int(bucket["key"]): int(bucket["doc_count"]) for bucket in counted["each"]["buckets"]}


def _typed(query: Query) -> Query:
    """Return the query with its last word as the beginning of one."""
    if not query.clauses or query.text.endswith((" ", '"')):
        return query
    last = query.clauses[-1]
    terms = (*last.terms[:-1], Term(last.terms[-1].text, is_prefix=True))
    return query.changed(clauses=[*query.clauses[:-1], last._replace(terms=terms)])
