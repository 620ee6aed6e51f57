"""Calls as a log: one line each, with time, tool, target, outcome and duration."""

from collections.abc import Iterable, Iterator

from backscroll.sessions.model import Call
from backscroll.views.call_summary import about, tool_name
from backscroll.views.diff import call_diff
from backscroll.views.figures import clock_seconds, duration, moment
from backscroll.views.terminal.paper import Line, Paper, Span, cut, pad, word
from backscroll.views.terminal.parts import diff_lines, input_lines, output_lines

_TOOL = 12
_ENDING = 9
_NARROW = 60
"""Below this number of columns seconds, lengths and the ids of agents are left out."""


def call_log(calls: Iterable[Call], paper: Paper) -> Iterator[Line]:
    """Yield a line for every call as it comes; with a full paper also its input and its result."""
    session: str | None = None
    for call in calls:
        is_next, session = call.session != session, call.session
        if is_next and paper.width is not None:
            shown = call.session if paper.width >= _NARROW else call.session[:8]
            yield cut([Span("session ", "dim"), word(shown, "id"), *_date(call, paper)], paper)
        yield call_line(call, paper)
        if paper.is_full:
            yield from _details(call, paper.inset(4))
    if session is None:
        yield [Span("No calls found.")]


def _date(call: Call, paper: Paper) -> Line:
    return [Span(f"  {moment(call.started, paper)[:10]}", "dim")] if call.started else []


def call_line(call: Call, paper: Paper) -> Line:
    """Return one call on one line; on a pipe with the whole time and the session, and nothing cut."""
    ending = _ending(call)
    if paper.width is None:
        time = moment(call.started, paper) if call.started else "-"
        cells = [
            time,
            word(call.session).text[:8],
            word(call.name).text,
            ending.text,
            _length(call) or "-",
            *([f"copy of {word(call.copied_from).text[:8]}"] if call.copied_from else []),
            about(call.name, call.input, paper),
        ]
        return [Span("  ".join(cells))]
    if paper.width < _NARROW:
        return _narrow_line(call, ending, paper)
    time = clock_seconds(call.started, paper) if call.started else ""
    line = [
        Span(time.ljust(10), "dim"),
        pad(word(tool_name(call.name), "tool"), max(_TOOL, paper.width // 6), paper),
        Span(" "),
        pad(ending, 5, paper),
        Span(_length(call).rjust(_ENDING), "dim"),
        Span("  "),
        *([word(f"agent {call.agent[:8]}", "agent"), Span(" ")] if call.agent else []),
        *([word(f"copy of {call.copied_from[:8]}", "dim"), Span(" ")] if call.copied_from else []),
    ]
    return _with_subject(line, call, paper)


def _narrow_line(call: Call, ending: Span, paper: Paper) -> Line:
    line = [
        Span((clock_seconds(call.started, paper)[:5] if call.started else "").ljust(7), "dim"),
        *([Span("└ ", "agent")] if call.agent else []),
        pad(word(tool_name(call.name), "tool"), 6 if call.agent else 8, paper),
        Span(" "),
        pad(ending, 5, paper),
        Span(" "),
        *([Span("copy ", "dim")] if call.copied_from else []),
    ]
    return _with_subject(line, call, paper)


def more_lines(rest: Iterator[Call], paper: Paper) -> Iterator[Line]:
    """Yield a line if calls are left that `--limit` cut off."""
    if paper.width is not None and next(rest, None) is not None:
        yield []
        yield cut([Span("More calls follow; leave out --limit to show all.", "dim")], paper)


def _with_subject(line: Line, call: Call, paper: Paper) -> Line:
    room = (paper.width or 0) - sum(paper.measure(span.text) for span in line)
    return cut([*line, Span(about(call.name, call.input, paper, max(room, 1)))], paper)


def _ending(call: Call) -> Span:
    if call.result is None:
        return Span("none", "warn")
    return Span("error", "error") if call.result.error else Span("ok", "added")


def _length(call: Call) -> str:
    if call.started is None or call.finished is None or call.finished < call.started:
        return ""
    return duration(call.finished - call.started)


def _details(call: Call, paper: Paper) -> Iterator[Line]:
    result = call.result
    diff = call_diff(call.name, call.input, result.data if result else None)
    lines = diff_lines(diff, paper) if diff else input_lines(call.input, paper)
    yield from ([Span("    "), *line] for line in lines)
    if result is not None:
        yield from ([Span("    "), *line] for line in output_lines(result.text or "", paper, is_error=result.error))
        if result.persisted:
            yield [Span("    "), word(f"whole output: {result.persisted}", "dim")]
    yield []
