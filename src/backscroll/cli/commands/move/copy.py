"""`backscroll transfer copy`: rows of Claude Desktop into another account."""

import click

from backscroll.cli.commands.move.planning import APPLY, FORCE, show_plan
from backscroll.cli.completion import complete_session
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings


@examples(
    "backscroll transfer copy 6b1e7c44 --to ben@example.com          the plan",
    "backscroll transfer copy 6b1e7c44 --to ben@example.com --apply  act",
    "backscroll transfer copy --project ~/shop --to 2f6c1d0e/91b7aa20",
)
@click.command("copy")
@click.argument("sessions", metavar="[ID]...", nargs=-1, shell_complete=complete_session)
@click.option("--project", metavar="TEXT", help="Copy the rows of a project instead.")
@click.option("--all", "is_all", is_flag=True, help="Copy all rows instead.")
@click.option(
    "--to",
    metavar="ACCOUNT[/ORG]",
    required=True,
    help="The target account: its id, the start of its id, or its e-mail address.",
)
@click.option("--undelete", is_flag=True, help="Move tombstones of deleted sessions aside.")
@FORCE
@APPLY
@reading
@click.pass_obj
def command(  # noqa: PLR0913 - one argument per option of the command
    settings: Settings,
    *,
    sessions: tuple[str, ...],
    project: str | None,
    is_all: bool,
    to: str,
    undelete: bool,
    force: bool,
    is_apply: bool,
) -> int:
    """Copy rows of Claude Desktop into another account, so that its sidebar shows the sessions.

    It skips rows without a transcript. It does not copy permissions, connections, schedules and worktree leases.
    It copies Cowork sessions with their folder, and changes no row that the account already has.
    """
    with opened(settings) as library:
        done = library.transfer_copy(
            sessions, to=to, project=project, everything=is_all, undelete=undelete, force=force, apply=is_apply
        )
    dropped = [f"Not copied: {', '.join(done.dropped)}"] if done.dropped else []
    remarks = [*dropped, done.note]
    return show_plan(done.changes, settings, remarks=remarks, dropped=list(done.dropped), note=done.note)
