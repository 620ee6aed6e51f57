"""`backscroll archive import`: copy sessions of a backup into the archive."""

import click

from backscroll.cli.lazy_views import archive as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll archive import /Volumes/Backup/Users/ann",
    "backscroll archive import /mnt/old-disk --dry-run",
)
@click.command("import")
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path())
@click.option("--dry-run", is_flag=True, help="Only count the files; write nothing.")
@reading
@click.pass_obj
def command(settings: Settings, *, directories: tuple[str, ...], dry_run: bool) -> int:
    """Copy the sessions of a backup, a Time Machine disk or another home into the archive.

    The archive stores them under the paths of this home, so `archive restore` writes them here. It skips bytes that
    it already has.
    """
    with opened(settings) as library:
        report = library.archive_import(directories, dry_run=dry_run)
    if settings.json:
        print_document(view.document(report))
    else:
        terminal.print_lines(view.sync_lines(report, dry_run=dry_run), settings, may_page=False)
    return DONE
