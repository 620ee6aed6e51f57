"""Open the library with the options of a command, and note the damage and unreadable paths in its answer."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from backscroll.cli.progress import ProgressLine
from backscroll.cli.settings import Settings
from backscroll.errors import NotFoundError
from backscroll.files import DENIED
from backscroll.library import Library, open_library
from backscroll.safe_text import one_line

_MOST = 5
_ACCESS = (
    "Give your terminal Full Disk Access: System Settings, Privacy & Security."
    if sys.platform == "darwin"
    else "Run backscroll as the owner of these files, or ask the owner for permission to read them."
)


@contextmanager
def opened(settings: Settings) -> Iterator[Library]:
    """Open the library, and show its progress for as long as it is open."""
    progress = ProgressLine()
    with opened_with(settings, progress) as library, progress:
        yield library


@contextmanager
def opened_with(settings: Settings, progress: ProgressLine) -> Iterator[Library]:
    """Open the library for a command that shows its progress itself."""
    with open_library(settings.root, update=settings.update, on_progress=progress) as library:
        try:
            yield library
        except NotFoundError:
            warn_of_unreadable(library, settings)  # they may hold it
            raise
        settings.damage += library.damaged_places()
        settings.is_damage_near = not library.is_about_everything
        settings.damaged = library.damaged_sessions()
        settings.is_damage_beside = library.has_damage_beside
        warn_of_unreadable(library, settings)


def tell_unknown(
    library: Library, settings: Settings, found: object, *, query: str | None = None, **given: str | None
) -> None:
    """Print which option, or field of a query, has a value that occurs nowhere, if nothing was found for a person."""
    if not found and not settings.json and not settings.jsonl:
        from backscroll.cli.commands import unknown  # noqa: PLC0415  (only an empty answer needs it)

        unknown.tell_unknown(library, **given)
        if query is not None:
            unknown.tell_unknown_fields(library, query)


def warn_of_unreadable(library: Library, settings: Settings) -> None:
    """Name the paths that cannot be read, and the remedy, on standard error."""
    paths = library.unreadable()
    if not paths:
        return
    settings.is_incomplete = True
    sys.stdout.flush()
    lines = [f"backscroll: cannot read {one_line(path)}: {DENIED}" for path in paths[:_MOST]]
    if len(paths) > _MOST:
        lines.append(f"backscroll: cannot read {len(paths) - _MOST:,} more paths: {DENIED}")
    sys.stderr.write("\n".join([*lines, f"  {_ACCESS}", ""]))
