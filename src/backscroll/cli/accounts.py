"""`backscroll accounts`: every account that something on this disk names, and who is signed in with which."""

import click

from backscroll.cli.later import desktop, desktop_json, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document
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
    """Show the accounts that are known here, and who is signed in.

    Accounts are named by the paths of Desktop's rows, by rows and manifests, by transcripts and by settings. The
    command line and Desktop may be signed in with different ones. Desktop's counters of tokens and of the plan follow.
    """
    with opened(settings) as library:
        found = library.accounts()
    if settings.json:
        print_document(desktop_json.accounts_document(found))
    else:
        terminal.print_lines(desktop.account_list(found, terminal.make_paper(settings)), settings)
    return DONE
