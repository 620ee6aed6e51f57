"""Identity: find sessions with copies of the same messages, and their relation.

A fork shares its beginning with its parent and is a session of its own.  Claude Code up to 1.0.44
wrote all messages again under new ids on each resume: the earlier file is then only an earlier copy
of the same conversation.
"""

from msgspec import Struct

LATE = "~"
"""Sorts after every time, for records without a time."""


class Kin(Struct):
    """The fields of a session that matter for copies: its start and its messages."""

    id: str
    born: str | None
    """The start of the session, no earlier than the start of the sessions that it was forked from."""
    forked_from: str | None
    is_rewriting_version: bool = False
    """True if its version of Claude Code rewrote all messages on resume."""
    forks: int = 0
    """The number of stated forks that lead to it."""
    answers: set[bytes] = set()
    """Identities of its assistant messages."""
    messages: set[bytes] = set()
    """Identities of all its messages."""
    record_ids: set[bytes] = set()
    """Short forms of its records' own ids."""

    def is_earlier_than(self, other: "Kin") -> bool:
        """Return True if this session had the shared messages first; this order is total, so there are no cycles."""
        return (self.born or LATE, self.forks, self.id) < (other.born or LATE, other.forks, other.id)


def folded_into(session: Kin, others: list[Kin]) -> str | None:
    """Return the later session that contains this whole session, rewritten under new ids."""
    holders = [other for other in others if _is_rewritten_in(session, other)]
    return max(holders, key=lambda other: (len(other.messages), other.born or "", other.id)).id if holders else None


def _is_rewritten_in(session: Kin, other: Kin) -> bool:
    if not session.answers or not session.is_rewriting_version or other.forked_from:
        return False
    return (
        session.answers <= other.answers
        and session.is_earlier_than(other)
        and session.record_ids.isdisjoint(other.record_ids)
    )


def parent_of(session: Kin, others: list[Kin], stated: str | None) -> str | None:
    """Return the parent of a fork: the stated one, else the nearest session with the same beginning."""
    if stated is not None:
        return stated
    earlier = [other for other in others if other.is_earlier_than(session) and other.messages & session.messages]
    if not earlier:
        return None
    return max(earlier, key=lambda other: (len(other.messages & session.messages), other.born or "", other.id)).id


def copied_from(session: Kin, others: list[Kin]) -> dict[bytes, str]:
    """Return the original's session for each message that another session said first."""
    owners: dict[bytes, Kin] = {}
    for other in others:
        if not other.is_earlier_than(session):
            continue
        for key in other.messages & session.messages:
            if key not in owners or other.is_earlier_than(owners[key]):
                owners[key] = other
    return {key: owner.id for key, owner in owners.items()}
