"""The language of queries: what people guess works, and nothing is ever an error."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some

from backscroll.query.language import Clause, Query, Term, Wish, parse_query

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def parsed(text: str) -> Query:
    """Read a query at a fixed time."""
    return parse_query(text, NOW)


def clauses(text: str) -> list[Clause]:
    """Return the clauses of a query."""
    return parsed(text).clauses


def plain(*words: str) -> list[Clause]:
    """Return the clauses of words that must all occur."""
    return [Clause((Term(word),)) for word in words]


def test_words_and_phrases() -> None:
    """Words stand apart, what is quoted stands together; a quote that does not end goes to the end."""
    assert plain("dead", "lock") == clauses("dead lock")
    assert plain("dead lock", "x") == clauses('"dead lock" x')
    assert plain("dead lock") == clauses('"dead lock')


def test_beginnings() -> None:
    """A star at the end of a word lets it go on; alone it is text."""
    assert [Clause((Term("pars", is_prefix=True),))] == clauses("pars*")
    assert plain("*") == clauses("*")


def test_not_and_or() -> None:
    """A minus, or NOT, excludes; OR joins the terms beside it."""
    assert [*plain("a"), Clause((Term("b"),), is_negated=True)] == clauses("a -b")
    assert [*plain("a"), Clause((Term("b c"),), is_negated=True)] == clauses('a NOT "b c"')
    assert [*plain("a"), Clause((Term("b"), Term("c"))), *plain("d")] == clauses("a b OR c d")
    assert plain("a", "b") == clauses("a AND b")
    assert plain("a") == clauses("OR a OR")


def test_fields() -> None:
    """Known fields are wishes, quoted or not, negated or not."""
    query = parsed('project:shop role:user -tool:Bash file:"my file.py" since:2026-11-01 is:error')

    assert [] == query.clauses
    assert [Wish("shop")] == query.wishes["project"]
    assert [Wish("Bash", is_negated=True)] == query.wishes["tool"]
    assert [Wish("my file.py")] == query.wishes["file"]
    assert datetime(2026, 11, 1, tzinfo=UTC) == query.since


@pytest.mark.parametrize(
    "text", ["C:\\Users", "http://x/y", "foo:bar", "std::vector", "since:whenever", "12:30", "project:", "a:b:c"]
)
def test_plain_after_all(text: str) -> None:
    """What only looks like a field is text."""
    assert plain(text) == clauses(text)


@given(some.text(max_size=5000))
def test_anything(text: str) -> None:
    """No input is an error, and a query never grows without bounds."""
    assert len(parsed(text).clauses) <= 64
