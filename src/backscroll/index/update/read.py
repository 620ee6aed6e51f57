"""Read one unit in one pass: decode each record once, and make the rows of all tables from that.

Input: the files of a session or an agent.  Output: the columns of its row in `unit`, and the rows of all tables
that belong to it.  A word listener, if given, gets the same records.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from backscroll.index.schema import COLUMNS, UNIT_TABLES
from backscroll.index.update import tail
from backscroll.index.update.extract import Extract, Rows, change_row, damage_row
from backscroll.index.update.files import checks_in
from backscroll.place import Place
from backscroll.records import Damage, Record, fault
from backscroll.sessions.file_changes.changes import FileChanges
from backscroll.sessions.transcript.conversation import Conversation, ConversationReader
from backscroll.sessions.transcript.heads import Head
from backscroll.sessions.transcript.keys import Keys
from backscroll.sessions.transcript.rows import Row
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import Node
from backscroll.stores.base import Opener

FileEnd = tuple[int, bytes]

_NOTHING: dict[str, Any] = {
    **dict.fromkeys(COLUMNS["unit"]),
    **dict.fromkeys(("bytes", "record_bytes", "damage_bytes", "blank_bytes", "records", "messages", "prompts"), 0),
    **dict.fromkeys(("calls", "branches", "compactions", "synthetic", "is_branched", "is_internal"), 0),
    "cwds": "[]",
    "models": "[]",
}
"""The columns of an unread unit."""


class WordListener(Protocol):
    """Adds a unit to the full-text index while it is read."""

    def begin(self, source: int) -> None:
        """Expect records of another source from now on."""

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Add a record."""

    def finish(self, conversation: Conversation) -> None:
        """Add the entries that are known only at the end."""


class Reading(NamedTuple):
    """The result of reading one unit."""

    columns: dict[str, Any]
    rows: Rows
    ends: list[FileEnd]
    """The end of the read part of each file, and the checks of its bytes up to there."""


class ListenerPair:
    """Passes each record to two listeners."""

    def __init__(self, one: FileChanges, other: WordListener) -> None:
        self._listeners = (one, other)

    def begin(self, source: int) -> None:
        """Expect records of another source from now on."""
        for listener in self._listeners:
            listener.begin(source)

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Pass a record on."""
        for listener in self._listeners:
            listener.hear(record, head, row, node, agent)


def read_unit(
    paths: Sequence[str],
    files: Sequence[int],
    agent: str | None,
    open_file: Opener,
    make_words: Callable[[list[TranscriptSource]], WordListener] | None = None,
) -> Reading:
    """Read the files of one unit; `files` are their numbers.  Everything unreadable becomes damage."""
    sources = [TranscriptSource(path, open_file) for path in paths]
    keys = Keys(paths)
    changes = FileChanges(sources, keys)
    words = make_words(sources) if make_words is not None else None
    reader = ConversationReader(
        sources, is_agent=agent is not None, listener=ListenerPair(changes, words) if words else changes
    )
    with reader.read() as conversation:
        if words is not None:
            words.finish(conversation)
        extract = Extract(conversation, files, keys)
        columns, rows = extract.columns(agent), extract.rows()
        if columns["is_internal"]:
            rows["call"] = []
        else:
            cwds = list(conversation.facts.cwds)
            rows["change"] = [change_row(change, files) for change in changes.changes(cwds)]
        columns["tail"] = tail.packed(reader, conversation)
        return Reading(columns, rows, [end_of(source, source.settled) for source in sources])


def end_of(source: TranscriptSource, end: int) -> FileEnd:
    """Return the end of the read part of a file, with the checks that show later if it only grew."""
    try:
        return end, checks_in(source.read_stored, end)
    except OSError:
        return end, b""


def failed(paths: Sequence[str], error: Exception) -> Reading:
    """Return the reading of a unit that raised an unexpected exception: damage, and nothing else."""
    damage = [damage_row(Damage(Place(path), fault(error, "reading it")), is_note=False) for path in paths[-1:]]
    rows: Rows = {**dict.fromkeys(UNIT_TABLES, ()), "damage": damage}
    return Reading(dict(_NOTHING), rows, [(0, b"")] * len(paths))
