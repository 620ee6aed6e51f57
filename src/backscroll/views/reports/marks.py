"""Desktop's marks for people and scripts, each with the place that it was taken from."""

from collections.abc import Iterator, Sequence
from typing import Any

from backscroll.sessions.joining.marks import DesktopMarks, Marks
from backscroll.views.figures import ago, tilde
from backscroll.views.json.sessions import Object, dumps, object_of
from backscroll.views.terminal.listing import damage_lines
from backscroll.views.terminal.paper import Line, Paper, Span, word
from backscroll.views.terminal.table import Column, table

_NAMES = ("pinned", "groups", "unread", "panes", "current", "folder", "model", "branches")
_LONGEST = 400


def marks_document(found: Sequence[DesktopMarks]) -> Iterator[str]:
    """Yield the answer of `storage --marks` as JSON."""
    damage = [object_of(item) for one in found for item in one.damage]
    yield dumps({"marks": [_marks_object(one.path, one.marks) for one in found], "damage": damage}) + "\n"


def _marks_object(path: str, marks: Marks) -> Object:
    plain = object_of(marks)
    return {"path": path} | plain | {"sources": {name: object_of(source) for name, source in marks.sources.items()}}


def marks_report(found: Sequence[DesktopMarks], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `storage --marks`: the marks of each Desktop, and their sources."""
    if not any(one.marks.sources for one in found):
        yield [Span("No marks of Claude Desktop found.")]
    for one in found:
        if one.marks.sources:
            yield [Span(tilde(one.path, paper), "heading")]
            yield from _table(one.marks, paper)
            yield []
        yield from damage_lines(one.damage, paper, "  ")


def _table(marks: Marks, paper: Paper) -> Iterator[Line]:
    columns = [
        Column("mark", most=8),
        Column("value"),
        Column("since", most=16),
        Column("from", most=44, shown_from=90),
    ]
    rows = [
        [
            Span(name, "title"),
            word(_text(name, getattr(marks, name))[:_LONGEST]),
            Span(ago(source.since, paper), "time"),
            word(f"{source.key} ({source.kind})", "dim"),
        ]
        for name in _NAMES
        if (source := marks.sources.get(name)) is not None
    ]
    yield from table(columns, rows, paper, "  ")


def _text(name: str, value: Any) -> str:
    if name == "groups":
        return ", ".join(f"{group.session} in {group.name}" for group in value) or "none"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return value if isinstance(value, str) else dumps(value)
