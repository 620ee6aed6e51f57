"""The options and the output that all plans of `transfer` share."""

import sys
from collections.abc import Sequence
from itertools import chain

import click

from backscroll.changes.plan import ChangePlan
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED
from backscroll.records import Json
from backscroll.safe_text import one_line

APPLY = click.option("--apply", "is_apply", is_flag=True, help="Make the changes; without it, only show the plan.")
FORCE = click.option(
    "--force", is_flag=True, help="Make the changes even if a program has the session or the rows open."
)


def show_plan(
    plan: ChangePlan, settings: Settings, *commands: str | None, remarks: Sequence[str] = (), **more: Json
) -> int:
    """Print a plan, as JSON with further keys or as a table with remarks and commands; return the exit code."""
    if settings.json:
        print_document(view.plan_document(plan, **more))
    else:
        paper = terminal.make_paper(settings)
        terminal.print_lines(chain(view.plan_list(plan, paper), view.remark_lines(plan, remarks, paper)), settings)
        for command in commands if not plan.is_refused else ():
            if command is not None:
                sys.stdout.write(one_line(command) + "\n")
    return REFUSED if plan.is_refused else DONE
