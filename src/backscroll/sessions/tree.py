"""Tree: how the rows of one conversation hang together.

File order is the truth; the parent graph only annotates it.  All records of one API message are one
node; repeated records are copies of the first; every node is on exactly one branch.  Damaged graphs
(cycles, missing or later parents, doubled ids) lose nothing: a link that cannot be followed is
replaced by the previous node in the file, and the node is marked.  Every walk is iterative.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from backscroll.sessions import prompts
from backscroll.sessions.facts import ZERO_UUID, Leaf
from backscroll.sessions.model import MAIN
from backscroll.sessions.rows import ASSISTANT, BOUNDARY, SPOKEN_KINDS, SYNTHETIC, USER_KINDS, Row

NOBODY = -1
GAP, CYCLE = "gap", "cycle"
CONTINUE_TEXT = "Continue from where you left off"
CONVERSATION_KINDS = USER_KINDS | {ASSISTANT, SYNTHETIC, prompts.RESULTS}
RELINK_BUDGET = 2_000_000
"""Steps spent on finding a harmless new parent for the members of cycles, in total."""


class Node(Struct):
    """One message, or one other record of the tree, with its place in it."""

    rows: list[Row]
    first: int
    """Position of its first row in file order."""
    parent: int = NOBODY
    branch: str = MAIN
    repeats: list[Row] = []
    """Further records of the same files that say the same under the same id."""
    is_inner: bool = False
    """It came in while an answer was being written: records of that answer stand before and after it."""
    is_silent: bool = False
    """Nothing was said here or below: results, notices and attachments that lead nowhere."""
    marks: list[str] = []

    @property
    def head(self) -> Row:
        """The row that stands for the node."""
        return self.rows[0]

    @property
    def is_beside(self) -> bool:
        """Whether it leads nowhere itself, and goes with the message that it hangs on."""
        return self.is_silent or self.is_inner


class Path(Struct):
    """A branch: its name, its first node and its tip, the node it leaves, and how much was said on it."""

    name: str
    first: int
    tip: int
    fork: int
    spoken: int = 0


class Tree(Struct):
    """All nodes in file order and the branches they are on, main first."""

    nodes: list[Node]
    branches: list[Path]

    def read_along(self, name: str) -> list[int]:
        """Return the nodes that a reader of one branch sees, in file order: from the start to its tip."""
        path = next(path for path in self.branches if path.name == name)
        seen = _ancestors(self.nodes, path.tip)
        seen.update(position for position, node in enumerate(self.nodes) if node.branch == name)
        children: dict[int, list[int]] = defaultdict(list)
        for position, node in enumerate(self.nodes):
            if node.is_beside:
                children[node.parent].append(position)
        pending = list(seen)
        while pending:
            beside = children.get(pending.pop(), ())
            pending.extend(beside)
            seen.update(beside)
        return sorted(seen)


def compaction_nodes(tree: Tree) -> Iterator[Node]:
    """Yield the boundaries of a tree, and the summaries that have none."""
    for node in tree.nodes:
        has_no_boundary = node.head.kind == prompts.SUMMARY and not follows_boundary(tree.nodes, node)
        if node.head.kind == BOUNDARY or has_no_boundary:
            yield node


def follows_boundary(nodes: Sequence[Node], node: Node) -> bool:
    """Say whether a node hangs on the boundary of a compaction."""
    return node.parent != NOBODY and nodes[node.parent].head.kind == BOUNDARY


class TreeBuilder:
    """Joins rows into nodes as they come, and in the end links the nodes and names the branches.

    `content_key` tells records with one id apart that say different things.
    """

    def __init__(self, content_key: Callable[[Row], bytes]) -> None:
        self.nodes: list[Node] = []
        self.count = 0
        """How many rows came."""
        self.said = Said()
        self._groups = _Groups()
        self._known = _Known(content_key)

    def add(self, row: Row) -> Node | None:
        """Return the node that a row belongs to; None where the row repeats a record of an earlier one."""
        position, self.count = self.count, self.count + 1
        if row.kind in SPOKEN_KINDS:
            self.said.spoken += 1
            self.said.without_parent += row.parent is None
        original = self._known.original(row) if row.uuid in self._known.first else None
        if original is not None:
            original.repeats.append(row)
            return None
        node = self._groups.node_of(row)
        if node is None:
            node = Node([row], position)
            self.nodes.append(node)
            self._groups.add(row, node)
        else:
            node.rows.append(row)
        self._known.add(row, node)
        return node

    def tree(self, leaf: Leaf | None, said: "Said | None" = None) -> Tree:
        """Link the nodes and name the branches; `said` counts the rows of the whole transcript if these are its end."""
        nodes = self.nodes
        for node in nodes:
            if len(node.rows) > 1 and all(row.block is not None for row in node.rows):
                node.rows.sort(key=lambda row: row.block or 0)
        _link(nodes, is_linear=(said or self.said).is_linear)
        _cut_cycles(nodes)
        order = _from_the_roots(nodes)
        latest = _latest_said(nodes, order)
        heirs = _heirs(nodes, latest)
        tip = _tip(nodes, leaf, heirs)
        return Tree(nodes, _name_branches(nodes, order, latest, heirs, tip))


class Said(Struct, array_like=True):
    """How many rows are part of what was said, and how many of these name no parent."""

    spoken: int = 0
    without_parent: int = 0

    @property
    def is_linear(self) -> bool:
        """Whether the parents of a transcript say nothing: more than half of what was said has none."""
        return 2 * self.without_parent > self.spoken


def build_tree(rows: Iterable[Row], leaf: Leaf | None, content_key: Callable[[Row], bytes]) -> Tree:
    """Join rows into nodes, link them, and name the branches."""
    builder = TreeBuilder(content_key)
    for row in rows:
        builder.add(row)
    return builder.tree(leaf)


class _Groups:
    """Which node holds an API message: by its id, and by the request where one id answers several."""

    def __init__(self) -> None:
        self._nodes: dict[str, dict[str | None, Node]] = defaultdict(dict)

    def node_of(self, row: Row) -> Node | None:
        """Return the node of the row's API message; a record without request belongs to the last one."""
        if row.group is None or not (requests := self._nodes.get(row.group)):
            return None
        if row.request is None:
            return next(reversed(requests.values()))
        return requests.get(row.request) or requests.get(None)

    def add(self, row: Row, node: Node) -> None:
        """Remember the node of an API message."""
        if row.group is not None:
            self._nodes[row.group][row.request] = node


class _Known:
    """Which records were met already, by id and, where an id comes again, by content."""

    def __init__(self, content_key: Callable[[Row], bytes]) -> None:
        self._content_key = content_key
        self.first: dict[str | None, tuple[Row, Node]] = {}
        self._by_content: dict[str, dict[bytes, Node]] = {}

    def original(self, row: Row) -> Node | None:
        """Return the node that holds the same record already."""
        if row.uuid is None:
            return None
        if row.uuid not in self._by_content:
            first, node = self.first[row.uuid]
            self._by_content[row.uuid] = {self._content_key(first): node}
        return self._by_content[row.uuid].get(self._content_key(row))

    def add(self, row: Row, node: Node) -> None:
        """Remember a record that is no copy."""
        if row.uuid is None:
            return
        if row.uuid in self._by_content:
            self._by_content[row.uuid][self._content_key(row)] = node
        else:
            self.first[row.uuid] = (row, node)


def _link(nodes: list[Node], *, is_linear: bool) -> None:
    """Give each node its parent, by id where the record names one that exists, else by file order."""
    places: dict[str, list[int]] = defaultdict(list)
    for position, node in enumerate(nodes):
        for row in node.rows:
            if row.uuid:
                places[row.uuid].append(position)
    for position, node in enumerate(nodes):
        row = node.head if len(node.rows) == 1 else min(node.rows, key=lambda row: (row.source, row.offset))
        node.parent = _parent(position, node, row, places, is_linear=is_linear)
    for position, node in enumerate(nodes):
        if len(node.rows) > 1:
            _mark_inner(nodes, position, places)


def _mark_inner(nodes: list[Node], position: int, places: dict[str, list[int]]) -> None:
    """Mark what stands between the records of one API message: prompts and results that interrupted it."""
    for row in nodes[position].rows:
        between = places[row.parent][-1] if row.parent in places else NOBODY
        while between > position and not nodes[between].is_inner:
            nodes[between].is_inner = True
            between = nodes[between].parent


def _parent(position: int, node: Node, row: Row, places: dict[str, list[int]], *, is_linear: bool) -> int:
    previous = position - 1
    if row.parent is None:
        starts_anew = row.is_root and row.kind in USER_KINDS and not is_linear
        return NOBODY if starts_anew else previous
    if _continues_after_restart(row):
        return previous
    found = _nearest(places.get(row.parent, []), position)
    if found is None or (row.kind == BOUNDARY and found > position):
        node.marks.append(GAP)
        return previous
    if found == position:
        node.marks.append(CYCLE)
        return previous
    return found


def _continues_after_restart(row: Row) -> bool:
    """Whether the program itself went on after a restart; it may then name a stale parent."""
    return row.kind in {prompts.META, prompts.NOTICE} and (row.label or "").startswith(CONTINUE_TEXT)


def _nearest(positions: list[int], position: int) -> int | None:
    """Return the last of the rising `positions` before `position`, else the first of them."""
    if not positions:
        return None
    return positions[max(bisect_left(positions, position) - 1, 0)]


def _is_in_file_order(nodes: list[Node]) -> bool:
    """Whether every node comes after its parent: then there are no cycles, and the file is in a good order."""
    return all(node.parent < position for position, node in enumerate(nodes))


def _cut_cycles(nodes: list[Node]) -> None:
    """Cut every cycle at its first node in file order and hang that on the node before it, if that is safe."""
    if _is_in_file_order(nodes):
        return
    state = bytearray(len(nodes))
    budget = RELINK_BUDGET
    for start in range(len(nodes)):
        walk, position = [], start
        while position != NOBODY and state[position] == 0:
            state[position] = 1
            walk.append(position)
            position = nodes[position].parent
        if position != NOBODY and state[position] == 1:
            budget -= _cut(nodes, walk[walk.index(position) :], budget)
        for position in walk:
            state[position] = 2


def _cut(nodes: list[Node], cycle: list[int], budget: int) -> int:
    first = min(cycle)
    nodes[first].marks.append(CYCLE)
    nodes[first].parent = NOBODY
    steps, position = 0, first - 1
    while position not in (NOBODY, first) and steps < budget:
        position = nodes[position].parent
        steps += 1
    if position == NOBODY:
        nodes[first].parent = first - 1
    return steps


def _from_the_roots(nodes: list[Node]) -> Sequence[int]:
    """Return the nodes in an order in which each comes after its parent: that of the file, where that is one."""
    if _is_in_file_order(nodes):
        return range(len(nodes))
    children: dict[int, list[int]] = defaultdict(list)
    for position, node in enumerate(nodes):
        children[node.parent].append(position)
    order = children[NOBODY]
    for position in order:
        order.extend(children.get(position, ()))
    return order


def _latest_said(nodes: list[Node], order: Sequence[int]) -> list[int]:
    """Return for each node the last thing said in its subtree, NOBODY where nothing was."""
    latest = [position if node.rows[0].kind in SPOKEN_KINDS else NOBODY for position, node in enumerate(nodes)]
    for position in reversed(order):
        nodes[position].is_silent = latest[position] == NOBODY
        parent = nodes[position].parent
        if parent != NOBODY:
            latest[parent] = max(latest[parent], latest[position])
    return latest


def _heirs(nodes: list[Node], latest: list[int]) -> list[int]:
    """Return for each node the child that carries its branch on: the one where something was said last."""
    heirs = [NOBODY] * len(nodes)
    for position, node in enumerate(nodes):
        parent = node.parent
        if parent != NOBODY and latest[position] != NOBODY:
            heir = heirs[parent]
            if heir == NOBODY or latest[position] > latest[heir]:
                heirs[parent] = position
    return heirs


def _tip(nodes: list[Node], leaf: Leaf | None, heirs: list[int]) -> int:
    """Return the node at the end of the visible conversation."""
    last = _last_said(nodes)
    named = _named(nodes, leaf)
    if named is not None and leaf is not None and nodes[last].first < leaf.position:
        return named
    while last != NOBODY and heirs[last] != NOBODY:
        last = heirs[last]
    return last


def _named(nodes: list[Node], leaf: Leaf | None) -> int | None:
    if leaf is None or leaf.uuid == ZERO_UUID:
        return None
    positions = range(len(nodes) - 1, -1, -1)
    return next(
        (position for position in positions if any(row.uuid == leaf.uuid for row in nodes[position].rows)), None
    )


def _last_said(nodes: list[Node]) -> int:
    for position in range(len(nodes) - 1, -1, -1):
        if nodes[position].head.kind in CONVERSATION_KINDS:
            return position
    return len(nodes) - 1


def _ancestors(nodes: list[Node], tip: int) -> set[int]:
    seen: set[int] = set()
    while tip != NOBODY and tip not in seen:
        seen.add(tip)
        tip = nodes[tip].parent
    return seen


def _name_branches(
    nodes: list[Node], order: Sequence[int], latest: list[int], heirs: list[int], tip: int
) -> list[Path]:
    """Put every node on a branch: the way to the tip is main, what leaves it and says something is another."""
    on_main = _ancestors(nodes, tip)
    owner = [NOBODY] * len(nodes)
    heads = []
    for position in order:
        parent = nodes[position].parent
        if position in on_main:
            continue
        continues = parent != NOBODY and parent not in on_main and heirs[parent] == position
        if nodes[position].is_beside or continues:
            owner[position] = owner[parent] if parent != NOBODY else NOBODY
        else:
            owner[position] = position
            heads.append(position)
    return _paths(nodes, owner, sorted(heads, key=lambda head: nodes[head].first), tip, latest)


def _paths(nodes: list[Node], owner: list[int], heads: list[int], tip: int, latest: list[int]) -> list[Path]:
    names = {NOBODY: MAIN} | {head: f"b{number}" for number, head in enumerate(heads, 1)}
    paths = {MAIN: Path(MAIN, 0, tip, NOBODY)}
    for head in heads:
        paths[names[head]] = Path(names[head], head, latest[head], nodes[head].parent)
    for position, node in enumerate(nodes):
        node.branch = names[owner[position]]
        paths[node.branch].spoken += node.head.is_spoken
    return list(paths.values())
