"""`backscroll archive list`: the sessions, files and versions that the archive has."""

from datetime import datetime

import click

from backscroll.cli.commands.sessions.session_options import choosing_sessions
from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import archive as view
from backscroll.cli.lazy_views import json, listing, terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll archive list --state kept",
    "backscroll archive list --files",
    "backscroll archive list --versions 3f0c2a51",
    "backscroll archive list --facts",
)
@click.command("list")
@choosing_sessions
@click.option("--files", "is_files", is_flag=True, help="List all files in the archive instead.")
@click.option(
    "--facts", "is_facts", is_flag=True, help="List the archived facts of settings and browser storage instead."
)
@click.option(
    "--versions", metavar="ID", shell_complete=complete_session, help="List all versions of a session instead."
)
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    words: tuple[str, ...],
    limit: int,
    is_unlimited: bool,
    project: str | None,
    store: str | None,
    account: str | None,
    since: datetime | None,
    until: datetime | None,
    model: str | None,
    branch: str | None,
    sort: str,
    state: str | None,
    is_files: bool,
    is_facts: bool,
    versions: str | None,
) -> int:
    """List the sessions in the archive, live or not, newest first."""
    if is_facts:
        return _facts(settings)
    if is_files or versions is not None:
        return _contents(settings, versions)
    with opened(settings) as library:
        found = library.archive_list(
            limit=None if is_unlimited else limit,
            project=project,
            store=store,
            account=account,
            since=since,
            until=until,
            state=state,
            prices=own_prices(),
            title=words,
            model=model,
            branch=branch,
            sort=sort,
        )
    if settings.json:
        print_document(json.list_document(found.total, found.sessions, None))
    else:
        paper = terminal.make_paper(settings)
        terminal.print_lines(listing.session_list(found.total, found.sessions, paper, {}), settings)
    return DONE


def _contents(settings: Settings, session: str | None) -> int:
    with opened(settings) as library:
        found = library.archive_files() if session is None else library.archive_versions(session)
    if settings.json:
        print_document(view.contents_document("files" if session is None else "versions", found))
    else:
        terminal.print_lines(view.contents_lines(found, terminal.make_paper(settings)), settings)
    return DONE


def _facts(settings: Settings) -> int:
    with opened(settings) as library:
        found = library.archive_facts()
    if settings.json:
        print_document(view.contents_document("facts", found))
    else:
        terminal.print_lines(view.fact_lines(found, terminal.make_paper(settings)), settings)
    return DONE
