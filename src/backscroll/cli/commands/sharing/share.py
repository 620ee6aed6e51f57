"""`backscroll share`: sessions as files for other people, always redacted."""

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from backscroll import share as sharing
from backscroll.cli.completion import complete_branch_of_session, complete_session
from backscroll.cli.lazy_views import json
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, NOT_FOUND, QueryError
from backscroll.library import Library
from backscroll.safe_text import one_line
from backscroll.share import pdf
from backscroll.staged_files import StagedFiles

CHOICES = ("branch", "select", "thinking", "agents", "images", "outputs")


@examples(
    "backscroll share latest -o session.html",
    "backscroll share c9258e92 -o session.pdf --select 3-9,prompts",
    "backscroll share latest --plan                  only show the planned replacements",
    "backscroll share --project shop --dir shared    one page for each session",
)
@click.command("share")
@click.argument("sessions", metavar="[ID]...", nargs=-1, shell_complete=complete_session)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="A new file: .html, .md, .json or .pdf."
)
@click.option("--dir", "directory", metavar="DIR", type=click.Path(path_type=Path), help="A new or empty directory.")
@click.option("--project", metavar="TEXT", help="With --dir: all sessions of projects whose path contains TEXT.")
@click.option(
    "--format",
    "form",
    type=click.Choice(sharing.FORMS),
    default="html",
    show_default=True,
    help="With --dir or --plan.",
)
@click.option("--select", metavar="LIST", help="Only these messages, from 1: 3-9,12,prompts.")
@click.option(
    "--branch", metavar="NAME", default="main", shell_complete=complete_branch_of_session, help="Another branch."
)
@click.option("--thinking", is_flag=True, help="Share thinking too.")
@click.option("--agents", is_flag=True, help="Share the messages of agents too.")
@click.option("--images", is_flag=True, help="Share images too; backscroll does not search them for secrets.")
@click.option("--outputs", is_flag=True, help="Share outputs over 64 kB in full.")
@click.option("--plan", is_flag=True, help="Write nothing; show the planned replacements.")
@reading
@click.pass_obj
def command(settings: Settings, /, **options: Any) -> int:
    """Write sessions to files for other people, without secrets.

    Secrets, names and home directories become pseudonyms. If a scan of the finished file finds anything, nothing is
    written. A page above 5 MB becomes numbered pages with an index; so does Markdown above 1 MB.
    """
    form = _checked_form(options)
    choice = sharing.ShareChoice(**{name: options[name] for name in CHOICES})
    target: Path | None = None if options["plan"] else options["output"] or options["directory"]
    with opened(settings) as library:
        names = _stems(library, options)
        if not names:
            sys.stderr.write("backscroll: no such sessions\n")
            return NOT_FOUND
        if target is None:
            shared = sharing.share_sessions(library, names, form, choice, None)
        else:
            shared = _written(library, names, form, choice, options)
    _report(shared, settings, target)
    return DONE


def _written(
    library: Library, names: dict[str, str], form: str, choice: sharing.ShareChoice, options: dict[str, Any]
) -> sharing.Shared:
    """Write the files, and give them their names if the scan finds nothing."""
    output, directory = options["output"], options["directory"]
    sharing.refuse_inside_claude(library, output or directory)
    if form == "pdf":
        pdf.require_browser()
    destination = output.parent if output is not None else directory
    with StagedFiles(destination, must_be_empty=output is None) as stage:
        if output is not None:
            stage.require_free(output.name)
        shared = sharing.share_sessions(library, names, form, choice, stage)
        sharing.refuse_unsafe(shared.findings)
        stage.publish()
    return shared


def _checked_form(options: dict[str, Any]) -> str:
    """Return the form that the file's name or the option names; refuse options that do not fit."""
    output: Path | None = options["output"]
    if (output is None) == (options["directory"] is None) and not (options["plan"] and output is None):
        raise QueryError("name one place to write to", remedy="Use -o FILE, or --dir DIR, or --plan.")
    if output is not None and (len(options["sessions"]) != 1 or options["project"]):
        raise QueryError("-o takes exactly one session", remedy="Use --dir DIR for several sessions.")
    if not options["sessions"] and not options["project"]:
        raise QueryError("no session is named", remedy="Name one, `latest`, or use --project.")
    if output is None:
        return str(options["form"])
    form = output.suffix.lower().removeprefix(".")
    if form not in sharing.FORMS or output.suffix != f".{form}":
        raise QueryError(f"cannot write this kind of file: {output.name}", remedy="Use .html, .md, .json or .pdf.")
    return form


def _stems(library: Library, options: dict[str, Any]) -> dict[str, str]:
    """Return the file name of each session, without its ending."""
    names = list(options["sessions"])
    if (project := options["project"]) is not None:
        names += [one.id for one in library.list_sessions(limit=None, project=project).sessions]
    if options["output"] is not None:
        return {names[0]: options["output"].stem}
    return {name: f"{number:04}-{_safe(library, name)}" for number, name in enumerate(dict.fromkeys(names), 1)}


def _safe(library: Library, name: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]", "", library.resume(name).id)[:64] or "session"


def _report(shared: sharing.Shared, settings: Settings, target: Path | None) -> None:
    """Sum up on standard error; JSON goes to standard output."""
    total, findings = shared.redactions, [asdict(finding) for finding in shared.findings]
    if settings.json:
        answer = {
            "file": None if target is None else str(target),
            "bytes": shared.bytes,
            "redactions": total.total(),
            "rules": dict(total.most_common()),
            "findings": findings,
            "pages": len(shared.files),
        }
        print_document([json.dumps(answer), "\n"])
        return
    lines = [f"{number:>6,}  {one_line(rule)}" for rule, number in total.most_common()]
    head = f"backscroll: {total.total():,} replaced" + (":" if lines else "; nothing was found")
    if findings:
        lines.append(f"The finished document still has {len(findings):,} findings: share would refuse it.")
    files = f" in {len(shared.files):,} files" if len(shared.files) > 1 else ""
    place = "nothing is written yet" if target is None else f"wrote {one_line(str(target))}, {shared.bytes:,} bytes"
    sys.stderr.write("\n".join([head, *lines, f"backscroll: {place}{files}", ""]))
