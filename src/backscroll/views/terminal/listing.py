"""Sessions and stores as tables: `list`, `stores` and the overview."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from backscroll.place import Place
from backscroll.records import Damage
from backscroll.safe_text import one_line
from backscroll.sessions.session import Agent, Session, Usage
from backscroll.views.figures import (
    ago,
    count,
    day,
    dollars,
    duration_of,
    last_name,
    short,
    short_models,
    short_path,
    size,
    tilde,
    time_range,
    until,
)
from backscroll.views.terminal.paper import Line, Paper, Span, cut, width_of, word, wrap
from backscroll.views.terminal.table import Column, table

if TYPE_CHECKING:
    from backscroll.sessions.summaries import StoreAccount, StoreSummary, UnreadFile
    from backscroll.stores.places import LookedAt

_SHORTEST = 8
_REMOTE = "session_"

_STATE_FROM = 60
"""The number of columns from which the state has a column of its own."""
STATE_STYLES = {
    "ghost": "warn",
    "orphan": "warn",
    "damaged": "error",
    "archived": "dim",
    "remote": "dim",
    "deleted": "warn",
    "unreadable": "error",
}


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return the first eight characters of each id, or as many as make it unique.

    A prefix such as `session_` that all ids of one kind begin with does not count.
    """
    ordered = sorted(set(ids))
    shared = [_shared(one, other) for one, other in pairwise(ordered)]
    before = [0, *shared]
    after = [*shared, 0]
    return {
        one: one[: max(_shortest(one), left + 1, right + 1)]
        for one, left, right in zip(ordered, before, after, strict=False)
    }


def _shortest(one: str) -> int:
    return len(_REMOTE) + _SHORTEST // 2 if one.startswith(_REMOTE) else _SHORTEST


def _shared(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def session_table(
    sessions: Sequence[Session], paper: Paper, agents: Mapping[str, Sequence[Agent]] | None = None, indent: str = ""
) -> Iterator[Line]:
    """Yield a table of sessions, each followed by its agents if given."""
    names = short_ids(session.id for session in sessions)
    is_wide = paper.width is None or paper.width >= _STATE_FROM
    has_states = is_wide and any(session.state != "live" for session in sessions)
    models = short_models(session.model for session in sessions)
    rows: list[list[Span]] = []
    for session in sessions:
        shown = session.id if paper.width is None else names[session.id]
        rows.append(_session_row(session, shown, models, paper, has_states=has_states))
        rows += [_agent_row(agent, paper, has_states=has_states) for agent in (agents or {}).get(session.id, ())]
    marks = [Column("marks", most=24, shown_from=56)] if any(map(marks_of, sessions)) else []
    yield from table([*_columns(paper, has_states=has_states), *marks], rows, paper, indent)


def _columns(paper: Paper, *, has_states: bool) -> list[Column]:
    wide = paper.width or 0
    state = [Column("state", most=10, shown_from=40)] if has_states else []
    return [
        Column("id", most=36),
        Column("updated", most=11, shown_from=41 if has_states else 0),
        Column("project", most=max(12, wide // 6), shown_from=46),
        Column("title"),
        *state,
        Column("messages", most=8, right=True, shown_from=70),
        Column("calls", most=6, right=True, shown_from=100),
        Column("agents", most=6, right=True, shown_from=110),
        Column("tokens", most=7, right=True, shown_from=96),
        Column("cost", most=9, right=True, is_kept=True),
        Column("model", most=16, shown_from=124),
    ]


def _session_row(
    session: Session, shown: str, models: Mapping[str | None, str], paper: Paper, *, has_states: bool
) -> list[Span]:
    project = place_of(session)
    said = "" if session.state == "live" and paper.width is not None else session.state  # a pipe gets every value
    state = [word(said, STATE_STYLES.get(session.state, "dim"))] if has_states else []
    return [
        word(shown, "id"),
        Span(ago(session.updated, paper), "time"),
        Span(last_name(project) if paper.width is not None else tilde(project or "", paper), "project"),
        _title(session, is_alone=paper.width is not None and not has_states),
        *state,
        Span(str(session.messages)),
        Span(str(session.calls), "dim"),
        Span(str(session.agents) if session.agents else "", "dim"),
        Span(short(tokens(session.usage)), "dim"),
        Span(dollars(session.usage.cost), "dim"),
        Span(models[session.model], "dim"),
        word(marks_of(session), "warn"),
    ]


def _title(session: Session, *, is_alone: bool) -> Span:
    """Return the title, behind the state if that has no column and needs to be known."""
    title = session.title or "(no title)"
    if is_alone and session.state != "live":
        return word(f"{session.state}: {title}", STATE_STYLES.get(session.state, "dim"))
    return word(title, "title" if session.title else "dim")


def marks_of(session: Session) -> str:
    """Return the marks of Desktop's sidebar as text: pinned, unread, the name of a group."""
    if session.marks is None:
        return ""
    words = ("pinned" if session.marks["pinned"] else None, "unread" if session.marks["unread"] else None)
    return ", ".join(filter(None, [*words, session.marks["group"]]))


def place_of(session: Session) -> str | None:
    """Return the directory of a session for people, without Cowork's internal directories."""
    return session.project if "cowork" in session.stores and session.project else session.cwd or session.project


def held(session: Session) -> str | None:
    """Return the holder of the transcript, if it is not in the usual place."""
    if session.state == "unreadable":
        return "in files that you have no permission to read"
    if session.transcripts:
        is_audit = session.transcripts[0].endswith("audit.jsonl")
        return "in Cowork's audit; the transcript itself is gone" if is_audit else None
    told = next((row["held"] for row in session.rows if row["held"]), None)
    if any(row["product"] == "page" for row in session.rows):
        told = "only in the browser storage of Desktop, as far as a page cached it"
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
    """Return all tokens of a usage, cache included; None if none is known."""
    known = [
        number
        for number in (usage.input, usage.output, usage.cache_write, usage.cache_read)
        if number is not None  # unknown is not zero
    ]
    return sum(known) if known else None


def range_lines(since: datetime | None, until: datetime | None, paper: Paper) -> Iterator[Line]:
    """Yield the requested range of time, as a line above a table."""
    if since or until:
        yield [Span(time_range(since, until, paper), "dim")]


def session_list(
    total: int, sessions: Sequence[Session], paper: Paper, agents: Mapping[str, Sequence[Agent]] | None = None
) -> Iterator[Line]:
    """Yield the answer of `list`."""
    if not total:
        yield [Span("No sessions found.")]
        return
    yield from session_table(sessions, paper, agents)
    if total > len(sessions) and paper.width is not None:
        yield []
        yield cut([Span(f"{len(sessions)} of {count(total, 'session')}; --all shows every one", "dim")], paper)


def where_lines(paper: Paper) -> Iterator[Line]:
    """Yield the command that lists every place, for a home without any files of Claude's."""
    line = [word(f"`{paper.command} stores`", "code"), Span(" shows where it looked.")]
    yield from wrap([Span("No files of Claude's are here. "), *line], paper.width, paper)


def limit_lines(shown: int, total: int, noun: str, paper: Paper, more: str = "") -> Iterator[Line]:
    """Yield a line below a table that `--limit` has cut."""
    if total > shown and paper.width is not None:
        yield []
        yield from wrap([Span(f"{shown:,} of {count(total, noun)}{more}", "dim")], paper.width, paper)


def keeping_offer(unkept: int, paper: Paper) -> Iterator[Line]:
    """Yield one line that offers the archive while it is empty and sessions are about to be deleted."""
    if unkept:
        verb, them = ("expires", "it") if unkept == 1 else ("expire", "them")
        told, command = f"{count(unkept, 'session')} {verb} this week; ", f"{paper.command} archive install"
        line = [Span(told, "warn"), word(f"`{command}`", "code"), Span(f" keeps {them}")]
        if paper.width is None or width_of(line, paper) <= paper.width:
            yield line
        else:
            yield from wrap([Span(told, "warn"), Span(f"to keep {them}:")], paper.width, paper)
            yield [Span("  "), word(command, "code")]


def store_table(stores: Sequence["StoreSummary"], paper: Paper, indent: str = "") -> Iterator[Line]:
    """Yield a table of stores."""
    columns = [
        Column("store", most=11),
        Column("path", is_path=True),
        Column("sessions", most=8, right=True),
        Column("files", most=8, right=True, shown_from=60),
        Column("size", most=7, right=True, shown_from=50),
        *([Column("damage", most=6, right=True)] if any(store.damage for store in stores) else []),
    ]
    rows = [
        [
            word(kind_name(store.kind, paper), "title"),
            Span(tilde(store.path, paper), "project"),
            Span(f"{store.sessions:,}"),
            Span(f"{store.files:,}", "dim"),
            Span(size(store.bytes), "dim"),
            Span(str(len(store.damage)) if store.damage else "", "error"),
        ]
        for store in stores
    ]
    yield from table(columns, rows, paper, indent)


def kind_name(kind: str, paper: Paper) -> str:
    """Return the name of a kind of store for people: `side` holds prompts, plans and to-dos beside the sessions."""
    return "other files" if kind == "side" and paper.width is not None else kind


def store_list(stores: Sequence["StoreAccount"], paper: Paper, places: "Sequence[LookedAt]" = ()) -> Iterator[Line]:
    """Yield the answer of `stores`: a table, the damage, and the places without a store."""
    if stores:
        yield from store_table(stores, paper)
    else:
        yield [Span("No stores found.")]
    for store in stores:
        if store.damage:
            yield []
            yield [word(f"Damage in {kind_name(store.kind, paper)}", "heading")]
            yield from damage_lines(store.damage, paper, "  ")
    for store in stores:
        name = kind_name(store.kind, paper)
        yield from _unread_lines(f"Counted in {name}, not read", store.unread, paper)
        yield from _unread_lines(f"Not read beside {name}", store.left_alone, paper)
    yield from _missing_lines(places, paper)


def _missing_lines(places: "Sequence[LookedAt]", paper: Paper) -> Iterator[Line]:
    """Yield the places without a store; only on a terminal."""
    missing = [place for place in places if not place.found]
    if missing and paper.width is not None:
        yield []
        yield [Span("Nothing found at", "heading")]
        for place in missing:
            path = short_path(place.path, max(paper.width - 20, 16), paper)
            yield cut([Span(f"  {place.product:<16}", "dim"), Span(path, "project")], paper)


def _unread_lines(heading: str, unread: Sequence["UnreadFile"], paper: Paper) -> Iterator[Line]:
    """Yield the files that are not read, those with one reason on one line."""
    by_reason: dict[str, list[UnreadFile]] = {}
    for item in unread:
        by_reason.setdefault(item.reason, []).append(item)
    if by_reason:
        yield []
        yield [word(heading, "heading")]
    for reason, items in by_reason.items():
        sizes = [item.bytes for item in items if item.bytes is not None]
        more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
        amount = f" ({size(sum(sizes))})" if sizes else ""
        name = Span(short_path(items[0].path, 60, paper), "project")
        line = [Span("  "), name, Span(more + amount), word(f": {reason}")]
        yield from wrap(line, paper.width, paper, hang="    ")


def damage_lines(damage: Iterable[Damage], paper: Paper, indent: str = "") -> Iterator[Line]:
    """Yield a line for every unreadable place, with its reason."""
    for one in damage:
        line = [Span(indent), Span(place_text(one.place, paper), "project"), word(f": {one.reason}")]
        yield from wrap(line, paper.width, paper, hang=indent + "  ")


def place_text(place: Place, paper: Paper) -> str:
    """Return a place on one line: path, line, byte."""
    return str(Place(tilde(place.path, paper), place.line, place.offset))


def overview(  # noqa: PLR0913 - one for each section
    stores: Sequence["StoreSummary"],
    sessions: int,
    latest: Sequence[Session],
    expiring: Sequence[Session],
    paper: Paper,
    *,
    unkept: int = 0,
) -> Iterator[Line]:
    """Yield the output of `backscroll` alone: the stores, the latest sessions, the sessions that expire soon."""
    if not stores:
        yield [Span("No files of Claude Code were found here.", "heading")]
        yield []
        yield from hint_lines(
            [("backscroll --root DIR", "read another home directory"), _DEMO], paper._replace(command="backscroll")
        )
        return
    used = [store for store in stores if store.files or store.sessions or store.damage]
    yield [Span(f"{count(sessions, 'session')} in {count(len(used), 'store')}", "heading")]
    yield []
    yield from store_table(used, paper, "  ")
    held_in_all = sum(store.sessions for store in used)
    if held_in_all > sessions and paper.width is not None:
        yield [Span(f"  {held_in_all:,} in all: some are in several stores", "dim")]
    if latest:
        yield []
        yield [Span("Latest", "heading")]
        yield from session_table(latest, paper, indent="  ")
    yield from _expiring(expiring, paper)
    yield from keeping_offer(unkept, paper)
    yield []
    yield from hint_lines(_NEXT, paper)


_DEMO = ("backscroll demo DIR", "make a small home directory to try things on")
_NEXT = [
    ("backscroll list", "all sessions"),
    ("backscroll show latest", "read the newest one"),
    ("backscroll search WORDS", "search all messages"),
    ("backscroll recover FILE", "get any version of a file back"),
    ("backscroll usage --by month", "what it cost"),
]


def _expiring(sessions: Sequence[Session], paper: Paper) -> Iterator[Line]:
    if not sessions:
        return
    yield []
    line = [Span("Expires soon", "heading"), Span("  Claude Code deletes these after that day", "dim")]
    yield from wrap(line, paper.width, paper)
    names = short_ids(session.id for session in sessions)
    columns = [
        Column("id", most=36),
        Column("expires", most=22),
        Column("project", most=16, shown_from=60),
        Column("title"),
    ]
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


def hint_lines(hints: Sequence[tuple[str, str]], paper: Paper) -> Iterator[Line]:
    """Yield commands to paste, whole, each beside its purpose; below it where the paper is too narrow for both."""
    named = [(one_line(command.replace("backscroll", paper.command, 1)), purpose) for command, purpose in hints]
    width = max(paper.measure(command) for command, _ in named)
    longest = 4 + width + max(paper.measure(purpose) for _, purpose in named)
    for command, purpose in named:
        if paper.width is None or longest <= paper.width:
            blank = " " * (width - paper.measure(command))
            yield [Span("  "), Span(command, "code"), Span(f"{blank}  {purpose}", "dim")]
        else:
            yield cut([Span(f"  {purpose}:", "dim")], paper)
            yield [Span("    "), Span(command, "code")]


def index_line(read: int, skipped: int, amount: int, sessions: int, seconds: float) -> Line:
    """Return the answer of `index`: the read files, the unreadable ones, and the totals."""
    work = f"{count(read, 'file')} read ({size(amount)}), {skipped:,} unchanged"
    return [Span(f"{work}, {count(sessions, 'session')} in the index, {duration_of(seconds)}")]


def demo_hint(directory: str) -> Iterator[Line]:
    """Yield the answer of `demo`: commands to try next."""
    yield [Span("Written. Now try  "), word(f"backscroll --root {directory} list", "code")]
