"""`backscroll files`: what sessions touched, created and deleted, and one patch of all that a session did."""

from datetime import datetime

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import json, terminal, versions_json
from backscroll.cli.later import versions as view
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, moment, reading, streaming
from backscroll.cli.output import print_bytes, print_document
from backscroll.errors import DONE


@examples(
    "backscroll files",
    "backscroll files --project shop --match '*.py' --since 2w",
    "backscroll files --session latest --all",
    "backscroll files --patch latest | git apply",
)
@click.command("files")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only those of one session.")
@click.option("--project", metavar="TEXT", help="Only of sessions whose project's path holds TEXT.")
@click.option("--match", metavar="GLOB", help="Only files whose name, or end of path, matches: *.py, src/*.ts.")
@click.option("--since", metavar="WHEN", callback=moment, help="Only touched since WHEN: 2026-05-01, 12h, 3d, 2w.")
@click.option("--until", metavar="WHEN", callback=moment, help="Only touched before WHEN.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=0), default=50, show_default=True, help="At most N files."
)
@click.option("--all", "is_unlimited", is_flag=True, help="All files.")
@click.option("--patch", metavar="ID", shell_complete=complete_session, help="Print all that a session did as a patch.")
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
    patch: str | None,
) -> int:
    """List the files that sessions touched, with their versions.

    ID is any unique beginning of a session's id, or `latest`, or the path of a transcript.
    """
    if patch is not None:
        with opened(settings) as library:
            lines = library.session_patch(patch)
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
        )
    if settings.jsonl:
        print_document(json.lines(map(json.object_of, found.files)))
    elif settings.json:
        print_document(versions_json.files_document(found))
    else:
        terminal.print_lines(view.file_list(found, terminal.make_paper(settings)), settings)
    return DONE
