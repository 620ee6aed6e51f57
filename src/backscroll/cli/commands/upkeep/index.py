"""`backscroll index`: update the index, or delete and rebuild it."""

import click

from backscroll.cli.lazy_views import json, listing, terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED


@examples(
    "backscroll index",
    "backscroll index --rebuild",
)
@click.command("index")
@click.option("--rebuild", is_flag=True, help="Rebuild the index from the stores; nothing is lost.")
@reading
@click.pass_obj
def command(settings: Settings, *, rebuild: bool) -> int:
    """Update the index, or rebuild it.

    Every reading command does this first. Run it alone before your first search, or from a timer.
    """
    with opened(settings) as library:
        report = library.update_index(rebuild=rebuild)
    if settings.json:
        names = ("files", "read", "skipped", "bytes", "records", "sessions", "damage", "seconds")
        print_document(json.lines([{name: getattr(report, name) for name in names}]))
    else:
        line = listing.index_line(report.read, report.skipped, report.bytes, report.sessions, report.seconds)
        terminal.print_lines([line], settings, may_page=False)
    return DONE if report.is_saved else REFUSED
