"""`backscroll export`: a static site of all sessions, for oneself."""

import sys
from pathlib import Path

import click

from backscroll import share as sharing
from backscroll.cli.lazy_views import json
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED
from backscroll.safe_text import one_line
from backscroll.share.site import Exported, export_site
from backscroll.views.figures import count


@examples(
    "backscroll export --dir site                    everything, then only what changed",
    "backscroll export --dir shop --project shop",
    "backscroll export --dir clean --redact          with pseudonyms, as `share`",
)
@click.command("export")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="A new or empty directory, or one that `export` made.",
)
@click.option("--project", metavar="TEXT", help="Only sessions of projects whose path contains TEXT.")
@click.option("--redact", is_flag=True, help="Replace secrets, and names of people and machines, with pseudonyms.")
@reading
@click.pass_obj
def command(settings: Settings, /, directory: Path, project: str | None, redact: bool) -> int:
    """Write all sessions as a static site: a page for each, a list and a search.

    Without --redact the site shows secrets unchanged, and every page states this: keep it to yourself. Another run
    writes only the sessions that changed; pages of deleted sessions stay. Open index.html in a browser; the pages
    load nothing from the network.
    """
    with opened(settings) as library:
        sharing.refuse_inside_claude(library, directory)
        done = export_site(library, directory, project=project, redact=redact)
    _report(done, settings, is_redacted=redact)
    return REFUSED if done.refused else DONE


def _report(done: Exported, settings: Settings, *, is_redacted: bool) -> None:
    if settings.json:
        print_document([json.dumps(json.object_of(done)), "\n"])
    else:
        place = one_line(str(Path(done.dir) / "index.html"))
        sessions = count(done.sessions, "session")
        print_document([f"{sessions}, {done.written:,} written now, {done.bytes:,} bytes: {place}\n"])
    if not is_redacted:
        sys.stderr.write("backscroll: the site is not redacted: keep it to yourself, or use share\n")
    for name in done.refused:
        sys.stderr.write(f"backscroll: {one_line(name)} still held something that looks like a secret: not written\n")
