"""Turn a parsed query into a query for tantivy.

It searches for words in every kind of text, each with its weight.  Phrases, substrings of unspaced scripts and
identifiers in camel case need their words in order.  For `--exact` and `--regex` the result is a superset:
it selects every message that could match, and the caller checks them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import tantivy

from backscroll.query.fields import FILE, SCHEMA
from backscroll.query.language import Clause, Query, Term, Wish
from backscroll.query.words import encodable, humps, words_of
from backscroll.sessions.searchable.texts import KINDS

WEIGHTS = {
    "title": 5.0,
    "prompt": 2.5,
    "answer": 2.0,
    "summary": 1.5,
    "thinking": 1.2,
    "call": 1.0,
    "result": 0.7,
    "other": 0.5,
}
TEXT_KINDS = {"text": ("prompt", "answer")}
"""The fields that `kind:text` searches."""
TAG_FIELDS = ("role", "tool", "kind", "model", "is", "has")
SHORTEST_LITERAL = 2
LONGEST_VALUE = 200
"""The longest prefix of a field's value to search by pattern; tantivy allows a few hundred states."""


@cache
def _literal() -> re.Pattern[str]:
    return re.compile(r"\w+")


@cache
def _regex_syntax() -> re.Pattern[str]:
    return re.compile(r"([\\.+*?()|\[\]{}^$#&\-~])")


Ask = tantivy.Query
AskIn = Callable[[str], Ask]
"""A function from a field to a tantivy query."""
Must, Should, Not = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot


def question(query: Query, within: Iterable[str] | None = None) -> Ask | None:
    """Return the tantivy query, without the filters of whole sessions; None if nothing else is left.

    It searches the words only in the kinds of text in `within`, else in all kinds that the query allows.
    """
    fields = fields_of(query) if within is None else within
    parts: list[tuple[tantivy.Occur, Ask]] = []
    for clause in query.clauses:
        asked = _clause(clause, fields)
        if asked is not None:
            parts.append((Not if clause.is_negated else Must, asked))
    parts += _wishes(query)
    if query.since is not None or query.until is not None:
        parts.append((Must, _between(query)))
    return all_of(parts) if parts else None


def has_words(query: Query) -> bool:
    """Return True if a query has something to search for; punctuation alone has not."""
    return any(words_of(term.text) for clause in query.clauses for term in clause.terms)


def has_phrases(query: Query) -> bool:
    """Return True if the order of words matters for a query."""
    return any(len(words_of(term.text)) > 1 for clause in query.clauses for term in clause.terms)


def weight_of(field: str) -> float:
    """Return the weight of a match in a kind of text."""
    return WEIGHTS.get(field, 1.0)


def is_beginning(query: Query) -> bool:
    """Return True if the query is the beginning of one word and nothing else."""
    terms = [term for clause in query.clauses for term in clause.terms if not clause.is_negated]
    return len(query.clauses) == len(terms) == 1 and terms[0].is_prefix and len(words_of(terms[0].text)) == 1


def all_of(parts: Sequence[tuple[tantivy.Occur, Ask]]) -> Ask:
    """Return a tantivy query for documents that satisfy every part; a single part is returned unchanged."""
    if len(parts) == 1 and parts[0][0] == Must:
        return parts[0][1]
    if all(occur == Not for occur, _ in parts):
        parts = [(Must, Ask.all_query()), *parts]
    return Ask.boolean_query(parts)


def belonging_by_itself(name: str, value: str, tags: Iterable[str]) -> Ask | None:
    """Return a tantivy query for documents that name their session or project in a tag, because their session is gone.

    `tags` are all tags of that kind.
    """
    begins, wanted = len(name) + 1, encodable(value.lower())
    places = ((tag, tag.find(wanted, begins)) for tag in tags)
    fitting = [tag for tag, place in places if place == begins or (place > begins and name == "project")]
    return Ask.term_set_query(SCHEMA, "tag", fitting) if fitting else None


def fields_of(query: Query) -> tuple[str, ...]:
    """Return the kinds of text to search."""
    wanted = [
        name
        for wish in query.wishes.get("kind", [])
        if not wish.is_negated
        for name in TEXT_KINDS.get(wish.value.lower(), (wish.value.lower(),))
    ]
    return tuple(wanted) if wanted and all(name in KINDS for name in wanted) else KINDS


def _clause(clause: Clause, fields: Iterable[str]) -> Ask | None:
    asked = [ask for term in clause.terms if (ask := term_question(term, fields)) is not None]
    if not asked:
        return None
    return asked[0] if len(asked) == 1 else Ask.boolean_query([(Should, ask) for ask in asked])


def term_question(term: Term, fields: Iterable[str]) -> Ask | None:
    """Return the tantivy query for one term; None if it holds no word."""
    words = words_of(term.text)
    if not words:
        return None
    return _in_any(fields, lambda field: _spelled(field, term, words))


def _in_any(fields: Iterable[str], ask: AskIn) -> Ask:
    return Ask.boolean_query([(Should, Ask.boost_query(ask(field), weight_of(field))) for field in fields])


def _spelled(field: str, term: Term, words: list[str]) -> Ask:
    """Return the tantivy query for a term in one field: as typed, and as parts of an identifier in camel case."""
    asked = _in_order(field, words, is_prefix=term.is_prefix)
    parts = words_of(" ".join(humps(piece.encode()) for piece in term.text.split())) if term.text.isascii() else words
    if parts == words or len(words) > 1:
        return asked
    return Ask.boolean_query([(Should, asked), (Should, _in_order(field, parts, is_prefix=term.is_prefix))])


def _in_order(field: str, words: list[str], *, is_prefix: bool) -> Ask:
    if is_prefix and len(words) == 1:
        return Ask.fuzzy_term_query(SCHEMA, field, words[0], distance=0, prefix=True)  # 3x faster than a pattern
    if is_prefix:
        return Ask.regex_phrase_query(SCHEMA, field, [*map(_literally, words[:-1]), f"{_literally(words[-1])}.*"])
    if len(words) == 1:
        return Ask.term_query(SCHEMA, field, words[0])
    return Ask.phrase_query(SCHEMA, field, list(words))


def _literally(word: str) -> str:
    return _regex_syntax().sub(r"\\\1", word)


def _wishes(query: Query) -> list[tuple[tantivy.Occur, Ask]]:
    parts: list[tuple[tantivy.Occur, Ask]] = []
    for name in (*TAG_FIELDS, "file"):
        wishes = query.wishes.get(name, [])
        wanted = [ask for wish in wishes if not wish.is_negated and (ask := _wish(name, wish)) is not None]
        if wanted:
            parts.append((Must, Ask.const_score_query(Ask.boolean_query([(Should, ask) for ask in wanted]), 0.0)))
        parts += [(Not, ask) for wish in wishes if wish.is_negated and (ask := _wish(name, wish)) is not None]
    return parts


def _wish(name: str, wish: Wish) -> Ask | None:
    if name == "file":
        words = words_of(wish.value)
        return _in_order(FILE, words, is_prefix=wish.value.endswith("*")) if words else None
    value = encodable(wish.value.lower())[:LONGEST_VALUE]
    if name == "tool":
        return Ask.regex_query(
            SCHEMA, "tag", f"tool:(.*__)?{_literally(value.rstrip('*'))}{'.*' if '*' in value else ''}"
        )
    names = TEXT_KINDS.get(value, (value,)) if name == "kind" else (value,)
    return Ask.boolean_query([(Should, Ask.term_query(SCHEMA, "tag", f"{name}:{item}")) for item in names])


def _between(query: Query) -> Ask:
    lower = round(query.since.timestamp() * 1000) if query.since else None
    upper = round(query.until.timestamp() * 1000) - 1 if query.until else None
    asked = Ask.range_query(SCHEMA, "time", tantivy.FieldType.Integer, lower, upper)
    return Ask.const_score_query(asked, 0.0)


def with_literal(text: str, fields: Iterable[str] = KINDS) -> Ask:
    """Return a tantivy query for every document that could hold the exact text.

    The first and last words of the text may be parts of longer words.
    """
    words = words_of(text)
    if not words:
        return Ask.all_query()
    patterns = [_literally(word) for word in words]
    is_open = (_literal().match(text) is not None, _literal().match(text[::-1]) is not None)
    if is_open[0]:
        patterns[0] = f".*{patterns[0]}"
    if is_open[1]:
        patterns[-1] += ".*"
    kinds = tuple(fields)
    return all_of([(Must, _in_any(kinds, _asking_regex(pattern))) for pattern in dict.fromkeys(patterns)])


def _asking_regex(pattern: str) -> AskIn:
    return lambda field: Ask.regex_query(SCHEMA, field, pattern)


def with_pattern(pattern: str) -> Ask:
    """Return a tantivy query for every document that a regular expression could match."""
    literals = literals_of(pattern)
    if not literals:
        return Ask.all_query()
    return all_of([(Must, _in_any(KINDS, _asking_regex(f".*{_literally(word)}.*"))) for word in literals])


def literals_of(pattern: str) -> list[str]:
    """Return words that every match of a regular expression must hold; none if that is not obvious.

    >>> literals_of(r"raise (Value|Type)Error: .*timeout")
    []
    >>> literals_of(r"connect.*timed out")
    ['connec', 'timed', 'out']
    """
    pattern = pattern.removeprefix("(?i)")
    if re.search(r"[|()\[\]{}]", pattern):
        return []
    plain = re.sub(r"\\.", " ", pattern)  # an escape may be a class
    plain = re.sub(r".[*?+]+\??", " ", plain, flags=re.DOTALL)
    plain = re.sub(r"[.^$]", " ", plain)
    found = [word for piece in plain.split() for word in words_of(piece) if len(word) >= SHORTEST_LITERAL]
    return found if pattern.isascii() else []
