"""`backscroll show`: one session as text, Markdown, HTML, JSON or the stored bytes."""

import sys

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import desktop, desktop_json, html, json, markdown, terminal, text
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading, streaming
from backscroll.cli.output import print_bytes, print_document, report_damage
from backscroll.cli.prices import own_prices
from backscroll.errors import DONE, QueryError, RefusedError
from backscroll.sessions.model import Transcript
from backscroll.value import NamedTuple

PAGE = 50


@examples(
    "backscroll show latest",
    "backscroll show c9258e92 --full",
    "backscroll show c9258e92 --branch b1",
    "backscroll show c9258e92 --at 229c64f5",
    "backscroll show c9258e92 --offset 120 --limit 20",
    "backscroll show latest --format html > session.html",
    "backscroll show latest --raw | grep -c tool_use",
)
@click.command("show")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@click.option("--branch", metavar="NAME", default="main", help="Show another branch; `tree` names them.")
@click.option("--all-branches", is_flag=True, help="Show every branch.")
@click.option("--at", metavar="MESSAGE", help="Begin at this message; `search` names it.")
@click.option("--offset", metavar="N", type=click.IntRange(min=0), help="Show a page: begin at message N, from 0.")
@click.option(
    "--limit", metavar="M", type=click.IntRange(min=1), help="Show at most M messages of a page; 50 with --offset."
)
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
    offset: int | None,
    limit: int | None,
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
    if offset is not None or limit is not None:
        if at is not None:
            raise QueryError("--at does not go with --offset and --limit", remedy="Leave out one of them.")
        page = _Page(session, branch, offset or 0, limit or PAGE, is_of_all=all_branches)
        return _show_page(page, settings, form, is_full=full)
    with opened(settings) as library:
        transcript = library.show(
            session,
            branch=branch,
            all_branches=all_branches,
            at=at,
            prices=own_prices(),
        )
    settings.json = settings.json or form == "json"
    _print(transcript, settings, form, is_full=full)
    return report_damage(len(transcript.damage), settings)


class _Page(NamedTuple):
    """The page that is asked for."""

    session: str
    branch: str
    offset: int
    limit: int
    is_of_all: bool


def _show_page(asked: _Page, settings: Settings, form: str, *, is_full: bool) -> int:
    with opened(settings) as library:
        page = library.messages(
            asked.session,
            offset=asked.offset,
            limit=asked.limit,
            branch=asked.branch,
            all_branches=asked.is_of_all,
            prices=own_prices(),
        )
    if (settings.json or form == "json") and not settings.jsonl:
        print_document(json.page_document(page))
        return DONE
    _print(Transcript(page.session, [], iter(page.messages), [], []), settings, form, is_full=is_full)
    if form == "text" and not settings.jsonl:
        last = page.offset + len(page.messages) - 1
        sys.stderr.write(f"backscroll: messages {page.offset} to {last} of {page.total}, counted from 0\n")
    return report_damage(page.session.damage, settings)


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
    with opened(settings) as library:
        lines = library.raw(session)
    print_bytes(lines)
    return DONE


def _show_logs(session: str, settings: Settings, *, is_full: bool) -> int:
    with opened(settings) as library:
        found, lines = library.logs(session)
    if settings.json:
        print_document(desktop_json.logs_document(found, lines))
    else:
        paper = terminal.make_paper(settings, is_full=is_full)
        terminal.print_lines(desktop.log_list(found, lines, paper), settings)
    return DONE
