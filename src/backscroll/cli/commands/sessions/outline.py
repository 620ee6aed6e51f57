"""`backscroll outline`: the landmarks of one session."""

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import json, terminal
from backscroll.cli.lazy_views import outline as view
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll outline latest",
    "backscroll outline c9258e92 --json",
    "backscroll show c9258e92 --offset 120 --limit 20   read on from a landmark",
)
@click.command("outline")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@reading
@click.pass_obj
def command(settings: Settings, *, session: str) -> int:
    """Show the landmarks of a session: prompts, errors, file changes and more.

    Each line begins with the message number for `show ID --offset`. ID is any unique start of a session's id, its
    title, `latest` or the path of a transcript.
    """
    with opened(settings) as library:
        found = library.outline(session, prices=own_prices())
    if settings.json:
        print_document(json.outline_document(found))
    else:
        terminal.print_lines(view.outline(found, terminal.make_paper(settings)), settings)
    return DONE
