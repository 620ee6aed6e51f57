"""The tail of a unit: the end of its read part, so that a transcript that only grew continues from there.

A tail holds the last prompt or answer, and its subtree.  `grow` appends new records whose parent is in the tail to
the tables.  The whole file is read again if a record has another parent, a second branch, or an id from before the
tail.
"""

from collections.abc import Sequence

import msgspec

from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.conversation import Conversation, ConversationReader
from backscroll.sessions.transcript.keys import is_rewriting_version
from backscroll.sessions.transcript.rows import BRANCH_KINDS, Row
from backscroll.sessions.transcript.tree import Said, Tree

MOST_ROWS = 200
"""We do not store a tail with more rows."""


class Tail(msgspec.Struct, array_like=True):
    """The end of a transcript, and the messages that may be parents of new records."""

    end: int
    next_line: int
    nodes: int
    """The number of nodes in the tree."""
    numbers: list[int]
    """The numbers of the nodes in the tail."""
    rows: list[Row]
    """Their rows, in file order."""
    said: Said
    """The counts of rows of the whole transcript."""


def packed(reader: ConversationReader, conversation: Conversation) -> bytes | None:
    """Return the tail of a conversation; None if growth means reading the whole file."""
    tree, sources = conversation.tree, conversation.sources
    is_old = is_rewriting_version(next(reversed(conversation.facts.versions), None))
    if len(sources) != 1 or not sources[0].is_whole or conversation.inline or is_old:
        return None
    return pack(tree, range(len(tree.nodes)), reader.own.said, sources[0].end, sources[0].next_line)


def pack(tree: Tree, numbered: Sequence[int], said: Said, end: int, next_line: int) -> bytes | None:
    """Return the tail of a tree, or of its end; `numbered` are the numbers of its nodes."""
    numbers = _held(tree)
    rows = [row for number in numbers for row in (*tree.nodes[number].rows, *tree.nodes[number].repeats)]
    if not numbers or len(rows) > MOST_ROWS or (said.is_linear and _names_unknown(tree)):
        return None
    rows.sort(key=lambda row: row.offset)
    tail = Tail(end, next_line, numbered[-1] + 1, [numbered[number] for number in numbers], rows, said)
    try:
        return msgspec.msgpack.encode(tail)
    except (ValueError, TypeError, OverflowError):  # lone surrogates, numbers beyond 64 bits
        return None


def _names_unknown(tree: Tree) -> bool:
    """Return True if a record names a parent that may come later: then the transcript is no list after all."""
    return any(row.parent for node in tree.nodes for row in node.rows)


def _held(tree: Tree) -> list[int]:
    """Return the last prompt or answer and its subtree; nothing if it is not on the visible branch."""
    nodes = tree.nodes
    last = next(
        (number for number in range(len(nodes) - 1, -1, -1) if nodes[number].rows[0].kind in BRANCH_KINDS), None
    )
    if last is None or nodes[last].branch != MAIN:
        return []
    held = {last}
    for number in range(last + 1, len(nodes)):
        if nodes[number].parent in held:
            held.add(number)
    return sorted(held) if len(nodes) - 1 in held else []


def unpacked(stored: bytes | None) -> Tail | None:
    """Return a stored tail."""
    try:
        return msgspec.msgpack.decode(stored, type=Tail) if stored else None
    except msgspec.MsgspecError:
        return None
