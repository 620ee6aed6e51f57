"""`backscroll worktrees`: the git worktrees of Claude Desktop's sessions."""

import click

from backscroll.cli.later import terminal
from backscroll.cli.later import worktrees as view
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage


@examples(
    "backscroll worktrees",
    "backscroll worktrees --json",
)
@click.command("worktrees")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show the git worktrees that Claude Desktop made for sessions.

    Each with its branch, the session that was held in it, and whether it is still there.
    """
    with opened(settings) as library:
        found = library.worktrees()
    if settings.json:
        print_document(view.worktrees_document(found))
    else:
        terminal.print_lines(view.worktree_list(found.worktrees, terminal.make_paper(settings)), settings)
    return report_damage(len(found.damage), settings)
