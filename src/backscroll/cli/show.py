"""`backscroll show`: one session as text, Markdown, HTML, JSON or the stored bytes."""

import sys

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import desktop, desktop_json, html, json, markdown, terminal, text
from backscroll.cli.options import Settings, examples, reading, streaming
from backscroll.cli.output import print_bytes, print_document, report_damage
from backscroll.cli.prices import own_prices
from backscroll.cli.progress import ProgressLine
from backscroll.errors import DONE, RefusedError
from backscroll.sessions.model import Transcript
from backscroll.verbs import sessions as verbs


@examples(
    "backscroll show latest",
    "backscroll show c9258e92 --full",
    "backscroll show c9258e92 --branch b1",
    "backscroll show c9258e92 --at 229c64f5",
    "backscroll show latest --format html > session.html",
    "backscroll show latest --raw | grep -c tool_use",
)
@click.command("show")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@click.option("--branch", metavar="NAME", default="main", help="Show another branch; `tree` names them.")
@click.option("--all-branches", is_flag=True, help="Show every branch.")
@click.option("--at", metavar="MESSAGE", help="Begin at this message; `search` names it.")
@click.option("--raw", is_flag=True, help="Write the stored bytes as they are; never to a terminal.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "html", "json"]),
    default="text",
    show_default=True,
    help="How to write it.",
)
@click.option("--full", is_flag=True, help="Cut nothing, hide nothing.")
@click.option("--logs", is_flag=True, help="Instead: the errors in Desktop's logs near the session's time.")
@streaming
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    session: str,
    branch: str,
    all_branches: bool,
    at: str | None,
    raw: bool,
    form: str,
    full: bool,
    logs: bool,
) -> int:
    """Show one session, message by message.

    ID is any unique beginning of a session's id, or `latest`, or the path of a transcript.
    """
    if raw:
        return _show_raw(session, settings)
    if logs:
        return _show_logs(session, settings, is_full=full)
    with ProgressLine() as progress:
        transcript = verbs.show(
            session,
            settings.root,
            branch=branch,
            all_branches=all_branches,
            at=at,
            prices=own_prices(),
            update=settings.update,
            on_progress=progress,
        )
    settings.json = settings.json or form == "json"
    _print(transcript, settings, form, is_full=full)
    return report_damage(len(transcript.damage), settings)


def _print(transcript: Transcript, settings: Settings, form: str, *, is_full: bool) -> None:
    if settings.jsonl:
        print_document(json.lines(map(json.object_of, transcript.messages)))
    elif settings.json:
        print_document(json.show_document(transcript))
    elif form == "text":
        terminal.print_lines(text.show(transcript, terminal.make_paper(settings, is_full=is_full)), settings)
    else:
        paper = terminal.make_paper(settings, is_full=is_full, is_document=True)
        print_document((markdown if form == "md" else html).document(transcript, paper))


def _show_raw(session: str, settings: Settings) -> int:
    if sys.stdout.isatty():
        raise RefusedError(
            "stored bytes could command your terminal",
            remedy="Send them elsewhere: backscroll show ID --raw > file, or read them with --full or --json.",
        )
    print_bytes(verbs.raw(session, settings.root))
    return DONE


def _show_logs(session: str, settings: Settings, *, is_full: bool) -> int:
    with ProgressLine() as progress:
        from backscroll.verbs import desktop as desktop_verbs  # noqa: PLC0415  (only logs need it)

        found, lines = desktop_verbs.logs(session, settings.root, update=settings.update, on_progress=progress)
    if settings.json:
        print_document(desktop_json.logs_document(found, lines))
    else:
        paper = terminal.make_paper(settings, is_full=is_full)
        terminal.print_lines(desktop.log_list(found, lines, paper), settings)
    return DONE
