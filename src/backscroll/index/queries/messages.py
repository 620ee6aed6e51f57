"""Messages of one session by number: their order, a page of them, and an outline.

The order comes from the table `record` alone.  A page reads its messages from their places, and nothing else of
the transcripts.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from backscroll.errors import NotFoundError
from backscroll.index.queries import sessions as query
from backscroll.index.update.derived.copies import Copies
from backscroll.sessions.message import Message
from backscroll.sessions.page import MessagePage, Outline, OutlineItem
from backscroll.sessions.reading.join import join_message
from backscroll.sessions.session import MAIN, Agent, Session
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import Facts
from backscroll.sessions.transcript.prompts import PLAN
from backscroll.sessions.transcript.rows import BOUNDARY, PROGRESS, USER_KINDS, Row, rows_of
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import NOBODY, Node, Tree
from backscroll.stores.base import Opener
from backscroll.times import parse

LABEL_LENGTH = 120
_SAID = (
    f" FROM record WHERE unit = :unit AND agent = :inline AND part = 0 AND kind <> '{PROGRESS}'"
    f" AND (:is_all OR branch = '{MAIN}') AND node > :after AND node < :before"
)
_ID = "coalesce(id, 'line-' || line)"
_COUNT = f"SELECT count(*){_SAID}"
_NODES = f"SELECT node, {_ID}, kind, time{_SAID} ORDER BY node LIMIT :limit OFFSET :offset"
_THESE = f"SELECT node{_SAID} AND node IN (SELECT value FROM json_each(:nodes)) ORDER BY node"
_NAMED = f"SELECT node{_SAID} AND substr({_ID}, 1, length(:id)) = :id ORDER BY node LIMIT 1"
_END = 1 << 62
_RECORDS = (
    "SELECT is_repeat, file.path, record.line, record.offset, record.length, record.marks, record.parent, record.branch"
    " FROM record JOIN file ON file.id = record.file WHERE record.unit = ? AND record.agent = ? AND record.node = ?"
    " ORDER BY record.part"
)


class TreeOf(NamedTuple):
    """One tree of a session: its unit, the inline agent inside that, and the agent of the tree."""

    unit: int
    inline: str
    agent: str | None


class Step(NamedTuple):
    """One message in the order of reading."""

    tree: TreeOf
    depth: int
    node: int
    id: str
    kind: str
    time: str | None


class Stretch(NamedTuple):
    """The messages of one tree between two nodes, without agents."""

    tree: TreeOf
    depth: int
    is_all: bool
    """True for every branch, False for the main branch."""
    after: int
    before: int

    def choice(self) -> dict[str, str | int]:
        """Return the parameters of a query for its messages."""
        return {
            "unit": self.tree.unit,
            "inline": self.tree.inline,
            "is_all": self.is_all,
            "after": self.after,
            "before": self.before,
        }


class Order:
    """The reading order of the messages of a session: agents come below the call that started them.

    The catalogue counts and finds the messages; only those of a page are read.
    """

    def __init__(self, database: sqlite3.Connection, session: Session, *, all_branches: bool) -> None:
        self._database = database
        self._all_branches = all_branches
        self._agents = {agent.id: agent for agent in query.agents(database, session.id)}
        self._units = dict(
            database.execute("SELECT coalesce(agent, ''), id FROM unit WHERE session = ? ORDER BY agent", (session.id,))
        )
        self._calls = json.dumps([agent.call for agent in self._agents.values() if agent.call])
        self._by_call: dict[str, list[Agent]] = defaultdict(list)
        for agent in self._agents.values():
            if agent.call is not None:
                self._by_call[agent.call].append(agent)
        self._started: dict[int, dict[str, dict[int, list[Agent]]]] = {}
        """The agents that calls started, by unit, inline agent and node."""
        self._told: set[str] = set()
        self._stretches: list[tuple[Stretch, int]] = []
        self.total = 0
        if "" in self._units:
            self._tell(TreeOf(self._units[""], "", None), 0)
        for agent in self._lost_agents():
            if (tree := self._tree_of(agent)) is not None:
                self._tell(tree, 1)

    def steps(self, offset: int = 0, limit: int = -1) -> Iterator[Step]:
        """Yield the messages from a number on."""
        left = self.total if limit < 0 else limit
        for stretch, number in self._stretches:
            if offset >= number:
                offset -= number
                continue
            if left <= 0:
                return
            page = {"limit": left, "offset": offset}
            for row in self._database.execute(_NODES, stretch.choice() | page).fetchall():
                yield Step(stretch.tree, stretch.depth, *row)
            left -= number - offset
            offset = 0

    def find(self, start: str) -> int | None:
        """Return the number of the first message whose id starts so."""
        before = 0
        for stretch, number in self._stretches:
            found = self._database.execute(_NAMED, stretch.choice() | {"id": start}).fetchone()
            if found is not None:
                return before + self._count(stretch._replace(before=found[0]))
            before += number
        return None

    def _count(self, stretch: Stretch) -> int:
        return int(self._database.execute(_COUNT, stretch.choice()).fetchone()[0])

    def _lost_agents(self) -> list[Agent]:
        """Return the agents whose call is unknown or in a deleted transcript; they come last."""
        asked = "SELECT id FROM call WHERE unit = ? AND id IN (SELECT value FROM json_each(?))"
        calls = {call for (call,) in self._database.execute(asked, (self._units.get(""), self._calls))}
        return [
            agent
            for agent in self._agents.values()
            if agent.call is None or (agent.call not in calls and agent.parent not in self._agents)
        ]

    def _tell(self, tree: TreeOf, depth: int) -> None:
        """Add the messages of a tree, and of its agents at any depth."""
        pending = [self._stretches_of(tree, depth)]
        while pending:
            agent = next(pending[-1], None)
            if agent is None:
                pending.pop()
            elif (below := self._tree_of(agent)) is not None:
                pending.append(self._stretches_of(below, depth + len(pending)))

    def _stretches_of(self, tree: TreeOf, depth: int) -> Iterator[Agent]:
        """Add the stretches of a tree; yield each agent after the message that started it."""
        started = self._started_in(tree)
        whole = Stretch(tree, depth, depth > 0 or self._all_branches, NOBODY, _END)
        after = whole.after
        for node in self._said(whole, started):
            self._add(whole._replace(after=after, before=node + 1))
            yield from started[node]
            after = node
        self._add(whole._replace(after=after))

    def _said(self, whole: Stretch, nodes: Collection[int]) -> list[int]:
        """Return those of some nodes that are messages of a tree."""
        asked = whole.choice() | {"nodes": json.dumps([*nodes])}
        return [node for (node,) in self._database.execute(_THESE, asked)] if nodes else []

    def _add(self, stretch: Stretch) -> None:
        if number := self._count(stretch):
            self._stretches.append((stretch, number))
            self.total += number

    def _tree_of(self, agent: Agent) -> TreeOf | None:
        """Return the tree of an agent that was not listed before."""
        if agent.id in self._told or agent.is_internal:
            return None
        self._told.add(agent.id)
        if agent.kind == "inline" and "" in self._units:
            return TreeOf(self._units[""], agent.id, agent.id)
        return TreeOf(self._units[agent.id], "", agent.id) if agent.id in self._units else None

    def _started_in(self, tree: TreeOf) -> Mapping[int, list[Agent]]:
        """Return the agents that calls of a tree started, by the node of the call."""
        if tree.unit not in self._started and self._agents:
            found = self._started[tree.unit] = defaultdict(lambda: defaultdict(list))
            asked = "SELECT coalesce(agent, ''), node, id FROM call WHERE unit = ? ORDER BY rowid"
            for inline, node, call in self._database.execute(asked, (tree.unit,)):
                if call in self._by_call:
                    found[inline][node] += self._by_call[call]
        return self._started[tree.unit].get(tree.inline, {}) if self._agents else {}


def page(  # noqa: PLR0913 - as the verb
    database: sqlite3.Connection,
    session: Session,
    *,
    offset: int,
    limit: int,
    around: str | None,
    all_branches: bool,
    open_file: Opener,
    images: bool = False,
) -> MessagePage:
    """Return some messages of a session, by their number or around one of them; with `images` their bytes come too."""
    order = Order(database, session, all_branches=all_branches)
    if around is not None:
        place = order.find(around)
        if place is None:
            raise NotFoundError(
                "this session has no such message", around, "`backscroll search` shows the ids of messages."
            )
        offset = max(0, place - limit // 2)
    reader = PageReader(database, session, open_file, images=images)
    return MessagePage(session, order.total, offset, list(reader.read(order.steps(offset, limit))))


class PageReader:
    """Reads messages from their places."""

    def __init__(
        self, database: sqlite3.Connection, session: Session, open_file: Opener, *, images: bool = False
    ) -> None:
        self._images = images
        self._database = database
        self._session = session
        self._open_file = open_file
        self._sources: dict[str, TranscriptSource] = {}
        folded = session.copies
        self._owners = Copies(database).copied_from(session.id, folded) if session.copied else {}
        self._forks = _forks(database, session.id)

    def read(self, steps: Iterable[Step]) -> Iterator[Message]:
        """Yield the messages of some steps."""
        try:
            for step in steps:
                yield self.message(step)
        finally:
            self.close()

    def close(self) -> None:
        """Close all files."""
        for source in self._sources.values():
            source.close()

    def message(self, step: Step) -> Message:
        """Return the message of a step."""
        records = self._database.execute(_RECORDS, (step.tree.unit, step.tree.inline, step.node)).fetchall()
        sources = [self._source(query.path_of(path)) for path in dict.fromkeys(row[1] for row in records)]
        rows = [self._row(sources, *row[1:5]) for row in records]
        own = [row for row, (is_repeat, *_) in zip(rows, records, strict=True) if not is_repeat]
        *_, marks, parent, branch = records[0]
        node = Node(own, 0, branch=branch, repeats=rows[len(own) :], marks=tuple((marks or "").split()))
        conversation = Conversation(sources, Facts(), Tree([node], []))
        message = join_message(
            node, conversation.tree, conversation, self._session.id, step.tree.agent, images=self._images
        )
        message.parent = self._parent(step.tree, parent)
        message.depth = step.depth
        if step.tree.agent is None:
            message.copied_from = self._owner(step)
            message.marks += [f"fork {name}" for name in self._forks.get(step.node, ())]
        return message

    def _source(self, path: str) -> TranscriptSource:
        if path not in self._sources:
            self._sources[path] = TranscriptSource(path, self._open_file)
        return self._sources[path]

    def _row(self, sources: Sequence[TranscriptSource], path: bytes, line: int, offset: int, length: int) -> Row:
        """Return the row of a record, decoded or repaired as in a scan."""
        number = next(number for number, source in enumerate(sources) if source.path == query.path_of(path))
        record = sources[number].record(line, offset, length)
        found = next((row for _, _, row in rows_of([record], number, Facts()) if row is not None), None)
        return found or Row(number, line, offset, length, None, False, None, None, False, None, None)  # noqa: FBT003 - the file changed meanwhile

    def _parent(self, tree: TreeOf, node: int) -> str | None:
        """Return the message before a node; skip progress records."""
        asked = (
            "SELECT coalesce(id, 'line-' || line), kind, parent FROM record"
            " WHERE unit = ? AND agent = ? AND node = ? AND part = 0"
        )
        while node != NOBODY:
            row = self._database.execute(asked, (*tree[:2], node)).fetchone()
            if row is None or row[1] != PROGRESS:
                return row[0] if row else None
            node = row[2]
        return None

    def _owner(self, step: Step) -> str | None:
        if not self._owners:
            return None
        row = self._database.execute(
            "SELECT key FROM message WHERE unit = ? AND node = ?", (step.tree.unit, step.node)
        ).fetchone()
        return self._owners.get(row[0]) if row else None


def _forks(database: sqlite3.Connection, session: str) -> dict[int, list[str]]:
    """Return the branches that leave each node of a session."""
    rows = database.execute(
        "SELECT branch, parent, min(node) FROM record WHERE agent = '' AND part = 0 AND branch <> 'main'"
        " AND unit = (SELECT id FROM unit WHERE session = ? AND agent IS NULL LIMIT 1) GROUP BY branch",
        (session,),
    )
    found: dict[int, list[str]] = defaultdict(list)
    for branch, parent, _ in sorted(rows, key=lambda row: int(row[0][1:])):
        found[parent].append(branch)
    return found


def outline(database: sqlite3.Connection, session: Session) -> Outline:
    """Return the landmarks of a session: prompts, compactions, forks, agents, errors and file changes."""
    steps = list(Order(database, session, all_branches=False).steps())
    numbers = {(step.tree.unit, step.tree.inline, step.node): number for number, step in enumerate(steps)}
    items: list[OutlineItem] = []
    for kind, place, label in _landmarks(database, session, steps):
        number = numbers.get(place)
        if number is not None:
            step = steps[number]
            text = " ".join(label.split())[:LABEL_LENGTH]
            items.append(OutlineItem(number, step.id, kind, text, parse(step.time)))
    return Outline(session, len(steps), sorted(items, key=lambda item: item.n))


_Landmark = tuple[str, tuple[int, str, int], str]


def _landmarks(database: sqlite3.Connection, session: Session, steps: Sequence[Step]) -> Iterator[_Landmark]:
    units = {step.tree.unit: None for step in steps}
    for unit in units:
        yield from _prompts(database, unit)
        yield from _errors(database, unit)
        yield from _changes(database, unit)
    for step in steps:
        if step.kind == BOUNDARY:
            yield "compaction", (step.tree.unit, step.tree.inline, step.node), "compaction"
    main = next((step.tree.unit for step in steps if step.tree.agent is None), None)
    if main is not None:
        for node, branches in _forks(database, session.id).items():
            yield "fork", (main, "", node), f"branches {', '.join(branches)}"
    yield from _agents(database, session, units)


def _prompts(database: sqlite3.Connection, unit: int) -> Iterator[_Landmark]:
    rows = database.execute(
        "SELECT node, kind, label FROM message WHERE unit = ? AND text IS NOT NULL ORDER BY node", (unit,)
    )
    for node, kind, label in rows:
        if kind in USER_KINDS:
            yield ("plan" if kind == PLAN else "prompt"), (unit, "", node), label or ""


def _errors(database: sqlite3.Connection, unit: int) -> Iterator[_Landmark]:
    rows = database.execute(
        "SELECT coalesce(agent, ''), node, name, coalesce(target, ''), outcome FROM call"
        " WHERE unit = ? AND outcome IN ('error', 'refused') ORDER BY node, offset, id",
        (unit,),
    )
    for inline, node, name, target, outcome in rows:
        yield "error", (unit, inline, node), f"{name} {target} {outcome}"


def _changes(database: sqlite3.Connection, unit: int) -> Iterator[_Landmark]:
    rows = database.execute(
        "SELECT coalesce(call.agent, ''), call.node, change.kind, change.path FROM change JOIN call"
        " ON call.unit = change.unit AND call.id = change.call WHERE change.unit = ? AND change.outcome = 'ok'"
        " AND change.kind IN ('write', 'edit', 'delete', 'rename')"
        " ORDER BY call.node, call.offset, call.id, change.path, change.kind",
        (unit,),
    )
    yield from (("change", (unit, inline, node), f"{kind} {path}") for inline, node, kind, path in rows)


def _agents(database: sqlite3.Connection, session: Session, units: Iterable[int]) -> Iterator[_Landmark]:
    agents = {agent.call: agent for agent in query.agents(database, session.id) if agent.call and not agent.is_internal}
    for unit in units if agents else ():
        for inline, node, call in database.execute(
            "SELECT coalesce(agent, ''), node, id FROM call WHERE unit = ? ORDER BY node, offset, id", (unit,)
        ):
            if call in agents:
                label = " ".join(filter(None, (agents[call].type, agents[call].description)))
                yield "agent", (unit, inline, node), label or agents[call].id
