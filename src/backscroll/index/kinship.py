"""Kinship: which other sessions hold the same messages, asked of the index.

A session may share a message with thousands of others (an automation that forks one session for
every task).  Only the nearest of them in time and the first of all matter, so only those are looked at.
"""

import sqlite3
from bisect import bisect_left

import msgspec

from backscroll.sessions import identity
from backscroll.sessions.digest import OLD_COPY_VERSIONS, Digest
from backscroll.sessions.rows import ASSISTANT

NEAREST = 8
"""So many holders of a message are looked at on either side of a session, in the order of their beginnings."""
MOST_KEPT = 4096
MOST_SAID = 100_000
"""So many messages of sessions are remembered at a time."""

Rank = tuple[str, int, str]

_SHARED = (
    "SELECT key FROM said WHERE unit = ? AND EXISTS"
    " (SELECT 1 FROM said AS other WHERE other.key = said.key AND other.unit <> said.unit)"
)
_HOLDERS = (
    "SELECT DISTINCT unit.session FROM said JOIN unit ON unit.id = said.unit"
    " WHERE said.key = ? AND unit.kind = 'session'"
)
_UNIT = "SELECT id, born, digest FROM unit WHERE session = ? AND kind = 'session' ORDER BY id LIMIT 1"


class Kinship:
    """Answers about kinship, remembered as long as the index does not change."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._kin: dict[str, identity.Kin | None] = {}
        self._said = 0
        self._ranks: dict[str, Rank] = {}
        self._holders: dict[bytes, list[Rank]] = {}

    def of(self, name: str) -> identity.Kin | None:
        """Return a session as far as kinship matters; None where it has no transcript of its own.

        What was said in it is known once `relatives` has found any.
        """
        if name not in self._kin:
            if len(self._kin) >= MOST_KEPT or self._said >= MOST_SAID:
                self._kin.clear()
                self._said = 0
            self._kin[name] = self._read(name)
        return self._kin[name]

    def relatives(self, kin: identity.Kin) -> list[identity.Kin]:
        """Return the sessions nearest to this one, and the first of all, that hold any of the same messages."""
        unit = self._database.execute(_UNIT, (kin.id,)).fetchone()
        rank = self._rank(kin.id)
        names: set[str] = set()
        for (key,) in self._database.execute(_SHARED, (unit[0],)).fetchall() if unit else ():
            holders = self._holders_of(key)
            place = bisect_left(holders, rank)
            near = holders[max(0, place - NEAREST) : place + NEAREST + 1]
            names.update(name for _, _, name in (*near, holders[0]))
        names.discard(kin.id)
        if names:
            self._take_in_said(kin)
        return [self._take_in_said(relative) for name in sorted(names) if (relative := self.of(name))]

    def _holders_of(self, key: bytes) -> list[Rank]:
        """Return the sessions that hold a message, in the order in which they began."""
        if key not in self._holders:
            if len(self._holders) >= MOST_KEPT:
                self._holders.clear()
            names = self._database.execute(_HOLDERS, (key,)).fetchall()
            self._holders[key] = sorted(self._rank(name) for (name,) in names)
        return self._holders[key]

    def _read(self, name: str) -> identity.Kin | None:
        unit = self._database.execute(_UNIT, (name,)).fetchone()
        if unit is None:
            return None
        digest = msgspec.msgpack.decode(unit[2], type=Digest)
        born, forks, _ = self._rank(name)
        is_rewriting_version = (digest.version or "").startswith(OLD_COPY_VERSIONS)
        return identity.Kin(
            name, None if born == identity.LATE else born, digest.forked_from, is_rewriting_version, forks
        )

    def _take_in_said(self, kin: identity.Kin) -> identity.Kin:
        """Look up what was said in a session: most share nothing with any other, and are never asked."""
        if kin.messages:
            return kin
        unit = self._database.execute(_UNIT, (kin.id,)).fetchone()
        for key, last, role in self._database.execute("SELECT key, last, role FROM said WHERE unit = ?", (unit[0],)):
            kin.messages.add(key)
            if role == ASSISTANT:
                kin.answers.add(key)
                if last is not None:
                    kin.record_ids.add(last)
        self._said += len(kin.messages)
        return kin

    def _rank(self, name: str) -> Rank:
        """Return the place of a session in time: no earlier than those it was forked from, and after them."""
        if name not in self._ranks:
            unit = self._database.execute(_UNIT, (name,)).fetchone()
            born, forks = self._since(unit) if unit else (None, 0)
            self._ranks[name] = (born or identity.LATE, forks, name)
        return self._ranks[name]

    def _since(self, unit: tuple[int, str | None, bytes]) -> tuple[str | None, int]:
        born = unit[1]
        forked_from = msgspec.msgpack.decode(unit[2], type=Digest).forked_from
        seen: list[str] = []
        while forked_from is not None and forked_from not in seen:
            seen.append(forked_from)
            parent = self._database.execute(_UNIT, (forked_from,)).fetchone()
            if parent is None:
                break
            born = max(born, parent[1]) if born and parent[1] else None
            forked_from = msgspec.msgpack.decode(parent[2], type=Digest).forked_from
        return born, len(seen)
