"""Snippets: where the words of a query stand in a text."""

from datetime import UTC, datetime

import pytest

from backscroll.query.language import parse_query
from backscroll.query.snippets import cut_out, finders_of

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def marked(query: str, text: str) -> list[str]:
    """Return what the finders mark in a text."""
    quickly, thoroughly = finders_of(parse_query(query, NOW))
    return [text[start:end] for start, end in quickly(text) or thoroughly(text)]


@pytest.mark.parametrize(
    "query, text, expected",
    [
        ("error", "An ERROR, terrors, an_error", ["ERROR", "error"]),
        ("err*", "An ERROR, terrors, an_error", ["ERROR", "error"]),
        ("a", "banana data", []),
        ('"in the"', "within the, in  the; in_the inthe in a the", ["in  the", "in_the"]),
        ("session header", "parseSessionHeader and headers", ["Session", "Header"]),
        ('"session header"', "parseSessionHeader", ["SessionHeader"]),
        ("http", "HTTPServer, https, doHTTP2", ["HTTP", "HTTP"]),
        (
            "parseSessionHeader",
            "PARSESESSIONHEADER, parse session-header",
            ["PARSESESSIONHEADER", "parse session-header"],
        ),
        ("cafe", "im Café", ["Café"]),
        ("cafe time", "time for Café", ["time", "Café"]),
        ("strasse", "die Straße", ["Straße"]),
        ("текст", "Русский Текст", ["Текст"]),
        ("йога", "ЙОГА", ["ЙОГА"]),
        ("数据库", "修复数据库连接", ["数据库"]),
        ("-error fine", "error, fine", ["fine"]),
        ("7", "x7 7 77", ["7"]),
    ],
)
def test_marks(query: str, text: str, expected: list[str]) -> None:
    """Words are marked as they are spelled, by the humps of identifiers, and whatever their accents and script."""
    assert expected == marked(query, text)


@pytest.mark.parametrize("letter", ["x", "é"])
def test_deep_in_a_long_text(letter: str) -> None:
    """What stands at the end of a megabyte is found, in plain text and in other."""
    text = f"{letter} word " * 150_000 + "the Needle at last"
    assert ["Needle"] == marked("needle", text)
    snippet, marks = cut_out(text, finders_of(parse_query("needle", NOW))[0](text))
    assert ["Needle"] == [snippet[start:end] for start, end in marks]


def test_no_time_without_end() -> None:
    """A text that is one long word costs no more than its length."""
    text = "aA" * 50_000
    assert marked("a", text) == []
