"""`backscroll archive mirror`: a second copy of the archive on another disk."""

import click

from backscroll.cli.lazy_views import archive as archive_view
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, OURS_DAMAGED, REFUSED


@examples(
    "backscroll archive mirror /mnt/disk          the plan",
    "backscroll archive mirror /mnt/disk --apply --verify",
)
@click.command("mirror")
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
@click.option("--verify", is_flag=True, help="Read every byte of the mirror and check it.")
@reading
@click.pass_obj
def command(settings: Settings, *, directory: str, is_apply: bool, verify: bool) -> int:
    """Copy the archive to a directory on another disk.

    It compares every copy with its original. Segments that were pruned from the archive stay in the mirror.
    """
    with opened(settings) as library:
        done = library.archive_mirror(directory, verify=verify, apply=is_apply)
    if settings.json:
        print_document(view.plan_document(done.changes, **archive_view.mirror_keys(done)))
    else:
        terminal.print_lines(archive_view.mirror_lines(done), settings, may_page=False)
    if done.damage:
        return OURS_DAMAGED
    return REFUSED if done.changes.is_refused else DONE
