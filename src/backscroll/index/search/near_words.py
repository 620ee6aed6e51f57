"""Suggest queries with similar words if a word of a query occurs nowhere."""

from collections import Counter
from difflib import get_close_matches

import tantivy

from backscroll.query.language import Query
from backscroll.query.words import words_of
from backscroll.sessions.searchable.texts import KINDS

MOST_SUGGESTED = 3
_MOST_COMPARED = 20_000
_NEAR = 0.75
_SHORTEST = 3


def suggestions(searcher: tantivy.Searcher, query: Query) -> list[str]:
    """Return queries in which similar words of the index replace the missing words, the likeliest first."""
    slips = [word for word in _words(query) if word in query.text.lower() and not _occurs(searcher, word)]
    if len(slips) != 1 or len(slips[0]) < _SHORTEST:
        return []
    start = query.text.lower().index(slips[0])
    before, after = query.text[:start], query.text[start + len(slips[0]) :]
    return [before + word + after for word in _near(searcher, slips[0])]


def _words(query: Query) -> list[str]:
    """Return the words that must occur."""
    terms = [term for clause in query.clauses if not clause.is_negated for term in clause.terms if not term.is_prefix]
    return list(dict.fromkeys(word for term in terms for word in words_of(term.text)))


def _occurs(searcher: tantivy.Searcher, word: str) -> bool:
    return any(_terms(searcher, field, word, 1)[:1] == [word] for field in KINDS)


def _near(searcher: tantivy.Searcher, word: str) -> list[str]:
    """Return the most similar words with the same first two letters, where typing errors are rare."""
    found: Counter[str] = Counter()
    for field in KINDS:
        for term, number in searcher.terms_with_prefix(field, word[:2], limit=_MOST_COMPARED):
            found[term] += number
    return get_close_matches(word, found, MOST_SUGGESTED, _NEAR)


def _terms(searcher: tantivy.Searcher, field: str, prefix: str, limit: int) -> list[str]:
    return [term for term, _ in searcher.terms_with_prefix(field, prefix, limit=limit)]
