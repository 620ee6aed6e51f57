"""The argument that names a session, and what the shell may offer for it."""

from typing import TYPE_CHECKING

import click

from backscroll.cli.options import Settings
from backscroll.errors import BackscrollError
from backscroll.library import open_library
from backscroll.scrub import one_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_MOST = 500


def complete_session(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    """Return the ids that begin like this, from the index as it is."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  (only a shell that completes needs it)

    settings = context.ensure_object(Settings)
    try:
        with open_library(settings.root, update=False) as library:
            sessions = library.list_sessions(limit=_MOST).sessions
    except BackscrollError:
        return []
    found = [CompletionItem(one_line(one.id), help=one_line(one.title or "")) for one in sessions]
    return [item for item in [*found, CompletionItem("latest")] if item.value.startswith(incomplete)]
