"""The library as the command line opens it: by the options that every command takes, with a line of progress."""

from collections.abc import Iterator
from contextlib import contextmanager

from backscroll.cli.options import Settings
from backscroll.cli.progress import ProgressLine
from backscroll.library import Library, open_library


@contextmanager
def opened(settings: Settings) -> Iterator[Library]:
    """Open the library, and show its progress for as long as it is open."""
    with (
        ProgressLine() as progress,
        open_library(settings.root, update=settings.update, on_progress=progress) as library,
    ):
        yield library
