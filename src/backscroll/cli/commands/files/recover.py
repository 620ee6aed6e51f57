"""`backscroll recover`: list the versions of a file, and recover any of them."""

from pathlib import Path
from typing import Any

import click

from backscroll.cli.completion import complete_file, complete_session
from backscroll.cli.lazy_views import json, terminal, versions_json
from backscroll.cli.lazy_views import versions as view
from backscroll.cli.library import opened
from backscroll.cli.options import examples, moment, reading, redacting, streaming
from backscroll.cli.output import print_bytes, print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, NOT_FOUND, REFUSED, QueryError
from backscroll.files import create_file

_CHOICES = ("version", "at", "message", "candidate")
_ACTIONS = {
    "print": "is_print",
    "diff": "diff",
    "output": "output",
    "write": "write",
    "in-place": "is_in_place",
    "grep": "grep",
}


@examples(
    "backscroll recover src/app.py                         all its versions",
    "backscroll recover src/app.py --at yesterday --print  its content then",
    "backscroll recover src/app.py --diff 3 7              the difference",
    "backscroll recover src/app.py --version 3 -o app.old.py",
    "backscroll recover src/app.py --version 3 --write back",
    "backscroll recover src/app.py --in-place              a plan; --apply does it",
    "backscroll recover --all --project shop --at 2026-05-01 --write back",
    "backscroll recover --grep 'def checkout'              in any version of any file",
)
@click.command("recover")
@click.argument("path", required=False, shell_complete=complete_file)
@click.option("--version", metavar="N", type=click.IntRange(min=1), help="This version.")
@click.option("--at", metavar="WHEN", callback=moment, help="The version at WHEN: 2026-05-01T10:30, yesterday, 12h.")
@click.option("--message", metavar="ID", help="The version after a message of a session.")
@click.option("--candidate", metavar="N", type=click.IntRange(min=1), help="A change that never reached the disk.")
@click.option("--print", "is_print", is_flag=True, help="Print the bytes of the chosen version, or of the last one.")
@click.option("--partly", is_flag=True, help="With --print: print the known lines of a version with gaps.")
@click.option(
    "--diff", metavar="N M", nargs=2, type=click.IntRange(min=1), help="Show the difference between two versions."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write one version to FILE, which must be new.",
)
@click.option(
    "--write", metavar="DIR", type=click.Path(path_type=Path), help="Write into DIR, which must be new or empty."
)
@click.option("--in-place", "is_in_place", is_flag=True, help="Show the plan to write the file to its own path.")
@click.option("--apply", is_flag=True, help="With --in-place: write it, and keep a copy of the current file beside it.")
@click.option("--risky", is_flag=True, help="Also write hidden files, .git, and files outside the recorded project.")
@click.option("--all", "is_all", is_flag=True, help="With --write: all files, of --project or of all projects.")
@click.option("--grep", metavar="TEXT", help="Search for TEXT in all versions of all files.")
@click.option("--project", metavar="TEXT", help="With --all or --grep: only projects whose path contains TEXT.")
@click.option("--match", metavar="GLOB", help="With --all or --grep: only files that match.")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="With --grep: only files of a session.")
@redacting
@streaming
@reading
@click.pass_obj
def command(settings: Settings, /, **options: Any) -> int:
    """Recover any version of a file.

    PATH is a file's path, or a unique end of it. Without further options: list all versions, with the evidence and
    the call that proves each.
    """
    _check(options)
    if options["grep"] is not None:
        return _grep(settings, options)
    if options["write"] is not None or options["is_in_place"]:
        return _write(settings, options)
    if options["diff"]:
        return _diff(settings, options)
    if options["is_print"] or options["output"] or any(options[name] is not None for name in _CHOICES):
        return _one(settings, options)
    with opened(settings) as library:
        found = library.recover(options["path"])
    if settings.json or settings.jsonl:
        print_document(versions_json.recover_document(found))
    else:
        terminal.print_lines(view.timeline(found, terminal.make_paper(settings)), settings)
    return DONE


def _check(options: dict[str, Any]) -> None:
    """Refuse options that contradict each other or have no effect."""
    chosen = [f"--{name}" for name in _CHOICES if options[name] is not None]
    acts = [f"--{name}" for name, key in _ACTIONS.items() if options[key]]
    for several in (chosen, acts):
        if len(several) > 1:
            raise QueryError(f"{several[0]} and {several[1]} exclude each other", remedy="Leave out one of them.")
    if options["diff"] and chosen:
        raise QueryError(f"{chosen[0]} and --diff exclude each other", remedy="Name both versions: --diff N M.")
    if options["apply"] and not options["is_in_place"]:
        raise QueryError("--apply needs --in-place", remedy="--write DIR works without --apply.")
    if options["redact"] and not options["is_print"]:
        raise QueryError("--redact needs --print", remedy="Add --print, or leave out --redact.")
    if options["is_all"] and options["write"] is None:
        raise QueryError("--all needs --write DIR", remedy="Add --write DIR. `backscroll files --all` lists all files.")
    needs_path = not options["is_all"] and options["grep"] is None
    if needs_path == (options["path"] is None):
        remedy = "Name a file, or use --grep TEXT, or --all --write DIR. Run `backscroll files` to list files."
        raise QueryError(
            "no file is named" if needs_path else "PATH cannot be used with --all or --grep", remedy=remedy
        )


def _one(settings: Settings, options: dict[str, Any]) -> int:
    with opened(settings) as library:
        found = library.recover_content(
            options["path"],
            **{name: options[name] for name in (*_CHOICES, "partly", "redact")},
        )
    if options["output"] is not None:
        create_file(options["output"], found.data)
    if settings.json:
        print_document(versions_json.content_document(found))
    elif options["output"] is not None:
        terminal.print_lines(view.written_line(found, str(options["output"])), settings)
    elif options["is_print"] and not terminal.is_terminal():
        print_bytes([found.data])
    elif options["is_print"]:
        terminal.print_lines(view.text_lines(found), settings)
    else:
        terminal.print_lines(view.one_version(found, terminal.make_paper(settings)), settings)
    return DONE


def _diff(settings: Settings, options: dict[str, Any]) -> int:
    old, new = options["diff"]
    with opened(settings) as library:
        lines = library.recover_diff(options["path"], old, new)
    if settings.json:
        print_document([json.dumps({"path": options["path"], "diff": b"".join(lines).decode(errors="replace")}) + "\n"])
    elif terminal.is_terminal():
        terminal.print_lines(view.diff_lines(lines), settings)
    else:
        print_bytes(lines)
    return DONE


def _write(settings: Settings, options: dict[str, Any]) -> int:
    with opened(settings) as library:
        plan = library.recover_files(
            options["write"],
            options["path"],
            **{name: options[name] for name in (*_CHOICES, "project", "match", "risky", "apply")},
        )
    if settings.json:
        print_document(versions_json.plan_document(plan))
    else:
        terminal.print_lines(view.write_report(plan, terminal.make_paper(settings)), settings)
    statuses = {file.status for file in plan.files}
    return REFUSED if "failed" in statuses or statuses <= {"skipped"} else DONE


def _grep(settings: Settings, options: dict[str, Any]) -> int:
    with opened(settings) as library:
        matches = library.recover_search(
            options["grep"],
            **{name: options[name] for name in ("session", "project", "match")},
        )
        found = list(matches)  # the search shows its progress, which must end before anything is printed
    if settings.jsonl:
        print_document(json.lines(map(versions_json.match_object, found)))
    elif settings.json:
        print_document(versions_json.matches_document(options["grep"], found))
    else:
        terminal.print_lines(view.match_lines(found, terminal.make_paper(settings)), settings)
    return DONE if found else NOT_FOUND
