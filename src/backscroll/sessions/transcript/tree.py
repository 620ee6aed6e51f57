"""Tree: the links between the rows of one conversation.

File order is the truth; the parent graph only annotates it.  All records of one API message are one
node; repeated records are copies of the first; every node is on exactly one branch.  Damaged graphs
(cycles, missing or later parents, doubled ids) lose nothing: the previous node in the file replaces
a broken link, and the node gets a mark.  Every walk is iterative.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.facts import ZERO_UUID, Leaf
from backscroll.sessions.transcript.rows import BOUNDARY, BRANCH_KINDS, SPOKEN_KINDS, SYNTHETIC, USER_KINDS, Row

NOBODY = -1
GAP, CYCLE = "gap", "cycle"
CONTINUE_TEXT = "Continue from where you left off"
_CONTINUING_KINDS = {prompts.META, prompts.NOTICE}
CONVERSATION_KINDS = BRANCH_KINDS | {SYNTHETIC, prompts.RESULTS}
"""The kinds of a node that may be the visible end."""
RELINK_BUDGET = 2_000_000
"""The most steps, in total, to find a safe new parent for the members of cycles."""


class Node(Struct, gc=False):
    """One message, or another record of the tree, with its links."""

    rows: list[Row]
    first: int
    """Position of its first row in file order."""
    parent: int = NOBODY
    branch: str = MAIN
    repeats: Sequence[Row] = ()
    """Further records of the same files with the same id and content; an empty list of each node takes too much."""
    is_inner: bool = False
    """True if it arrived while the model worked, and the conversation continues beside it."""
    is_silent: bool = False
    """True if neither it nor its subtree has a prompt or answer: results, notices, commands and attachments only."""
    marks: tuple[str, ...] = ()

    @property
    def head(self) -> Row:
        """The row that represents the node."""
        return self.rows[0]

    @property
    def is_beside(self) -> bool:
        """True if it is no branch of its own, but belongs to the message that it hangs on."""
        return self.is_silent or self.is_inner

    def repeat(self, row: Row) -> None:
        """Add a record that repeats one of its own."""
        if isinstance(self.repeats, list):
            self.repeats.append(row)
        else:
            self.repeats = [*self.repeats, row]


class Path(Struct):
    """A branch: its name, its first node and its tip, its parent node, and its number of messages."""

    name: str
    first: int
    tip: int
    fork: int
    spoken: int = 0


class Tree(Struct):
    """All nodes in file order, and their branches, main first."""

    nodes: list[Node]
    branches: list[Path]

    def read_along(self, name: str) -> list[int]:
        """Return the nodes of one branch in file order, from the start to its tip."""
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
    """Yield the boundaries of a tree, and the summaries without one."""
    for node in tree.nodes:
        has_no_boundary = node.head.kind == prompts.SUMMARY and not follows_boundary(tree.nodes, node)
        if node.head.kind == BOUNDARY or has_no_boundary:
            yield node


def follows_boundary(nodes: Sequence[Node], node: Node) -> bool:
    """Return True if a node hangs on the boundary of a compaction."""
    return node.parent != NOBODY and nodes[node.parent].head.kind == BOUNDARY


class TreeBuilder:
    """Joins rows into nodes as they arrive; at the end it links the nodes and names the branches.

    `content_key` distinguishes records with one id and different contents.
    """

    def __init__(self, content_key: Callable[[Row], bytes]) -> None:
        self.nodes: list[Node] = []
        self.count = 0
        """The number of rows."""
        self.said = Said()
        self._groups = _Groups()
        self._known = _Known(content_key)

    def add(self, row: Row) -> Node | None:
        """Return the node of a row; None if the row repeats an earlier record."""
        position, self.count = self.count, self.count + 1
        parent = self._known.first.get(row.parent)
        if parent is not None:
            self.said.links += 1
            row.parent = _first_row(parent).uuid  # one text instead of two equal ones
        original = self._known.original(row) if row.uuid in self._known.first else None
        if original is not None:
            original.repeat(row)
            return None
        node = self._groups.node_of(row) if row.group is not None else None
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
        self._groups, self._known = _Groups(), _Known(self._known.content_key)  # a third of the memory of a long file
        for node in nodes:
            if len(node.rows) > 1 and all(row.block is not None for row in node.rows):
                node.rows.sort(key=lambda row: row.block or 0)
        _link(nodes, is_linear=(said or self.said).is_linear)
        order = range(len(nodes)) if _is_in_file_order(nodes) else _untangled(nodes)
        latest = _latest_said(nodes, order)
        heirs = _heirs(nodes, latest)
        _mark_interrupting(nodes, latest)
        tip = _tip(nodes, leaf, heirs)
        return Tree(nodes, _name_branches(nodes, order, latest, heirs, tip))


class Said(Struct, array_like=True):
    """The number of rows that name an earlier row as their parent."""

    links: int = 0

    @property
    def is_linear(self) -> bool:
        """Return True if no row names an earlier one: a list, in which a null parent means nothing, unless reversed."""
        return self.links == 0


class _Groups:
    """The node of each API message: by its id, and by the request if one id answers several."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node | dict[str | None, Node]] = {}
        """The node, or the nodes by request if there are several."""

    def node_of(self, row: Row) -> Node | None:
        """Return the node of the row's API message; a record without request belongs to the last one."""
        if row.group is None or not (requests := self._nodes.get(row.group)):
            return None
        if isinstance(requests, Node):
            return requests if requests.rows[0].request in (row.request, None) or row.request is None else None
        if row.request is None:
            return next(reversed(requests.values()))
        return requests.get(row.request) or requests.get(None)

    def add(self, row: Row, node: Node) -> None:
        """Remember the node of an API message."""
        if row.group is None:
            return
        requests = self._nodes.setdefault(row.group, node)
        if isinstance(requests, dict):
            requests[row.request] = node
        elif requests is not node:
            self._nodes[row.group] = {requests.rows[0].request: requests, row.request: node}


class _Known:
    """The records read so far: by id and, if an id is repeated, by content."""

    def __init__(self, content_key: Callable[[Row], bytes]) -> None:
        self.content_key = content_key
        self.first: dict[str | None, Node | tuple[Row, Node]] = {}
        """The first record with each id: a node, by its first row, or a later row of one."""
        self._by_content: dict[str, dict[bytes, Node]] = {}

    def original(self, row: Row) -> Node | None:
        """Return the node of the same earlier record."""
        if row.uuid is None:
            return None
        if row.uuid not in self._by_content:
            first = self.first[row.uuid]
            node = first[1] if isinstance(first, tuple) else first
            self._by_content[row.uuid] = {self.content_key(_first_row(first)): node}
        return self._by_content[row.uuid].get(self.content_key(row))

    def add(self, row: Row, node: Node) -> None:
        """Remember a record that is no copy."""
        if row.uuid is None:
            return
        if row.uuid in self._by_content:
            self._by_content[row.uuid][self.content_key(row)] = node
        else:
            self.first[row.uuid] = node if row is node.rows[0] else (row, node)


def _first_row(known: Node | tuple[Row, Node]) -> Row:
    return known[0] if isinstance(known, tuple) else known.rows[0]


_Places = dict[str, int | list[int]]
"""The nodes with each id: nearly always one, and a list of one takes five times as much."""


def _link(nodes: list[Node], *, is_linear: bool) -> None:
    """Set the parent of each node: by id if the record names one that exists, else by file order."""
    places: _Places = {}
    for position, node in enumerate(nodes):
        for row in node.rows:
            if row.uuid:
                _remember(places, row.uuid, node.first if node.first == position else position)  # one object for both
    is_list = is_linear and not any(_names_another(row, places) for node in nodes for row in node.rows)
    for position, node in enumerate(nodes):
        row = node.head if len(node.rows) == 1 else min(node.rows, key=lambda row: (row.source, row.offset))
        node.parent = _parent(position, node, row, places, is_list=is_list)
    for position, node in enumerate(nodes):
        if len(node.rows) > 1:
            _mark_inner(nodes, position, places)


def _remember(places: _Places, uuid: str, position: int) -> None:
    known = places.setdefault(uuid, position)
    if isinstance(known, list):
        known.append(position)
    elif known != position:
        places[uuid] = [known, position]


def _mark_inner(nodes: list[Node], position: int, places: _Places) -> None:
    """Mark the prompts and results that interrupt the records of one API message."""
    for row in nodes[position].rows:
        between = _nearest(places.get(row.parent or ""), len(nodes))
        between = NOBODY if between is None else between
        while between > position and not nodes[between].is_inner:
            nodes[between].is_inner = True
            between = nodes[between].parent


def _mark_interrupting(nodes: list[Node], latest: list[int]) -> None:
    """Mark prompts that a person queued while a call ran and then sent with Esc.

    Such a prompt and the result of the call are both children of the call.  Only the result continues: the answer to
    the prompt is a child of the result.
    """
    answered = {node.parent for node in nodes if node.rows[0].kind == prompts.RESULTS}
    for position, node in enumerate(nodes):
        is_last_said = latest[position] == position and node.rows[0].kind in USER_KINDS
        if is_last_said and node.parent in answered and any(row.calls for row in nodes[node.parent].rows):
            node.is_inner = True


def _names_another(row: Row, places: _Places) -> bool:
    return row.parent in places and row.parent != row.uuid


def _parent(position: int, node: Node, row: Row, places: _Places, *, is_list: bool) -> int:
    previous = position - 1
    if row.parent is None:
        starts_again = row.is_root and row.kind in USER_KINDS and not is_list
        return NOBODY if starts_again else previous
    if _continues_after_restart(row):
        return previous
    found = _nearest(places.get(row.parent), position)
    if found is None or (row.kind == BOUNDARY and found > position):
        node.marks = (*node.marks, GAP)
        return previous
    if found == position:
        node.marks = (*node.marks, CYCLE)
        return previous
    return found


def _continues_after_restart(row: Row) -> bool:
    """Return True if the program itself continued after a restart; it may then name an old parent."""
    return row.kind in _CONTINUING_KINDS and (row.label or "").startswith(CONTINUE_TEXT)


def _nearest(positions: int | list[int] | None, position: int) -> int | None:
    """Return the last of the ascending `positions` before `position`, else the first of them."""
    if not isinstance(positions, list):
        return positions
    return positions[max(bisect_left(positions, position) - 1, 0)]


def _is_in_file_order(nodes: list[Node]) -> bool:
    """Return True if every node comes after its parent: then there are no cycles, and file order is good."""
    return all(node.parent < position for position, node in enumerate(nodes))


def _untangled(nodes: list[Node]) -> Sequence[int]:
    """Cut all cycles, and return the nodes in an order with each after its parent."""
    _cut_cycles(nodes)
    return _from_the_roots(nodes)


def _cut_cycles(nodes: list[Node]) -> None:
    """Cut every cycle at its first node in file order, and attach that to the node before it, if that is safe."""
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
    nodes[first].marks = (*nodes[first].marks, CYCLE)
    nodes[first].parent = NOBODY
    steps, position = 0, first - 1
    while position not in (NOBODY, first) and steps < budget:
        position = nodes[position].parent
        steps += 1
    if position == NOBODY:
        nodes[first].parent = first - 1
    return steps


def _from_the_roots(nodes: list[Node]) -> Sequence[int]:
    """Return the nodes in an order with each after its parent: in file order, if possible."""
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
    """Return the last prompt or answer in the subtree of each node; NOBODY if there is none."""
    latest = [position if node.rows[0].kind in BRANCH_KINDS else NOBODY for position, node in enumerate(nodes)]
    for position in reversed(order):
        node, said = nodes[position], latest[position]
        node.is_silent = said == NOBODY
        if node.parent != NOBODY and said > latest[node.parent]:
            latest[node.parent] = said
    return latest


def _heirs(nodes: list[Node], latest: list[int]) -> list[int]:
    """Return the child of each node that continues its branch: the one with the last prompt or answer."""
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
    """Put every node on a branch: the path to the tip is main; other paths with a prompt or answer are branches."""
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
        if node.rows[0].kind in SPOKEN_KINDS:
            paths[node.branch].spoken += 1
    return list(paths.values())
