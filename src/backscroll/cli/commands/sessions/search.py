"""`backscroll search`: all messages that match, ranked, each once."""

import sys
from datetime import datetime
from itertools import chain

import click

from backscroll.cli.completion import complete_branch, complete_file, complete_model, complete_session
from backscroll.cli.lazy_views import hits as view
from backscroll.cli.lazy_views import json, listing, searching, terminal
from backscroll.cli.library import opened_with, tell_unknown
from backscroll.cli.options import closed, examples, of_project, reading, redacting, since_and_until, streaming
from backscroll.cli.output import print_document
from backscroll.cli.progress import ProgressLine
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, NOT_FOUND, REFUSED, QueryError
from backscroll.query.closed_fields import CLOSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from backscroll.query.hits import Found

_OPEN = ("project", "model", "branch", "tool")
"""The fields that take any text."""
_FIELDS = ("project", "role", "kind", "tool", "model", "session", "store", "account", "branch", "file")

_BEHIND = "backscroll: another backscroll process is updating the search index; the newest messages are missing\n"
_NOTHING_YET = (
    "backscroll: nothing found yet: another backscroll process is updating the search index\n"
    "  Wait until it has finished, then run the same command again.\n"
)


@examples(
    "backscroll search deadlock pool             both words, anywhere in a message",
    "backscroll search '\"connection pool\" -test' a phrase, and a word that must not occur",
    "backscroll search 'pars* since:2w role:user' a beginning, and fields",
    "backscroll search --exact 'foo(bar) => {'   letter by letter",
    "backscroll search --regex 'timed? out after \\d+'",
)
@click.command("search")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@of_project
@click.option("--role", type=closed(CLOSED["role"]), help="Only messages of one role.")
@click.option("--kind", type=closed(CLOSED["kind"]), help="Only in one kind of text.")
@click.option("--tool", metavar="NAME", help="Only calls of one tool, and their results.")
@click.option(
    "--model", metavar="NAME", shell_complete=complete_model, help="Only answers of one model: opus, sonnet-4-5, …"
)
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only one session.")
@click.option("--store", type=closed(CLOSED["store"]), help="Only one kind of store.")
@click.option("--account", metavar="TEXT", help="Only one account.")
@click.option("--branch", metavar="TEXT", shell_complete=complete_branch, help="Only sessions on one git branch.")
@click.option(
    "--file", metavar="PATH", shell_complete=complete_file, help="Only calls about one file; any part of its path."
)
@since_and_until
@click.option("--regex", is_flag=True, help="QUERY is a regular expression.")
@click.option("--exact", is_flag=True, help="QUERY is literal text, including punctuation and case.")
@click.option("--all-hits", is_flag=True, help="Show every message, not the best one of each session.")
@click.option(
    "--per-session",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Show the best N messages of each session.",
)
@click.option("--context", metavar="N", type=click.IntRange(min=0), default=0, help="Show N messages around each hit.")
@click.option(
    "--sort", type=click.Choice(["rank", "time"]), default="rank", show_default=True, help="The order of the hits."
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=20, show_default=True, help="Show N hits.")
@click.option("--counts", type=click.Choice(["day"]), help="Also count the matches per day.")
@redacting
@streaming
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    /,
    *,
    words: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    regex: bool,
    exact: bool,
    all_hits: bool,
    per_session: int,
    context: int,
    sort: str,
    limit: int,
    counts: str | None,
    redact: bool,
    **fields: str | None,
) -> int:
    """Search the full text of all sessions.

    It searches prompts, answers, thinking, calls, results, agents, titles and plans. Each message appears once, best
    match first. All words must occur. A query may also have "a phrase", begin*, -not, this OR that, and fields:
    project: role: tool: kind: model: branch: since: until: session: store: account: file: is:error is:agent has:code.
    """
    mode = _mode(regex=regex, exact=exact)
    query = " ".join(words)
    if not query.strip() and not any((*fields.values(), since, until)):
        raise QueryError("the query is empty", remedy="Give a word, or a filter such as --tool Bash.")
    options = searching.Options(
        limit=limit, mode=mode, all_hits=all_hits, per_session=per_session, by_time=sort == "time"
    )
    progress = ProgressLine()
    with opened_with(settings, progress) as library:
        redactor = library.redactor() if redact else None
        with progress, library.search_index() as ask:
            found = ask(
                query,
                options,
                fields={name: fields[name] for name in _FIELDS},
                since=since,
                until=until,
                counts=counts,
                redactor=redactor,
            )
        plain = None if mode else query
        tell_unknown(library, settings, found.hits, query=plain, **{name: fields[name] for name in _OPEN})
        # A line on a pipe has no context.
        is_shown = settings.json or settings.jsonl or terminal.make_paper(settings).width is not None
        hits = library.in_context(found.hits, context if is_shown else 0, redactor)
        if settings.jsonl:
            print_document(json.lines(map(json.object_of, hits)))
        elif settings.json:
            print_document(json.search_document(found, hits))
        else:
            paper = terminal.make_paper(settings)
            lines = view.hit_list(found, paper, is_grouped=per_session == 1 and not all_hits, hits=hits)
            above = listing.range_lines(since, until, paper) if paper.width else ()
            terminal.print_lines(chain(above, lines), settings)
    return _exit_code(found)


def _exit_code(found: "Found") -> int:
    """Return the exit code; say on standard error that newer messages may be missing."""
    if found.is_current:
        return DONE if found.hits else NOT_FOUND
    sys.stderr.write(_BEHIND if found.hits else _NOTHING_YET)
    return DONE if found.hits else REFUSED


def _mode(*, regex: bool, exact: bool) -> str | None:
    """Return the way to read the query; None for the query language."""
    if regex and exact:
        raise QueryError("--regex and --exact exclude each other")
    return "regex" if regex else "exact" if exact else None
