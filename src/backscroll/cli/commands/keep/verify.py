"""`backscroll archive verify`: check the archive."""

import click

from backscroll.cli.lazy_views import archive as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, OURS_DAMAGED


@examples("backscroll archive verify", "backscroll archive verify --read-data")
@click.command("verify")
@click.option("--read-data", is_flag=True, help="Check every byte, not only the structure.")
@reading
@click.pass_obj
def command(settings: Settings, *, read_data: bool) -> int:
    """Check the archive; exit with 5 if something in it is damaged."""
    with opened(settings) as library:
        found = library.archive_verify(read_data=read_data)
    if settings.json:
        print_document(view.document(found))
    else:
        terminal.print_lines(view.verify_lines(found), settings)
    return DONE if found.ok else OURS_DAMAGED
