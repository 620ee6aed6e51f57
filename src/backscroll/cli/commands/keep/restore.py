"""`backscroll archive restore`: restore sessions from the archive."""

import sys
from typing import TYPE_CHECKING

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED
from backscroll.safe_text import one_line

if TYPE_CHECKING:
    from backscroll.records import Json


@examples(
    "backscroll archive restore 3f0c2a51          the plan",
    "backscroll archive restore 3f0c2a51 --apply  act",
)
@click.command("restore")
@click.argument("sessions", metavar="ID...", nargs=-1, required=True, shell_complete=complete_session)
@click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
@click.option("--as-new", is_flag=True, help="Restore it under a new id.")
@click.option("--cwd", metavar="DIR", type=click.Path(), help="Make it resumable in DIR; default: its own directory.")
@click.option("--version", metavar="N", type=click.IntRange(min=1), help="Restore version N of the transcript.")
@reading
@click.pass_obj
def command(  # noqa: PLR0913 - one argument per option of the command
    settings: Settings, *, sessions: tuple[str, ...], is_apply: bool, as_new: bool, cwd: str | None, version: int | None
) -> int:
    """Restore whole sessions: transcript, agents, tool results, file history and todos.

    It overwrites nothing. The files get the current time, so that Claude Code does not delete them at once.
    `backscroll transfer undo` removes them again.
    """
    with opened(settings) as library:
        done = library.archive_restore(sessions, cwd=cwd, as_new=as_new, version=version, apply=is_apply)
    refused = done.changes.is_refused
    if settings.json:
        told: list[Json] = [{"session": one.session, "command": one.command} for one in done.sessions]
        first = done.sessions[0]
        more: dict[str, Json] = {"command": first.command, "session": first.session, "sessions": told}
        print_document(view.plan_document(done.changes, **more))
    else:
        terminal.print_lines(view.plan_list(done.changes, terminal.make_paper(settings)), settings)
        for one in done.sessions:
            if one.command is not None and not refused:
                sys.stdout.write(one_line(one.command) + "\n")
    return REFUSED if refused else DONE
