"""`backscroll stores`: what was found and where, and everything in it that could not be read."""

import click

from backscroll import verbs
from backscroll.cli.later import json, listing, terminal
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.cli.progress import ProgressLine


@examples(
    "backscroll stores",
    "backscroll --root /mnt/backup/home/me stores --json",
)
@click.command("stores")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show which stores were found, and where.

    A store is a place on disk where one of Claude's products keeps sessions.
    """
    with ProgressLine() as progress:
        stores = verbs.list_stores(settings.root, update=settings.update, on_progress=progress)
    if settings.json:
        print_document(json.stores_document(stores))
    else:
        terminal.print_lines(listing.store_list(stores, terminal.make_paper(settings)), settings)
    return report_damage(sum(len(store.damage) for store in stores), settings)
