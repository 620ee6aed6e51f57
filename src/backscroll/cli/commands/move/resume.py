"""`backscroll transfer resume`: make a session resumable in Claude Code here."""

import click

from backscroll.cli.commands.move.planning import APPLY, FORCE, show_plan
from backscroll.cli.commands.sessions.resume import become
from backscroll.cli.completion import complete_session
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings
from backscroll.errors import QueryError


@examples(
    "backscroll transfer resume 6b1e7c44 --cwd ~/shop                the plan",
    "backscroll transfer resume 6b1e7c44 --cwd ~/shop --apply        act",
    "backscroll transfer resume 6b1e7c44 --cwd ~/shop --apply --run  and start Claude Code",
)
@click.command("resume")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@click.option("--cwd", metavar="DIR", type=click.Path(), help="Resume it in DIR; default: its own directory.")
@click.option("--move", is_flag=True, help="Move a transcript that Claude Code has under another directory.")
@click.option("--as-new", is_flag=True, help="Copy it under a new id.")
@click.option("--run", "is_run", is_flag=True, help="Start Claude Code with it afterwards.")
@FORCE
@APPLY
@reading
@click.pass_obj
def command(  # noqa: PLR0913 - one argument per option of the command
    settings: Settings,
    *,
    session: str,
    cwd: str | None,
    move: bool,
    as_new: bool,
    is_run: bool,
    force: bool,
    is_apply: bool,
) -> int:
    """Make a session from Desktop, Cowork, the archive or elsewhere resumable in Claude Code here.

    It copies the transcript, agents, tool results, file history, todos and plan. It rewrites no record and overwrites
    nothing. A Cowork session without a transcript gets one from its audit log, under a new id.
    """
    with opened(settings) as library:
        done = library.transfer_resume(session, cwd=cwd, move=move, as_new=as_new, apply=is_apply, force=force)
    if is_run and not is_apply and not done.changes.is_settled:
        raise QueryError("--run needs --apply, because something must be copied first", session)
    code = show_plan(done.changes, settings, done.command, command=done.command, session=done.session, cwd=done.cwd)
    return become(done.command) if is_run and done.command is not None and code == 0 else code
