"""Browser storage for people and scripts: tables by origin, single values whole, JSON as JSON."""

import json as standard_json
from collections.abc import Iterator, Sequence
from itertools import groupby

from backscroll.formats.chromium.records import StorageRecord
from backscroll.stores.desktop_files.storage import Storage
from backscroll.times import iso
from backscroll.views.figures import ago, count, moment, size
from backscroll.views.json.sessions import Object, dumps, object_of
from backscroll.views.terminal.listing import damage_lines, place_text
from backscroll.views.terminal.paper import Line, Paper, Span, ink, split_lines, word, wrap
from backscroll.views.terminal.table import Column, table

_KINDS = {
    "local-storage": "Local Storage",
    "session-storage": "Session Storage",
    "indexeddb": "IndexedDB",
    "metadata": "kept by the browser for itself",
}
_STATE_STYLES = {"deleted": "error", "superseded": "dim"}
_PREVIEW = 120


def record_object(record: StorageRecord) -> Object:
    """Return one version of one value; `json` is there where the value is JSON."""
    return {
        "origin": record.origin,
        "partition": record.partition,
        "key": record.key,
        "value": record.text,
        **_code_units("key", record.key),
        **_code_units("value", record.text),
        **({"json": record.json} if record.has_json else {}),
        "bytes": None if record.value_bytes is None else len(record.value_bytes),
        "sequence": record.sequence,
        "time": None if record.time is None else iso(record.time),
        "exact_time": record.has_exact_time,
        "state": record.state.value,
        "kind": record.kind,
        "database": record.database,
        "object_store": record.object_store,
        "withheld": record.is_withheld,
        "note": record.note,
        "place": object_of(record.place),
    }


def _code_units(name: str, text: str | None) -> Object:
    """Return the UTF-16 code units of a text in hex, if it has a lone surrogate, which UTF-8 cannot encode."""
    if text is None or not any("\ud800" <= character <= "\udfff" for character in text):
        return {}
    return {f"{name}_utf16": text.encode("utf-16-be", "surrogatepass").hex()}


def storage_document(storage: Storage) -> Iterator[str]:
    """Yield the answer of `storage` as JSON."""
    records = [record_object(record) for record in storage.records]
    yield dumps({"records": records, "damage": [object_of(damage) for damage in storage.damage]}) + "\n"


def storage_report(storage: Storage, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `storage` for people: a table for each place, or with a full paper each value whole."""
    if not storage.records:
        yield [Span("Nothing found in browser storage.")]
    for number, (place, group) in enumerate(groupby(storage.records, _place)):
        records = list(group)
        if number:
            yield []
        yield [word(place, "heading"), Span(f"  {count(len({r.key for r in records}), 'key')}", "dim")]
        for place_in_group, lines in enumerate(
            [_whole(record, paper) for record in records] if paper.is_full else [_table(records, paper)]
        ):
            if place_in_group:
                yield []
            yield from lines
    if any(record.is_withheld for record in storage.records):
        yield []
        yield [Span("Tokens and passwords are withheld; --secrets shows them.", "dim")]
    if storage.damage:
        yield []
        yield [Span("Damage", "heading")]
        yield from damage_lines(storage.damage, paper, "  ")


def _place(record: StorageRecord) -> str:
    """Return a description of a record's place."""
    origin = record.origin or "(unknown origin)"
    where = f"{origin} embedded in {record.partition}" if record.partition else origin
    inside = " / ".join(filter(None, (record.database, record.object_store)))
    return f"{where}: {_KINDS[record.kind]}" + (f" {inside}" if inside else "")


def _table(records: Sequence[StorageRecord], paper: Paper) -> Iterator[Line]:
    has_states = any(record.state != "live" for record in records)
    columns = [
        Column("key", most=36),
        Column("value"),
        Column("size", most=7, right=True),
        Column("committed", most=16),
        *([Column("state", most=10), Column("sequence", most=9, right=True)] if has_states else []),
    ]
    yield from table(columns, [_row(record, paper) for record in records], paper, "  ")


def _row(record: StorageRecord, paper: Paper) -> list[Span]:
    value = Span("", "dim") if record.text is None else word(record.text[: paper.width or _PREVIEW])
    return [
        word(record.key, "id") if record.key else Span("(empty)", "dim"),
        value,
        Span(size(None if record.value_bytes is None else len(record.value_bytes)), "dim"),
        Span(ago(record.time, paper), "time"),
        Span(record.state.value, _STATE_STYLES.get(record.state.value, "")),
        Span("" if record.sequence is None else str(record.sequence), "dim"),
    ]


def _whole(record: StorageRecord, paper: Paper) -> Iterator[Line]:
    facts = [record.state.value]
    if record.value_bytes is not None:
        facts.append(size(len(record.value_bytes)))
    if record.sequence is not None:
        facts.append(f"sequence {record.sequence}")
    if record.time is not None:
        facts.append(f"committed {'' if record.has_exact_time else 'by '}{moment(record.time, paper)}")
    facts += [record.note] if record.note else []
    yield from wrap([Span("  "), word(record.key, "id"), Span("  "), word(", ".join(facts), "dim")], paper.width, paper)
    yield from wrap([Span(f"  {place_text(record.place, paper)}", "dim")], paper.width, paper, hang="  ")
    if record.text is not None:
        for line in split_lines([ink(_readable(record))]):
            yield from wrap([Span("  "), *line], paper.width, paper, hang="    ")


def _readable(record: StorageRecord) -> str:
    """Return a value for people: JSON with its structure, anything else unchanged."""
    if record.has_json and isinstance(record.json, dict | list):
        return standard_json.dumps(record.json, indent=2, ensure_ascii=False)
    return record.text or ""
