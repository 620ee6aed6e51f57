"""The outline of a session: one line for each landmark, with the number that `show --offset` takes."""

from collections.abc import Iterator

from backscroll.sessions.summaries import Outline
from backscroll.views.figures import ago, count
from backscroll.views.terminal.paper import Line, Paper, Span, cut, fit, width_of, word

_STYLES = {
    "prompt": "user",
    "agent": "agent",
    "compaction": "warn",
    "error": "error",
    "fork": "id",
    "change": "dim",
}
_NARROW = 60
"""Below this number of columns the times are left out."""


def outline(found: Outline, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `outline`."""
    yield cut([word(found.session.title or found.session.id, "title")], paper)
    yield cut([Span(f"{count(found.total, 'message')}, {count(len(found.items), 'landmark')}", "dim")], paper)
    width = max((len(str(item.n)) for item in found.items), default=1)
    for item in found.items:
        line = [Span(f"{item.n:>{width}}  ", "dim"), Span(f"{item.kind:<10}  ", _STYLES.get(item.kind, ""))]
        label = word(item.label)
        time = Span(f"  {ago(item.time, paper)}" if item.time is not None else "", "dim")
        if paper.width is not None:
            time = time if paper.width >= _NARROW else Span("")
            label = Span(fit(label.text, paper.width - width_of([*line, time], paper), paper))
        yield cut([*line, label, time] if time.text else [*line, label], paper)
    if not found.items:
        yield [Span("No landmarks: this session has no messages.")]
