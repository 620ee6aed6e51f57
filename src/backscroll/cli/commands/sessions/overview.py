"""`backscroll` and `backscroll overview`: the stores, the latest sessions, the sessions that expire soon."""

import click

from backscroll.cli.lazy_views import json, listing, terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll",
    "backscroll --json",
)
@click.command("overview")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show the stores, the newest sessions, and the sessions that expire soon."""
    with opened(settings) as library:
        found = library.overview(prices=own_prices())
    if settings.json:
        print_document(json.overview_document(found.stores, found.sessions, found.latest, found.expiring))
    else:
        paper = terminal.make_paper(settings)
        told = (found.stores, found.sessions, found.latest, found.expiring)
        lines = listing.overview(*told, paper, unkept=found.unkept)
        terminal.print_lines(lines, settings, may_page=False)
    return DONE
