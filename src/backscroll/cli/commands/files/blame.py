"""`backscroll blame`: the session that wrote each line of a file."""

from datetime import datetime

import click

from backscroll.cli.completion import complete_file
from backscroll.cli.lazy_views import blame as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, moment, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll blame src/app.py",
    "backscroll blame src/app.py --lines 40-60",
    "backscroll blame src/app.py --version 3",
    "backscroll blame src/app.py --at yesterday --json",
)
@click.command("blame")
@click.argument("path", shell_complete=complete_file)
@click.option("--version", metavar="N", type=click.IntRange(min=1), help="The lines of this version.")
@click.option("--at", metavar="WHEN", callback=moment, help="The lines as they were at WHEN.")
@click.option("--lines", metavar="A-B", help="Only lines A to B.")
@reading
@click.pass_obj
def command(settings: Settings, *, path: str, version: int | None, at: datetime | None, lines: str | None) -> int:
    """Show which session wrote each line of a file, and when.

    PATH is a file's path, or a unique end of it. Lines that no tool of Claude wrote are `outside`. Without --version
    and --at it shows the file as it is on the disk now; lines that no version has are `on disk`. A question mark marks
    a line of a version that is partly inferred.
    """
    with opened(settings) as library:
        found = library.blame(path, version=version, at=at, lines=lines)
    if settings.json:
        print_document(view.blame_document(found))
    else:
        terminal.print_lines(view.blame_lines(found, terminal.make_paper(settings)), settings)
    return DONE
