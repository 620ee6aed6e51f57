"""Checks for losses: sessions that are gone, one by one and many at once.

Todos and the like also belong to sessions that never had a transcript; these are only counted.
"""

import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import PurePath
from shlex import quote

from backscroll.archive.restore import directories_beside, directory_of, named_in_row
from backscroll.health.remains import Loss
from backscroll.health.surroundings import CheckResult, Surroundings, counted
from backscroll.index.health_facts import configs, files_beside, known_names, paths_of_files, transcript_files
from backscroll.place import Place
from backscroll.stores.archived import CONVERSATIONS, KeptFile
from backscroll.stores.side import read_object
from backscroll.times import of_file

MANY = 5
"""This many losses are a mass loss."""
_NAMED = 20
"""A remedy names up to this many sessions."""
_TRACES = ("todos", "tasks", "side-other", "plan")


def lost(around: Surroundings) -> Iterator[CheckResult]:
    """Yield the sessions of which only traces are left."""
    if around.has_unreadable:
        return
    found = around.losses
    for loss in found:
        yield CheckResult("error", loss.text, loss.place, session=loss.session)
    yield from _earlier_parts(around)
    yield from _traces(around, {loss.session for loss in found})
    yield from _counters(around, len(found))


def _earlier_parts(around: Surroundings) -> Iterator[CheckResult]:
    """Yield the missing earlier transcripts of rows."""
    there = {PurePath(path).name.partition(".")[0] for path, *_ in transcript_files(around.database)}
    for session in around.sessions:
        for row in session.rows:
            gone = [name for name in row["lineage"][1:] if name not in there]
            if gone and session.transcripts and row["product"] == "code":
                text = f"Desktop's row names {len(gone)} earlier transcripts of this session that are gone."
                if len(gone) == 1:
                    text = f"Desktop's row names an earlier transcript of this session that is gone: {gone[0]}."
                yield CheckResult("warning", text, Place(row["path"]), session=session.id)


def _traces(around: Surroundings, lost_names: set[str]) -> Iterator[CheckResult]:
    known = known_names(around.database) | lost_names
    left: dict[str, str] = {}
    for session, kind, path, _ in files_beside(around.database):
        if kind in _TRACES and session not in known:
            left.setdefault(session, path)
    if left:
        text = f"{counted(len(left), 'more session')} left todos or the like and no transcript; some never had one."
        yield CheckResult("note", text, Place(next(iter(left.values()))))


def _counters(around: Surroundings, lost_count: int) -> Iterator[CheckResult]:
    """Yield a counter of Claude Code that counts more sessions than are left."""
    for path in paths_of_files(around.database, kind="side-other"):
        if PurePath(path).name != "stats-cache.json":
            continue
        total = read_object(path, None).get("totalSessions")
        here = len(around.sessions) + lost_count
        if type(total) is int and total > here:
            text = f"{path} counts {total:,} sessions, {total - here:,} more than are here or known to be lost."
            yield CheckResult("note", f"{text} They were deleted, or never kept.", Place(path))


def mass_loss(around: Surroundings) -> Iterator[CheckResult]:
    """Yield a loss of many sessions at once."""
    found = around.losses
    if len(found) >= MANY:
        yield _many_lost(found, around)
    for kind in ("transcript", "row"):
        early = _vanished_early(around, kind)
        if len(early) >= MANY:
            what = "transcripts" if kind == "transcript" else "rows of Desktop"
            text = f"{len(early):,} {what} vanished before their time. The archive has them all."
            yield CheckResult("warning", text, Place(os.fsdecode(early[0].path)), _restoring(early, kind, around))


def _restoring(gone: Sequence[KeptFile], kind: str, around: Surroundings) -> str:
    """Return the command that restores sessions that vanished, or that lists them if they are too many."""
    if kind == "row":
        names: set[str | None] = set().union(*(named_in_row(around.part, row) for row in gone))
        beside = set().union(*map(directories_beside, gone))
        names |= {row.session for row in around.archived if row.kind in CONVERSATIONS and directory_of(row) in beside}
    else:
        names = {row.session for row in gone}
    known = [session.id for session in around.sessions if session.id in names]
    if not known:
        return "archive list --files"
    return f"archive restore {' '.join(map(quote, known))}" if len(known) <= _NAMED else "archive list --state kept"


def _many_lost(found: Sequence[Loss], around: Surroundings) -> CheckResult:
    prompts = sum(loss.prompts for loss in found)
    survive = f"{prompts:,} of their prompts survive" if prompts else "no prompt of theirs survives"
    text = f"{len(found):,} sessions are gone, and {survive}."
    times = sorted(loss.last for loss in found if loss.last is not None)
    days = [f"{time:%Y-%m-%d}" for time in times]
    if days:
        when = f"on {days[0]}" if days[0] == days[-1] else f"between {days[0]} and {days[-1]}"
        text += f" They were last used {when}."
    swept = _last_cleanup(around)
    if swept is None:
        return CheckResult("error", text, found[0].place)
    moment, path, config = swept
    period = timedelta(days=around.rule(config).period)
    young = sum(time > moment - period for time in times)
    text += f" Claude Code's last clean-up ran on {moment:%Y-%m-%d %H:%M}"
    text += f", when {young:,} of them were younger than its own limit." if young else "."
    return CheckResult("error", text, Place(path))


def _last_cleanup(around: Surroundings) -> tuple[datetime, str, str] | None:
    """Return the time of the last clean-up, the file that proves it, and its configuration directory."""
    found = []
    for config in configs(around.database) or [""]:
        for path in paths_of_files(around.database, kind="last-cleanup", config=config or None):
            try:
                moment = of_file(os.lstat(path).st_mtime)
            except (OSError, ValueError):
                moment = None
            if moment is not None:
                found.append((moment, path, config or str(PurePath(path).parent)))
    return max(found, default=None)


def _is_of(row: KeptFile, kind: str) -> bool:
    """Return True if an archived file is a transcript, or an audit of Cowork, or a row, as asked."""
    return row.kind in CONVERSATIONS if kind == "transcript" else row.kind == kind


def _vanished_early(around: Surroundings, kind: str) -> list[KeptFile]:
    """Return the archived transcripts, or rows, that are gone although no clean-up was due and nobody moved them."""
    live = {session.id for session in around.sessions if session.state != "kept" and session.transcripts}
    rows = {f"{row['id']}.json" for session in around.sessions for row in session.rows}
    gone: dict[str, KeptFile] = {}
    for row in around.archived:
        path = os.fsdecode(row.path)
        if not _is_of(row, kind) or not row.looked or os.path.lexists(path):  # an imported file was never at its place
            continue
        if kind == "row":
            is_early = PurePath(path).name not in rows
        else:
            written = of_file(row.mtime / 1e9)
            due = None if written is None else written + timedelta(days=around.rule(row.config).period)
            is_early = row.session not in live and due is not None and due > around.now
        if is_early:
            gone.setdefault(path if kind == "row" else row.session or path, row)
    return list(gone.values())
