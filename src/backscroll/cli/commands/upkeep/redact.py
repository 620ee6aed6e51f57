"""`backscroll redact`: find secrets in a session, a file or standard input, and write clean copies."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import redaction as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened_with
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.progress import ProgressLine
from backscroll.cli.settings import Settings
from backscroll.errors import DAMAGE_MET, DONE, QueryError, UnreadableError
from backscroll.files import open_readonly, reason_at_named
from backscroll.library import Library
from backscroll.redaction.cleaning import ByteCount, SecretFinding
from backscroll.redaction.hook import HOOK

_CHUNK = 1 << 20


@examples(
    "backscroll redact latest                       the findings",
    "backscroll redact latest --clean -o clean.jsonl",
    "backscroll redact notes.md --check             exit 3 if something is found",
    "git diff | backscroll redact --check -",
    "backscroll redact --git-hook > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
)
@click.command("redact")
@click.argument("source", metavar="[ID | FILE | -]", required=False, shell_complete=complete_session)
@click.option("--report", is_flag=True, help="List the findings; this is the default.")
@click.option("--check", is_flag=True, help="Exit with 3 if something is found.")
@click.option("--clean", is_flag=True, help="Write a copy without secrets to the file of -o.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="A new file for the clean copy.")
@click.option("--no-identities", is_flag=True, help="Report only secrets: no names, homes, addresses and accounts.")
@click.option("--rules", is_flag=True, help="List the rules, with those of redact.toml.")
@click.option("--git-hook", is_flag=True, help="Print a pre-commit hook for git.")
@reading
@click.pass_obj
def command(settings: Settings, /, **options: Any) -> int:
    """Find secrets in a session, a file or standard input, or write a clean copy.

    ID is any unique start of a session's id, its title, `latest` or the path of a transcript. A finding shows its
    rule, its place and a masked sample, never the value. Your own rules are in redact.toml.
    """
    _refuse_contradictions(options)
    if options["git_hook"]:
        print_document([HOOK])
        return DONE
    with opened_with(settings, ProgressLine()) as library:
        if options["rules"]:
            return _show_rules(library, settings)
        read = ByteCount()
        chunks = _chunks(options["source"])
        if options["clean"]:
            return _clean(library, settings, options, chunks, read)
        identities = not options["no_identities"]
        found = _Counted(library.find_secrets(options["source"], chunks, identities=identities, read=read))
        if settings.json:
            print_document(view.findings_document(found, read))
        else:
            terminal.print_lines(view.findings_report(found, terminal.make_paper(settings)), settings)
    return DAMAGE_MET if options["check"] and found.count else DONE


class _Counted:
    """Findings, counted as they pass."""

    def __init__(self, found: Iterable[SecretFinding]) -> None:
        self._found = found
        self.count = 0

    def __iter__(self) -> Iterator[SecretFinding]:
        for one in self._found:
            self.count += 1
            yield one


def _refuse_contradictions(options: dict[str, Any]) -> None:
    if options["clean"] != (options["output"] is not None):
        raise QueryError("--clean and -o need each other", remedy="backscroll redact ID --clean -o FILE")
    if options["clean"] and (options["check"] or options["report"] or options["no_identities"]):
        raise QueryError(
            "--clean cannot be used with --check, --report or --no-identities",
            remedy="Run the report first, then --clean -o FILE.",
        )
    if options["source"] is None and not (options["rules"] or options["git_hook"]):
        raise QueryError("no session or file is named", remedy="Name a session, a file, or - for standard input.")


def _chunks(source: str) -> Iterator[bytes] | None:
    """Return the bytes of standard input or of a file, or None for a session."""
    if source == "-":
        return iter(lambda: sys.stdin.buffer.read(_CHUNK), b"")
    return _file_chunks(source) if os.path.isfile(source) else None  # noqa: PTH113 - never raises


def _file_chunks(path: str) -> Iterator[bytes]:
    try:
        with open_readonly(os.path.realpath(path)) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise UnreadableError(f"cannot read this file: {reason_at_named(error)}", path) from error


def _clean(
    library: Library, settings: Settings, options: dict[str, Any], chunks: Iterator[bytes] | None, read: ByteCount
) -> int:
    output: Path = options["output"]
    redactions = library.write_clean(options["source"], output, chunks, read=read)
    if settings.json:
        print_document(view.clean_document(str(output), redactions, read, output.stat().st_size))
    else:
        paper = terminal.make_paper(settings)
        terminal.print_lines(view.clean_report(str(output), redactions, paper), settings)
    return DONE


def _show_rules(library: Library, settings: Settings) -> int:
    rules = library.redaction_rules()
    if settings.json:
        print_document(view.rules_document(rules))
    else:
        terminal.print_lines(view.rules_report(rules, terminal.make_paper(settings)), settings)
    return DONE
