"""Feature flags for people and scripts."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from backscroll.stores.desktop_files.flags import Flag, FlagChange, FlagDifference, FlagReport
from backscroll.views.figures import count
from backscroll.views.json.sessions import dumps, object_of
from backscroll.views.terminal.listing import damage_lines
from backscroll.views.terminal.paper import Line, Paper, Span, word
from backscroll.views.terminal.table import Column, table

_STYLES = {"added": "added", "removed": "removed", "changed": "warn"}
_LONGEST = 400


def flags_document(report: FlagReport) -> Iterator[str]:
    """Yield the answer of `flags` as JSON."""
    objects = [
        {
            "name": flag.name,
            "value": flag.value,
            "path": flag.path,
            "others": [{"path": path, "value": value} for path, value in flag.others],
        }
        for flag in report.flags
    ]
    yield dumps({"flags": objects, "damage": [object_of(item) for item in report.damage]}) + "\n"


def diff_document(difference: FlagDifference) -> Iterator[str]:
    """Yield the answer of `flags --diff` as JSON."""
    objects = [asdict(change) for change in difference.changes]
    yield dumps({"flags": objects, "damage": [object_of(item) for item in difference.damage]}) + "\n"


def flag_list(report: FlagReport, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `flags`: a table, then everything that could not be read."""
    if report.flags:
        yield from _table(report.flags, paper)
    else:
        yield [Span("No feature flags found.")]
    if report.damage:
        yield [Span("Damage", "heading")]
        yield from damage_lines(report.damage, paper, "  ")


def _table(flags: Sequence[Flag], paper: Paper) -> Iterator[Line]:
    rows = [
        [
            word(flag.name, "title"),
            _value(flag.value),
            Span(f"differs in {count(len(flag.others), 'other config')}" if flag.others else "", "warn"),
        ]
        for flag in flags
    ]
    yield from table([Column("flag", most=50), Column("value"), Column("", most=28)], rows, paper)


def flag_changes(changes: Sequence[FlagChange], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `flags --diff`."""
    if not changes:
        yield [Span("The flags are the same.")]
        return
    columns = [Column("flag", most=50), Column("change", most=8), Column("here"), Column("there")]
    rows = [
        [
            word(change.name, "title"),
            Span(change.change, _STYLES[change.change]),
            Span("") if change.change == "added" else _value(change.value),
            Span("") if change.change == "removed" else _value(change.other),
        ]
        for change in changes
    ]
    yield from table(columns, rows, paper)


def _value(value: Any) -> Span:
    return word(dumps(value)[:_LONGEST], "added" if value is True else "dim" if value is False else "")
