"""An audit for people: from records to messages, the omissions with their reasons, and figures of other programs."""

from collections.abc import Iterable, Iterator, Sequence

from backscroll.records import Damage, Note
from backscroll.sessions.transcript.token_counts import DOUBT
from backscroll.stats.model import Audit, AuditMessage, Comparison, CopiedFrom
from backscroll.views.figures import count, dollars, short, short_model, tilde
from backscroll.views.terminal.listing import place_text
from backscroll.views.terminal.paper import Line, Paper, Span, word, wrap
from backscroll.views.terminal.table import Column, table

MOST_PLACES = 20
"""The number of places of each kind in the report; the JSON has all."""


def audit(found: Audit, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `usage --audit`."""
    yield [Span("From records to messages", "heading")]
    yield from _steps(found, paper)
    yield []
    yield [Span("The total", "heading")]
    yield from _total(found, paper)
    if found.copied:
        yield []
        yield from wrap([Span("Copies, counted in the session that spent them first", "heading")], paper.width, paper)
        yield from _copies(found.copied, paper)
    if found.uncounted:
        yield []
        yield from wrap([Span("Not counted: places that could not be read", "heading")], paper.width, paper)
        yield from _places(found.uncounted, paper)
    if found.doubted:
        yield []
        yield from wrap([Span("Not counted: implausible token counts", "heading")], paper.width, paper)
        yield from _places(found.doubted, paper)
    if found.comparisons:
        yield []
        yield from _comparisons(found.comparisons, paper)
    if found.messages:
        yield []
        yield [Span("Every message", "heading")]
        yield from _messages(found.messages, paper)


def _steps(found: Audit, paper: Paper) -> Iterator[Line]:
    steps = (
        (found.records, "records carry usage"),
        (-found.repeated, "repeat another record of the same message in the same file"),
        (-found.copies, "are copies of messages that another file holds"),
        (found.counted, "API messages count, each once"),
        (found.total.lower_bound_messages, "of them carry a placeholder instead of their output: a lower bound"),
        (found.synthetic, "records are not from a model (errors, the program's own messages) and do not count"),
    )
    width = max(len(f"{number:,}") for number, _ in steps)
    for number, words in steps:
        figure = f"{number:,}".replace("-", "−").rjust(width + 2)
        line = [Span(figure, "strong" if words.startswith("API") else ""), Span(f"  {words}")]
        yield from wrap(line, paper.width, paper, hang=" " * (width + 4))


def _total(found: Audit, paper: Paper) -> Iterator[Line]:
    total = found.total
    parts = (
        ("input", total.input),
        ("output", total.output),
        ("cache write", total.cache_write),
        ("cache read", total.cache_read),
    )
    words = ", ".join(f"{'unknown' if number is None else f'{number:,}'} {name}" for name, number in parts)
    yield from wrap([Span(f"  {words} tokens", "")], paper.width, paper, hang="  ")
    yield from wrap(
        [Span(f"  {dollars(total.cost) or 'no price'} at the prices of "), word(found.prices)],
        paper.width,
        paper,
        hang="  ",
    )
    for missing in found.unpriced:
        yield [
            Span("  "),
            word(f"{missing.model or 'no model'}: {count(missing.messages, 'message')} without price", "warn"),
        ]


def _copies(copied: Iterable[CopiedFrom], paper: Paper) -> Iterator[Line]:
    for item in copied:
        number = count(item.amount.messages, "message")
        line = [Span("  "), word(item.session, "id"), Span(f" holds {number} that "), word(item.first_session, "id")]
        where = tilde(item.first_transcript, paper) if item.first_transcript else "a file that is gone"
        yield from wrap([*line, Span(" spent first: "), word(where, "project")], paper.width, paper, hang="    ")


def _places(found: Sequence[Damage | Note], paper: Paper) -> Iterator[Line]:
    for item in found[:MOST_PLACES]:
        reason = item.reason.removeprefix(DOUBT)
        line = [Span("  "), word(place_text(item.place, paper), "project"), Span(": "), word(reason, "warn")]
        yield from wrap(line, paper.width, paper, hang="    ")
    if len(found) > MOST_PLACES:
        yield [Span(f"  and {len(found) - MOST_PLACES:,} more, see --json", "dim")]


def _comparisons(found: Iterable[Comparison], paper: Paper) -> Iterator[Line]:
    found = list(found)
    equal = sum(item.is_equal for item in found)
    yield [Span("Costs that Claude Code recorded", "heading")]
    words = "agrees" if len(found) == 1 else "agree"
    sentence = f"  {equal} of {count(len(found), 'session')} {words} with ours to a millionth of a dollar."
    yield from wrap([Span(sentence, "dim")], paper.width, paper, hang="  ")
    for item in found:
        if not item.is_equal:
            ours = "no price" if item.computed is None else _fine(item.computed)
            words = f"  {item.source} {_fine(item.recorded)}, ours {ours}"
            yield [Span("  "), word(item.session, "id"), Span(words)]
            for reason in item.reasons:
                yield from wrap([Span("      "), word(reason, "dim")], paper.width, paper, hang="      ")


def _fine(cost: float) -> str:
    return f"${cost:.6f}".rstrip("0").rstrip(".")


def _messages(found: Iterable[AuditMessage], paper: Paper) -> Iterator[Line]:
    columns = [
        Column("line", most=8, right=True),
        Column("model", most=24),
        Column("input", most=9, right=True),
        Column("output", most=9, right=True),
        Column("cost", most=10, right=True, is_kept=True),
        Column("records", most=7, right=True),
        Column("why"),
    ]
    path = None
    rows: list[list[Span]] = []
    for item in found:
        if item.place.path != path and rows:
            yield from table(columns, rows, paper, "  ")
            rows = []
        if item.place.path != path:
            path = item.place.path
            yield [Span("  "), word(tilde(path, paper), "project")]
        rows.append(_message(item, paper))
    yield from table(columns, rows, paper, "  ")


def _message(item: AuditMessage, paper: Paper) -> list[Span]:
    usage = item.usage
    first = f" ({place_text(item.first_place, paper)})" if item.first_place else ""
    return [
        Span(str(item.place.line or "")),
        word(short_model(item.model), "dim"),
        Span(short((usage.input or 0) + (usage.cache_write or 0) + (usage.cache_read or 0))),
        Span(short(usage.output)),
        Span(dollars(usage.cost)),
        Span(str(item.records), "dim"),
        word(item.reason + first, "" if item.counted else "dim"),
    ]
