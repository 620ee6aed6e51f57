"""Parts of messages as text: calls with their commands and diffs, results cut to a few lines, images as labels."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from backscroll.lazy import lazily
from backscroll.safe_text import printable
from backscroll.sessions.message import Part
from backscroll.views.call_summary import (
    TODO_BOXES,
    about,
    command_text,
    plan_text,
    todo_lines,
    tool_name,
    written_text,
)
from backscroll.views.diff import DiffLine, call_diff, patch_lines, tally
from backscroll.views.figures import count, size
from backscroll.views.terminal.paper import Line, Paper, Span, cut, ink, split_lines, width_of, word, wrap
from backscroll.views.terminal.prose import code, prose, words

if TYPE_CHECKING:
    from backscroll.views.json import sessions as json
else:
    json = lazily("backscroll.views.json.sessions")

_RESULT_LINES = 12
_ERROR_LINES = 20
_DIFF_LINES = 60
_CODE_LINES = 24
_THINKING_LINES = 6
_LONGEST_LINE = 1000
_MOST_WAITING = 2000
_SHORTER = {"Read": 0, "Glob": 5, "Grep": 5, "LS": 5, "ToolSearch": 0, "TodoWrite": 0, "Skill": 1}
"""The number of shown lines for results that mostly repeat other text."""

_WRAPPING = re.compile(r"\x1b\[[0-9;:]*m|</?(?:tool_use_error|persisted-output)>")
"""Colours from a tool and tags from the program, which clutter the text; --full shows them."""

_DIFF_STYLES = {"+": "added", "-": "removed", "@": "hunk", " ": "kept"}


class Calls:
    """The calls that wait for their results, and the one that was shown last."""

    def __init__(self) -> None:
        self.waiting: dict[str, tuple[str, str, bool]] = {}
        self.last: str | None = None

    def begin(self, identity: str, name: str, topic: str, *, has_diff: bool) -> None:
        """Remember a call; calls that were never answered are forgotten in time."""
        self.waiting[identity] = (name, topic, has_diff)
        self.last = identity
        if len(self.waiting) > _MOST_WAITING:
            del self.waiting[next(iter(self.waiting))]

    def end(self, identity: str) -> tuple[str, str, bool] | None:
        """Return the known facts about the call that a result answers."""
        return self.waiting.pop(identity, None)


def call_lines(part: Part, paper: Paper, calls: Calls) -> Iterator[Line]:
    """Yield a call: its tool, its target, and the command, the diff or the text in it."""
    name, call_input = str(part.data.get("name") or "?"), part.data.get("input")
    diff = call_diff(name, call_input)
    calls.begin(str(part.data.get("id") or ""), name, about(name, call_input, paper), has_diff=bool(diff))
    head = [Span("● ", "call"), word(tool_name(name), "tool"), Span("  ")]
    tail = [Span("  "), Span(tally(diff), "dim")] if diff else []
    room = paper.width and max(paper.width - width_of([*head, *tail], paper), 1)
    yield cut([*head, Span(about(name, call_input, paper, room)), *tail], paper)
    yield from _call_body(name, call_input, diff, paper)


def _call_body(name: str, call_input: Any, diff: list[DiffLine], paper: Paper) -> Iterator[Line]:
    narrow = paper.inset(2)
    if diff:
        yield from _margin(_limited(diff_lines(diff, narrow), _DIFF_LINES, len(diff), paper))
    elif (written := written_text(name, call_input)) is not None:
        path, content = written
        yield from _margin(_code_lines(content, path, narrow))
    elif (command := command_text(name, call_input)) is not None:
        yield from _margin(_code_lines(command, "bash", narrow))
    elif (plan := plan_text(name, call_input)) is not None:
        yield from _margin(prose(plan, narrow))
    elif todos := todo_lines(call_input):
        yield from _margin(_todos(todos, narrow))
    elif paper.is_full:
        yield from _margin(input_lines(call_input, narrow))


def _todos(todos: list[tuple[str, str]], paper: Paper) -> Iterator[Line]:
    for status, text in todos:
        style = "dim" if status == "completed" else ""
        yield cut([Span(TODO_BOXES.get(status, "☐") + " ", style), word(text, style)], paper)


def input_lines(call_input: Any, paper: Paper) -> Iterator[Line]:
    """Yield the whole input of a call: one argument after the other, texts unchanged."""
    arguments = call_input if isinstance(call_input, dict) else {"input": call_input}
    for key, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value)
        line = [word(key, "dim"), Span(": ", "dim"), ink(text)]
        for piece in split_lines(line):
            yield from wrap(piece, paper.width, paper, hang="  ")


def result_lines(part: Part, paper: Paper, calls: Calls) -> Iterator[Line]:
    """Yield a result under its call; it names the call again where something stands between them."""
    identity = str(part.data.get("id") or "")
    known = calls.end(identity)
    if calls.last != identity:
        name, topic = known[:2] if known else (part.data.get("name"), "")
        yield cut(
            [Span("↳ ", "call"), word(tool_name(str(name or "result")), "tool"), Span("  "), Span(topic, "dim")], paper
        )
    calls.last = identity
    is_error = bool(part.data.get("error"))
    images = [label(Part(str(one.get("kind")), None, one)) for one in result_media(part)]
    patch = list(patch_lines(part.data.get("detail"))) if known and known[0] == "Write" else []
    if patch and not is_error:
        yield from _margin(_limited(diff_lines(patch, paper.inset(2)), _DIFF_LINES, len(patch), paper))
    elif is_error or paper.is_full or not known:
        yield from output_lines(part.text or " ".join(images), paper, is_error=is_error)
    elif not known[2]:  # a diff says more than "has been updated"
        most = _RESULT_LINES if images else _SHORTER.get(known[0], _RESULT_LINES)
        yield from output_lines(part.text or " ".join(images), paper, is_error=False, most=most)


def result_media(part: Part) -> list[dict[str, Any]]:
    """Return the images and documents inside a result."""
    inner = part.data.get("parts")
    return [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []


def output_lines(text: str, paper: Paper, *, is_error: bool, most: int = _RESULT_LINES) -> Iterator[Line]:
    """Yield the output of a call, behind a gutter, cut to a few lines unless the user wants everything."""
    style = "error" if is_error else "output"
    most = _ERROR_LINES if is_error else most
    text = (text if paper.is_full else _WRAPPING.sub("", text)).lstrip("\n").rstrip("\r\n")
    if most == 0 and text and not paper.is_full:
        yield [Span(f"│ {count(text.count(chr(10)) + 1, 'line')} (--full)", "dim")]
        return
    if not text:
        yield [Span("│ ", style), Span("(failed without output)" if is_error else "(no output)", "dim")]
        return
    for line in _text_lines(text, paper.inset(2), most, style):
        yield [Span("│ ", "error" if is_error else "dim"), *line]


def _text_lines(text: str, paper: Paper, most: int, style: str) -> Iterator[Line]:
    """Yield lines of foreign text, making no more of it safe than is shown."""
    total = text.count("\n") + 1
    kept = text if paper.is_full else "\n".join(line[:_LONGEST_LINE] for line in text.split("\n", most)[:most])
    lines = (piece for line in split_lines([ink(kept, style)]) for piece in wrap(line, paper.width, paper))
    yield from _limited(lines, most, total, paper)


def _code_lines(text: str, label: str, paper: Paper) -> Iterator[Line]:
    total = text.count("\n") + 1
    kept = (
        text
        if paper.is_full
        else "\n".join(line[:_LONGEST_LINE] for line in text.split("\n", _CODE_LINES)[:_CODE_LINES])
    )
    yield from _limited(code(printable(kept).rstrip("\n"), label, paper), _CODE_LINES, total, paper)


def _limited(lines: Iterable[Line], most: int, total: int, paper: Paper) -> Iterator[Line]:
    """Yield at most `most` lines, and then the number of the others; all lines for a full paper."""
    if paper.is_full:
        yield from lines
        return
    iterator = iter(lines)
    yield from islice(iterator, most)
    if total > most:
        yield [Span(f"… {total - most:,} more lines (--full)", "dim")]
    elif next(iterator, None) is not None:
        yield [Span("… more (--full)", "dim")]


def diff_lines(diff: Iterable[DiffLine], paper: Paper) -> Iterator[Line]:
    """Yield a diff: numbers if known, signs, and colours if the paper has them."""
    for line in diff:
        if line.sign == "@":
            yield [word(f"⋯ {line.text}", "hunk")]
            continue
        number = f"{line.number:>5} " if line.number is not None else ""
        style = _DIFF_STYLES[line.sign]
        for text in split_lines([ink(line.text[:_LONGEST_LINE] if not paper.is_full else line.text, style)]):
            row = [Span(f"{number}{line.sign} ", style), *text]
            yield from wrap(row, paper.width, paper, hang=" " * (len(number) + 2))


def thinking_lines(part: Part, paper: Paper) -> Iterator[Line]:
    """Yield thinking, dimmed and cut; a full paper also gets a line if none was recorded."""
    if part.text and part.text.strip():
        total = part.text.strip("\n").count("\n") + 1
        if not paper.has_colour:
            yield [Span("thinking:", "thinking")]
        yield from _limited(words(part.text, paper, "thinking"), _THINKING_LINES, total, paper)
    elif paper.is_full:
        yield [Span("(thinking was not recorded)", "thinking")]


def attachment(part: Part, paper: Paper) -> Iterator[Line]:
    """Yield the label of an image or a document, or an unknown part in its raw form."""
    if part.kind in ("image", "document"):
        yield cut([word(label(part), "image")], paper)
        if part.text and paper.is_full:
            yield from words(part.text, paper)
        return
    yield cut([word(f"[{part.data.get('type') or part.kind}]", "dim"), Span(" "), word(_start(part), "dim")], paper)
    if paper.is_full:
        yield from _text_lines(part.text or json.dumps(part.data.get("raw")), paper, _RESULT_LINES, "dim")


def label(part: Part) -> str:
    """Return `[image image/png, 48 KB]`."""
    media_type, amount = part.data.get("media_type"), part.data.get("bytes")
    about = f"{part.kind} {media_type}" if media_type else part.kind
    return f"[{about}, {size(amount)}]" if isinstance(amount, int) else f"[{about}]"


def _start(part: Part) -> str:
    return (part.text or "").lstrip()[:200]


def _margin(lines: Iterable[Line]) -> Iterator[Line]:
    return ([Span("  "), *line] if line else [] for line in lines)
