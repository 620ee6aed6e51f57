"""`backscroll worktrees`: the git worktrees of Claude Desktop's sessions."""

import click

from backscroll.cli.lazy_views import terminal
from backscroll.cli.lazy_views import worktrees as view
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll worktrees",
    "backscroll worktrees --json",
)
@click.command("worktrees")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show the git worktrees that Claude Desktop made for sessions.

    Each line has the branch, the session and the path, and shows whether the worktree still exists.
    """
    with opened(settings) as library:
        found = library.worktrees()
    if settings.json:
        print_document(view.worktrees_document(found))
    else:
        terminal.print_lines(view.worktree_list(found, terminal.make_paper(settings)), settings)
    return DONE
