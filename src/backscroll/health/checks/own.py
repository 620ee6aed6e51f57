"""Checks of our own directory: index, archive, its last sync, and the disk."""

import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shlex import quote

from backscroll.archive.verify import status
from backscroll.health.surroundings import CheckResult, Surroundings, size_of
from backscroll.index.health_facts import is_index_sound
from backscroll.place import Place
from backscroll.stores.archived import CATALOGUE, SEGMENTS, ends_of

LEAST_FREE = 1 << 30
"""The archive stops at this much free space, or at 5 % if that is less."""
LATE = timedelta(days=1)
"""An archive without a sync for this time is no longer kept up to date."""


def index_health(path: Path) -> Iterator[CheckResult]:
    """Report that the index no longer holds the values that we wrote."""
    if path.is_file() and not is_index_sound(path):
        yield CheckResult("warning", "Our index is damaged. A rebuild loses nothing.", Place(str(path)))


def archive(around: Surroundings) -> Iterator[CheckResult]:
    """Report that the archive is damaged, or that there is none."""
    if around.archive_fault is not None:
        text = f"The catalogue of the archive cannot be read: {around.archive_fault}."
        yield CheckResult("error", text, Place(str(around.part / CATALOGUE)), "archive repair")
        return
    for segment, end in ends_of(around.archived).items():
        place = around.part / SEGMENTS / segment
        if (size := size_of(str(place))) < end:
            lost = [row for row in around.archived if row.segment == segment and row.end > size]
            what = "too short" if size else "gone"
            more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
            text = f"A file of the archive is {what}; it held {os.fsdecode(lost[0].path)}{more}."
            yield CheckResult("error", text, Place(str(place)), "archive repair")
    if not around.archived and any(session.transcripts for session in around.sessions):
        text = "There are no copies yet: a file that Claude Code deletes is lost."
        yield CheckResult("note", text, Place(str(around.part)), "archive install")


def timer(around: Surroundings) -> Iterator[CheckResult]:
    """Report that the last sync of the archive is long ago."""
    if not around.archived or around.archive_fault is not None:
        return
    synced = status(around.part).synced
    if synced is None or around.now - synced > LATE:
        when = "never ended" if synced is None else f"was on {synced:%Y-%m-%d}"
        text = f"The last sync of the archive {when}; later work has no copy."
        if around.has_timer:
            yield CheckResult("warning", f"{text} Its timer is installed, but it does not run.", None, "archive sync")
        else:
            yield CheckResult("warning", text)


def disk(around: Surroundings) -> Iterator[CheckResult]:
    """Report that the disk of our directory is nearly full."""
    place = next(path for path in (around.own, *around.own.parents) if path.is_dir())
    usage = shutil.disk_usage(place)
    if usage.free < min(LEAST_FREE, usage.total // 20):
        text = f"The disk of backscroll's directory has {usage.free >> 20:,} MiB free, too little for the archive."
        yield CheckResult("warning", text, None, f"$df -h {quote(str(place))}")
