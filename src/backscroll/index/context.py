"""The messages around the hits of a search, read from their places.

Input: all hits of an answer.  Output: the neighbours of one hit at a time.
The catalogue has the position of each hit in its tree; one pass over the records of each tree with hits finds it.
Transcripts are read only for the returned messages, so the length of a session costs nothing.
"""

import sqlite3
from collections import OrderedDict, defaultdict
from collections.abc import Iterable

from backscroll.errors import NotFoundError
from backscroll.index.queries import sessions as query
from backscroll.index.queries.messages import PageReader, Step, TreeOf
from backscroll.query.hits import Hit
from backscroll.sessions.message import Message
from backscroll.sessions.session import Agent
from backscroll.sessions.transcript.rows import PROGRESS
from backscroll.stores.base import Opener

MOST_OPEN = 8
"""The number of sessions whose files stay open: hits come by rank, so sessions alternate."""
_UNIT = "SELECT id FROM unit WHERE session = ? AND agent IS ? ORDER BY id DESC LIMIT 1"
_IDS = "SELECT coalesce(id, 'line-' || line), node FROM record WHERE unit = ? AND agent = ? AND part = 0 ORDER BY node"
_NEIGHBOURS = (
    "SELECT node, coalesce(id, 'line-' || line), kind, time FROM record"
    " WHERE unit = ? AND agent = ? AND part = 0 AND kind <> ? AND node {} ? ORDER BY node {} LIMIT ?"
)
_BEFORE, _AFTER = _NEIGHBOURS.format("<", "DESC"), _NEIGHBOURS.format(">", "ASC")
_Owner = tuple[str | None, str | None]
"""The session and the agent of a hit."""


class ContextReader:
    """Reads the messages around hits, from the session itself or from the same agent."""

    def __init__(self, database: sqlite3.Connection, hits: Iterable[Hit], open_file: Opener) -> None:
        self._database = database
        self._open_file = open_file
        self._readers: OrderedDict[str, PageReader] = OrderedDict()
        self._trees: dict[_Owner, TreeOf | None] = {}
        self._depths: dict[_Owner, int] = {}
        self._nodes: dict[tuple[_Owner, str], int] = {}
        self._locate(hits)

    def close(self) -> None:
        """Close all files."""
        while self._readers:
            self._readers.popitem()[1].close()

    def around(self, hit: Hit, width: int) -> tuple[list[Message], list[Message]]:
        """Return up to `width` messages before a hit and as many after it; none if its session is gone."""
        owner = (hit.session, hit.agent)
        tree, node = self._trees.get(owner), self._nodes.get((owner, hit.message or ""))
        if tree is None or node is None:
            return [], []
        try:
            reader = self._reader(hit.session or "")
        except NotFoundError:
            return [], []
        before, after = (self._steps(asked, owner, tree, node, width) for asked in (_BEFORE, _AFTER))
        return [reader.message(step) for step in reversed(before)], [reader.message(step) for step in after]

    def _locate(self, hits: Iterable[Hit]) -> None:
        """Find the tree and the node of each hit, with one pass over the records of each tree."""
        wanted: dict[_Owner, set[str]] = defaultdict(set)
        for hit in hits:
            if hit.session is not None and hit.message is not None:
                wanted[hit.session, hit.agent].add(hit.message)
        for owner, ids in wanted.items():
            tree = self._trees[owner] = self._tree(owner)
            for name, node in self._database.execute(_IDS, tree[:2]) if tree else ():
                if name in ids:
                    self._nodes.setdefault((owner, name), node)

    def _tree(self, owner: _Owner) -> TreeOf | None:
        """Return the tree of an agent: a unit of its own, or a part of its session's unit."""
        session, agent = owner
        own = self._database.execute(_UNIT, (session, agent)).fetchone()
        if own is not None:
            return TreeOf(own[0], "", agent)
        main = self._database.execute(_UNIT, (session, None)).fetchone()
        return TreeOf(main[0], agent or "", agent) if main is not None else None

    def _steps(self, asked: str, owner: _Owner, tree: TreeOf, node: int, width: int) -> list[Step]:
        rows = self._database.execute(asked, (*tree[:2], PROGRESS, node, width))
        depth = self._depth(owner)
        return [Step(tree, depth, *row) for row in rows]

    def _depth(self, owner: _Owner) -> int:
        """Return the depth of a tree: 0 for the session itself, 1 for its agents."""
        session, agent = owner
        if owner not in self._depths:
            agents = {item.id: item for item in query.agents(self._database, session or "")} if agent else {}
            self._depths[owner] = _depth(agents, agent)
        return self._depths[owner]

    def _reader(self, session: str) -> PageReader:
        """Return the reader of a session from the cache, or a new one; close the least recently used reader."""
        if session in self._readers:
            self._readers.move_to_end(session)
            return self._readers[session]
        reader = PageReader(self._database, query.session(self._database, session), self._open_file)
        self._readers[session] = reader
        if len(self._readers) > MOST_OPEN:
            self._readers.popitem(last=False)[1].close()
        return reader


def _depth(agents: dict[str, Agent], agent: str | None) -> int:
    met: set[str] = set()
    while agent is not None and agent not in met:
        met.add(agent)
        agent = agents[agent].parent if agent in agents else None
    return len(met)
