"""`backscroll archive install` and `uninstall`: the timer that runs `archive sync`."""

import shlex
from typing import TYPE_CHECKING

import click

from backscroll.cli.lazy_views import archive as archive_view
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED

if TYPE_CHECKING:
    from backscroll.archive.model import Installation
    from backscroll.records import Json


@examples(
    "backscroll archive install                  the plan",
    "backscroll archive install --apply          act",
    "backscroll archive install --every 60 --hook --apply",
)
@click.command("install")
@click.option(
    "--every",
    metavar="MINUTES",
    type=click.IntRange(min=1, max=1440),
    default=10,
    show_default=True,
    help="The time between two syncs.",
)
@click.option("--hook", is_flag=True, help="Also add a Stop hook to Claude Code's settings.json.")
@click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
@reading
@click.pass_obj
def install(settings: Settings, *, every: int, hook: bool, is_apply: bool) -> int:
    """Run `archive sync` every few minutes, by a timer of systemd, launchd or Windows.

    The plan names all files and commands. `backscroll archive uninstall` removes the timer and the hook again.
    """
    with opened(settings) as library:
        done = library.archive_install(every=every, hook=hook, apply=is_apply)
    return _answer(done, settings)


@examples("backscroll archive uninstall          the plan", "backscroll archive uninstall --apply  act")
@click.command("uninstall")
@click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
@reading
@click.pass_obj
def uninstall(settings: Settings, *, is_apply: bool) -> int:
    """Remove the timer and the hook; the archive stays."""
    with opened(settings) as library:
        done = library.archive_uninstall(apply=is_apply)
    return _answer(done, settings)


def _answer(done: "Installation", settings: Settings) -> int:
    if settings.json:
        commands: list[Json] = [
            {"command": shlex.join(one.command), "status": one.status, "why": one.why} for one in done.all_commands
        ]
        print_document(view.plan_document(done.changes, commands=commands))
    else:
        paper = terminal.make_paper(settings)
        terminal.print_lines(view.plan_list(done.changes, paper), settings, may_page=False)
        terminal.print_lines(archive_view.command_lines(done), settings, may_page=False)
    return REFUSED if done.changes.is_refused else DONE
