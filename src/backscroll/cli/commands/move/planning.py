"""The options and the output that all plans of `transfer` share."""

import sys

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


def show_plan(plan: ChangePlan, settings: Settings, *lines: str | None, **more: Json) -> int:
    """Print a plan, as JSON with further keys or as a table with further lines; return the exit code."""
    if settings.json:
        print_document(view.plan_document(plan, **more))
    else:
        terminal.print_lines(view.plan_list(plan, terminal.make_paper(settings)), settings)
        for line in lines if not plan.is_refused else ():
            if line is not None:
                sys.stdout.write(one_line(line) + "\n")
    return REFUSED if plan.is_refused else DONE
