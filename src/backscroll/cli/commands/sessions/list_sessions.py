"""`backscroll list`: sessions of all stores in one list."""

from datetime import datetime
from itertools import chain

import click

from backscroll.cli.commands.sessions.session_options import choosing_sessions
from backscroll.cli.lazy_views import json, listing, sessions_csv, terminal
from backscroll.cli.library import opened, tell_unknown
from backscroll.cli.options import examples, reading, streaming
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE
from backscroll.sessions.session import Session, SessionList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from backscroll.views.terminal.paper import Line, Paper


@examples(
    "backscroll list",
    "backscroll list parser --here          titles with this word, of this project",
    "backscroll list --project shop --since '2 weeks'",
    "backscroll list --sort cost --limit 5",
    "backscroll list --all --csv > sessions.csv",
    "backscroll list --offset 100 --limit 100 --json --fields id,title",
    "backscroll list --agents --state live",
    "backscroll list --sidebar ann@example.com",
)
@click.command("list")
@choosing_sessions
@click.option("--offset", metavar="N", type=click.IntRange(min=0), default=0, help="Leave out the first N sessions.")
@click.option("--fields", metavar="KEYS", help="With --json: only these keys of each session, as id,title,usage.cost.")
@click.option("--agents", is_flag=True, help="Show the agents of each session.")
@click.option("--pinned", is_flag=True, help="Only sessions that are pinned in Desktop's sidebar.")
@click.option(
    "--sidebar",
    metavar="ACCOUNT",
    help="Show the list of Desktop's Code tab for an account, or for ACCOUNT/ORGANIZATION, instead.",
)
@click.option("--csv", "is_csv", is_flag=True, help="Print CSV.")
@streaming
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    words: tuple[str, ...],
    limit: int,
    is_unlimited: bool,
    offset: int,
    fields: str | None,
    project: str | None,
    store: str | None,
    account: str | None,
    since: datetime | None,
    until: datetime | None,
    model: str | None,
    branch: str | None,
    sort: str,
    agents: bool,
    state: str | None,
    pinned: bool,
    sidebar: str | None,
    is_csv: bool,
) -> int:
    """List sessions, newest first.

    The title must contain all WORDS; `backscroll search` searches the messages.
    """
    keys = json.session_fields(fields) if fields is not None else None
    with opened(settings) as library:
        found = library.list_sessions(
            limit=None if is_unlimited else limit,
            offset=offset,
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
            title=words,
            model=model,
            branch=branch,
            sort=sort,
        )
        tell_unknown(library, settings, found.total, project=project, model=model, branch=branch)
        has_stores = found.total > 0 or bool(library.stores())
    if settings.jsonl:
        print_document(json.lines(json.objects_of(found.sessions, keys)))
    elif settings.json:
        print_document(json.list_document(found.total, found.sessions, found.agents if agents else None, keys))
    elif is_csv:
        print_document(sessions_csv.csv_document(found.sessions))
    else:
        paper = terminal.make_paper(settings)
        lines = chain(listing.range_lines(since, until, paper), _table(found, paper, has_stores=has_stores))
        terminal.print_lines(lines, settings)
    _note_damage(found.sessions, settings)
    return DONE


def _table(found: SessionList, paper: "Paper", *, has_stores: bool) -> "Iterator[Line]":
    """Yield the table, and below it a hint for an empty home, or an offer to a person."""
    yield from listing.session_list(found.total, found.sessions, paper, found.agents)
    if not has_stores:
        yield from listing.where_lines(paper)
    elif paper.width is not None:
        yield from listing.keeping_offer(found.unkept, paper)


def _note_damage(sessions: list[Session], settings: Settings) -> None:
    damaged = [session for session in sessions if session.damage]
    if damaged:
        settings.damage = sum(session.damage for session in damaged)
        settings.damaged = [session.id for session in damaged]
        settings.is_damage_near, settings.is_damage_beside = True, False
