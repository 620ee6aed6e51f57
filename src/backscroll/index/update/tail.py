"""The tail of a unit: the end of what was read of it, so that a transcript that only grew is read on from there.

A tail holds the last message that somebody said, and all that hangs on it.  New records that hang on these are
appended to the tables (`grow`).  A record that hangs on anything else, begins a second branch, or repeats an id that
came before means that the file is read again from its start.
"""

from collections.abc import Sequence

import msgspec

from backscroll.sessions.conversation import Conversation, ConversationReader
from backscroll.sessions.keys import is_rewriting_version
from backscroll.sessions.model import MAIN
from backscroll.sessions.rows import SPOKEN_KINDS, Row
from backscroll.sessions.tree import Said, Tree

MOST_ROWS = 200
"""A tail with more rows is not kept."""


class Tail(msgspec.Struct, array_like=True):
    """Where a transcript was left, and the messages that new records may hang on."""

    end: int
    next_line: int
    nodes: int
    """How many nodes the tree has."""
    numbers: list[int]
    """The numbers of the nodes that are held."""
    rows: list[Row]
    """Their rows, in file order."""
    said: Said
    """Counts the rows of the whole transcript."""


def packed(reader: ConversationReader, conversation: Conversation) -> bytes | None:
    """Return the tail of a conversation that was just read; None where it must be read anew when it grows."""
    tree, sources = conversation.tree, conversation.sources
    is_old = is_rewriting_version(next(reversed(conversation.facts.versions), None))
    if len(sources) != 1 or not sources[0].is_whole or conversation.inline or is_old:
        return None
    return pack(tree, range(len(tree.nodes)), reader.own.said, sources[0].end, sources[0].next_line)


def pack(tree: Tree, numbered: Sequence[int], said: Said, end: int, next_line: int) -> bytes | None:
    """Return the tail of a tree, or of the end of one; `numbered` are the numbers of its nodes."""
    numbers = _held(tree)
    rows = [row for number in numbers for row in (*tree.nodes[number].rows, *tree.nodes[number].repeats)]
    if not numbers or len(rows) > MOST_ROWS:
        return None
    rows.sort(key=lambda row: row.offset)
    tail = Tail(end, next_line, numbered[-1] + 1, [numbered[number] for number in numbers], rows, said)
    try:
        return msgspec.msgpack.encode(tail)
    except (ValueError, TypeError, OverflowError):  # lone surrogates, numbers beyond 64 bits
        return None


def _held(tree: Tree) -> list[int]:
    """Return the last node that was said, and all that hangs on it; none where that is not the visible branch."""
    nodes = tree.nodes
    last = next(
        (number for number in range(len(nodes) - 1, -1, -1) if nodes[number].rows[0].kind in SPOKEN_KINDS), None
    )
    if last is None or nodes[last].branch != MAIN:
        return []
    held = {last}
    for number in range(last + 1, len(nodes)):
        if nodes[number].parent in held:
            held.add(number)
    return sorted(held) if len(nodes) - 1 in held else []


def unpacked(stored: bytes | None) -> Tail | None:
    """Return a tail that was kept."""
    try:
        return msgspec.msgpack.decode(stored, type=Tail) if stored else None
    except msgspec.MsgspecError:
        return None
