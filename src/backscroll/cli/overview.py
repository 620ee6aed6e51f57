"""`backscroll` and `backscroll overview`: what was found, what is new, what expires soon."""

import click

from backscroll.cli.later import json, listing, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.cli.prices import own_prices


@examples(
    "backscroll",
    "backscroll --json",
)
@click.command("overview")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show what was found, what is new and what expires soon."""
    with opened(settings) as library:
        found = library.overview(prices=own_prices())
    if settings.json:
        print_document(json.overview_document(found.stores, found.sessions, found.latest, found.expiring))
    else:
        paper = terminal.make_paper(settings)
        lines = listing.overview(found.stores, found.sessions, found.latest, found.expiring, paper)
        terminal.print_lines(lines, settings, may_page=False)
    return report_damage(sum(len(store.damage) for store in found.stores), settings)
