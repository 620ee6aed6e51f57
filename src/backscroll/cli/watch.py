"""`backscroll watch`: messages as they are written."""

from contextlib import suppress

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import json, terminal, text
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading, streaming
from backscroll.cli.output import print_document
from backscroll.errors import DONE


@examples(
    "backscroll watch",
    "backscroll watch latest --full",
    "backscroll watch --jsonl | jq -r .role",
)
@click.command("watch")
@click.argument("session", metavar="[ID]", required=False, shell_complete=complete_session)
@click.option("--full", is_flag=True, help="Cut nothing, hide nothing.")
@streaming
@reading
@click.pass_obj
def command(settings: Settings, *, session: str | None, full: bool) -> int:
    """Follow sessions as they are written.

    All of them, or one with its agents. Ends with Ctrl-C. Each record is told as soon as it is whole.
    """
    with opened(settings) as library:
        messages = library.watch(session)
    with suppress(KeyboardInterrupt):  # how it is meant to end
        if settings.json or settings.jsonl:
            for message in messages:
                print_document(json.lines([json.object_of(message)]))
        else:
            for line in text.told(messages, terminal.make_paper(settings, is_full=full)):
                terminal.print_lines([line], settings, may_page=False)
    return DONE
