"""Sessions and stores as tables: `list`, `stores` and the overview."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.model import Agent, Session, StoreSummary, Usage
from backscroll.views.figures import (
    ago,
    count,
    day,
    dollars,
    duration_of,
    last_name,
    short,
    short_model,
    short_path,
    size,
    tilde,
    until,
)
from backscroll.views.paper import Line, Paper, Span, cut, word, wrap
from backscroll.views.table import Column, table

_SHORTEST = 8

STATE_STYLES = {
    "ghost": "warn",
    "orphan": "warn",
    "damaged": "error",
    "archived": "dim",
    "remote": "dim",
    "deleted": "warn",
}


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return for each id its first eight characters, or as many more as tell it from the others."""
    ordered = sorted(set(ids))
    shared = [_shared(one, other) for one, other in pairwise(ordered)]
    before = [0, *shared]
    after = [*shared, 0]
    return {
        one: one[: max(_SHORTEST, left + 1, right + 1)] for one, left, right in zip(ordered, before, after, strict=True)
    }


def _shared(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def session_table(
    sessions: Sequence[Session], paper: Paper, agents: Mapping[str, Sequence[Agent]] | None = None, indent: str = ""
) -> Iterator[Line]:
    """Yield a table of sessions, each followed by its agents where they are given."""
    names = short_ids(session.id for session in sessions)
    has_states = any(session.state != "live" for session in sessions)
    rows: list[list[Span]] = []
    for session in sessions:
        shown = session.id if paper.width is None else names[session.id]
        rows.append(_session_row(session, shown, paper, has_states=has_states))
        rows += [_agent_row(agent, paper, has_states=has_states) for agent in (agents or {}).get(session.id, ())]
    marks = [Column("marks", most=24)] if any(map(marks_of, sessions)) else []
    yield from table([*_columns(paper, has_states=has_states), *marks], rows, paper, indent)


def _columns(paper: Paper, *, has_states: bool) -> list[Column]:
    wide = paper.width or 0
    state = [Column("state", most=8, shown_from=70)] if has_states else []
    return [
        Column("id", most=36),
        Column("updated", most=11),
        Column("project", most=max(12, wide // 6)),
        Column("title"),
        *state,
        Column("messages", most=8, right=True),
        Column("calls", most=6, right=True, shown_from=100),
        Column("agents", most=6, right=True, shown_from=110),
        Column("tokens", most=7, right=True, shown_from=100),
        Column("cost", most=9, right=True, shown_from=112),
        Column("model", most=16, shown_from=124),
    ]


def _session_row(session: Session, shown: str, paper: Paper, *, has_states: bool) -> list[Span]:
    project = place_of(session)
    state = [word(session.state, STATE_STYLES.get(session.state, "dim"))] if has_states else []
    return [
        word(shown, "id"),
        Span(ago(session.updated, paper), "time"),
        Span(last_name(project) if paper.width is not None else tilde(project or "", paper), "project"),
        word(session.title, "title") if session.title else Span("(no title)", "dim"),
        *state,
        Span(str(session.messages)),
        Span(str(session.calls), "dim"),
        Span(str(session.agents) if session.agents else "", "dim"),
        Span(short(tokens(session.usage)), "dim"),
        Span(dollars(session.usage.cost), "dim"),
        Span(short_model(session.model), "dim"),
        word(marks_of(session), "warn"),
    ]


def marks_of(session: Session) -> str:
    """Return the marks of Desktop's sidebar in words: pinned, unread, the name of a group."""
    marks = session.marks or {}
    words = [name for name in ("pinned", "unread") if marks.get(name)]
    return ", ".join([*words, *([marks["group"]] if marks.get("group") else [])])


def place_of(session: Session) -> str | None:
    """Return where a session was held, as people know it: Cowork's own directories mean nothing to anybody."""
    return session.project if "cowork" in session.stores and session.project else session.cwd or session.project


def held(session: Session) -> str | None:
    """Return who holds the transcript, where it is not where one would look for it."""
    if session.transcripts:
        is_audit = session.transcripts[0].endswith("audit.jsonl")
        return "in Cowork's audit; the transcript itself is gone" if is_audit else None
    told = next((row["held"] for row in session.rows if row["held"]), None)
    return told or ("nowhere on this disk: the transcript is gone" if session.rows else None)


def _agent_row(agent: Agent, paper: Paper, *, has_states: bool) -> list[Span]:
    shown = agent.id if paper.width is None else agent.id[:_SHORTEST]
    label = ": ".join(filter(None, ["internal" if agent.is_internal else "", agent.description]))
    return [
        word("└ " + shown, "dim"),
        Span(ago(agent.updated, paper), "dim"),
        word(agent.type or agent.kind, "agent"),
        word(label, "dim"),
        *([word("missing" if agent.kind == "missing" else "", "warn")] if has_states else []),
        Span(str(agent.messages), "dim"),
        Span(str(agent.calls), "dim"),
    ]


def tokens(usage: Usage) -> int | None:
    """Return all tokens of a usage, cache included; None where none is known."""
    known = [
        number
        for number in (usage.input, usage.output, usage.cache_write, usage.cache_read)
        if number is not None  # unknown is not zero
    ]
    return sum(known) if known else None


def session_list(
    total: int, sessions: Sequence[Session], paper: Paper, agents: Mapping[str, Sequence[Agent]] | None = None
) -> Iterator[Line]:
    """Yield the answer of `list`."""
    if not sessions:
        yield [Span("No sessions found.")]
        return
    yield from session_table(sessions, paper, agents)
    if total > len(sessions) and paper.width is not None:
        yield []
        yield cut([Span(f"{len(sessions)} of {count(total, 'session')}; --all shows every one", "dim")], paper)


def store_table(stores: Sequence[StoreSummary], paper: Paper, indent: str = "") -> Iterator[Line]:
    """Yield a table of stores."""
    columns = [
        Column("store", most=8),
        Column("path"),
        Column("sessions", most=8, right=True),
        Column("files", most=8, right=True),
        Column("size", most=7, right=True),
        *([Column("damage", most=6, right=True, shown_from=70)] if any(store.damage for store in stores) else []),
    ]
    room = (paper.width or 10_000) - 48
    rows = [
        [
            word(store.kind, "title"),
            Span(short_path(store.path, max(room, 16), paper), "project"),
            Span(f"{store.sessions:,}"),
            Span(f"{store.files:,}", "dim"),
            Span(size(store.bytes), "dim"),
            Span(str(len(store.damage)) if store.damage else "", "error"),
        ]
        for store in stores
    ]
    yield from table(columns, rows, paper, indent)


def store_list(stores: Sequence[StoreSummary], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `stores`: a table, then everything that could not be read."""
    if not stores:
        yield [Span("No stores found.")]
        return
    yield from store_table(stores, paper)
    for store in stores:
        if store.damage:
            yield []
            yield [word(f"Damage in {store.kind}", "heading")]
            yield from damage_lines(store.damage, paper, "  ")


def damage_lines(damage: Iterable[Damage], paper: Paper, indent: str = "") -> Iterator[Line]:
    """Yield a line for everything that could not be read: where, and why."""
    for one in damage:
        line = [Span(indent), Span(place_text(one.place, paper), "project"), word(f": {one.reason}")]
        yield from wrap(line, paper.width, paper, hang=indent + "  ")


def place_text(place: Place, paper: Paper) -> str:
    """Return a place on one line: path, line, byte."""
    return str(Place(tilde(place.path, paper), place.line, place.offset))


def overview(
    stores: Sequence[StoreSummary],
    sessions: int,
    latest: Sequence[Session],
    expiring: Sequence[Session],
    paper: Paper,
) -> Iterator[Line]:
    """Yield the answer of `backscroll` alone: what was found, what is new, what will be deleted soon."""
    if not stores:
        yield [Span("Nothing of Claude Code was found here.", "heading")]
        yield []
        yield from _hints([("backscroll --root DIR", "read another home directory"), _DEMO], paper)
        return
    used = [store for store in stores if store.files or store.sessions or store.damage]
    yield [Span(f"{count(sessions, 'session')} in {count(len(used), 'store')}", "heading")]
    yield []
    yield from store_table(used, paper, "  ")
    if latest:
        yield []
        yield [Span("Latest", "heading")]
        yield from session_table(latest, paper, indent="  ")
    yield from _expiring(expiring, paper)
    yield []
    yield from _hints(_NEXT, paper)


_DEMO = ("backscroll demo DIR", "make a small home directory to try things on")
_NEXT = [
    ("backscroll list", "all sessions"),
    ("backscroll show latest", "read the newest one"),
    ("backscroll search WORDS", "find what was said, anywhere"),
    ("backscroll recover FILE", "get any version of a file back"),
    ("backscroll usage --by month", "what it cost"),
]


def _expiring(sessions: Sequence[Session], paper: Paper) -> Iterator[Line]:
    if not sessions:
        return
    yield []
    yield [Span("Expires soon", "heading"), Span("  Claude Code deletes these after that day", "dim")]
    names = short_ids(session.id for session in sessions)
    columns = [Column("id", most=36), Column("expires", most=22), Column("project", most=16), Column("title")]
    rows = [
        [
            word(session.id if paper.width is None else names[session.id], "id"),
            Span(_expiry(session, paper), "warn"),
            Span(last_name(place_of(session)), "project"),
            word(session.title or "(no title)", "title" if session.title else "dim"),
        ]
        for session in sessions
    ]
    yield from table(columns, rows, paper, "  ")


def _expiry(session: Session, paper: Paper) -> str:
    return f"{day(session.expires, paper)} ({until(session.expires, paper)})" if session.expires else ""


def _hints(hints: Sequence[tuple[str, str]], paper: Paper) -> Iterator[Line]:
    width = max(len(command) for command, _ in hints)
    for command, purpose in hints:
        yield cut([Span("  "), Span(command.ljust(width), "code"), Span("  " + purpose, "dim")], paper)


def index_line(read: int, skipped: int, amount: int, sessions: int, seconds: float) -> Line:
    """Return the answer of `index`: what was read, what was not, what is known now."""
    work = f"{count(read, 'file')} read ({size(amount)}), {skipped:,} unchanged"
    return [Span(f"{work}, {count(sessions, 'session')} in the index, {duration_of(seconds)}")]


def demo_hint(directory: str) -> Iterator[Line]:
    """Yield the answer of `demo`: what to try next."""
    yield [Span("Written. Now try  "), word(f"backscroll --root {directory} list", "code")]
