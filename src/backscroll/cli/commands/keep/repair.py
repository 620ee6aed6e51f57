"""`backscroll archive repair`: repair damage in the archive."""

import click

from backscroll.cli.lazy_views import archive as archive_view
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, OURS_DAMAGED, REFUSED


@examples("backscroll archive repair          the plan", "backscroll archive repair --apply  act")
@click.command("repair")
@click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
@reading
@click.pass_obj
def command(settings: Settings, *, is_apply: bool) -> int:
    """Replace damaged parts of the archive from the live files, and rebuild its catalogue.

    Exit code 5 means that some bytes are still lost; the output lists them.
    """
    with opened(settings) as library:
        done = library.archive_repair(apply=is_apply)
    if settings.json:
        print_document(view.plan_document(done.changes, lost=archive_view.places(done.lost)))
    else:
        paper = terminal.make_paper(settings)
        terminal.print_lines(view.plan_list(done.changes, paper), settings)
        terminal.print_lines(archive_view.repair_lines(done), settings, may_page=False)
    if done.lost:
        return OURS_DAMAGED
    return REFUSED if done.changes.is_refused else DONE
