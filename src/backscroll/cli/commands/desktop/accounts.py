"""`backscroll accounts`: every account that files on this disk name, and the accounts that are signed in."""

import click

from backscroll.cli.lazy_views import desktop, desktop_json, terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll accounts",
    "backscroll accounts --json",
    "backscroll --root /mnt/backup/home/me accounts",
)
@click.command("accounts")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show the known accounts, and the one that is signed in.

    Desktop's rows, Cowork's manifests, transcripts and settings name accounts. The command line and Desktop may be
    signed in with different accounts. It also shows Desktop's counters of tokens and of the plan.
    """
    with opened(settings) as library:
        found = library.accounts()
    if settings.json:
        print_document(desktop_json.accounts_document(found))
    else:
        terminal.print_lines(desktop.account_list(found, terminal.make_paper(settings)), settings)
    return DONE
