"""`backscroll watch`: messages as they are written."""

import sys
from contextlib import suppress

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import json, terminal, text
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading, streaming
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.cli.startup import stay
from backscroll.errors import DONE
from backscroll.safe_text import one_line
from backscroll.sessions.session import Session


def _tell(settings: Settings, followed: Session | None, total: int | None) -> None:
    """Name the followed sessions on standard error."""
    if settings.json or settings.jsonl:
        return
    if followed is None:
        what = f"all sessions ({total:,} so far)"
    else:
        title, project = one_line(followed.title or "(no title)"), one_line(followed.cwd or "an unknown directory")
        what = f"{title}, in {project}, session {followed.id}"
    sys.stderr.write(f"backscroll: following {what}; Ctrl-C ends it\n")


@examples(
    "backscroll watch",
    "backscroll watch latest --full",
    "backscroll watch --jsonl | jq -r .role",
)
@click.command("watch")
@click.argument("session", metavar="[ID]", required=False, shell_complete=complete_session)
@click.option("--full", is_flag=True, help="Show everything in full.")
@streaming
@reading
@click.pass_obj
def command(settings: Settings, *, session: str | None, full: bool) -> int:
    """Follow sessions as they are written.

    It shows new messages of all sessions, or of one with its agents. End it with Ctrl-C.
    """
    stay()
    with opened(settings) as library:
        messages = library.watch(session)
        followed = library.resume(session) if session is not None else None
        _tell(settings, followed, None if followed else library.list_sessions(limit=0).total)
        titles = {one.id: one for one in library.list_sessions(limit=None).sessions}
    with suppress(KeyboardInterrupt):  # how it is meant to end
        if settings.json or settings.jsonl:
            for message in messages:
                print_document(json.lines([json.object_of(message)]))
        else:
            for line in text.followed(messages, terminal.make_paper(settings, is_full=full), titles):
                terminal.print_lines([line], settings, may_page=False)
    return DONE
