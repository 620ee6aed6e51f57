"""`backscroll tools`: the number, outcomes and duration of the calls of each tool."""

from dataclasses import replace
from datetime import datetime
from itertools import chain

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import listing, terminal, tool_use
from backscroll.cli.lazy_views import usage_json as json
from backscroll.cli.library import opened, tell_unknown
from backscroll.cli.options import closed, examples, of_project, reading, since_and_until
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE
from backscroll.query.closed_fields import CLOSED


@examples(
    "backscroll tools",
    "backscroll tools --since 2w --project shop",
    "backscroll tools --session latest",
    "backscroll tools --csv > tools.csv",
)
@click.command("tools")
@since_and_until
@of_project
@click.option("--store", type=closed(CLOSED["store"]), help="Only one kind of store.")
@click.option("--account", metavar="TEXT", help="Only one account: the start of its id, or its e-mail address.")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only one session.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Show the N tools with the most calls.")
@click.option("--csv", "is_csv", is_flag=True, help="Print CSV.")
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    since: datetime | None,
    until: datetime | None,
    project: str | None,
    store: str | None,
    account: str | None,
    session: str | None,
    limit: int | None,
    is_csv: bool,
) -> int:
    """Show how often each tool was called, and how often it failed.

    Each call counts once, for the session that made it first. It also shows MCP servers, skills and
    types of agents.
    """
    with opened(settings) as library:
        found = library.tools(
            since=since,
            until=until,
            project=project,
            store=store,
            account=account,
            session=session,
        )
        tell_unknown(library, settings, found.tools, project=project)
    cut = replace(found, tools=found.tools[:limit])
    if settings.json:
        print_document(json.tools_document(cut))
    elif is_csv:
        print_document(tool_use.csv_document(cut))
    else:
        paper = terminal.make_paper(settings)
        lines = chain(listing.range_lines(since, until, paper), tool_use.tool_report(found, paper, limit))
        terminal.print_lines(lines, settings)
    return DONE
