"""The Markdown that is understood, and that nothing else is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll.views.blocks import TextBlock, TextRun, inline, parse


def test_every_kind_of_block() -> None:
    """Headings, paragraphs, items, fences, quotes, tables and rules are told apart."""
    text = (
        "# Title #\nprose\nmore\n\n- one\n  continued\n  - two\n3. three\n\n```py x\ncode\n```\n> said\n> so\n\n"
        "| a | b |\n|---|:-:|\n| 1 | x \\| y |\n\n---\n"
    )

    assert list(parse(text)) == [
        TextBlock("heading", "Title", level=1),
        TextBlock("paragraph", "prose\nmore"),
        TextBlock("item", "one\ncontinued", level=0, label="-"),
        TextBlock("item", "two", level=1, label="-"),
        TextBlock("item", "three", level=0, label="3."),
        TextBlock("fence", "code", label="py"),
        TextBlock("quote", "said\nso"),
        TextBlock("table", "| a | b |\n|---|:-:|\n| 1 | x \\| y |", rows=(("a", "b"), ("1", "x | y"))),
        TextBlock("rule"),
    ]


def test_a_fence_inside_a_longer_fence_is_code() -> None:
    """A fence ends only with as many ticks as it began with."""
    assert [TextBlock("fence", "```\nx\n```", label="md")] == list(parse("````md\n```\nx\n```\n````"))


def test_an_open_fence_reaches_to_the_end() -> None:
    """A fence that was never closed keeps everything after it."""
    assert [TextBlock("fence", "a\n\nb")] == list(parse("~~~\na\n\nb"))


def test_fences_inside_items_are_dedented() -> None:
    """Code below an item loses the indent of its fence."""
    assert [TextBlock("item", "do", label="1."), TextBlock("fence", "x\n  y", label="sh")] == list(
        parse("1. do\n   ```sh\n   x\n     y\n   ```")
    )


def test_inline_runs() -> None:
    """Code, strong, emphasis and links are told from what lies between."""
    text = "a `b*c` **d** *e* _f_ [g](https://h.i/j) https://k.l/m. snake_case_name 2*3*4"

    assert list(inline(text)) == [
        TextRun("a "),
        TextRun("b*c", "code"),
        TextRun(" "),
        TextRun("d", "strong"),
        TextRun(" "),
        TextRun("e", "emphasis"),
        TextRun(" "),
        TextRun("f", "emphasis"),
        TextRun(" "),
        TextRun("g", "link", "https://h.i/j"),
        TextRun(" "),
        TextRun("https://k.l/m", "link", "https://k.l/m"),
        TextRun(". snake_case_name 2*3*4"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[a](javascript:x)",
        "[a](data:text/html,x)",
        "[a](//evil)",
        "[a](java\tscript:x)",
        "[a](file:///etc/passwd)",
        "<a href=x>",
    ],
)
def test_only_http_is_a_link(text: str) -> None:
    """Any other scheme stays text."""
    assert [TextRun(text)] == list(inline(text))


@given(st.text(alphabet="ab*_`[](#->|~ \n1.\\:h", max_size=120))
def test_nothing_is_lost(text: str) -> None:
    """Every letter of a text is in its blocks, and every letter of a block in its runs."""
    blocks = list(parse(text))
    letters = [character for character in text if character in "ab"]

    kept = "".join(block.label + block.text for block in blocks)
    assert [character for character in kept if character in "ab"] == letters or "`" in text or "~" in text
    for block in blocks:
        runs = "".join(run.text for run in inline(block.text))
        assert [one for one in runs if one in "ab"] == [one for one in block.text if one in "ab"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["*", "**", "`", "``", "[", "[a](", "_a", "#  ", "- ", "> ", "|", "|-", "```a", "https://", " ", "1. "]
)
def test_time_is_linear(text: str) -> None:
    """A hundred thousand repetitions of any mark come to an end: in quadratic time this would take an hour."""
    told = [run for block in parse(text * 100_000 + "`") for run in inline(block.text)]
    lines = [run for block in parse((text + "\n") * 20_000) for run in inline(block.text)]

    assert all(isinstance(run.text, str) for run in (*told, *lines))
