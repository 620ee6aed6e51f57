"""`backscroll calls`: the inputs of tool calls and their results."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, groupby, islice

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import calls as view
from backscroll.cli.lazy_views import json, terminal
from backscroll.cli.library import opened_with, tell_unknown
from backscroll.cli.options import examples, reading, redacting, streaming
from backscroll.cli.output import print_document
from backscroll.cli.progress import ProgressLine
from backscroll.cli.settings import Settings
from backscroll.errors import DONE
from backscroll.sessions.model import Call


@examples(
    "backscroll calls latest",
    "backscroll calls latest --errors --full",
    "backscroll calls --tool Bash --limit 50 --jsonl",
)
@click.command("calls")
@click.argument("session", metavar="[ID]", required=False, shell_complete=complete_session)
@click.option("--tool", metavar="NAME", help="Only calls of one tool.")
@click.option("--errors", is_flag=True, help="Only calls that failed.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Show N calls.")
@click.option("--full", is_flag=True, help="Show inputs and results too.")
@redacting
@streaming
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    session: str | None,
    tool: str | None,
    errors: bool,
    limit: int | None,
    full: bool,
    redact: bool,
) -> int:
    """Show tool calls with their results, in time order.

    ID is any unique start of a session's id, its title, `latest` or the path of a transcript. Without ID, it
    shows the calls of all sessions, newest session first.
    """
    progress = ProgressLine()
    with opened_with(settings, progress) as library:
        with progress:
            calls = library.calls(session, tool=tool, errors=errors, redact=redact)
            first = list(islice(calls, 1))
        tell_unknown(library, settings, first, tool=tool)
        found = chain(first, calls)
        if settings.jsonl:
            print_document(json.lines(map(json.object_of, islice(found, limit))))
        elif settings.json:
            print_document(json.calls_document(found, limit))
        else:
            paper = terminal.make_paper(settings, is_full=full)
            shown = found if full else map(_without_output, found)
            in_order = _by_time(shown)
            lines = view.call_log(islice(in_order, limit), paper)
            terminal.print_lines(chain(lines, view.more_lines(in_order, paper)), settings)
    return DONE


def _without_output(call: Call) -> Call:
    """Drop the output of a call: its line does not show it, and the outputs of a session may be large."""
    if call.result is not None:
        call.result = replace(call.result, text=None, data=None)
    return call


def _by_time(calls: Iterable[Call]) -> Iterator[Call]:
    """Yield the calls of each session in the order of time, those of agents in their places."""
    for _, group in groupby(calls, lambda call: call.session):
        found = list(group)
        start = min((call.started for call in found if call.started), default=None)
        if start is None:
            yield from found
            continue
        moments, last = [], start
        for call in found:
            last = call.started or last  # a call without a time stays behind the one before it
            moments.append(last)
        yield from (call for _, _, call in sorted(zip(moments, range(len(found)), found, strict=True)))
