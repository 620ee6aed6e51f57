"""`backscroll archive status`: the contents of the archive."""

import click

from backscroll.cli.lazy_views import archive as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples("backscroll archive status", "backscroll archive status --json")
@click.command("status")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Show how much the archive holds, and when it was last synced."""
    with opened(settings) as library:
        found = library.archive_status()
    if settings.json:
        print_document(view.document(found))
    else:
        terminal.print_lines(view.status_lines(found, terminal.make_paper(settings), settings.command), settings)
    return DONE
