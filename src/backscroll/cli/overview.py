"""`backscroll` and `backscroll overview`: what was found, what is new, what expires soon."""

import click

from backscroll.cli.later import json, listing, terminal
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.cli.prices import own_prices
from backscroll.cli.progress import ProgressLine
from backscroll.verbs import sessions as verbs


@examples(
    "backscroll",
    "backscroll --json",
)
@click.command("overview")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show what was found, what is new and what expires soon."""
    with ProgressLine() as progress:
        found = verbs.overview(settings.root, prices=own_prices(), update=settings.update, on_progress=progress)
    if settings.json:
        print_document(json.overview_document(found.stores, found.sessions, found.latest, found.expiring))
    else:
        paper = terminal.make_paper(settings)
        lines = listing.overview(found.stores, found.sessions, found.latest, found.expiring, paper)
        terminal.print_lines(lines, settings, may_page=False)
    return report_damage(sum(len(store.damage) for store in found.stores), settings)
