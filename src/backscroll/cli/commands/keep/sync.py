"""`backscroll archive sync`: copy everything new into the archive."""

import click

from backscroll.cli.lazy_views import archive as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples("backscroll archive sync", "backscroll archive sync --dry-run --json")
@click.command("sync")
@click.option("--dry-run", is_flag=True, help="Only count the files that changed; write nothing.")
@reading
@click.pass_obj
def command(settings: Settings, *, dry_run: bool) -> int:
    """Copy everything new into the archive.

    It does not copy secrets, settings, logs and browser storage. Claude's own files stay unchanged.
    """
    with opened(settings) as library:
        report = library.archive_sync(dry_run=dry_run)
    if settings.json:
        print_document(view.document(report))
    else:
        terminal.print_lines(view.sync_lines(report, dry_run=dry_run), settings, may_page=False)
    return DONE
