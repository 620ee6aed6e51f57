"""`backscroll transfer pins`: groups of the sidebar for another account."""

import click

from backscroll.cli.commands.move.planning import APPLY, FORCE, show_plan
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings


@examples(
    "backscroll transfer pins ann@example.com --to ben@example.com          the plan",
    "backscroll transfer pins ann@example.com --to ben@example.com --apply  act",
)
@click.command("pins")
@click.argument("account", metavar="ACCOUNT")
@click.option("--to", metavar="ACCOUNT[/ORG]", required=True, help="The target account.")
@FORCE
@APPLY
@reading
@click.pass_obj
def command(settings: Settings, *, account: str, to: str, force: bool, is_apply: bool) -> int:
    """Copy the groups of Desktop's sidebar, and their order, to another account.

    Pins are in browser storage, which backscroll never writes, so it only lists them. The sessions appear unpinned.
    """
    with opened(settings) as library:
        done = library.transfer_pins(account, to=to, force=force, apply=is_apply)
    return show_plan(done, settings)
