"""The outline of a session: one line for each landmark, with the number that `show --offset` takes."""

from collections.abc import Iterator

from backscroll.sessions.page import Outline
from backscroll.views.figures import ago, count, cut_path
from backscroll.views.terminal.paper import Line, Paper, Span, cut, pad, trimmed, width_of, word

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
    times = [f"  {ago(item.time, paper)}" if item.time is not None else "" for item in found.items]
    room = max(map(len, times), default=0) if (paper.width or 0) >= _NARROW else 0
    longest = max((paper.measure(word(item.label).text) for item in found.items), default=0)
    for item, told in zip(found.items, times, strict=True):
        line = [Span(f"{item.n:>{width}}  ", "dim"), Span(f"{item.kind:<10}  ", _STYLES.get(item.kind, ""))]
        label = word(item.label)
        if paper.width is not None:
            left = min(longest, paper.width - width_of(line, paper) - room)
            path = cut_path(label.text, left, paper) if item.kind == "change" else label.text
            label = pad(label._replace(text=path), left, paper)
        yield cut(trimmed([*line, label, Span(told if room or paper.width is None else "", "dim")]), paper)
    if not found.items:
        yield [Span("No landmarks: this session has no messages.")]
