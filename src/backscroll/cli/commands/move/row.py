"""`backscroll transfer row`: a row of Claude Desktop for a session."""

import click

from backscroll.cli.commands.move.planning import APPLY, FORCE, show_plan
from backscroll.cli.completion import complete_session
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings


@examples(
    "backscroll transfer row 6b1e7c44          the plan",
    "backscroll transfer row 6b1e7c44 --apply  act",
)
@click.command("row")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@click.option("--to", metavar="ACCOUNT[/ORG]", help="The target account; default: the account that is signed in.")
@FORCE
@APPLY
@reading
@click.pass_obj
def command(settings: Settings, *, session: str, to: str | None, force: bool, is_apply: bool) -> int:
    """Create a row in Claude Desktop for a terminal session, or repair a row that points to no transcript.

    A row without a transcript gets one of the same lineage, or one with the same directory and beginning.
    """
    with opened(settings) as library:
        done = library.transfer_row(session, to=to, force=force, apply=is_apply)
    return show_plan(done, settings)
