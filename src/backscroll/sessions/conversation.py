"""Conversation: one session or one agent, read from its files into rows and trees.

Inline agents (chains of sidechain records inside a session's own file, as Claude Code wrote them up
to 1.0.x) are taken out of the session's rows and get trees of their own.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

import orjson
from msgspec import Struct

from backscroll.sessions.facts import Facts, Leaf
from backscroll.sessions.fingerprint import fingerprint
from backscroll.sessions.rows import Row, Rows, read_rows
from backscroll.sessions.source import Source
from backscroll.sessions.standing import packed, unpacked
from backscroll.sessions.tree import Tree, build_tree

INTERNAL_LABELS = ("acompact", "aside_question", "aprompt_suggestion", "aagent_summary", "aextract_memories")
WARM_UP = "Warmup"


class InlineAgent(Struct):
    """A chain of sidechain records inside a session's own transcript."""

    id: str
    tree: Tree


class Conversation(Struct):
    """The open sources of one session or agent, its facts, its tree, and the agents inside its files."""

    sources: list[Source]
    facts: Facts
    tree: Tree
    inline: list[InlineAgent] = []
    rows: list[Row] = []
    """The rows of all trees, in file order."""
    known: list[int] = []
    """Up to which byte each file was known from an earlier reading."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for source in self.sources:
            source.close()

    def value(self, row: Row) -> dict[str, Any]:
        """Decode the whole record behind a row."""
        return self.sources[row.source].value(row.offset, row.length)


def read_conversation(paths: Iterable[str], *, is_agent: bool = False, kept: bytes | None = None) -> Conversation:
    """Read the files that hold one session, or one agent, into a conversation; the caller closes it.

    `kept` is the standing of an earlier reading: where the files have only grown since, only what is new is read.
    """
    files = list(paths)
    standing = unpacked(kept) if kept else None
    if standing is None or not standing.fits(files):
        return _joined(read_rows([Source(path) for path in files]), is_agent=is_agent)
    sources = [reached.source() for reached in standing.reached]
    conversation = _joined(read_rows(sources, standing.rows, standing.facts), is_agent=is_agent)
    conversation.known = [reached.prefix[0] for reached in standing.reached]
    return conversation


def standing_of(conversation: Conversation) -> bytes | None:
    """Return what is kept to read on when the files have grown; None where they must be read anew in any case."""
    return packed(conversation.sources, conversation.rows, conversation.facts)


def _joined(found: Rows, *, is_agent: bool) -> Conversation:
    sources, facts, rows = found.sources, found.facts, found.rows
    content_key = _content_key(found)
    if is_agent:
        return Conversation(sources, facts, build_tree(rows, facts.leaf, content_key), rows=rows)
    own = [row for row in rows if not row.is_sidechain]
    leaf = _leaf_among(found, own)
    inline = [InlineAgent(name, build_tree(chain, None, content_key)) for name, chain in _inline_chains(rows)]
    return Conversation(sources, facts, build_tree(own, leaf, content_key), inline, rows)


def _leaf_among(found: Rows, own: list[Row]) -> Leaf | None:
    """Count the leaf's position in the session's own rows only."""
    leaf = found.facts.leaf
    if leaf is None or len(own) == len(found.rows):
        return leaf
    return Leaf(leaf.uuid, sum(not row.is_sidechain for row in found.rows[: leaf.position]))


def _inline_chains(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Sort sidechain rows into the chains of single agents: by agent id, else by the root they lead to."""
    chains: dict[str, list[Row]] = {}
    chain_of: dict[str, str] = {}
    for row in rows:
        if not row.is_sidechain:
            continue
        name = row.agent or chain_of.get(row.parent or "") or f"inline-{row.id[:8]}"
        chains.setdefault(name, []).append(row)
        if row.uuid:
            chain_of[row.uuid] = name
    return list(chains.items())


def _content_key(found: Rows) -> Any:
    """Return a function that gives equal keys to records that say the same, whatever repeats around them."""

    def key(row: Row) -> bytes:
        value = found.sources[row.source].value(row.offset, row.length)
        message = value.get("message")
        said = _plain(message.get("content")) if isinstance(message, dict) else message
        rest = [value.get(name) for name in ("type", "subtype", "content", "attachment", "data")]
        return fingerprint(orjson.dumps([said, rest], option=orjson.OPT_SORT_KEYS), 16)

    return key


def _plain(content: Any) -> Any:
    """Write a plain text as the list of one block that it becomes in copies."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def is_internal_agent(name: str | None, tree: Tree) -> bool:
    """Say whether an agent is a helper of the program: by its label, or by its warm-up prompt."""
    if name is not None and name.startswith(INTERNAL_LABELS):
        return True
    first = next((node.head for node in tree.nodes if node.head.is_spoken), None)
    return first is not None and first.label == WARM_UP
