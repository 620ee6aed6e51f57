"""`backscroll resume`: continue a session in Claude Code."""

import os
import sys

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import json
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, REFUSED, NotFoundError, RefusedError
from backscroll.safe_text import one_line

_SHELL = "/bin/sh"


@examples(
    "backscroll resume latest",
    "backscroll resume c9258e92 --print   the command, to look at or to paste",
)
@click.command("resume")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@click.option("--print", "is_print", is_flag=True, help="Only print the command.")
@reading
@click.pass_obj
def command(settings: Settings, *, session: str, is_print: bool) -> int:
    """Resume a session in Claude Code, in the directory where it ran.

    ID is any unique start of a session's id, its title, `latest` or the path of a transcript.
    """
    with opened(settings) as library:
        found = library.resume(session)
    if settings.json:
        print_document(json.lines([{"session": found.id, "resume": found.resume, "resume_note": found.resume_note}]))
        return REFUSED if found.resume is None else DONE
    if found.resume is None:
        raise RefusedError("this session cannot be resumed", found.id, remedy=found.resume_note)
    if is_print:
        sys.stdout.write(one_line(found.resume) + "\n")
        _tell(found.resume_note)
        return DONE
    return become(found.resume, found.resume_note)


def _tell(resume_note: str | None) -> None:
    """Print a note on a session that can be resumed, but not where it ran."""
    if resume_note is not None:
        sys.stderr.write(f"backscroll: {one_line(resume_note)}\n")


def become(command_line: str, resume_note: str | None = None) -> int:
    """Replace this process by Claude Code."""
    from shutil import which  # noqa: PLC0415  (5 ms, and only here)

    if which("claude") is None:
        raise NotFoundError(
            "the command `claude` is not on your PATH", remedy=f"Install Claude Code, then: {command_line}"
        )
    _tell(resume_note)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(_SHELL, [_SHELL, "-c", command_line])  # noqa: S606  (every part of it is quoted)
    import subprocess  # noqa: PLC0415  (only where a process cannot become another)

    return subprocess.call(command_line, shell=True)  # noqa: S602  (every part of it is quoted)
