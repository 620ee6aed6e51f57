"""What an editing call changed, as a unified diff.

Comes in: the input of an `Edit`, `MultiEdit`, `Write` or `NotebookEdit` call and, where it is known, the program's own
data of its result.  Goes out: hunks of lines.  The program's patch is preferred, because only it knows line numbers;
it is meant for display and never for applying (docs/formats.md, "What a tool gave back").
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from backscroll.lazy import lazily
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    import difflib
else:
    difflib = lazily("difflib")

_CONTEXT = 3
_MOST_COMPARED = 1_000_000
"""Lines of one side times lines of the other: beyond it the texts are shown one after the other, not compared."""


class DiffLine(NamedTuple):
    """One line of a diff: `+` added, `-` removed, ` ` kept, `@` the head of a hunk."""

    sign: str
    text: str
    number: int | None = None
    """Its number in the file after the change (before it, for a removed line), where that is known."""


def call_diff(name: str, call_input: Any, data: Any = None) -> list[DiffLine]:
    """Return what a call changed; nothing where it is no editing call or does not say."""
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
    """Yield the lines of the program's own patch, as far as it is well formed."""
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
    """Yield the difference of two texts, with three lines of context; time is bounded for texts of any size."""
    old, new = _lines(before), _lines(after)
    start, end = _shared(old, new)
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    yield from (DiffLine(" ", text) for text in old[max(0, start - _CONTEXT) : start])
    if len(middle_old) * len(middle_new) > _MOST_COMPARED:
        yield from (DiffLine("-", text) for text in middle_old)
        yield from (DiffLine("+", text) for text in middle_new)
    else:
        yield from _matched(middle_old, middle_new)
    yield from (DiffLine(" ", text) for text in old[len(old) - end :][:_CONTEXT])


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _shared(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return how many lines both begin with, and how many of the others both end with."""
    most = min(len(old), len(new))
    start = 0
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


def _matched(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    groups = difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT)
    for number, group in enumerate(groups):
        if number:
            yield DiffLine("@", "")
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from (DiffLine(" ", text) for text in old[old_start:old_end])
                continue
            yield from (DiffLine("-", text) for text in old[old_start:old_end])
            yield from (DiffLine("+", text) for text in new[new_start:new_end])


def tally(lines: list[DiffLine]) -> str:
    """Return `+3 −1`: how many lines were added and removed."""
    added = sum(1 for line in lines if line.sign == "+")
    removed = sum(1 for line in lines if line.sign == "-")
    return " ".join([f"+{added}"] * bool(added) + [f"−{removed}"] * bool(removed))
