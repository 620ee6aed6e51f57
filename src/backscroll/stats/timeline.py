"""Timeline: one session turn by turn, with its duration and the growth of its context.

It reads the session's own transcript.  Agents appear as the calls that
started them; `usage --by session,agent` has their own usage.
The usage of messages that a fork copied counts for the session that spent it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from backscroll.files import open_readonly
from backscroll.index.queries.usage import NOTHING, Sum
from backscroll.sessions.session import Session
from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.conversation import Conversation, read_conversation
from backscroll.sessions.transcript.moments import moment_of, quarter_of, stored_moment
from backscroll.sessions.transcript.outcomes import OK
from backscroll.sessions.transcript.rows import ASSISTANT, USER_KINDS, Row
from backscroll.sessions.transcript.tree import Node, compaction_nodes
from backscroll.stats.costs import era_of
from backscroll.stats.model import Amount, ContextPoint, Timeline, Turn
from backscroll.stats.prices import Prices
from backscroll.stats.usage import UsageTally
from backscroll.stores.base import Opener

TEXT_LENGTH = 200
Span = tuple[datetime, datetime]
Line = tuple[str, int | None]
"""The file and the line of a record."""


@dataclass(slots=True)
class _Draft:
    """A turn that is not complete yet."""

    prompt: Node
    tally: UsageTally
    moments: list[datetime] = field(default_factory=list)
    answers: list[datetime] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    errors: int = 0
    spans: list[Span] = field(default_factory=list)
    context: int | None = None
    compactions: int = 0
    copied: int = 0


def read_timeline(
    session: Session,
    transcripts: Sequence[str],
    prices: Prices,
    open_file: Opener = open_readonly,
    copied: Collection[Line] = (),
) -> Timeline:
    """Read a session's transcripts into turns; the usage of `copied` records counts for another session."""
    with read_conversation(transcripts, open_file=open_file) as conversation:
        numbers = {path: number for number, path in enumerate(transcripts)}
        return _timeline(session, conversation, prices, {(numbers.get(path), line) for path, line in copied})


def _timeline(
    session: Session, conversation: Conversation, prices: Prices, copied: Collection[tuple[int | None, int | None]]
) -> Timeline:
    nodes = conversation.tree.nodes
    compactions = {id(node) for node in compaction_nodes(conversation.tree)}
    answered = _answer_times(nodes)
    drafts: list[_Draft] = []
    context: list[ContextPoint] = []
    is_compacted = False
    for node in nodes:
        if node.head.kind in USER_KINDS or (not drafts and node.head.kind == ASSISTANT):
            drafts.append(_Draft(node, UsageTally(Amount())))
        if id(node) in compactions:
            is_compacted = True
            if drafts:
                drafts[-1].compactions += 1
        if drafts and node.head.kind in {ASSISTANT, prompts.RESULTS}:
            is_copy = any((row.source, row.line) in copied for row in node.rows)
            _add(drafts[-1], node, answered, prices, is_copy=is_copy)
            point = _context_point(node, len(drafts), is_compaction=is_compacted)
            if point is not None:
                context.append(point)
                is_compacted = False
    turns = list(_turns(drafts))
    return Timeline(
        session,
        turns,
        context,
        working=sum(turn.working or 0.0 for turn in turns),
        waiting=sum(turn.waiting or 0.0 for turn in turns),
        tools=sum(turn.tools for turn in turns),
    )


def _answer_times(nodes: Iterable[Node]) -> dict[str, tuple[datetime | None, str]]:
    """Return the time of the first result of each call, and how the call ended."""
    times: dict[str, tuple[datetime | None, str]] = {}
    for node in nodes:
        for row in node.rows:
            for call, outcome in zip(row.results, row.outcomes, strict=True):
                times.setdefault(call, (moment_of(row.time), outcome))
    return times


def _add(
    draft: _Draft, node: Node, answered: dict[str, tuple[datetime | None, str]], prices: Prices, *, is_copy: bool
) -> None:
    moments = [moment for row in node.rows if (moment := moment_of(row.time))]
    draft.moments += moments
    if node.head.kind != ASSISTANT:
        return
    draft.answers += moments
    for row in node.rows:
        for call, _ in row.calls:
            if call not in draft.calls:
                draft.calls.add(call)
                _add_call(draft, row, answered.get(call))
    spent = _spent(node, prices)
    if spent is not None:
        draft.copied += is_copy
        if not is_copy:
            draft.tally.add(spent, prices.cost(spent))
        draft.context = max(draft.context or 0, _context(spent))


def _add_call(draft: _Draft, row: Row, answer: tuple[datetime | None, str] | None) -> None:
    if answer is None:
        return
    finished, outcome = answer
    draft.errors += outcome != OK
    started = moment_of(row.time)
    if started is not None and finished is not None and finished > started:
        draft.spans.append((started, finished))


def _spent(node: Node, prices: Prices) -> Sum | None:
    """Return the usage of an API message: the record with the greatest output, the later one on a tie."""
    rows = [row for row in (*node.rows, *node.repeats) if row.tokens is not None]
    if not rows:
        return None
    greatest = max(enumerate(rows), key=lambda item: (item[1].tokens.output or 0 if item[1].tokens else 0, item[0]))[1]
    tokens = greatest.tokens
    if tokens is None:
        return None
    moment = stored_moment(rows[0].time)
    return NOTHING._replace(
        bucket=f"{era_of(prices, quarter_of(moment))} ",
        model=greatest.model,
        tier=tokens.tier,
        speed=tokens.speed,
        geo=tokens.geo,
        context=tokens.price_class,
        messages=1,
        input=tokens.input,
        output=tokens.output,
        cache_write=tokens.cache_write,
        cache_read=tokens.cache_read,
        cache_write_5m=tokens.cache_write_5m,
        cache_write_1h=tokens.cache_write_1h,
        web_searches=tokens.web_searches,
        web_fetches=tokens.web_fetches,
        lower_bound_messages=int(tokens.is_lower_bound),
        lower_bound_output=(tokens.output or 0) if tokens.is_lower_bound else 0,
        first=moment,
        last=moment,
    )


def _context(spent: Sum) -> int:
    return (spent.input or 0) + (spent.cache_write or 0) + (spent.cache_read or 0)


def _context_point(node: Node, turn: int, *, is_compaction: bool) -> ContextPoint | None:
    sizes = [row.tokens.context for row in node.rows if row.tokens is not None]
    if node.head.kind != ASSISTANT or not any(sizes):
        return None
    return ContextPoint(moment_of(node.head.time), node.head.id, max(sizes), turn, is_compaction)


def _turns(drafts: Sequence[_Draft]) -> Iterator[Turn]:
    starts = [moment_of(draft.prompt.head.time) for draft in drafts]
    for number, (draft, start) in enumerate(zip(drafts, starts, strict=True), 1):
        end = max(draft.moments, default=None)
        following = starts[number] if number < len(starts) else None
        yield Turn(
            number=number,
            message=draft.prompt.head.id,
            text=" ".join((draft.prompt.head.label or "").split())[:TEXT_LENGTH],
            time=start,
            first_answer=min(draft.answers, default=None),
            end=end,
            working=_seconds(start, end),
            waiting=_seconds(end or start, following),
            tools=_covered(draft.spans),
            calls=len(draft.calls),
            errors=draft.errors,
            usage=draft.tally.done(),
            context=draft.context,
            branch=draft.prompt.branch,
            compactions=draft.compactions,
            copied=draft.copied,
        )


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else max((end - start).total_seconds(), 0.0)


def _covered(spans: Iterable[Span]) -> float:
    """Return the seconds that at least one of the spans covers."""
    total, until = 0.0, None
    for start, end in sorted(spans):
        begin = start if until is None or start > until else until
        if end > begin:
            total += (end - begin).total_seconds()
            until = end
    return total
