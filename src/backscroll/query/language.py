"""The query language: from the typed text to a `Query`.

Words must all occur; `"a phrase"`, `begin*`, `-not`, `this OR that`, and fields such as `project:shop` or
`since:2w`.  Anything else is plain text.  Only an unknown value of a closed field is an error, such as `role:nobody`.
Nothing is looked up here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from backscroll.errors import QueryError
from backscroll.query.closed_fields import refuse_unknown
from backscroll.times import parse_period

LONGEST = 4096
"""The longest query, in characters; the rest is ignored."""
MOST_CLAUSES = 64
FIELDS = (
    "project",
    "role",
    "tool",
    "kind",
    "model",
    "branch",
    "since",
    "until",
    "session",
    "store",
    "account",
    "file",
    "is",
    "has",
)
_TOKEN = re.compile(r'(?P<sign>-?)(?:(?P<field>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)(?:"|$)|(?P<plain>\S+))')


class Term(NamedTuple):
    """A text to search for; the last word of a prefix may continue."""

    text: str
    is_prefix: bool = False


class Clause(NamedTuple):
    """Terms of which one must occur, or of which none may occur."""

    terms: tuple[Term, ...]
    is_negated: bool = False


class Wish(NamedTuple):
    """A value that a field must have, or must not have."""

    value: str
    is_negated: bool = False


@dataclass(slots=True)
class Query:
    """A parsed query."""

    text: str = ""
    """The text as typed."""
    clauses: list[Clause] = field(default_factory=list)
    wishes: dict[str, list[Wish]] = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None


class _Token(NamedTuple):
    sign: str
    field: str | None
    value: str
    is_phrase: bool
    raw: str


def parse_query(text: str, now: datetime) -> Query:
    """Parse a query; `since:2w` counts back from `now`."""
    query = Query(text)
    joins = negates = False
    for token in _tokens(text[:LONGEST]):
        if token.raw in ("OR", "|") and query.clauses:
            joins = True
        elif token.raw == "NOT":
            negates = True
        elif token.raw not in ("AND", "OR", "|") and not _wish(query, token, now, is_negated=negates):
            _add(query.clauses, token, joins=joins, is_negated=negates)
            joins = negates = False
    del query.clauses[MOST_CLAUSES:]
    return query


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        phrase = match["phrase"]
        yield _Token(
            match["sign"],
            match["field"],
            phrase if phrase is not None else match["plain"],
            phrase is not None,
            match[0],
        )


def _wish(query: Query, token: _Token, now: datetime, *, is_negated: bool) -> bool:
    """Add a field to the query; return False if the token is plain text after all."""
    name = (token.field or "").lower()
    if name not in FIELDS or not token.value:
        return False
    if name in ("since", "until"):
        try:
            start, end = parse_period(token.value, now)
        except QueryError:
            return False
        setattr(query, name, start if name == "since" else end)
        return True
    refuse_unknown(name, token.value)
    query.wishes.setdefault(name, []).append(Wish(token.value, is_negated or token.sign == "-"))
    return True


def _add(clauses: list[Clause], token: _Token, *, joins: bool, is_negated: bool) -> None:
    is_plain = token.field is not None
    text = token.raw.removeprefix(token.sign) if is_plain else token.value
    is_prefix = not token.is_phrase and len(text) > 1 and text.endswith("*")
    term = Term(text.rstrip("*") if is_prefix else text, is_prefix)
    if joins and not clauses[-1].is_negated:
        clauses[-1] = Clause((*clauses[-1].terms, term))
    else:
        clauses.append(Clause((term,), is_negated or token.sign == "-"))
