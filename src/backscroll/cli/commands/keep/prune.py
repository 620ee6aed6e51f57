"""`backscroll archive prune`: remove old versions from the archive."""

from datetime import datetime

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import archive as archive_view
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, moment, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED


@examples(
    "backscroll archive prune --superseded            the plan",
    "backscroll archive prune --older-than '1 year' --superseded --apply",
    "backscroll archive prune --session 3f0c2a51 --apply",
)
@click.command("prune")
@click.option(
    "--older-than", metavar="WHEN", callback=moment, help="Only files not changed since WHEN: 2026-05-01, '90 days'."
)
@click.option(
    "--session",
    "sessions",
    metavar="ID",
    multiple=True,
    shell_complete=complete_session,
    help="Only versions of one session.",
)
@click.option("--superseded", is_flag=True, help="Only versions that a later one replaced.")
@click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
@reading
@click.pass_obj
def command(
    settings: Settings, *, older_than: datetime | None, sessions: tuple[str, ...], superseded: bool, is_apply: bool
) -> int:
    """Move versions out of the archive by one or more rules; a version must match all of them.

    They stay in a bin for 30 days; `backscroll transfer undo` restores them. It keeps files that still exist in
    Claude's directories, and versions that others need.
    """
    with opened(settings) as library:
        done = library.archive_prune(
            older_than=older_than, session=sessions or None, superseded=superseded, apply=is_apply
        )
    if settings.json:
        print_document(view.plan_document(done.changes, bytes=done.bytes))
    else:
        paper = terminal.make_paper(settings)
        terminal.print_lines(view.plan_list(done.changes, paper), settings)
        terminal.print_lines(archive_view.prune_lines(done), settings, may_page=False)
    return REFUSED if done.changes.is_refused else DONE
