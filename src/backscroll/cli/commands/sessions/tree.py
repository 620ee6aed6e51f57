"""`backscroll tree`: the shape of one session."""

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import json, terminal
from backscroll.cli.lazy_views import tree as view
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll tree latest",
    "backscroll tree c9258e92 --json",
)
@click.command("tree")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@reading
@click.pass_obj
def command(settings: Settings, *, session: str) -> int:
    """Show the branches, forks, compactions and agents of a session.

    ID is any unique start of a session's id, its title, `latest` or the path of a transcript.
    """
    with opened(settings) as library:
        found, nodes = library.tree(session, prices=own_prices())
    if settings.json:
        print_document(json.tree_document(found, nodes))
    else:
        terminal.print_lines(view.tree(found, nodes, terminal.make_paper(settings)), settings)
    return DONE
