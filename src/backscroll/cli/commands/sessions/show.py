"""`backscroll show`: one session as text, Markdown, HTML, JSON or the stored bytes."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from backscroll.cli.completion import complete_branch_of_session, complete_session
from backscroll.cli.lazy_views import desktop, desktop_json, html, json, markdown, terminal, text, visible
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading, redacting, streaming
from backscroll.cli.output import print_bytes, print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, QueryError, RefusedError
from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.sessions import model
    from backscroll.sessions.page import MessagePage
else:
    model = lazily("backscroll.sessions.model")

PAGE = 50
DETAILS = ("full", "high", "low", "prompts")
TOOLS = {"call", "result"}
THINKING = {"thinking"}


@examples(
    "backscroll show latest",
    "backscroll show c9258e92 --full",
    "backscroll show 'Parse amounts' --prompts",
    "backscroll show c9258e92 --branch b1",
    "backscroll show c9258e92 --at 229c64f5",
    "backscroll show c9258e92 --offset 120 --limit 20",
    "backscroll show latest --format html > session.html",
    "backscroll show latest --raw | grep -c tool_use",
    "backscroll show c9258e92 --at 229c64f5 --image 1 > picture.png",
)
@click.command("show")
@click.argument("session", metavar="ID", shell_complete=complete_session)
@click.option(
    "--branch",
    metavar="NAME",
    default="main",
    shell_complete=complete_branch_of_session,
    help="Show another branch; `tree` lists them.",
)
@click.option("--all-branches", is_flag=True, help="Show every branch.")
@click.option("--at", metavar="MESSAGE", help="Start at this message; `search` prints message ids.")
@click.option("--offset", metavar="N", type=click.IntRange(min=0), help="Show a page that starts at message N, from 0.")
@click.option(
    "--limit", metavar="M", type=click.IntRange(min=1), help="Show at most M messages of a page; 50 with --offset."
)
@click.option("--raw", is_flag=True, help="Write the stored bytes unchanged; refused on a terminal.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "html", "json"]),
    default="text",
    show_default=True,
    help="The output format.",
)
@click.option("--full", is_flag=True, help="Show everything in full; the same as --detail full.")
@click.option("--prompts", is_flag=True, help="Show only the typed prompts; the same as --detail prompts.")
@click.option(
    "--detail",
    type=click.Choice(DETAILS),
    default="high",
    show_default=True,
    help="The amount of detail; low leaves out calls, results and thinking.",
)
@click.option("--no-tools", is_flag=True, help="Leave out calls and their results.")
@click.option("--no-thinking", is_flag=True, help="Leave out thinking.")
@click.option(
    "--image",
    metavar="N",
    type=click.IntRange(min=1),
    help="Write the bytes of image or document N of the message that --at names instead.",
)
@click.option("--logs", is_flag=True, help="Show the errors in Desktop's logs near the session's time instead.")
@redacting
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
    prompts: bool,
    detail: str,
    no_tools: bool,
    no_thinking: bool,
    image: int | None,
    logs: bool,
    redact: bool,
) -> int:
    """Show one session, message by message.

    ID is any unique start of a session's id, its title, `latest` or the path of a transcript.
    """
    full = full or detail == "full"
    left_out = (TOOLS if no_tools or detail == "low" else set()) | (
        THINKING if no_thinking or detail == "low" else set()
    )
    _refuse_redacting(redact and (raw or logs or image is not None))
    if image is not None:
        return _show_image(session, at, image, settings)
    if raw:
        return _show_raw(session, settings)
    if logs:
        return _show_logs(session, settings, is_full=full)
    if offset is not None or limit is not None:
        if at is not None:
            raise QueryError("--at cannot be used with --offset or --limit", remedy="Leave out one of them.")
        is_typed = prompts or detail == "prompts"
        page = _Page(session, branch, offset or 0, limit or PAGE, all_branches, redact, is_typed, left_out)
        return _show_page(page, settings, form, is_full=full)
    with opened(settings) as library:
        transcript = library.show(
            session,
            branch=branch,
            all_branches=all_branches,
            at=at,
            prices=own_prices(),
            redact=redact,
        )
    if prompts or detail == "prompts":
        transcript = replace(transcript, messages=visible.typed(transcript.messages))
    elif left_out:
        transcript = replace(transcript, messages=visible.reduced(transcript.messages, left_out))
    settings.json = settings.json or form == "json"
    _print(transcript, settings, form, is_full=full)
    settings.damage = len(transcript.damage)  # its files were just read again
    settings.damaged = ()  # this very command shows it
    return DONE


def _refuse_redacting(is_bare: bool) -> None:
    if is_bare:
        remedy = "Use `backscroll redact ID --clean`."
        raise QueryError("--redact cannot be used with --raw, --logs or --image", remedy=remedy)


class _Page(NamedTuple):
    """The requested page."""

    session: str
    branch: str
    offset: int
    limit: int
    is_of_all: bool
    is_redacted: bool
    is_typed: bool
    """Only typed prompts are counted and shown."""
    left_out: set[str]
    """Kinds of parts that are not shown."""


def _show_page(asked: _Page, settings: Settings, form: str, *, is_full: bool) -> int:
    page = _page_of_prompts(asked, settings) if asked.is_typed else _page(asked, settings)
    if (settings.json or form == "json") and not settings.jsonl:
        print_document(json.page_document(page))
        return DONE
    _print(model.Transcript(page.session, [], iter(page.messages), [], []), settings, form, is_full=is_full)
    if form == "text" and not settings.jsonl:
        sys.stderr.write(f"backscroll: {_range(page, 'prompts' if asked.is_typed else 'messages')}\n")
    return DONE


def _page(asked: _Page, settings: Settings) -> "MessagePage":
    with opened(settings) as library:
        page = library.messages(
            asked.session,
            offset=asked.offset,
            limit=asked.limit,
            branch=asked.branch,
            all_branches=asked.is_of_all,
            prices=own_prices(),
            redact=asked.is_redacted,
        )
    return replace(page, messages=list(visible.reduced(page.messages, asked.left_out))) if asked.left_out else page


def _page_of_prompts(asked: _Page, settings: Settings) -> "MessagePage":
    """Return a page of the typed prompts alone: offset, limit and total count prompts."""
    from backscroll.sessions.page import MessagePage  # noqa: PLC0415  (only this page needs it)

    with opened(settings) as library:
        transcript = library.show(
            asked.session,
            branch=asked.branch,
            all_branches=asked.is_of_all,
            prices=own_prices(),
            redact=asked.is_redacted,
        )
        typed = list(visible.typed(transcript.messages))
    chosen = typed[asked.offset : asked.offset + asked.limit]
    return MessagePage(transcript.session, len(typed), asked.offset, chosen)


def _range(page: "MessagePage", noun: str) -> str:
    """Return a text with the numbers of the messages on a page."""
    if not page.messages:
        return f"no {noun} from {page.offset:,} on; there are {page.total:,}"
    last = page.offset + len(page.messages) - 1
    return f"{noun} {page.offset} to {last} of {page.total}, counted from 0"


def _print(transcript: "model.Transcript", settings: Settings, form: str, *, is_full: bool) -> None:
    if settings.jsonl:
        print_document(json.lines(map(json.object_of, transcript.messages)))
    elif settings.json:
        print_document(json.show_document(transcript))
    elif form == "text":
        terminal.print_lines(text.show(transcript, terminal.make_paper(settings, is_full=is_full)), settings)
    else:
        paper = terminal.make_paper(settings, is_full=is_full, is_document=True)
        print_document((markdown if form == "md" else html).document(transcript, paper))


def _refuse_terminal(remedy: str) -> None:
    if sys.stdout.isatty():
        raise RefusedError("raw bytes may contain terminal escape codes", remedy=remedy)


def _show_image(session: str, at: str | None, number: int, settings: Settings) -> int:
    if at is None:
        raise QueryError("--image needs the message", remedy="Name it with --at MESSAGE.")
    _refuse_terminal("Write them to a file: backscroll show ID --at MESSAGE --image N > FILE")
    with opened(settings) as library:
        found = library.media(session, at, number)
    print_bytes([found.data])
    return DONE


def _show_raw(session: str, settings: Settings) -> int:
    _refuse_terminal("Write them to a file: backscroll show ID --raw > FILE; or use --full or --json.")
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
