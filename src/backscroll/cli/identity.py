"""The argument that names a session, and what the shell may offer for it."""

from typing import TYPE_CHECKING

import click

from backscroll.cli.options import Settings
from backscroll.errors import BackscrollError
from backscroll.scrub import one_line
from backscroll.verbs import sessions as verbs

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_MOST = 500


def complete_session(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    """Return the ids that begin like this, from the index as it is."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  (only a shell that completes needs it)

    settings = context.ensure_object(Settings)
    try:
        sessions = verbs.list_sessions(settings.root, limit=_MOST, update=False).sessions
    except BackscrollError:
        return []
    found = [CompletionItem(one_line(one.id), help=one_line(one.title or "")) for one in sessions]
    return [item for item in [*found, CompletionItem("latest")] if item.value.startswith(incomplete)]
