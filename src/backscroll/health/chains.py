"""Find the messages that a resume reaches.

Claude Code starts at the last message and goes from parent to parent until there is none.
A missing parent ends the walk early, and one id for two records makes it skip or repeat messages.
Only sessions whose links look broken in the catalogue are read again, and only the heads of their records.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import UNSET

from backscroll.health.surroundings import CheckResult, Surroundings
from backscroll.index.health_facts import MainRecord, main_records
from backscroll.place import Place
from backscroll.sessions.session import Session
from backscroll.sessions.transcript.heads import head_of
from backscroll.sessions.transcript.rows import BOUNDARY
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.stores.base import Opener

LINKED = frozenset({"user", "assistant", "attachment", "system", "progress"})
"""The types of records that have parents."""
MANY_BRANCHES = 50
"""A person who goes back does not make this many branches."""


class Link(NamedTuple):
    """A record with its links."""

    uuid: str
    parent: str | None
    type: str
    line: int
    offset: int
    length: int


class Reach(NamedTuple):
    """The part of a conversation that a resume reaches."""

    reached: int
    total: int
    cause: str
    place: Place

    @property
    def is_broken(self) -> bool:
        """Return True if a resume misses messages."""
        return self.reached < self.total


def transcript_of(session: Session) -> str | None:
    """Return the transcript that Claude Code resumes."""
    paths = [path for path in session.transcripts if path.endswith(".jsonl")]
    return next((path for path in paths if path.endswith(f"/{session.id}.jsonl")), paths[0] if paths else None)


def links(path: str, open_file: Opener) -> Iterator[Link]:
    """Yield the linked records of a transcript, agents excluded."""
    with TranscriptSource(path, open_file) as source:
        for record in source.heads():
            head = head_of(record.value)
            if head.uuid is None or head.isSidechain or head.type not in LINKED:
                continue
            parent = None if head.parentUuid is UNSET else head.parentUuid
            yield Link(head.uuid, parent or None, head.type or "", record.line, record.offset, record.length)


def reach_of(path: str, main: list[MainRecord], open_file: Opener) -> Reach | None:
    """Walk like a resume; return the reached share of the messages since the last compaction, or None without any."""
    boundaries = [item.node for item in main if item.kind == BOUNDARY]
    since = [item for item in main if item.is_spoken and item.node > max(boundaries, default=-1)]
    found = list(links(path, open_file))
    if not since or not found:
        return None
    walked, cause, last = _walk(found)
    reached = {item.node for item in since if item.offset in walked}
    missed = [item.offset for item in since if item.node not in reached]
    if missed and last.offset < min(missed):  # it skipped them: the first record after them names an old parent
        last = next((link for link in found if link.offset in walked and link.offset > max(missed)), last)
        cause = "continues from an old record and skips the others"
    place = Place(path, last.line, last.offset, last.length)
    return Reach(len(reached), len({item.node for item in since}), cause, place)


def _walk(found: list[Link]) -> tuple[set[int], str, Link]:
    """Return the offsets of the records that a resume reaches, the reason why it stops, and its last record."""
    known = {link.uuid: link for link in found}  # of two records with one id, Claude Code keeps the last
    current = next((link for link in reversed(found) if link.type in ("user", "assistant")), found[-1])
    walked: set[int] = set()
    while current.offset not in walked:
        walked.add(current.offset)
        if current.parent is None:
            return walked, "starts a new conversation", current
        if current.parent not in known:
            return walked, "names a parent that does not exist", current
        current = known[current.parent]
    return walked, "its parents form a cycle", current


def chain(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that a resume misses a part of the conversation."""
    path = transcript_of(session)
    if path is not None and session.id in around.suspects:
        reach = reach_of(path, main_records(around.database, session.id, path), around.open_file)
        if reach is not None and reach.is_broken:
            share = 100 * reach.reached / reach.total
            text = (
                f"A resume reaches {reach.reached:,} of {reach.total:,} messages ({share:.3g} %):"
                f" line {reach.place.line:,} {reach.cause}."
            )
            yield CheckResult("warning", text, reach.place)
            return
    if session.branches >= MANY_BRANCHES:
        text = f"The conversation has {session.branches:,} branches, and a resume continues only one of them."
        yield CheckResult("note", text, remedy="tree {id}")
