"""A progress line on standard error that erases itself."""

import os
import sys
from time import monotonic
from typing import Protocol, Self

from backscroll.cli.lazy_views import figures
from backscroll.safe_text import one_line

_PATIENCE = 0.5
"""Seconds before the line appears: short work needs none."""
_KNOWN_AFTER = 2.0
"""Seconds of work before the rest can be estimated."""
_PAUSE = 0.1
"""Seconds between two lines."""


class ProgressValue(Protocol):
    """The progress of a verb."""

    @property
    def done(self) -> int:
        """Files read so far."""

    @property
    def total(self) -> int:
        """Files to read."""

    @property
    def bytes(self) -> int:
        """Bytes read so far."""

    @property
    def what(self) -> str:
        """The current step, in a word."""


class ProgressLine:
    """Show progress on a terminal; elsewhere do nothing."""

    def __init__(self) -> None:
        self.is_shown = sys.stderr.isatty()
        self.began = monotonic()
        self.next = self.began + _PATIENCE
        self.is_dirty = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.erase()

    def __call__(self, progress: ProgressValue) -> None:
        """Update the progress."""
        now = monotonic()
        if not self.is_shown or now < self.next:
            return
        self.next = now + _PAUSE
        self.is_dirty = True
        text = describe(progress, now - self.began)[: _width() - 1]
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()

    def erase(self) -> None:
        """Erase the line."""
        if self.is_dirty:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self.is_dirty = False


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def describe(progress: ProgressValue, seconds: float) -> str:
    """Return `reading 120 of 648, 45 MB, 38 MB/s, 4 s left`; if bytes are counted, omit the second number."""
    what = one_line(progress.what)
    if progress.bytes and progress.bytes == progress.done:
        parts = [what, f"{figures.size(progress.done)} of {figures.size(progress.total)}"]
    else:
        parts = [f"{what} {progress.done:,} of {progress.total:,}"]
        parts += [figures.size(progress.bytes)] if progress.bytes and seconds > 0 else []
    if progress.bytes and seconds > 0:
        parts.append(f"{figures.size(round(progress.bytes / seconds))}/s")
    if 0 < progress.done < progress.total and seconds >= _KNOWN_AFTER:
        left = seconds * (progress.total - progress.done) / progress.done
        parts.append(f"{figures.duration_of(left)} left")
    return ", ".join(parts)
