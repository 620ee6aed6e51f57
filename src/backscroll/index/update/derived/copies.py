"""Copies: the other sessions with the same messages, and their relation.

A session may share a message with thousands of others (an automation that forks one session for
every task).  Only the nearest of them in time and the first of all matter, so we look only at those.
"""

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from backscroll.sessions.joining import copies as identity
from backscroll.sessions.transcript.keys import is_rewriting_version
from backscroll.sessions.transcript.rows import ASSISTANT

NEAREST = 8
"""The number of holders of a message to check before and after a session, in order of their start."""
MOST_KEPT = 4096
MOST_SAID = 100_000
"""The number of messages to cache at a time."""

Rank = tuple[str, int, str]
Unit = tuple[int, str | None, str | None, str | None]
"""Number, start of its file, the session that it was forked from, and the version that wrote it."""

_SHARED = (
    "SELECT key FROM message WHERE key IN (SELECT key FROM message WHERE unit = ?)"
    " GROUP BY key HAVING min(unit) <> max(unit)"
)
_SHARING = (
    "WITH asked AS (SELECT id, session FROM unit WHERE session IN (SELECT value FROM json_each(?)))"
    " SELECT DISTINCT asked.session FROM asked JOIN message ON message.unit = asked.id WHERE message.key IN ("
    " SELECT key FROM message WHERE key IN (SELECT key FROM asked JOIN message ON message.unit = asked.id)"
    " GROUP BY key HAVING min(unit) <> max(unit))"
)
_HOLDERS = (
    "SELECT DISTINCT unit.session FROM message JOIN unit ON unit.id = message.unit"
    " WHERE message.key = ? AND unit.kind = 'session'"
)
_UNIT = "SELECT id, born, forked_from, version FROM unit WHERE session = ? AND kind = 'session' ORDER BY id LIMIT 1"


class Copies:
    """Finds copies; it caches results as long as the catalogue does not change."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._sharing: set[str] | None = None
        self._looked_for: set[str] = set()
        self._kin: dict[str, identity.Kin | None] = {}
        self._said = 0
        self._ranks: dict[str, Rank] = {}
        self._holders: dict[bytes, list[Rank]] = {}

    def look_for_sharing(self, names: Iterable[str]) -> None:
        """Find all sessions that share messages with others, with one query; the others need no further queries."""
        asked = [name for name in names if name not in self._looked_for]
        self._sharing = self._sharing or set()
        if asked:
            self._looked_for.update(asked)
            self._sharing.update(name for (name,) in self._database.execute(_SHARING, (json.dumps(asked),)))

    def folded_into(self, name: str) -> str | None:
        """Return the later session that contains a whole session, rewritten under new ids."""
        kin = self._of(name) if self._is_sharing(name) else None
        return identity.folded_into(kin, self._relatives(kin)) if kin else None

    def origin_of(self, name: str, copies: Iterable[str], forked_from: str | None) -> tuple[str | None, int]:
        """Return the parent of a forked session, and the number of its messages that others said first.

        `copies` are its own earlier copies, `forked_from` is the session that its records name.
        """
        kin = self._of(name) if self._is_sharing(name) else None
        stated = self._stated_copies(name) if forked_from is not None else {}
        if kin is None:
            return forked_from, self._count(name, stated)
        own = set(copies)
        others = [other for other in self._relatives(kin) if other.id not in own]
        copied = stated | identity.copied_from(kin, others)
        return identity.parent_of(kin, others, kin.forked_from), self._count(name, copied)

    def _count(self, name: str, keys: Mapping[bytes, str]) -> int:
        """Count the messages of a session with some keys; two answers under one id have the same key."""
        unit = self._unit(name) if keys else None
        rows = self._database.execute("SELECT key FROM message WHERE unit = ?", unit[:1]) if unit else ()
        return sum(key in keys for (key,) in rows)

    def copied_from(self, name: str, copies: Iterable[str]) -> dict[bytes, str]:
        """Return the session of the original for each copied message of a session."""
        kin = self._of(name)
        if kin is None:
            return {}
        own = set(copies)
        others = [item for item in self._relatives(kin) if item.id not in own]
        return self._stated_copies(name) | identity.copied_from(kin, others)

    def _stated_copies(self, name: str) -> dict[bytes, str]:
        """Return the messages whose records call themselves copies, and the forked session."""
        unit = self._unit(name)
        if unit is None or unit[2] is None or self._claims_circle(name, unit[2]):
            return {}
        rows = self._database.execute("SELECT key FROM message WHERE unit = ? AND is_copy", unit[:1])
        return dict.fromkeys((key for (key,) in rows), unit[2])

    def _claims_circle(self, name: str, parent: str) -> bool:
        """Return True if a session claims to be a fork of itself, or of a fork of itself."""
        other = self._unit(parent)
        return name == parent or (other is not None and other[2] == name)

    def _is_sharing(self, name: str) -> bool:
        return self._sharing is None or name in self._sharing

    def _of(self, name: str) -> identity.Kin | None:
        """Return the fields of a session that matter for copies; None if it has no transcript of its own.

        Its messages are known once `_relatives` has found any.
        """
        if name not in self._kin:
            if len(self._kin) >= MOST_KEPT or self._said >= MOST_SAID:
                self._kin.clear()
                self._said = 0
            self._kin[name] = self._read(name)
        return self._kin[name]

    def _relatives(self, kin: identity.Kin) -> list[identity.Kin]:
        """Return the nearest sessions with any of the same messages, and the first of all."""
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
            self._load_messages(kin)
        return [self._load_messages(relative) for name in sorted(names) if (relative := self._of(name))]

    def _unit(self, name: str) -> Unit | None:
        found: Unit | None = self._database.execute(_UNIT, (name,)).fetchone()
        return found

    def _holders_of(self, key: bytes) -> list[Rank]:
        """Return the sessions with a message, in order of their start."""
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

    def _load_messages(self, kin: identity.Kin) -> identity.Kin:
        """Look up the messages of a session; most sessions share none and never need this."""
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
        """Return the position of a session in time: not before the sessions that it was forked from."""
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
