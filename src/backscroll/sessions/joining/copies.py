"""Identity: which sessions hold copies of the same messages, and what they are to each other.

A fork shares its beginning with the session it left and is a session of its own.  A resume of
Claude Code up to 1.0.44 wrote everything said so far again under new ids: the earlier file is then
only an earlier copy of the same conversation.
"""

from msgspec import Struct

LATE = "~"
"""Sorts behind every time: the place of what has no time."""


class Kin(Struct):
    """The fields of a session that matter for copies: its start and its messages."""

    id: str
    born: str | None
    """When it began, and no earlier than those it was forked from."""
    forked_from: str | None
    is_rewriting_version: bool = False
    """Made by a Claude Code that rewrote everything on resume."""
    forks: int = 0
    """How many stated forks lead to it."""
    answers: set[bytes] = set()
    """Identities of its assistant messages."""
    messages: set[bytes] = set()
    """Identities of all its messages."""
    record_ids: set[bytes] = set()
    """Short forms of its records' own ids."""

    def is_earlier_than(self, other: "Kin") -> bool:
        """Return True if this session was first to hold the shared messages: one order for all, without cycles."""
        return (self.born or LATE, self.forks, self.id) < (other.born or LATE, other.forks, other.id)


def folded_into(session: Kin, others: list[Kin]) -> str | None:
    """Return the later session that contains all of this one, rewritten under new ids."""
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
    """Return the session that this one was forked from: as stated, else the nearest that shares its beginning."""
    if stated is not None:
        return stated
    earlier = [other for other in others if other.is_earlier_than(session) and other.messages & session.messages]
    if not earlier:
        return None
    return max(earlier, key=lambda other: (len(other.messages & session.messages), other.born or "", other.id)).id


def copied_from(session: Kin, others: list[Kin]) -> dict[bytes, str]:
    """Return for each message of the session that was said elsewhere first, where that was."""
    owners: dict[bytes, Kin] = {}
    for other in others:
        if not other.is_earlier_than(session):
            continue
        for key in other.messages & session.messages:
            if key not in owners or other.is_earlier_than(owners[key]):
                owners[key] = other
    return {key: owner.id for key, owner in owners.items()}
