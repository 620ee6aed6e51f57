"""The change that an editing call made, as lines of a diff.

Input: the input of an `Edit`, `MultiEdit`, `Write` or `NotebookEdit` call and, if known, the program's own data of
its result.  Output: lines with signs.  The program's patch comes first, because only it knows line numbers.
It is made for display and cannot be applied (docs/formats.md, "What a tool gave back").
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.formats import diffs
else:
    diffs = lazily("backscroll.formats.diffs")

_CONTEXT = 3
UNCOMPARED_NOTE = "too different to compare: old lines, then new lines"


class DiffLine(NamedTuple):
    """One line of a diff: `+` added, `-` removed, ` ` kept, `@` the head of a hunk."""

    sign: str
    text: str
    number: int | None = None
    """Its number in the file after the change (for a removed line, before the change), if known."""


def call_diff(name: str, call_input: Any, data: Any = None) -> list[DiffLine]:
    """Return the change that a call made; nothing if it edits no file or if the change is unknown."""
    patched = list(patch_lines(data))
    if patched or not isinstance(call_input, dict):
        return patched
    if name == "Edit":
        return _edit(call_input)
    if name == "MultiEdit" and isinstance(edits := call_input.get("edits"), list):
        return [line for edit in edits if isinstance(edit, dict) for line in _edit(edit)]
    if name == "NotebookEdit" and isinstance(source := call_input.get("new_source"), str):
        return _compared(data.get("old_source") if isinstance(data, dict) else None, source)
    if name == "Write" and isinstance(data, dict) and isinstance(before := data.get("originalFile"), str) and before:
        return _compared(before, call_input.get("content"))
    return []


def patch_lines(data: Any) -> Iterator[DiffLine]:
    """Yield the lines of the program's own patch; skip malformed ones."""
    hunks = data.get("structuredPatch") if isinstance(data, dict) else None
    for hunk in hunks if isinstance(hunks, list) else ():
        lines = hunk.get("lines") if isinstance(hunk, dict) else None
        if isinstance(lines, list) and lines:
            yield from _hunk(_number(hunk.get("oldStart")), _number(hunk.get("newStart")), lines)


def _hunk(old: int, new: int, lines: list[Any]) -> Iterator[DiffLine]:
    yield DiffLine("@", f"line {new}")
    for line in (one.removesuffix("\r") for one in lines if isinstance(one, str)):
        sign, text = (line[:1], line[1:]) if line[:1] in ("+", "-", " ") else (" ", line)
        yield DiffLine(sign, text, old if sign == "-" else new)
        old += sign != "+"
        new += sign != "-"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 1


def _edit(edit: dict[str, Any]) -> list[DiffLine]:
    return _compared(edit.get("old_string"), edit.get("new_string"))


def _compared(before: Any, after: Any) -> list[DiffLine]:
    return list(compare(before if isinstance(before, str) else "", after if isinstance(after, str) else ""))


def compare(before: str, after: str) -> Iterator[DiffLine]:
    """Yield the difference of two texts, with three lines of context; `diffs` bounds the work."""
    old, new = _lines(before), _lines(after)
    for number, hunk in enumerate(diffs.hunks(diffs.compare(old, new).runs, _CONTEXT)):
        if number:
            yield DiffLine("@", "")
        for run in hunk:
            if run.kind == diffs.EQUAL:
                yield from (DiffLine(" ", text) for text in old[run.old_start : run.old_end])
                continue
            if run.kind == diffs.UNCOMPARED:
                yield DiffLine("@", UNCOMPARED_NOTE)
            yield from (DiffLine("-", text) for text in old[run.old_start : run.old_end])
            yield from (DiffLine("+", text) for text in new[run.new_start : run.new_end])


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def tally(lines: list[DiffLine]) -> str:
    """Return `+3 −1`: the numbers of added and removed lines."""
    added = sum(1 for line in lines if line.sign == "+")
    removed = sum(1 for line in lines if line.sign == "-")
    return " ".join([f"+{added}"] * bool(added) + [f"−{removed}"] * bool(removed))
