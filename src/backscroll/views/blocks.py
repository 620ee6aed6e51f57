"""The Markdown that Claude writes, as blocks and inline runs, for the terminal and for HTML pages.

Input: safe text.  Output: blocks in order, then runs inside them.  A small subset, read in one pass and in
linear time: fences, headings, items, quotes, tables, rules, paragraphs; code, strong, emphasis and http(s) links.
Raw HTML is text like any other.  Unknown syntax is a paragraph, so that nothing is lost.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple


@cache
def _fence_pattern() -> re.Pattern[str]:
    return re.compile(r" {0,11}(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`\n]*+")


@cache
def _heading_pattern() -> re.Pattern[str]:
    return re.compile(r" {0,3}(#{1,6}+)[ \t]+(\S.*)")


@cache
def _item_pattern() -> re.Pattern[str]:
    return re.compile(r"([ \t]*)([-*+•]|\d{1,9}[.)])[ \t]+(\S.*)")


@cache
def _quote_pattern() -> re.Pattern[str]:
    return re.compile(r" {0,3}>[ \t]?(.*)")


@cache
def _rule_pattern() -> re.Pattern[str]:
    return re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")


@cache
def _table_rule_pattern() -> re.Pattern[str]:
    return re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")


class TextBlock(NamedTuple):
    """One block: kind is fence, heading, item, quote, table, rule or paragraph."""

    kind: str
    text: str = ""
    level: int = 0
    """For a heading 1 to 6, for an item its depth from 0."""
    label: str = ""
    """For a fence its language, for an item its bullet or number."""
    rows: tuple[tuple[str, ...], ...] = ()
    """For a table its rows of cells, the head first."""


class TextRun(NamedTuple):
    """A run of characters inside a block: style is code, strong, emphasis, link or nothing."""

    text: str
    style: str = ""
    url: str = ""


def parse(text: str) -> Iterator[TextBlock]:
    """Yield the blocks of a Markdown text."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        if not line.strip():
            number += 1
        elif (fence := _fence_pattern().fullmatch(line)) is not None:
            block, number = _fence(lines, number, fence)
            yield block
        elif (single := _single(line)) is not None:
            yield single
            number += 1
        elif _is_table(lines, number):
            block, number = _table(lines, number)
            yield block
        elif _item_pattern().fullmatch(line):
            block, number = _item(lines, number)
            yield block
        elif _is_quote(line):
            end = _run_of(lines, number, _quote_pattern())
            yield TextBlock("quote", "\n".join(_quote_pattern().sub(r"\1", one, count=1) for one in lines[number:end]))
            number = end
        else:
            end = _end_of_paragraph(lines, number)
            yield TextBlock("paragraph", "\n".join(lines[number:end]))
            number = end


def _single(line: str) -> TextBlock | None:
    heading = _heading_pattern().fullmatch(line)
    if heading is not None:
        return TextBlock("heading", heading[2].rstrip("# \t") or heading[2], level=len(heading[1]))
    return TextBlock("rule") if _rule_pattern().fullmatch(line) else None


def _fence(lines: list[str], start: int, opening: re.Match[str]) -> tuple[TextBlock, int]:
    """Read a fence up to its end, or up to the end of the text if it was never closed."""
    mark, label = opening[1], opening[2]
    indent = len(lines[start]) - len(lines[start].lstrip(" "))
    end = start + 1
    while end < len(lines) and not _closes(lines[end], mark):
        end += 1
    code = [_dedent(line, indent) for line in lines[start + 1 : end]]
    return TextBlock("fence", "\n".join(code), label=label), end + 1


def _closes(line: str, mark: str) -> bool:
    text = line.strip()
    return len(text) >= len(mark) and not text.strip(mark[0])


def _dedent(line: str, indent: int) -> str:
    blank = len(line) - len(line.lstrip(" "))
    return line[min(blank, indent) :]


def _item(lines: list[str], start: int) -> tuple[TextBlock, int]:
    """Read an item and the lines that continue it."""
    found = _item_pattern().fullmatch(lines[start])
    assert found is not None, "the caller has seen an item here"  # noqa: S101
    depth = len(found[1].expandtabs(4))
    end = start + 1
    while end < len(lines) and lines[end].startswith((" ", "\t")) and _is_prose(lines[end]):
        end += 1
    text = "\n".join([found[3], *(line.strip() for line in lines[start + 1 : end])])
    return TextBlock("item", text, level=min(depth // 2, 8), label=found[2]), end


def _is_prose(line: str) -> bool:
    return bool(line.strip()) and not (
        _fence_pattern().fullmatch(line) or _item_pattern().fullmatch(line) or _single(line)
    )


def _is_quote(line: str) -> bool:
    return _quote_pattern().fullmatch(line) is not None


def _end_of_paragraph(lines: list[str], start: int) -> int:
    end = start + 1
    while (
        end < len(lines)
        and _is_prose(lines[end])
        and not _quote_pattern().fullmatch(lines[end])
        and not _is_table(lines, end)
    ):
        end += 1
    return end


def _run_of(lines: list[str], start: int, pattern: re.Pattern[str]) -> int:
    end = start
    while end < len(lines) and pattern.fullmatch(lines[end]):
        end += 1
    return end


def _is_table(lines: list[str], number: int) -> bool:
    return (
        "|" in lines[number]
        and number + 1 < len(lines)
        and "-" in lines[number + 1]
        and "|" in lines[number + 1]
        and len(lines[number + 1]) < 2000
        and _table_rule_pattern().fullmatch(lines[number + 1]) is not None
    )


def _table(lines: list[str], start: int) -> tuple[TextBlock, int]:
    end = start + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    rows = tuple(_cells(line) for line in [lines[start], *lines[start + 2 : end]])
    return TextBlock("table", "\n".join(lines[start:end]), rows=rows), end


def _cells(line: str) -> tuple[str, ...]:
    text = line.strip().removeprefix("|")
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", text))


# Every alternative is bounded or stops at a character that it cannot pass, so that no text takes quadratic time.
@cache
def _inline_pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?P<ticks>`{1,3})(?P<code>[^`\n]{1,2000})(?P=ticks)(?!`)"
        r"|\*\*(?P<strong>(?!\s)[^*\n]{1,1000})(?<!\s)\*\*"
        r"|(?<![\w*])\*(?P<star>(?![\s*])[^*\n]{1,1000})(?<!\s)\*(?![\w*])"
        r"|(?<![\w_])_(?P<under>(?![\s_])[^_\n]{1,1000})(?<!\s)_(?![\w_])"
        r"|\[(?P<label>[^\[\]\n]{1,500})\]\((?P<url>https?://[^\s()<>\"'\\]{1,2000})\)"
        r"|(?P<bare>https?://[^\s()<>\"'`\\|*]{1,2000}[^\s()<>\"'`\\|*.,;:!?\]])",
        re.IGNORECASE,
    )


_LONGEST_PROSE = 100_000
"""Characters of one block beyond which it is no prose, and runs are not looked for: 70 MB would take 15 s."""


def inline(text: str) -> Iterator[TextRun]:
    """Yield the runs of a text: code, strong, emphasis, links to http and https only, and the text between them."""
    if len(text) > _LONGEST_PROSE:
        yield TextRun(text)
        return
    end = 0
    for found in _inline_pattern().finditer(text):
        if found.start() > end:
            yield TextRun(text[end : found.start()])
        yield _run(found)
        end = found.end()
    if end < len(text):
        yield TextRun(text[end:])


def _run(found: re.Match[str]) -> TextRun:
    if found["code"] is not None:
        return TextRun(found["code"], "code")
    if found["strong"] is not None:
        return TextRun(found["strong"], "strong")
    if (emphasis := found["star"] or found["under"]) is not None:
        return TextRun(emphasis, "emphasis")
    if found["label"] is not None:
        return TextRun(found["label"], "link", found["url"])
    return TextRun(found["bare"], "link", found["bare"])
