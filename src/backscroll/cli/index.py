"""`backscroll index`: bring the index up to date, or throw it away and make it anew."""

import click

from backscroll.cli.later import json, listing, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage


@examples(
    "backscroll index",
    "backscroll index --rebuild",
)
@click.command("index")
@click.option("--rebuild", is_flag=True, help="Make the index anew from the stores; nothing is lost by it.")
@reading
@click.pass_obj
def command(settings: Settings, *, rebuild: bool) -> int:
    """Bring the index up to date, or make it anew.

    Every command that reads does this first; on its own it is for a first time, or for a timer.
    """
    with opened(settings) as library:
        report = library.update_index(rebuild=rebuild)
    if settings.json:
        names = ("files", "read", "skipped", "bytes", "records", "sessions", "damage", "seconds")
        print_document(json.lines([{name: getattr(report, name) for name in names}]))
    else:
        line = listing.index_line(report.read, report.skipped, report.bytes, report.sessions, report.seconds)
        terminal.print_lines([line], settings, may_page=False)
    return report_damage(report.damage, settings)
