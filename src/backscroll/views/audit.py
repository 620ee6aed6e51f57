"""An audit as people read it: from records to messages, what was left out and why, and other people's figures."""

from collections.abc import Iterable, Iterator

from backscroll.stats.model import Audit, AuditMessage, Comparison, CopiedFrom
from backscroll.views.figures import count, dollars, short, short_model, tilde
from backscroll.views.listing import place_text
from backscroll.views.paper import Line, Paper, Span, word, wrap
from backscroll.views.table import Column, table


def audit(found: Audit, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `usage --audit`."""
    yield [Span("From records to messages", "heading")]
    yield from _steps(found)
    yield []
    yield [Span("The total", "heading")]
    yield from _total(found, paper)
    if found.copied:
        yield []
        yield [Span("Copies, counted where they were spent first", "heading")]
        yield from _copies(found.copied, paper)
    if found.comparisons:
        yield []
        yield from _comparisons(found.comparisons, paper)
    if found.messages:
        yield []
        yield [Span("Every message", "heading")]
        yield from _messages(found.messages, paper)


def _steps(found: Audit) -> Iterator[Line]:
    steps = (
        (found.records, "records carry usage"),
        (-found.repeated, "repeat what another record of the same message in the same file says"),
        (-found.copies, "are copies of messages that another file holds"),
        (found.counted, "API messages count, each once"),
        (found.total.lower_bound_messages, "of them carry a placeholder instead of their output: a lower bound"),
        (found.synthetic, "records stand in a model's place (errors, the program's own words) and never counted"),
    )
    width = max(len(f"{number:,}") for number, _ in steps)
    for number, words in steps:
        figure = f"{number:,}".replace("-", "−").rjust(width + 2)
        yield [Span(figure, "strong" if words.startswith("API") else ""), Span(f"  {words}")]


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


def _comparisons(found: Iterable[Comparison], paper: Paper) -> Iterator[Line]:
    found = list(found)
    equal = sum(item.is_equal for item in found)
    yield [Span("What Claude Code itself recorded", "heading")]
    words = "agrees" if len(found) == 1 else "agree"
    yield [Span(f"  {equal} of {count(len(found), 'session')} {words} with ours to a millionth of a dollar.", "dim")]
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
        Column("cost", most=10, right=True),
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
