"""`backscroll outline`: the landmarks of one session."""

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import json, terminal
from backscroll.cli.later import outline as view
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.cli.prices import own_prices


@examples(
    "backscroll outline latest",
    "backscroll outline c9258e92 --json",
    "backscroll show c9258e92 --offset 120 --limit 20   read on from a landmark",
)
@click.command("outline")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@reading
@click.pass_obj
def command(settings: Settings, *, session: str) -> int:
    """Show the landmarks of a session: prompts, errors, file changes and more.

    Each line begins with the number that `show ID --offset` takes.
    ID is any unique beginning of a session's id, or `latest`, or the path of a transcript.
    """
    with opened(settings) as library:
        found = library.outline(session, prices=own_prices())
    if settings.json:
        print_document(json.outline_document(found))
    else:
        terminal.print_lines(view.outline(found, terminal.make_paper(settings)), settings)
    return report_damage(found.session.damage, settings)
