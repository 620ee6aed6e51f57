"""`backscroll search`: everything ever said, ranked, each message once."""

import sys
from datetime import datetime

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import hits as view
from backscroll.cli.later import json, searching, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, moment, reading, streaming
from backscroll.cli.output import print_document
from backscroll.errors import DONE, NOT_FOUND, QueryError

_FIELDS = ("project", "role", "kind", "tool", "model", "session", "store", "account", "branch", "file")


@examples(
    "backscroll search deadlock pool             both words, anywhere in a message",
    "backscroll search '\"connection pool\" -test' a phrase, and a word that must not occur",
    "backscroll search 'pars* since:2w role:user' a beginning, and fields",
    "backscroll search --exact 'foo(bar) => {'   letter by letter",
    "backscroll search --regex 'timed? out after \\d+'",
)
@click.command("search")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@click.option("--project", metavar="TEXT", help="Only in projects whose path holds TEXT.")
@click.option("--role", metavar="ROLE", help="Only what was said by: user, assistant, tool, system.")
@click.option(
    "--kind",
    metavar="KIND",
    help="Only in: text, thinking, call, result, summary, title, plan, todo, memory, schedule, row.",
)
@click.option("--tool", metavar="NAME", help="Only calls of one tool, and their results.")
@click.option("--model", metavar="NAME", help="Only answers of one model: opus, sonnet-4-5, …")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only in one session.")
@click.option("--store", metavar="KIND", help="Only of one store: code, cowork, …")
@click.option("--account", metavar="TEXT", help="Only of one account.")
@click.option("--branch", metavar="TEXT", help="Only of sessions on one git branch.")
@click.option("--file", metavar="PATH", help="Only calls about one file; any part of its path.")
@click.option("--since", metavar="WHEN", callback=moment, help="Only since WHEN: 2026-05-01, yesterday, 12h, 3d, 2w.")
@click.option("--until", metavar="WHEN", callback=moment, help="Only before WHEN.")
@click.option("--regex", is_flag=True, help="QUERY is a regular expression.")
@click.option("--exact", is_flag=True, help="QUERY is a text, letter by letter, punctuation and case included.")
@click.option("--all-hits", is_flag=True, help="Show every message, not the best one of each session.")
@click.option("--context", metavar="N", type=click.IntRange(min=0), default=0, help="Show N messages around each hit.")
@click.option(
    "--sort", type=click.Choice(["rank", "time"]), default="rank", show_default=True, help="What comes first."
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=20, show_default=True, help="Show N hits.")
@click.option("--counts", type=click.Choice(["day"]), help="Count the matches of each day too.")
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
    context: int,
    sort: str,
    limit: int,
    counts: str | None,
    **fields: str | None,
) -> int:
    """Search everything that was ever said.

    Prompts, answers, thinking, calls, results, agents, titles, plans: each message once, the best first.
    All words must occur. "a phrase", begin*, -not, this OR that, and fields: project: role: tool: kind: model:
    branch: since: until: session: store: account: file: is:error is:agent has:code. Anything else is plain text.
    """
    if regex and exact:
        raise QueryError("--regex and --exact exclude each other")
    options = searching.Options(
        limit=limit,
        mode="regex" if regex else "exact" if exact else None,
        all_hits=all_hits,
        by_time=sort == "time",
    )
    with opened(settings) as library:
        found = library.search(
            " ".join(words),
            options=options,
            fields={name: fields[name] for name in _FIELDS},
            since=since,
            until=until,
            context=context,
            counts=counts,
        )
    if settings.jsonl:
        print_document(json.lines(map(json.object_of, found.hits)))
    elif settings.json:
        print_document(json.search_document(found))
    else:
        lines = view.hit_list(found, terminal.make_paper(settings), is_grouped=not all_hits)
        terminal.print_lines(lines, settings)
    if not found.is_current:
        sys.stderr.write("backscroll: another backscroll is taking in what is new; it was not searched yet\n")
    return DONE if found.hits else NOT_FOUND
