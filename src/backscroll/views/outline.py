"""The outline of a session: one line for each landmark, with the number that `show --offset` takes."""

from collections.abc import Iterator

from backscroll.sessions.model import Outline
from backscroll.views.figures import ago, count
from backscroll.views.paper import Line, Paper, Span, cut, word

_STYLES = {
    "prompt": "user",
    "agent": "agent",
    "compaction": "warn",
    "error": "error",
    "fork": "id",
    "change": "dim",
}


def outline(found: Outline, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `outline`."""
    yield cut([word(found.session.title or found.session.id, "title")], paper)
    yield cut([Span(f"{count(found.total, 'message')}, {count(len(found.items), 'landmark')}", "dim")], paper)
    width = max((len(str(item.n)) for item in found.items), default=1)
    for item in found.items:
        line = [
            Span(f"{item.n:>{width}}  ", "dim"),
            Span(f"{item.kind:<10}  ", _STYLES.get(item.kind, "")),
            word(item.label),
        ]
        if item.time is not None:
            line.append(Span(f"  {ago(item.time, paper)}", "dim"))
        yield cut(line, paper)
    if not found.items:
        yield [Span("No landmarks: nobody said anything in this session.")]
