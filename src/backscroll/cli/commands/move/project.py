"""`backscroll transfer project`: another directory for a project."""

import click

from backscroll.cli.commands.move.planning import APPLY, FORCE, show_plan
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings


@examples(
    "backscroll transfer project /home/ann/shop /home/ann/store                       the plan",
    "backscroll transfer project /home/ann/shop /home/ann/store --apply               after `mv`",
    "backscroll transfer project /home/ann/shop /home/ann/store --move-files --apply  instead of `mv`",
)
@click.command("project")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--move-files", is_flag=True, help="Move the directory itself too.")
@FORCE
@APPLY
@reading
@click.pass_obj
def command(  # noqa: PLR0913 - one argument per option of the command
    settings: Settings, *, old: str, new: str, move_files: bool, force: bool, is_apply: bool
) -> int:
    """Rename a project in all files of Claude Code and Desktop, after its directory moved.

    It covers sessions, memory, worktrees, settings, typed prompts and rows. It rewrites no record of a transcript.
    Sessions of other projects with the same key stay.
    """
    with opened(settings) as library:
        done = library.transfer_project(old, new, move_files=move_files, force=force, apply=is_apply)
    return show_plan(done, settings)
