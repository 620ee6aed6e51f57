"""The archive for people and scripts."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from backscroll.lazy import lazily
from backscroll.safe_text import one_line
from backscroll.views.figures import ago, count, moment, size, tilde
from backscroll.views.terminal.paper import Line, Paper, Span, word
from backscroll.views.terminal.table import Column, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from backscroll.archive import model
    from backscroll.archive.model import (
        ArchivedFact,
        ArchivedFile,
        ArchivedVersion,
        ArchiveStatus,
        ArchiveTimer,
        Installation,
        Mirroring,
        Pruning,
        Repair,
        Verification,
    )
    from backscroll.archive.sources import SyncReport
    from backscroll.place import Place
    from backscroll.records import Json
    from backscroll.views.json import sessions as as_json
else:
    model = lazily("backscroll.archive.model")
    as_json = lazily("backscroll.views.json.sessions")

_MOST = 5
_LONGEST = 400
"""The most characters of a value that the table shows; --json has all."""


def document(value: ArchiveStatus | SyncReport | Verification) -> Iterator[str]:
    """Yield the answer of a command of the archive as JSON."""
    yield as_json.dumps(as_json.object_of(value)) + "\n"


def status_lines(status: ArchiveStatus, paper: Paper, command: str) -> Iterator[Line]:
    """Yield the answer of `archive status`."""
    if not status.versions and status.synced is None:
        yield [Span("The archive is empty.")]
        yield [Span(f"Fill it: {command} archive sync", "dim")]
        yield [Span(_timer_text(status.timer, command), "dim")]
        return
    amounts = {"session": status.sessions, "file": status.files, "version": status.versions}
    yield [Span(", ".join(count(number, noun) for noun, number in amounts.items()))]
    synced = "no sync since a repair" if status.synced is None else f"synced {ago(status.synced, paper)}"
    yield [Span(f"{size(status.raw_bytes)} in {size(status.bytes)}, {synced}")]
    yield [Span(tilde(status.path, paper), "dim")]
    yield [Span(_timer_text(status.timer, command), "dim")]


def _timer_text(timer: ArchiveTimer | None, command: str) -> str:
    if timer is None:
        return f"no timer; install one: {command} archive install --apply"
    return f"synced by {timer.kind}" + (f" every {timer.every} minutes" if timer.every is not None else "")


def command_lines(done: Installation) -> Iterator[Line]:
    """Yield the commands that start or stop the timer, and their outcomes."""
    for one in done.all_commands:
        told = {"planned": "then run", "done": "ran", "failed": "failed"}[one.status]
        yield [Span(f"{told:8}  ", "warn" if one.status == "failed" else "dim"), word(shlex.join(one.command), "code")]
        if one.why is not None:
            yield [word(f"  {one.why}", "dim")]
    if not done.before and any(one.status == "failed" for one in done.commands):
        yield [Span("The files are in place; the scheduler reads them at your next login.", "dim")]


def sync_lines(report: SyncReport, *, dry_run: bool) -> Iterator[Line]:
    """Yield the answer of `archive sync`."""
    if dry_run:
        yield [Span(f"would look into {report.added:,} of {report.files:,} files, about {size(report.bytes)}")]
    else:
        taken = f"{size(report.bytes)} in {size(report.stored)}"
        yield [Span(f"added {report.added:,} of {report.files:,} files, {taken}, in {report.seconds:.1f} s")]
    for item in report.skipped[:_MOST]:
        yield [Span(f"  skipped {one_line(item.path)}: {item.reason}", "dim")]
    if len(report.skipped) > _MOST:
        yield [Span(f"  skipped {len(report.skipped) - _MOST:,} more; --json names them", "dim")]


def verify_lines(found: Verification) -> Iterator[Line]:
    """Yield the answer of `archive verify`."""
    for item in found.damage:
        yield [Span(f"{one_line(item.place.path)}: byte {item.place.offset or 0:,}: {item.reason}", "warn")]
    state = "all good" if found.ok else f"{len(found.damage):,} damaged"
    yield [Span(f"{found.segments:,} segments, {size(found.bytes)}: {state}")]


def contents_document(key: str, found: Sequence[ArchivedFile | ArchivedVersion | ArchivedFact]) -> Iterator[str]:
    """Yield the answer of `archive list --files`, `--versions` or `--facts` as JSON."""
    yield as_json.dumps({key: [as_json.object_of(item) for item in found]}) + "\n"


def contents_lines(found: Sequence[ArchivedFile | ArchivedVersion], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `archive list --files` or `--versions`."""
    if not found:
        yield [Span("The archive has none.")]
        return
    is_version = isinstance(found[0], model.ArchivedVersion)
    columns = [
        Column("version" if is_version else "versions", most=8, right=True),
        Column("size", most=9, right=True),
        *([Column("copied", most=16, is_kept=True)] if is_version else []),
        Column("kind", most=16, shown_from=60),
        Column("path", is_path=True),
    ]
    rows = [
        [
            Span(f"{item.version if isinstance(item, model.ArchivedVersion) else item.versions:,}"),
            Span(size(item.bytes)),
            *([Span(_copied(item, paper))] if is_version else []),
            Span(item.kind, "dim"),
            word(tilde(item.path, paper)),
        ]
        for item in found
    ]
    yield from table(columns, rows, paper)


def _copied(item: ArchivedFile | ArchivedVersion, paper: Paper) -> str:
    """Return the moment of the copy of a version."""
    copied = item.copied if isinstance(item, model.ArchivedVersion) else None
    return "" if copied is None else moment(copied, paper)


def fact_lines(found: Sequence[ArchivedFact], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `archive list --facts`: a table for each file."""
    if not found:
        yield [Span("The archive has none.")]
    for path, facts in groupby(found, key=lambda fact: fact.path):
        yield [word(tilde(path, paper), "heading")]
        rows = [
            [Span("" if fact.time is None else moment(fact.time, paper), "dim"), word(fact.name), word(_value(fact))]
            for fact in facts
        ]
        yield from table([Column("since", most=16), Column("fact", most=40), Column("value")], rows, paper, "  ")


def _value(fact: ArchivedFact) -> str:
    if fact.value is None:
        return "gone"
    text = fact.value if isinstance(fact.value, str) else as_json.dumps(fact.value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text):,} characters)"


def mirror_keys(done: Mirroring) -> dict[str, Json]:
    """Return the keys of `archive mirror` beside the plan."""
    damage: list[Json] = [as_json.object_of(item) for item in done.damage]
    return {"target": done.target, "copied": done.copied, "bytes": done.bytes, "damage": damage}


def mirror_lines(done: Mirroring) -> Iterator[Line]:
    """Yield the answer of `archive mirror`."""
    statuses = Counter(step.status for step in done.changes.steps)
    for step in done.changes.steps:
        if step.status == "failed":
            yield [Span(f"failed {one_line(step.target or '')}: {step.why}", "warn")]
    if statuses["same"] == len(done.changes.steps):
        yield [Span(f"the mirror has all {statuses['same']:,} segments")]
    elif not done.changes.applied:
        yield [Span(f"would copy {statuses['planned']:,} of {len(done.changes.steps):,} segments")]
    else:
        yield [Span(f"copied {done.copied:,} of {len(done.changes.steps):,} segments, {size(done.bytes)}")]
    for item in done.damage:
        yield [Span(f"{one_line(item.place.path)}: byte {item.place.offset or 0:,}: {item.reason}", "warn")]
    yield [word(done.target, "dim")]


def prune_lines(done: Pruning) -> Iterator[Line]:
    """Yield the last line of `archive prune`."""
    verb = "moved to the bin" if done.changes.applied else "would move to the bin"
    yield [Span(f"{size(done.bytes)} {verb}")]


def places(lost: Sequence[Place]) -> list[Json]:
    """Return places as JSON."""
    return [as_json.object_of(place) for place in lost]


def repair_lines(done: Repair) -> Iterator[Line]:
    """Yield the places that are lost for good."""
    for place in done.lost:
        extent = f" to {place.offset + place.length:,}" if place.offset is not None and place.length else " on"
        yield [Span(f"lost: {one_line(place.path)} from byte {place.offset or 0:,}{extent}", "warn")]
    if not done.changes.steps:
        yield [Span("Nothing is damaged.")]
