"""Messages of one session by their number: the order in which they are read, a page of them, and an outline.

The order comes from the table `record` alone; the messages of a page are read from their places, and nothing else of
the transcripts is read.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from backscroll.errors import NotFoundError
from backscroll.index import query
from backscroll.index.update.copies import Copies
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.facts import Facts
from backscroll.sessions.join import join_message
from backscroll.sessions.model import MAIN, Agent, Message, MessagePage, Outline, OutlineItem, Session
from backscroll.sessions.rows import BOUNDARY, PROGRESS, USER_KINDS, Row, rows_of
from backscroll.sessions.source import Source
from backscroll.sessions.tree import NOBODY, Node, Tree
from backscroll.stores.base import Opener
from backscroll.times import parse
from backscroll.value import NamedTuple

LABEL_LENGTH = 120
_NODES = (
    "SELECT node, branch, kind, coalesce(id, 'line-' || line), time, parent FROM record"
    " WHERE unit = ? AND agent = ? AND part = 0 ORDER BY node"
)
_RECORDS = (
    "SELECT is_repeat, file.path, record.line, record.offset, record.length, record.marks, record.parent, record.branch"
    " FROM record JOIN file ON file.id = record.file WHERE record.unit = ? AND record.agent = ? AND record.node = ?"
    " ORDER BY record.part"
)


class TreeOf(NamedTuple):
    """One tree of a session: its unit, the inline agent inside that, and the agent that speaks in it."""

    unit: int
    inline: str
    agent: str | None


class Step(NamedTuple):
    """One message in the order of reading."""

    tree: TreeOf
    node: int
    depth: int
    id: str
    kind: str
    time: str | None


class Order:
    """The order in which the messages of a session are read: agents come below the call that started them."""

    def __init__(self, database: sqlite3.Connection, session: Session, *, all_branches: bool) -> None:
        self._database = database
        self._all_branches = all_branches
        self._agents = {agent.id: agent for agent in query.agents(database, session.id)}
        self._units = dict(
            database.execute("SELECT coalesce(agent, ''), id FROM unit WHERE session = ? ORDER BY agent", (session.id,))
        )
        self._told: set[str] = set()
        self.steps: list[Step] = []
        if "" in self._units:
            self._tell(TreeOf(self._units[""], "", None), 0)
        for agent in self._lost_agents():
            self._tell_agent(agent, 1)

    def _lost_agents(self) -> list[Agent]:
        """Return the agents whose call is unknown, or stands in no transcript that is left; they are told last."""
        unit = self._units.get("")
        calls = {call for (call,) in self._database.execute("SELECT id FROM call WHERE unit = ?", (unit,))}
        return [
            agent
            for agent in self._agents.values()
            if agent.call is None or (agent.call not in calls and agent.parent not in self._agents)
        ]

    def _tell(self, tree: TreeOf, depth: int) -> None:
        started = self._started_in(tree)
        for node, branch, kind, name, time, _ in self._database.execute(_NODES, (tree.unit, tree.inline)).fetchall():
            is_read = depth > 0 or self._all_branches or branch == MAIN
            if kind != PROGRESS and is_read:
                self.steps.append(Step(tree, node, depth, name, kind, time))
            if is_read:
                for agent in started.get(node, ()):
                    self._tell_agent(agent, depth + 1)

    def _tell_agent(self, agent: Agent, depth: int) -> None:
        if agent.id in self._told or agent.is_internal:
            return
        self._told.add(agent.id)
        if agent.kind == "inline" and "" in self._units:
            self._tell(TreeOf(self._units[""], agent.id, agent.id), depth)
        elif agent.id in self._units:
            self._tell(TreeOf(self._units[agent.id], "", agent.id), depth)

    def _started_in(self, tree: TreeOf) -> dict[int, list[Agent]]:
        """Return the agents that calls of a tree started, by the node of the call."""
        calls = {agent.call: agent for agent in self._agents.values() if agent.call}
        if not calls:
            return {}
        found: dict[int, list[Agent]] = defaultdict(list)
        asked = "SELECT id, node FROM call WHERE unit = ? AND coalesce(agent, '') = ?"
        nodes = {call: node for call, node in self._database.execute(asked, tree[:2]) if call in calls}
        for agent in self._agents.values():
            if agent.call in nodes:
                found[nodes[agent.call]].append(agent)
        return found


def page(  # noqa: PLR0913 - as the verb
    database: sqlite3.Connection,
    session: Session,
    *,
    offset: int,
    limit: int,
    around: str | None,
    all_branches: bool,
    open_file: Opener,
) -> MessagePage:
    """Return some messages of a session, by their number or around one of them."""
    steps = Order(database, session, all_branches=all_branches).steps
    if around is not None:
        place = next((number for number, step in enumerate(steps) if step.id.startswith(around)), None)
        if place is None:
            raise NotFoundError("this session has no such message", around, "backscroll search gives ids of messages.")
        offset = max(0, place - limit // 2)
    reader = _PageReader(database, session, open_file)
    return MessagePage(session, len(steps), offset, list(reader.read(steps[offset : offset + limit])))


class _PageReader:
    """Reads messages from their places."""

    def __init__(self, database: sqlite3.Connection, session: Session, open_file: Opener) -> None:
        self._database = database
        self._session = session
        self._open_file = open_file
        self._sources: dict[str, Source] = {}
        folded = session.copies
        self._owners = Copies(database).copied_from(session.id, folded) if session.copied else {}
        self._forks = _forks(database, session.id)

    def read(self, steps: Iterable[Step]) -> Iterator[Message]:
        """Yield the messages of some steps."""
        try:
            for step in steps:
                yield self._message(step)
        finally:
            for source in self._sources.values():
                source.close()

    def _message(self, step: Step) -> Message:
        records = self._database.execute(_RECORDS, (step.tree.unit, step.tree.inline, step.node)).fetchall()
        sources = [self._source(query.path_of(path)) for path in dict.fromkeys(row[1] for row in records)]
        rows = [self._row(sources, *row[1:5]) for row in records]
        own = [row for row, (is_repeat, *_) in zip(rows, records, strict=True) if not is_repeat]
        *_, marks, parent, branch = records[0]
        node = Node(own, 0, branch=branch, repeats=rows[len(own) :], marks=(marks or "").split())
        conversation = Conversation(sources, Facts(), Tree([node], []))
        message = join_message(node, conversation.tree, conversation, self._session.id, step.tree.agent)
        message.parent = self._parent(step.tree, parent)
        message.depth = step.depth
        if step.tree.agent is None:
            message.copied_from = self._owner(step)
            message.marks += [f"fork {name}" for name in self._forks.get(step.node, ())]
        return message

    def _source(self, path: str) -> Source:
        if path not in self._sources:
            self._sources[path] = Source(path, self._open_file)
        return self._sources[path]

    def _row(self, sources: Sequence[Source], path: bytes, line: int, offset: int, length: int) -> Row:
        """Return the row of a record, by the same ladder as the pass: decoded, or repaired."""
        number = next(number for number, source in enumerate(sources) if source.path == query.path_of(path))
        record = sources[number].record(line, offset, length)
        found = next((row for _, _, row in rows_of([record], number, Facts()) if row is not None), None)
        return found or Row(number, line, offset, length, None, False, None, None, None, False, None, None)  # noqa: FBT003 - the file changed meanwhile

    def _parent(self, tree: TreeOf, node: int) -> str | None:
        """Return the message that a node follows; progress records are walked through."""
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
    steps = Order(database, session, all_branches=False).steps
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
    rows = database.execute("SELECT node, kind, label FROM message WHERE unit = ? AND text IS NOT NULL", (unit,))
    yield from (("prompt", (unit, "", node), label or "") for node, kind, label in rows if kind in USER_KINDS)


def _errors(database: sqlite3.Connection, unit: int) -> Iterator[_Landmark]:
    rows = database.execute(
        "SELECT coalesce(agent, ''), node, name, coalesce(target, ''), outcome FROM call"
        " WHERE unit = ? AND outcome IN ('error', 'refused') ORDER BY rowid",
        (unit,),
    )
    for inline, node, name, target, outcome in rows:
        yield "error", (unit, inline, node), f"{name} {target} {outcome}"


def _changes(database: sqlite3.Connection, unit: int) -> Iterator[_Landmark]:
    rows = database.execute(
        "SELECT coalesce(call.agent, ''), call.node, change.kind, change.path FROM change JOIN call"
        " ON call.unit = change.unit AND call.id = change.call WHERE change.unit = ? AND change.outcome = 'ok'"
        " AND change.kind IN ('write', 'edit', 'delete', 'rename') ORDER BY change.rowid",
        (unit,),
    )
    yield from (("change", (unit, inline, node), f"{kind} {path}") for inline, node, kind, path in rows)


def _agents(database: sqlite3.Connection, session: Session, units: Iterable[int]) -> Iterator[_Landmark]:
    agents = {agent.call: agent for agent in query.agents(database, session.id) if agent.call and not agent.is_internal}
    for unit in units if agents else ():
        for inline, node, call in database.execute(
            "SELECT coalesce(agent, ''), node, id FROM call WHERE unit = ? ORDER BY rowid", (unit,)
        ):
            if call in agents:
                label = " ".join(filter(None, (agents[call].type, agents[call].description)))
                yield "agent", (unit, inline, node), label or agents[call].id
