"""Hits of a search: a heading with the next commands, and the piece of text with the match marked."""

from collections.abc import Iterable, Iterator

from backscroll.query.hits import DayCount, Found, Hit
from backscroll.sessions.message import Message
from backscroll.views.figures import ago, count, last_name, quoted, short_path, tilde
from backscroll.views.terminal.paper import Line, Paper, Span, cut, fit, ink, width_of, word, wrap

_SHORT = 8
_SHORTEST_TITLE = 24


def hit_list(
    found: Found, paper: Paper, *, is_grouped: bool = True, hits: Iterable[Hit] | None = None
) -> Iterator[Line]:
    """Yield every hit with its place, then their number; on a pipe one line for each.

    `hits` yields the hits one by one if they get their context only now.
    """
    if not found.hits:
        yield [Span("Nothing found." if found.is_current else "Nothing found yet.")]
        for query in found.suggestions:
            yield [Span("Did you mean  "), word(f"{paper.command} search {quoted(query)}", "id")]
        return
    for hit in found.hits if hits is None else hits:
        yield from _on_pipe(hit, paper) if paper.width is None else _on_terminal(hit, paper)
    if found.counts is not None:
        yield from _days(found.counts, paper)
    if paper.width is not None:
        yield from wrap([Span(_summary(found, is_grouped=is_grouped), "dim")], paper.width, paper)


def _days(counts: list[DayCount], paper: Paper) -> Iterator[Line]:
    """Yield the matches of each day as bars."""
    most = max((item.hits for item in counts), default=1)
    room = max((paper.width or 80) - 24, 10)
    for item in counts:
        bar = "█" * max(1, round(room * item.hits / most))
        yield cut([Span(f"{item.day}  {item.hits:>6,}  "), Span(bar, "dim")], paper)


def _on_pipe(hit: Hit, paper: Paper) -> Iterator[Line]:
    cells = [
        word(hit.session or "-"),
        word(hit.message or "-"),
        Span(ago(hit.time, paper)),
        word(hit.role),
        word(hit.kind),
        word(tilde(hit.project or "-", paper)),
        word(hit.snippet),
    ]
    yield [Span("\t".join(cell.text for cell in cells))]


def _on_terminal(hit: Hit, paper: Paper) -> Iterator[Line]:
    yield from _heading(hit, paper)
    yield from ([Span("  "), *_message_line(message, paper)] for message in hit.before)
    yield from ([Span("  "), *line] for line in wrap(_marked(hit), paper.inset(2).width, paper))
    yield from ([Span("  "), *_message_line(message, paper)] for message in hit.after)
    yield [Span("  "), *_next(hit, paper)]
    if hit.resume is not None:
        yield [Span("  "), word(hit.resume, "dim")]
    yield []


def _heading(hit: Hit, paper: Paper) -> Iterator[Line]:
    """Yield title, project, date and role; a title that leaves them no room gets a line of its own."""
    more = f"  {hit.others:,} more here" if hit.others else ""
    more += f"  copied into {count(hit.copies, 'other session')}" if hit.copies else ""
    rest = [
        Span("  "),
        word(last_name(hit.project), "project"),
        Span(f"  {ago(hit.time, paper)}", "time"),
        Span("  "),
        word(hit.role + (f" {hit.kind}" if hit.kind != "text" else ""), "dim"),
        Span(more, "dim"),
    ]
    title = word(hit.title or "(no title)", "title")
    width = paper.width or 10_000
    room = width - width_of(rest, paper)
    if room >= min(paper.measure(title.text), _SHORTEST_TITLE):
        yield [Span(fit(title.text, room, paper), title.style), *rest]
    else:
        yield [Span(fit(title.text, width, paper), title.style)]
        yield from wrap(rest, paper.width, paper, hang="  ")


def _marked(hit: Hit) -> Line:
    """Return the snippet with its matches marked; made safe piece by piece, so that marks stay in their places."""
    line: Line = []
    position = 0
    for start, end in hit.marks:
        line += [word_of(hit.snippet[position:start]), word_of(hit.snippet[start:end], "match")]
        position = end
    return [*line, word_of(hit.snippet[position:])]


def word_of(text: str, style: str = "") -> Span:
    """Return a piece of a line as a span; blanks at its ends stay."""
    return ink(text.replace("\n", " "), style)


def _next(hit: Hit, paper: Paper) -> Line:
    """Return the command that shows the hit in its session."""
    if hit.session is None or not hit.is_listed:
        return [word(short_path(str(hit.place.path), (paper.width or 10_000) - 2, paper) if hit.place else "", "dim")]
    command = f"{paper.command} show {hit.session[:_SHORT]}"
    return [word(f"{command} --at {hit.message[:_SHORT]}" if hit.message else command, "id")]


def _message_line(message: Message, paper: Paper) -> Line:
    text = " ".join((part.text or "") for part in message.parts if part.kind in ("text", "result", "summary"))
    return cut([word(f"{message.role}:", "dim"), Span(" "), word(" ".join(text.split())[:400], "dim")], paper.inset(2))


def _summary(found: Found, *, is_grouped: bool) -> str:
    is_by_session = is_grouped and all(hit.session for hit in found.hits)
    shown = count(len(found.hits), "session" if is_by_session else "message")
    if found.total is None:
        return f"{shown} found so far; the search reached its time limit."
    return f"{count(found.total, 'message')} found; {shown} shown, best first."
