"""Extracts: what the index keeps of a conversation in tables of its own, one entry per table.

A capability that needs something from every transcript adds one `Extract`: how to take its rows from
a conversation that is being read anyway, how to write them, and how to forget them.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from backscroll.sessions.called import called
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.digest import Digest, id_key, said, spends, synthetic_records
from backscroll.sessions.traces import Trace, traces
from backscroll.value import NamedTuple

Row = tuple[Any, ...]


class Read(NamedTuple):
    """A conversation that has just been read, and for one that only grew what was known of it."""

    conversation: Conversation
    digest: Digest
    traces: Iterable[Trace] = ()
    """The traces in what was known of its files."""


class Extract(NamedTuple):
    """One table of rows that belong to a unit; the unit's number is the first value of each row.

    The rows of a unit are kept in the order in which they were taken.
    """

    rows: Callable[[Read], Iterable[Row]]
    insert: str
    held: str
    """Asks for all rows of a unit, the number of each first."""
    delete: str
    """Deletes the rows of a unit behind one of them."""
    mark: str | None = None
    """Marks the sessions that share any of a unit's rows behind one of them."""


def _spend_rows(read: Read) -> Iterator[Row]:
    for spend in spends(read.conversation):
        place = (spend.agent, spend.records, spend.source, spend.line)
        yield (spend.key, spend.request, spend.time, spend.is_copy, spend.model, *spend.tokens, *place)


def _said_rows(read: Read) -> Iterator[Row]:
    return said(read.conversation)


def _summary_rows(read: Read) -> Iterator[Row]:
    return ((id_key(leaf), text) for leaf, text in read.digest.summaries.items())


def _call_rows(read: Read) -> Iterator[Row]:
    return called(read.conversation, is_internal=read.digest.is_internal)


def _trace_rows(read: Read) -> Iterator[Row]:
    return iter(()) if read.digest.is_internal else traces(read.conversation, read.traces)


def _stated_rows(read: Read) -> Iterator[Row]:
    state, synthetic = read.conversation.facts.cost_state, synthetic_records(read.conversation)
    if state is not None or synthetic:
        yield (synthetic, state.cost if state else None, json.dumps(state.models) if state else None)


TRACES = Extract(
    _trace_rows,
    "INSERT INTO trace VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "SELECT rowid, * FROM trace WHERE unit = ? ORDER BY rowid",
    "DELETE FROM trace WHERE unit = ? AND rowid > ?",
)
EXTRACTS = (
    Extract(
        _spend_rows,
        "INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "SELECT rowid, * FROM spend WHERE unit = ? ORDER BY rowid",
        "DELETE FROM spend WHERE unit = ? AND rowid > ?",
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM spend AS mine JOIN spend AS theirs"
        " ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ? AND mine.rowid > ?",
    ),
    Extract(
        _call_rows,
        "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "SELECT rowid, * FROM call WHERE unit = ? ORDER BY rowid",
        "DELETE FROM call WHERE unit = ? AND rowid > ?",
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM call AS mine JOIN call AS theirs"
        " ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ? AND mine.rowid > ?",
    ),
    TRACES,
    Extract(
        _stated_rows,
        "INSERT INTO stated VALUES (?, ?, ?, ?)",
        "SELECT rowid, * FROM stated WHERE unit = ? ORDER BY rowid",
        "DELETE FROM stated WHERE unit = ? AND rowid > ?",
    ),
    Extract(
        _said_rows,
        "INSERT INTO said VALUES (?, ?, ?, ?)",
        "SELECT rowid, * FROM said WHERE unit = ? ORDER BY rowid",
        "DELETE FROM said WHERE unit = ? AND rowid > ?",
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM said AS mine JOIN said AS theirs"
        " ON theirs.key = mine.key JOIN unit ON unit.id = theirs.unit WHERE mine.unit = ? AND mine.rowid > ?",
    ),
    Extract(
        _summary_rows,
        "INSERT INTO summary VALUES (?, ?, ?)",
        "SELECT rowid, * FROM summary WHERE unit = ? ORDER BY rowid",
        "DELETE FROM summary WHERE unit = ? AND rowid > ?",
        "INSERT OR IGNORE INTO dirty SELECT DISTINCT unit.session FROM summary JOIN said ON said.last = summary.leaf"
        " JOIN unit ON unit.id = said.unit WHERE summary.unit = ? AND summary.rowid > ?",
    ),
)
