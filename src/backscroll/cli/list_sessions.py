"""`backscroll list`: sessions of all stores in one list."""

from datetime import datetime

import click

from backscroll.cli.later import json, listing, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, moment, reading, streaming
from backscroll.cli.output import print_document, report_damage
from backscroll.cli.prices import own_prices


@examples(
    "backscroll list",
    "backscroll list --project shop --since 2w",
    "backscroll list --all --json",
    "backscroll list --agents --state live",
    "backscroll list --pinned",
    "backscroll list --sidebar ann@example.com",
)
@click.command("list")
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=0), default=20, show_default=True, help="Show N sessions."
)
@click.option("--all", "is_unlimited", is_flag=True, help="Show all sessions.")
@click.option("--project", metavar="TEXT", help="Only of projects whose path holds TEXT.")
@click.option("--store", metavar="KIND", help="Only of one store: code, desktop, cowork, …")
@click.option("--account", metavar="TEXT", help="Only of one account: the beginning of its id, or its e-mail address.")
@click.option(
    "--since", metavar="WHEN", callback=moment, help="Only used since WHEN: 2026-05-01, yesterday, 12h, 3d, 2w."
)
@click.option("--until", metavar="WHEN", callback=moment, help="Only used before WHEN.")
@click.option("--agents", is_flag=True, help="Show the agents of each session.")
@click.option("--state", metavar="STATE", help="Only live, archived, ghost, orphan, damaged, remote or deleted ones.")
@click.option("--pinned", is_flag=True, help="Only those that are pinned in Desktop's sidebar.")
@click.option(
    "--sidebar",
    metavar="ACCOUNT",
    help="Instead: what Desktop's Code tab shows for an account, or for ACCOUNT/ORGANIZATION.",
)
@streaming
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    limit: int,
    is_unlimited: bool,
    project: str | None,
    store: str | None,
    account: str | None,
    since: datetime | None,
    until: datetime | None,
    agents: bool,
    state: str | None,
    pinned: bool,
    sidebar: str | None,
) -> int:
    """List sessions, newest first."""
    with opened(settings) as library:
        found = library.list_sessions(
            limit=None if is_unlimited else limit,
            project=project,
            store=store,
            account=account,
            since=since,
            until=until,
            agents=agents,
            state=state,
            pinned=pinned,
            sidebar=sidebar,
            prices=own_prices(),
        )
    if settings.jsonl:
        print_document(json.lines(map(json.object_of, found.sessions)))
    elif settings.json:
        print_document(json.list_document(found.total, found.sessions, found.agents if agents else None))
    else:
        lines = listing.session_list(found.total, found.sessions, terminal.make_paper(settings), found.agents)
        terminal.print_lines(lines, settings)
    return report_damage(sum(session.damage for session in found.sessions), settings)
