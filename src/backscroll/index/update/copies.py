"""Copies: which other sessions hold the same messages, and what they are to each other.

A session may share a message with thousands of others (an automation that forks one session for
every task).  Only the nearest of them in time and the first of all matter, so only those are looked at.
"""

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable

from backscroll.sessions import identity
from backscroll.sessions.keys import is_rewriting_version
from backscroll.sessions.rows import ASSISTANT

NEAREST = 8
"""So many holders of a message are looked at on either side of a session, in the order of their beginnings."""
MOST_KEPT = 4096
MOST_SAID = 100_000
"""So many messages of sessions are remembered at a time."""

Rank = tuple[str, int, str]
Unit = tuple[int, str | None, str | None, str | None]
"""Number, when its file began, the session that it was forked from, and the version that wrote it."""

_SHARING = (
    "SELECT DISTINCT unit.session FROM unit JOIN message ON message.unit = unit.id"
    " WHERE unit.session IN (SELECT value FROM json_each(?)) AND EXISTS"
    " (SELECT 1 FROM message AS other WHERE other.key = message.key AND other.unit <> message.unit)"
)
_SHARED = (
    "SELECT key FROM message WHERE unit = ? AND EXISTS"
    " (SELECT 1 FROM message AS other WHERE other.key = message.key AND other.unit <> message.unit)"
)
_HOLDERS = (
    "SELECT DISTINCT unit.session FROM message JOIN unit ON unit.id = message.unit"
    " WHERE message.key = ? AND unit.kind = 'session'"
)
_UNIT = "SELECT id, born, forked_from, version FROM unit WHERE session = ? AND kind = 'session' ORDER BY id LIMIT 1"


class Copies:
    """Answers about copies, remembered as long as the catalogue does not change."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._sharing: set[str] | None = None
        self._kin: dict[str, identity.Kin | None] = {}
        self._said = 0
        self._ranks: dict[str, Rank] = {}
        self._holders: dict[bytes, list[Rank]] = {}

    def look_for_sharing(self, names: Iterable[str]) -> None:
        """Find out at once which sessions share messages with others: of these alone anything else is asked."""
        self._sharing = {name for (name,) in self._database.execute(_SHARING, (json.dumps(list(names)),))}

    def folded_into(self, name: str) -> str | None:
        """Return the later session that contains all of a session, rewritten under new ids."""
        kin = self._of(name) if self._is_sharing(name) else None
        return identity.folded_into(kin, self._relatives(kin)) if kin else None

    def origin_of(self, name: str, copies: Iterable[str], forked_from: str | None) -> tuple[str | None, int]:
        """Return the session that a session was forked from, and how many of its messages were said elsewhere first.

        `copies` are its own earlier copies, `forked_from` is the session that its records name.
        """
        kin = self._of(name) if self._is_sharing(name) else None
        if kin is None:
            return forked_from, 0
        own = set(copies)
        others = [other for other in self._relatives(kin) if other.id not in own]
        return identity.parent_of(kin, others, kin.forked_from), len(identity.copied_from(kin, others))

    def copied_from(self, name: str, copies: Iterable[str]) -> dict[bytes, str]:
        """Return for each message of a session that was said elsewhere first, where that was."""
        kin = self._of(name)
        own = set(copies)
        return identity.copied_from(kin, [item for item in self._relatives(kin) if item.id not in own]) if kin else {}

    def _is_sharing(self, name: str) -> bool:
        return self._sharing is None or name in self._sharing

    def _of(self, name: str) -> identity.Kin | None:
        """Return a session as far as copies matter; None where it has no transcript of its own.

        What was said in it is known once `_relatives` has found any.
        """
        if name not in self._kin:
            if len(self._kin) >= MOST_KEPT or self._said >= MOST_SAID:
                self._kin.clear()
                self._said = 0
            self._kin[name] = self._read(name)
        return self._kin[name]

    def _relatives(self, kin: identity.Kin) -> list[identity.Kin]:
        """Return the sessions nearest to this one, and the first of all, that hold any of the same messages."""
        unit = self._unit(kin.id)
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
        return [self._take_in_said(relative) for name in sorted(names) if (relative := self._of(name))]

    def _unit(self, name: str) -> Unit | None:
        found: Unit | None = self._database.execute(_UNIT, (name,)).fetchone()
        return found

    def _holders_of(self, key: bytes) -> list[Rank]:
        """Return the sessions that hold a message, in the order in which they began."""
        if key not in self._holders:
            if len(self._holders) >= MOST_KEPT:
                self._holders.clear()
            names = self._database.execute(_HOLDERS, (key,)).fetchall()
            self._holders[key] = sorted(self._rank(name) for (name,) in names)
        return self._holders[key]

    def _read(self, name: str) -> identity.Kin | None:
        unit = self._unit(name)
        if unit is None:
            return None
        born, forks, _ = self._rank(name)
        return identity.Kin(
            name, None if born == identity.LATE else born, unit[2], is_rewriting_version(unit[3]), forks
        )

    def _take_in_said(self, kin: identity.Kin) -> identity.Kin:
        """Look up what was said in a session: most share nothing with any other, and are never asked."""
        unit = self._unit(kin.id)
        if kin.messages or unit is None:
            return kin
        for key, last, kind in self._database.execute("SELECT key, last, kind FROM message WHERE unit = ?", unit[:1]):
            kin.messages.add(key)
            if kind == ASSISTANT:
                kin.answers.add(key)
                if last is not None:
                    kin.record_ids.add(last)
        self._said += len(kin.messages)
        return kin

    def _rank(self, name: str) -> Rank:
        """Return the place of a session in time: no earlier than those it was forked from, and after them."""
        if name not in self._ranks:
            unit = self._unit(name)
            born, forks = self._since(unit) if unit else (None, 0)
            self._ranks[name] = (born or identity.LATE, forks, name)
        return self._ranks[name]

    def _since(self, unit: Unit) -> tuple[str | None, int]:
        _, born, forked_from, _ = unit
        seen: list[str] = []
        while forked_from is not None and forked_from not in seen:
            seen.append(forked_from)
            parent = self._unit(forked_from)
            if parent is None:
                break
            born = max(born, parent[1]) if born and parent[1] else None
            forked_from = parent[2]
        return born, len(seen)
