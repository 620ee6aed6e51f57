"""`backscroll calls`: what tools were called with, and what they gave back."""

from itertools import chain, islice

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import calls as view
from backscroll.cli.later import json, terminal
from backscroll.cli.options import Settings, examples, reading, streaming
from backscroll.cli.output import print_document
from backscroll.cli.progress import ProgressLine
from backscroll.errors import DONE
from backscroll.library import open_library


@examples(
    "backscroll calls latest",
    "backscroll calls latest --errors --full",
    "backscroll calls --tool Bash --jsonl",
)
@click.command("calls")
@click.argument("session", metavar="[ID]", required=False, shell_complete=complete_session)
@click.option("--tool", metavar="NAME", help="Only calls of one tool.")
@click.option("--errors", is_flag=True, help="Only calls that failed.")
@click.option("--full", is_flag=True, help="Show inputs and results too.")
@streaming
@reading
@click.pass_obj
def command(settings: Settings, *, session: str | None, tool: str | None, errors: bool, full: bool) -> int:
    """Show tool calls with their results.

    ID is any unique beginning of a session's id, or `latest`, or the path of a transcript; without it all sessions.
    """
    progress = ProgressLine()
    with open_library(settings.root, update=settings.update, on_progress=progress) as library:
        with progress:
            calls = library.calls(session, tool=tool, errors=errors)
            first = list(islice(calls, 1))
        found = chain(first, calls)
        if settings.jsonl:
            print_document(json.lines(map(json.object_of, found)))
        elif settings.json:
            print_document(json.calls_document(found))
        else:
            terminal.print_lines(view.call_log(found, terminal.make_paper(settings, is_full=full)), settings)
    return DONE
