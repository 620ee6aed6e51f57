"""Lines, cuts and wraps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from views.samples import paper, text_of

from backscroll.cli.terminal import columns
from backscroll.views.terminal.paper import Span, cut, fit, pad, plain, rule, split_lines, width_of, wrap


@pytest.mark.parametrize(
    "text, width, fitted",
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢字", 5, "漢字…"), ("漢字", 1, "…"), ("x", 0, "")],
)
def test_fit_cuts_at_columns(text: str, width: int, fitted: str) -> None:
    """A cut text ends in an ellipsis and takes no more columns than there are."""
    assert fitted == fit(text, width, paper(measure=columns))


def test_pad_fills_exactly() -> None:
    """A padded cell is as wide as its column, from either side."""
    sheet = paper(measure=columns)

    assert ("漢  ", "  漢", "漢…") == (
        pad(Span("漢"), 4, sheet).text,
        pad(Span("漢"), 4, sheet, right=True).text,
        pad(Span("漢字"), 3, sheet).text,
    )


def test_wrap_breaks_between_words_and_keeps_styles() -> None:
    """Words move to the next line whole, behind the hanging indent."""
    lines = list(wrap([Span("one two "), Span("three four", "strong")], 11, paper(), hang="  "))

    assert text_of(lines) == "one two\n  three\n  four"
    assert Span("three", "strong") in lines[1]


def test_wrap_breaks_endless_words() -> None:
    """A word longer than the line is cut into pieces."""
    assert "aaaaaaaaaa\naaaaaaaaaa\naaaaa" == text_of(wrap([Span("a" * 25)], 10, paper()))


def test_wrap_of_a_megabyte_is_quick() -> None:
    """A word of a million characters takes linear time."""
    assert 12_500 == sum(1 for _ in wrap([Span("x" * 1_000_000)], 80, paper()))


@given(st.text(alphabet="ab 漢é\U0001f600", max_size=200), st.integers(10, 40))
def test_wrap_loses_nothing(text: str, width: int) -> None:
    """Every character but blanks is there, in order, and every line fits."""
    sheet = paper(measure=columns)
    lines = list(wrap([Span(text)], width, sheet))

    assert text.replace(" ", "") == "".join(map(plain, lines)).replace(" ", "")
    assert all(width_of(line, sheet) <= width for line in lines)


def test_cut_keeps_to_the_paper() -> None:
    """A line that is too long ends in an ellipsis at the edge; one that fits stays as it is."""
    assert "abcdefghi…" == plain(cut([Span("abcdef"), Span("ghijkl")], paper(10)))
    assert "abcdefgh…" == plain(cut([Span("abcdefgh"), Span("漢字")], paper(9, measure=columns)))
    assert "abcdef" == plain(cut([Span("abcdef")], paper(6)))


def test_tabs_become_blanks() -> None:
    """Tabs reach to the next column of four, across spans."""
    assert "a   b" == text_of(split_lines([Span("a"), Span("\tb")]))


def test_spans_break_at_line_feeds() -> None:
    """Line feeds inside and between spans end lines."""
    assert ["a", "bc", ""] == [plain(line) for line in split_lines([Span("a\nb"), Span("c\n")])]


def test_a_rule_fills_the_line() -> None:
    """A ruled line carries its remark and reaches the edge; on a pipe it is short."""
    assert "── here ──────────────" == plain(rule("here", paper(22)))
    assert "── here ──" == plain(rule("he\nre".replace("\n", ""), paper(None)))
