"""`backscroll files`: the files that sessions touched, and one patch of all changes of a session."""

from datetime import datetime
from itertools import chain

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import json, listing, terminal, versions_json
from backscroll.cli.lazy_views import versions as view
from backscroll.cli.library import opened, tell_unknown
from backscroll.cli.options import examples, of_project, reading, redacting, since_and_until, streaming
from backscroll.cli.output import print_bytes, print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, QueryError


@examples(
    "backscroll files",
    "backscroll files --project shop --match '*.py' --since 2w",
    "backscroll files --session latest --all",
    "backscroll files --deleted --here",
    "backscroll files --patch latest | git apply",
)
@click.command("files")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only one session.")
@of_project
@click.option("--match", metavar="GLOB", help="Only files whose name, or end of path, matches: *.py, src/*.ts.")
@since_and_until
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=0), default=50, show_default=True, help="At most N files."
)
@click.option("--all", "is_unlimited", is_flag=True, help="All files.")
@click.option("--deleted", is_flag=True, help="Only files whose last recorded version is a deletion.")
@click.option(
    "--patch", metavar="ID", shell_complete=complete_session, help="Print all changes of a session as a patch."
)
@redacting
@streaming
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    session: str | None,
    project: str | None,
    match: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    is_unlimited: bool,
    deleted: bool,
    patch: str | None,
    redact: bool,
) -> int:
    """List the files that sessions touched, with their versions.

    ID is any unique start of a session's id, its title, `latest` or the path of a transcript.
    """
    if redact and patch is None:
        raise QueryError("--redact needs --patch", remedy="Add --patch ID, or leave out --redact.")
    if patch is not None:
        with opened(settings) as library:
            lines = library.session_patch(patch, redact=redact)
        if settings.json:
            print_document([json.dumps({"session": patch, "patch": b"".join(lines).decode(errors="replace")}) + "\n"])
        elif terminal.is_terminal():
            terminal.print_lines(view.diff_lines(lines), settings)
        else:
            print_bytes(lines)
        return DONE
    with opened(settings) as library:
        found = library.list_files(
            session=session,
            project=project,
            match=match,
            since=since,
            until=until,
            limit=None if is_unlimited else limit,
            deleted=deleted,
        )
        tell_unknown(library, settings, found.total, project=project)
    if settings.jsonl:
        print_document(json.lines(map(json.object_of, found.files)))
    elif settings.json:
        print_document(versions_json.files_document(found))
    else:
        paper = terminal.make_paper(settings)
        table = chain(listing.range_lines(since, until, paper), view.file_list(found, paper))
        terminal.print_lines(table, settings)
    return DONE
