"""A session as text: its header, then each message as it is read, then the damage.

Input: a `Transcript`, whose messages are read one at a time and not kept.  Output: lines.
The program's own messages are left out unless the paper is full; JSON always has them.
"""

from collections.abc import Iterable, Iterator, Mapping

from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Transcript
from backscroll.sessions.session import Session
from backscroll.views.figures import clock, count, day, dollars, last_name, long_day, period, short, short_model, tilde
from backscroll.views.terminal.listing import STATE_STYLES, damage_lines, held, marks_of, place_of
from backscroll.views.terminal.paper import Line, Paper, Span, cut, rule, width_of, word, wrap
from backscroll.views.terminal.parts import Calls, attachment, call_lines, result_lines, thinking_lines
from backscroll.views.terminal.prose import prose, words
from backscroll.views.visible import departures, is_boundary, is_shown, notice_of, remarks, speaker, words_of

_MARGIN = "  "
_GUTTER = "│ "
_MOST_DAMAGE = 20
_HANG = " " * 12


def followed(messages: Iterable[Message], paper: Paper, known: Mapping[str, Session] | None = None) -> Iterator[Line]:
    """Yield messages of any sessions as they come; a heading names session, title and project where that changes."""
    page, whose = _Page(paper), None
    for message in messages:
        if (message.session, message.agent) != whose:
            whose = (message.session, message.agent)
            agent = f", agent {message.agent}" if message.agent else ""
            yield rule(f"session {message.session[:8]}{agent}{_named((known or {}).get(message.session))}", paper)
        yield from page.message(message)


def _named(session: Session | None) -> str:
    """Return title and project of a session, as far as they are known."""
    if session is None:
        return ""
    return "".join(f", {word}" for word in (session.title, last_name(place_of(session))) if word)


def show(transcript: Transcript, paper: Paper) -> Iterator[Line]:
    """Yield a session as text."""
    yield from header(transcript.session, paper)
    page = _Page(paper._replace(base=transcript.session.cwd))
    for message in transcript.messages:
        yield from page.message(message)
    yield from _ending(transcript, paper)


def header(session: Session, paper: Paper) -> Iterator[Line]:
    """Yield the facts about a session as a whole."""
    title = word(session.title, "title") if session.title else Span("(no title)", "dim")
    yield from wrap([title], paper.width, paper)
    for name, value in _facts(session, paper):
        if value.text:
            yield from _fact([Span(f"  {name:<10}", "dim"), value], paper)


def _fact(line: Line, paper: Paper) -> Iterator[Line]:
    """Yield a fact; a command stands whole on a line, so that it can be pasted."""
    name, value = line
    before, tick, rest = value.text.partition("`")
    if value.style == "code":
        yield line
    elif not tick or width_of(line, paper) <= (paper.width or width_of(line, paper)):
        yield from wrap(line, paper.width, paper, hang=_HANG)
    else:
        command, _, after = rest.partition("`")
        yield from wrap([name, Span(before.rstrip(), value.style)], paper.width, paper, hang=_HANG)
        yield [Span(_HANG), Span(command, "code")]
        if after.strip():
            yield from wrap([Span(_HANG), Span(after.strip(), value.style)], paper.width, paper, hang=_HANG)


def _facts(session: Session, paper: Paper) -> Iterator[tuple[str, Span]]:
    yield "session", word(session.id, "id")
    project = tilde(place_of(session) or "", paper)
    yield "project", word(f"{project} ({session.branch})" if project and session.branch else project, "project")
    yield "resume", word(session.resume, "code")
    yield "note", word(session.resume_note, "warn")
    yield "time", Span(period(session.started, session.updated, paper), "time")
    yield "model", word(", ".join(session.models) or session.model)
    yield "version", word(session.version)
    yield "messages", Span(_counts(session))
    yield "tokens", Span(_tokens(session))
    if session.state != "live":
        yield "state", word(session.state, STATE_STYLES.get(session.state, ""))
    yield from _desktop_facts(session)
    if session.expires is not None:
        yield "expires", Span(day(session.expires, paper), "warn")
    if session.parent:
        yield "fork of", word(session.parent, "id")
    if session.copies:
        yield "also", word(", ".join(session.copies), "id")


def _desktop_facts(session: Session) -> Iterator[tuple[str, Span]]:
    """Yield the facts in Desktop's rows: their owner, and the place of the transcript if it is elsewhere."""
    for row in session.rows:
        account = (row["account"] or "")[:8]
        told = [row["id"], _PRODUCTS.get(row["product"], ""), f"account {account}" if account else ""]
        if row["deleted"]:
            told.append("deleted in Desktop")
        yield "row", word(", ".join(filter(None, told)), "id")
        if row["error"]:
            yield "error", word(row["error"], "error")
    yield "marks", word(marks_of(session))
    yield "held", word(held(session), "warn")


_PRODUCTS = {
    "code": "Code tab",
    "cowork": "Cowork",
    "cloud": "Cowork in the cloud",
    "page": "cached by a page of Desktop",
    "page-list": "the server's list, cached by a page of Desktop",
    "tombstone": "tombstone",
}


def _counts(session: Session) -> str:
    numbers = [
        (session.calls, "call", "calls"),
        (session.agents, "agent", "agents"),
        (session.branches if session.branches > 1 else 0, "branch", "branches"),
        (session.compactions, "compaction", "compactions"),
    ]
    messages = f"{session.messages:,}"
    typed = f" ({session.prompts:,} typed)" if session.prompts else ""
    return ", ".join([messages + typed, *(count(number, one, many) for number, one, many in numbers if number)])


def _tokens(session: Session) -> str:
    usage = session.usage
    known = [number for number in (usage.input, usage.cache_write, usage.cache_read) if number is not None]
    parts = [f"{short(sum(known))} in"] if known else []
    if usage.cache_read:
        parts.append(f"({short(usage.cache_read)} from cache)")
    if usage.output is not None:
        parts.append(f"{'at least ' if usage.lower_bound else ''}{short(usage.output)} out")
    if usage.cost is not None:
        parts.append(f"{'at least ' if usage.unpriced or usage.lower_bound else ''}{dollars(usage.cost)}")
    return ", ".join(parts).replace(", (", " (")


class _Page:
    """The state between messages: who spoke last, on which day, and which calls wait for their results."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.speaker: tuple[str, str | None, int] | None = None
        self.day = 0
        self.calls = Calls()

    def message(self, message: Message) -> Iterator[Line]:
        """Yield a message between its marks, which are shown even if the message is not."""
        is_visible = is_shown(message, is_full=self.paper.is_full)
        if is_visible:
            yield from self._day(message)
        for text in remarks(message):
            yield from self._remark(text)
        if is_visible:
            yield from self._message_lines(message)
        for text, hint in departures(message, self.paper.command):
            yield from self._remark(text)
            yield [Span("   "), word(hint, "code")]

    def _message_lines(self, message: Message) -> Iterator[Line]:
        """Yield the messages: a heading for each new speaker, then the parts."""
        margin = self._margin(message)
        paper = self.paper.inset(len(margin) + len(_MARGIN))
        if message.role == "tool" and self.speaker != _who(message):
            self.calls.last = None  # a message came between a call and its result
        lines = self._body(message, paper)
        first = next(lines, None)
        if first is not None:
            yield from self._heading(message, margin)
            yield _indented(first, margin)
            yield from (_indented(line, margin) for line in lines)

    def _remark(self, text: str) -> Iterator[Line]:
        self.speaker = None
        yield []
        yield rule(text, self.paper)

    def _day(self, message: Message) -> Iterator[Line]:
        if message.time is None:
            return
        today = self.paper.local(message.time).toordinal()
        if today != self.day and message.depth == 0:
            self.day = today
            yield from self._remark(long_day(message.time, self.paper))

    def _margin(self, message: Message) -> str:
        return _GUTTER * min(message.depth, 8)

    def _heading(self, message: Message, margin: str) -> Iterator[Line]:
        """Yield a heading for a new speaker and for each typed prompt; results are under the call they answer."""
        who = _who(message)
        if who == self.speaker and not message.is_typed:
            if message.role != "tool":
                yield [Span(margin.rstrip(), "agent")] if margin else []
            return
        self.speaker = None if message.role == "tool" else who
        yield [Span(_GUTTER * (message.depth - 1), "agent")] if message.depth > 1 else []
        if message.role != "tool":
            yield cut(self._title(message, margin), self.paper)

    def _title(self, message: Message, margin: str) -> Line:
        line = [Span(margin, "agent")] if margin else []
        line.append(Span(speaker(message), message.role))
        if message.agent is not None:
            line += [Span(" "), word(f"agent {message.agent[:8]}", "agent")]
        if message.time is not None:
            line.append(Span("  " + clock(message.time, self.paper), "dim"))
        if message.role == "assistant" and message.model:
            line.append(Span("  " + short_model(message.model), "dim"))
        if message.branch != "main":
            line += [Span("  "), word(f"branch {message.branch}", "warn")]
        return line

    def _body(self, message: Message, paper: Paper) -> Iterator[Line]:
        before: str | None = None
        for part in message.parts:
            lines = list(self._part(message, part, paper))
            if lines and before is not None and not before == part.kind == "result":
                yield []
            yield from lines
            before = part.kind if lines else before

    def _part(self, message: Message, part: Part, paper: Paper) -> Iterator[Line]:
        """Yield one part; one part of one message is all that is ever kept in memory."""
        if part.kind == "text":
            text = words_of(part)
            yield from prose(text, paper) if message.role == "assistant" else words(text, paper)
        elif part.kind == "summary":
            yield from words(part.text or "", paper, "dim")
        elif part.kind == "thinking":
            yield from thinking_lines(part, paper)
        elif part.kind == "call":
            yield from call_lines(part, paper, self.calls)
        elif part.kind == "result":
            yield from result_lines(part, paper, self.calls)
        elif (notice := notice_of(part)) is not None:
            yield from words(notice, paper, "warn")
        elif not is_boundary(part) or paper.is_full:
            yield from attachment(part, paper)


def _who(message: Message) -> tuple[str, str | None, int]:
    """Return the speaker of a message; results stand with the calls of their speaker."""
    return ("assistant" if message.role == "tool" else message.role, message.agent, message.depth)


def _indented(line: Line, margin: str) -> Line:
    if not line:
        return [Span(margin.rstrip(), "agent")] if margin else []
    return [Span(margin, "agent"), Span(_MARGIN), *line] if margin else [Span(_MARGIN), *line]


def _ending(transcript: Transcript, paper: Paper) -> Iterator[Line]:
    damage = transcript.damage
    if not damage:
        return
    yield []
    yield rule(count(len(damage), "damaged place"), paper, "error")
    yield from damage_lines(damage[:_MOST_DAMAGE], paper, "  ")
    if len(damage) > _MOST_DAMAGE:
        yield [Span(f"  … {len(damage) - _MOST_DAMAGE} more (--json has them all)", "dim")]
