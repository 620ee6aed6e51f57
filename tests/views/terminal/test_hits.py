"""Hits as people see them: what matched is marked, what to do next is said, and nothing commands a terminal."""

from dataclasses import replace
from datetime import UTC, datetime

from backscroll.place import Place
from backscroll.query.hits import Found, Hit
from backscroll.views.terminal.hits import hit_list
from backscroll.views.terminal.paper import Paper, plain

NOW = datetime(2026, 5, 2, tzinfo=UTC)


def hit(snippet: str = "a dead lock", marks: list[tuple[int, int]] | None = None, others: int = 0) -> Hit:
    """Return a hit in a made-up session."""
    return Hit(
        session="11111111-2222",
        message="33333333-4444",
        title="Title",
        project="/srv/shop",
        role="assistant",
        kind="thinking",
        time=NOW,
        snippet=snippet,
        score=1.5,
        place=Place("/x.jsonl", 1, 0, 10),
        marks=marks or [(2, 6)],
        others=others,
    )


def lines(found: Found, width: int | None = 80) -> list[str]:
    """Return what is printed on a paper of some width."""
    return [plain(line) for line in hit_list(found, Paper(width=width, now=NOW, zone=UTC))]


def test_on_a_terminal() -> None:
    """The heading tells the session, the lines below the text and the command that shows it."""
    first, text, then, *_ = lines(Found("dead", 4, [hit(others=3)]))

    assert first.startswith("Title  shop  ")
    assert first.endswith("  assistant thinking  3 more here")
    assert "  a dead lock" == text
    assert "  backscroll show 11111111 --at 33333333" == then


def test_what_belongs_to_no_session() -> None:
    """It is followed by its file, and not counted as a session."""
    *_, then, _, last = lines(Found("dead", 2, [hit(), replace(hit(), session=None, message=None)]))

    assert "  /x.jsonl" == then
    assert "2 messages found; 2 messages shown, best first." == last


def test_marks_are_styled() -> None:
    """The match has a style of its own."""
    spans = [span for line in hit_list(Found("dead", 1, [hit()]), Paper(width=80, now=NOW)) for span in line]

    assert ["dead"] == [span.text for span in spans if span.style == "match"]


def test_on_a_pipe() -> None:
    """Elsewhere each hit is one line, whose cells are apart by tabs."""
    (line,) = lines(Found("dead", 1, [hit("a\tb\x1b[2J dead", [(10, 14)])]), None)

    assert 7 == len(line.split("\t"))
    assert "\x1b" not in line


def test_nothing_found() -> None:
    """No hit is said in words, and so is a search that ran out of time."""
    assert ["Nothing found."] == lines(Found("x", 0, []))
    assert "time limit" in lines(Found("x", None, [hit()]))[-1]
