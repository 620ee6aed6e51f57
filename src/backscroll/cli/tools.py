"""`backscroll tools`: how often each tool was called, how that ended, and how long it took."""

from datetime import datetime

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import terminal, tool_use
from backscroll.cli.later import usage_json as json
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, moment, reading
from backscroll.cli.output import print_document
from backscroll.errors import DONE


@examples(
    "backscroll tools",
    "backscroll tools --since 2w --project shop",
    "backscroll tools --session latest",
    "backscroll tools --csv > tools.csv",
)
@click.command("tools")
@click.option("--since", metavar="WHEN", callback=moment, help="Only since WHEN: 2026-05-01, yesterday, 12h, 3d, 2w.")
@click.option("--until", metavar="WHEN", callback=moment, help="Only before WHEN.")
@click.option("--project", metavar="TEXT", help="Only of projects whose path holds TEXT.")
@click.option("--store", metavar="KIND", help="Only of one store: code, cowork, …")
@click.option("--account", metavar="TEXT", help="Only of one account: the beginning of its id, or its e-mail address.")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only of one session.")
@click.option("--csv", "is_csv", is_flag=True, help="Answer with CSV.")
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
    is_csv: bool,
) -> int:
    """Show how often each tool was called, and how that ended.

    Each call counts once, for the session that made it first. MCP servers, skills and types of agents follow.
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
    if settings.json:
        print_document(json.tools_document(found))
    elif is_csv:
        print_document(tool_use.csv_document(found))
    else:
        terminal.print_lines(tool_use.tool_report(found, terminal.make_paper(settings)), settings)
    return DONE
