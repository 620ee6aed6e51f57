"""`backscroll cowork`: everything that Desktop recorded about its Cowork sessions."""

from shlex import quote

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import desktop, desktop_json, terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, NotFoundError


@examples(
    "backscroll cowork",
    "backscroll cowork 5a7d4a86",
    "backscroll cowork local_5a7d4a86-4628-4182-a822-292dc8a1df9d --json",
)
@click.command("cowork")
@click.argument("session", metavar="[ID]", required=False, shell_complete=complete_session)
@click.option("--full", is_flag=True, help="Cut nothing.")
@reading
@click.pass_obj
def command(settings: Settings, *, session: str | None, full: bool) -> int:
    """Show Cowork's manifests: all fields, files, permissions and runs.

    Without ID: one line for each Cowork session, and the scheduled tasks. With ID: all fields of its manifest, its
    files and permissions, and the cost that Cowork states for each run. ID may also be a session of the Code tab.
    """
    with opened(settings) as library:
        found = library.cowork(session)
        planned = library.schedules() if session is None else []
    if session is not None and not found:
        remedy = f"Run `backscroll show {quote(session)}` to read it."
        raise NotFoundError("Desktop has no record of this session", session, remedy)
    if settings.json:
        print_document(desktop_json.cowork_document(found, planned))
    else:
        paper = terminal.make_paper(settings, is_full=full)
        lines = (
            desktop.cowork_list(found, planned, paper)
            if session is None
            else (line for one in found for line in desktop.manifest(one, paper))
        )
        terminal.print_lines(lines, settings)
    return DONE
