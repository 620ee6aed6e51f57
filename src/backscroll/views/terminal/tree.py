"""The shape of a session: branches, forks, compactions, agents and copies, drawn with lines."""

from collections.abc import Iterator, Sequence

from backscroll.sessions.model import TreeNode
from backscroll.sessions.session import Session
from backscroll.views.figures import ago, count
from backscroll.views.terminal.paper import Line, Paper, Span, cut, word

_STYLES = {
    "session": "title",
    "branch": "assistant",
    "agent": "agent",
    "compaction": "warn",
    "fork": "id",
    "copy": "dim",
}
_DEEPEST = 12
_ROOM_FOR_TIME = 60
"""The width from which the time leaves room for the label."""


def tree(session: Session, nodes: Sequence[TreeNode], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `tree`; every node is drawn once, even if the links of parents form cycles."""
    children: dict[str | None, list[TreeNode]] = {}
    known = {node.id for node in nodes}
    for node in nodes:
        children.setdefault(node.parent if node.parent in known else None, []).append(node)
    drawn: set[int] = set()
    if session.parent is not None:
        yield cut([Span("forked from ", "dim"), word(session.parent, "id")], paper)
    if not any(node.kind == "session" for node in nodes):
        yield cut([word(session.title or session.id, "title"), *_numbers(session.messages, None, paper)], paper)
    yield from _draw(children, children.get(None, []), drawn, paper)
    tangled = [node for node in nodes if id(node) not in drawn]
    yield from _draw({}, tangled, drawn, paper)


def _draw(
    children: dict[str | None, list[TreeNode]], roots: Sequence[TreeNode], drawn: set[int], paper: Paper
) -> Iterator[Line]:
    """Walk the tree without recursion: it may be as deep as a transcript is long."""
    waiting = [(node, "", node is roots[-1], True) for node in reversed(roots)]
    while waiting:
        node, lead, is_last, is_root = waiting.pop()
        if id(node) in drawn:
            continue
        drawn.add(id(node))
        branch = "" if is_root and node.kind == "session" else "└─ " if is_last else "├─ "
        yield cut(_node(node, lead + branch, paper), paper)
        below = lead if not branch else lead + ("   " if is_last else "│  ")
        below = below[-3 * _DEEPEST :]
        following = children.get(node.id, [])
        waiting += [(child, below, child is following[-1], False) for child in reversed(following)]


def _node(node: TreeNode, lead: str, paper: Paper) -> Line:
    shown = node.id[:8] if paper.width is not None and node.kind in ("fork", "copy") else node.id
    name = node.kind if node.kind in ("session", "compaction") else f"{node.kind} {shown}"
    line = [Span(lead, "dim"), word(name, _STYLES.get(node.kind, "")), *_numbers(node.messages, node, paper)]
    return [*line, Span("  "), word(node.label)] if node.label else line


def _numbers(messages: int | None, node: TreeNode | None, paper: Paper) -> Line:
    parts = [count(messages, "message")] if messages is not None else []
    if node is not None and node.time is not None and (paper.width is None or paper.width >= _ROOM_FOR_TIME):
        parts.append(ago(node.time, paper))
    return [Span("  " + ", ".join(parts), "dim")] if parts else []
