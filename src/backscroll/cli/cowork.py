"""`backscroll cowork`: everything that Desktop wrote down of its Cowork sessions."""

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import desktop, desktop_json, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.errors import NotFoundError


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

    Without ID one line for each Cowork session, and what is scheduled. With ID everything in groups: identity,
    folders, permissions, browser, answers, files, approvals, egress, MCP servers and tools, schedule, error; then what
    it made and was given, which tools were allowed, and what Cowork states that each run cost. ID may also be a
    session of the Code tab.
    """
    with opened(settings) as library:
        found = library.cowork(session)
        planned = library.schedules() if session is None else []
    if session is not None and not found:
        raise NotFoundError("Desktop knows nothing of this session", session, "backscroll show ID reads it.")
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
    return report_damage(sum(len(one.damage) for one in found), settings)
