"""`backscroll transfer`: continue sessions elsewhere, and undo such changes."""

import click

from backscroll.cli.commands.move import copy, pack, pins, project, resume, row, unpack
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll transfer resume 6b1e7c44 --cwd ~/shop",
    "backscroll transfer copy --project shop --to ben@example.com",
    "backscroll transfer project /home/ann/shop /home/ann/store",
    "backscroll transfer undo",
)
@click.group("transfer")
@click.pass_obj
def command(settings: Settings) -> None:
    """Continue sessions in another directory, account or machine; every change can be undone.

    Each command shows a plan, and makes the changes with --apply. Every change has a journal; nothing is overwritten.
    """


@examples(
    "backscroll transfer log",
    "backscroll transfer log --json",
)
@command.command("log")
@reading
@click.pass_obj
def log(settings: Settings) -> int:
    """List the journals of all changes, oldest first.

    An open journal belongs to a run that was killed or still runs; the next change undoes it.
    """
    with opened(settings) as library:
        found = library.transfer_log()
    if settings.json:
        print_document(view.log_document(found))
    else:
        terminal.print_lines(view.log_list(found, terminal.make_paper(settings)), settings)
    return DONE


@examples(
    "backscroll transfer undo                         the last change",
    "backscroll transfer undo 20261118-104352-a1b2c3  the change of this journal",
)
@command.command("undo")
@click.argument("journal", metavar="[JOURNAL]", required=False)
@reading
@click.pass_obj
def undo(settings: Settings, *, journal: str | None) -> int:
    """Undo the last change, or the change of JOURNAL, at once.

    It removes only files that are still as backscroll wrote them. It keeps files that were used since, and lists them.
    """
    with opened(settings) as library:
        done = library.transfer_undo(journal)
    if settings.json:
        print_document(view.plan_document(done))
    else:
        terminal.print_lines(view.plan_list(done, terminal.make_paper(settings)), settings)
    return DONE


for _module in (copy, pack, pins, project, resume, row, unpack):
    command.add_command(_module.command)
