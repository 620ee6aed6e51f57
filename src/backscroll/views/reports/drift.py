"""The inventory of records for people and scripts, unknown ones first."""

import json as standard_json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from backscroll.inventory.report import Check, Drift, TypeUse, Unknown
from backscroll.views.figures import count, fit_end
from backscroll.views.json.sessions import Object, dumps, object_of
from backscroll.views.terminal.listing import place_text
from backscroll.views.terminal.paper import Line, Paper, Span, word, wrap
from backscroll.views.terminal.table import Column, table

_PLACE = 44
_STATES = {True: Span("known", "dim"), False: Span("unknown", "warn"), None: Span("", "dim")}


def drift_document(drift: Drift, kind: str | None = None) -> Iterator[str]:
    """Yield the answer of `drift` as JSON, of one type or of all."""
    document = {
        "files": drift.files,
        "records": drift.records,
        "types": [_type_object(item) for item in _of(drift.types, kind)],
        "unknown": [object_of(item) for item in _of(drift.unknown, kind)],
        "checks": [object_of(check) for check in drift.checks],
        "damage": [object_of(item) for item in drift.damage],
    }
    yield dumps(document) + "\n"


def schema_document(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the answer of `drift --schema`."""
    yield standard_json.dumps(schema, indent=2) + "\n"


def _of(items: Iterable[Any], kind: str | None) -> list[Any]:
    return [item for item in items if kind is None or item.type == kind or item.type.startswith(kind + "/")]


def _counts(numbers: dict[str | None, int]) -> dict[str, int]:
    """Return the counts by version; the empty name has the records without a version."""
    return {version or "": number for version, number in numbers.items()}


def _type_object(item: TypeUse) -> Object:
    fields = [object_of(use) | {"versions": _counts(use.versions)} for use in item.fields]
    return object_of(item) | {"fields": fields, "versions": _counts(item.versions)}


def drift_report(drift: Drift, kind: str | None, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `drift` for people."""
    types = _of(drift.types, kind)
    if not types:
        yield [Span("No records found." if kind is None else "No records of this type found.")]
        return
    if kind is None:
        yield [
            Span(count(drift.records, "record"), "heading"),
            Span(f"  of {count(len(types), 'type')} in {count(drift.files, 'file')}", "dim"),
        ]
        yield []
    yield from _unknown_table(_of(drift.unknown, kind), paper)
    if kind is None:
        yield from _type_table(types, paper)
        yield from _checks(drift.checks, paper)
        return
    for item in types:
        yield [word(item.type, "title"), Span("  "), word(count(item.count, "record") + _span(item.versions), "dim")]
        yield from _field_table(item, paper)
        yield []


def _unknown_table(unknown: Sequence[Unknown], paper: Paper) -> Iterator[Line]:
    if not unknown:
        yield [Span("Everything is known.")]
        yield []
        return
    yield [Span("Not known", "heading")]
    columns = [
        Column("what", most=5),
        Column("type"),
        Column("field", most=28),
        Column("count", most=9, right=True),
        Column("values", most=16, shown_from=90),
        Column("versions", most=18, shown_from=110),
        Column("for example in", most=_PLACE),
    ]
    rows = [
        [
            Span(item.kind, "warn"),
            word(item.type, "title"),
            word(item.field),
            Span(f"{item.count:,}"),
            Span(", ".join(item.types), "dim"),
            word(_range(item.versions), "dim"),
            Span(fit_end(place_text(item.place, paper), _PLACE if paper.width else 10_000, paper), "project"),
        ]
        for item in unknown
    ]
    yield from table(columns, rows, paper, "  ")
    yield []


def _type_table(types: Sequence[TypeUse], paper: Paper) -> Iterator[Line]:
    yield [Span("Types", "heading")]
    columns = [
        Column("type"),
        Column("count", most=11, right=True),
        Column("fields", most=6, right=True),
        Column("stores", most=24, shown_from=80),
        Column("versions", most=20, shown_from=70),
        Column("", most=8),
    ]
    rows = [
        [
            word(item.type, "title"),
            Span(f"{item.count:,}"),
            Span(str(len(item.fields)), "dim"),
            word(", ".join(item.stores), "dim"),
            word(_range([version for version in item.versions if version]), "dim"),
            _STATES[item.known] if not item.known else Span(""),
        ]
        for item in types
    ]
    yield from table(columns, rows, paper, "  ")


def _field_table(item: TypeUse, paper: Paper) -> Iterator[Line]:
    columns = [
        Column("field"),
        Column("in", most=7, right=True),
        Column("values", most=40),
        Column("versions", most=20, shown_from=80),
        Column("", most=8),
    ]
    rows = [
        [
            word(use.name, "title"),
            Span(f"{100 * use.count / item.count:.0f} %"),
            Span(", ".join(f"{name} {number:,}" if len(use.types) > 1 else name for name, number in use.types.items())),
            word(_range([version for version in use.versions if version]), "dim"),
            _STATES[use.known],
        ]
        for use in item.fields
    ]
    yield from table(columns, rows, paper, "  ")


def _checks(checks: Sequence[Check], paper: Paper) -> Iterator[Line]:
    for check in checks:
        if check.records:
            wrong = [field for field in check.fields if not field.holds]
            yield []
            claim = Span(f"  {check.claim}: {count(check.records, 'manifest')} here", "dim")
            yield from wrap([Span("Check", "heading"), claim], paper.width, paper, hang="  ")
            if not wrong:
                yield [Span("  All fields are as claimed.")]
            rows = [
                [
                    word(field.name, "title"),
                    Span(f"{field.count:,} of {check.records:,}"),
                    Span(f"claimed: {field.expected}{', always' if field.required else ''}", "dim"),
                    Span(", ".join(field.types)),
                ]
                for field in wrong
            ]
            if rows:
                yield from table(
                    [Column("field"), Column("in", most=16), Column("", most=28), Column("")], rows, paper, "  "
                )


def _range(versions: Sequence[str]) -> str:
    """Return the first and the last of sorted versions."""
    return "" if not versions else versions[0] if len(versions) == 1 else f"{versions[0]} – {versions[-1]}"


def _span(versions: dict[str | None, int]) -> str:
    known = _range([version for version in versions if version])
    return f", {known}" if known else ""
