"""Functions that offer values to a shell; their code is imported when a shell asks."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _completer(name: str) -> Completer:
    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from backscroll.cli import completion_values  # noqa: PLC0415  (20 ms, and only a shell that completes needs it)

        found: list[CompletionItem] = getattr(completion_values, name)(context, parameter, incomplete)
        return found

    return complete


complete_session = _completer("sessions")
complete_project = _completer("projects")
complete_branch = _completer("git_branches")
complete_branch_of_session = _completer("branches")
complete_model = _completer("models")
complete_file = _completer("files")
