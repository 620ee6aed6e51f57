"""Extracts: what the index keeps of a conversation in tables of its own, one entry per table.

A capability that needs something from every transcript adds one `Extract`: how to take its rows from
a conversation that is being read anyway, how to write them, and how to forget them.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from backscroll.sessions.called import called
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.digest import Digest, id_key, said, spends, synthetic_records
from backscroll.sessions.traces import traces

Row = tuple[Any, ...]


class Extract(NamedTuple):
    """One table of rows that belong to a unit; the unit's number is the first value of each row."""

    rows: Callable[[Conversation, Digest], Iterable[Row]]
    insert: str
    delete: str


def _spend_rows(conversation: Conversation, _: Digest) -> Iterator[Row]:
    for spend in spends(conversation):
        place = (spend.agent, spend.records, spend.source, spend.line)
        yield (spend.key, spend.request, spend.time, spend.is_copy, spend.model, *spend.tokens, *place)


def _said_rows(conversation: Conversation, _: Digest) -> Iterator[Row]:
    return said(conversation)


def _summary_rows(_: Conversation, digest: Digest) -> Iterator[Row]:
    return ((id_key(leaf), text) for leaf, text in digest.summaries.items())


def _call_rows(conversation: Conversation, digest: Digest) -> Iterator[Row]:
    return called(conversation, is_internal=digest.is_internal)


def _trace_rows(conversation: Conversation, digest: Digest) -> Iterator[Row]:
    return iter(()) if digest.is_internal else traces(conversation)


def _stated_rows(conversation: Conversation, _: Digest) -> Iterator[Row]:
    state, synthetic = conversation.facts.cost_state, synthetic_records(conversation)
    if state is not None or synthetic:
        yield (synthetic, state.cost if state else None, json.dumps(state.models) if state else None)


EXTRACTS = (
    Extract(
        _spend_rows,
        "INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "DELETE FROM spend WHERE unit = ?",
    ),
    Extract(_call_rows, "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", "DELETE FROM call WHERE unit = ?"),
    Extract(
        _trace_rows,
        "INSERT INTO trace VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "DELETE FROM trace WHERE unit = ?",
    ),
    Extract(_stated_rows, "INSERT INTO stated VALUES (?, ?, ?, ?)", "DELETE FROM stated WHERE unit = ?"),
    Extract(_said_rows, "INSERT INTO said VALUES (?, ?, ?, ?)", "DELETE FROM said WHERE unit = ?"),
    Extract(_summary_rows, "INSERT INTO summary VALUES (?, ?, ?)", "DELETE FROM summary WHERE unit = ?"),
)
