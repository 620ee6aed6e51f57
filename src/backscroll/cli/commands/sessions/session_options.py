"""The words and options that choose and order sessions, for every command that lists some."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from backscroll.cli.completion import complete_branch, complete_model
from backscroll.cli.options import closed, of_project, since_and_until
from backscroll.query.closed_fields import CLOSED
from backscroll.sessions.session import STATES
from backscroll.verbs.sessions import ORDERS

_Command = TypeVar("_Command", bound=Callable[..., Any])
_CHOICES = (
    click.argument("words", metavar="[WORDS]...", nargs=-1),
    click.option(
        "--limit", metavar="N", type=click.IntRange(min=0), default=20, show_default=True, help="Show N sessions."
    ),
    click.option("--all", "is_unlimited", is_flag=True, help="Show all sessions."),
    of_project,
    click.option("--store", type=closed(CLOSED["store"]), help="Only one kind of store."),
    click.option("--account", metavar="TEXT", help="Only one account: the start of its id, or its e-mail address."),
    since_and_until,
    click.option(
        "--model",
        metavar="NAME",
        shell_complete=complete_model,
        help="Only sessions with a model whose name contains NAME.",
    ),
    click.option(
        "--branch",
        metavar="NAME",
        shell_complete=complete_branch,
        help="Only sessions on git branches whose name contains NAME.",
    ),
    click.option("--sort", type=closed(ORDERS), default="updated", show_default=True, help="The order of the list."),
    click.option("--state", type=closed(STATES), help="Only sessions in one state."),
)


def choosing_sessions(command: _Command) -> _Command:
    """Give a command WORDS of titles, and the options that choose and order sessions."""
    for choice in reversed(_CHOICES):
        command = choice(command)
    return command
