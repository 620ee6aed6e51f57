"""Calls in several transcripts: the session that made each of them first, and the session with its result.

Copies of a call keep its id.  The rule is that of usage (docs/counting.md): not a stated copy, then the
earliest, then the file that began earliest.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from backscroll.index.update.derived.sums import FIRST

_HELD = f"""
SELECT key, name, session, agent, is_answered FROM (
  SELECT call.key, call.id AS name, unit.session, coalesce(call.agent, unit.agent) AS agent,
    call.outcome IS NOT NULL AS is_answered, call.is_copy, call.time, unit.born, call.rowid AS id
  FROM call JOIN unit ON unit.id = call.unit WHERE call.key IN (SELECT key FROM several)
) ORDER BY key, {FIRST}
"""
_HELD_BY_ALL = f"WITH several AS (SELECT key FROM call GROUP BY key HAVING count(*) > 1) {_HELD}"
_HELD_BY_SESSION = f"""
WITH several AS (
  SELECT DISTINCT call.key FROM unit JOIN call ON call.unit = unit.id WHERE unit.session = ? AND EXISTS
    (SELECT 1 FROM call AS other WHERE other.key = call.key AND other.rowid <> call.rowid)
) {_HELD}
"""


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call in one transcript."""

    key: bytes
    call: str
    session: str
    agent: str | None
    is_answered: bool

    @property
    def name(self) -> tuple[str, str | None, str]:
        """Its session, the agent that made it, and its id."""
        return self.session, self.agent, self.call


class SharedCalls:
    """The calls in several transcripts: of one session, or of all."""

    def __init__(self, database: sqlite3.Connection, session: str | None = None) -> None:
        self._containers = dict(database.execute("SELECT id, target FROM fold").fetchall())
        self._makers: dict[tuple[str, str | None, str], str] = {}
        self._further: set[tuple[str, str | None, str]] = set()
        self._answers: dict[tuple[str, str | None, str], str] = {}
        for holders in _by_key(database, session):
            self._take(holders)

    def _take(self, holders: list[HeldCall]) -> None:
        """Add all holders of one call, the first one first."""
        listed = [holder for holder in holders if holder.session not in self._containers]
        maker = self._container(holders[0].session)
        own = next((holder for holder in listed if holder.session == maker), listed[0] if listed else None)
        answer = next((holder.session for holder in holders if holder.is_answered), None)
        for holder in holders:
            self._makers[holder.name] = maker
            if holder is not own:
                self._further.add(holder.name)
            if answer is not None and not holder.is_answered:
                self._answers[holder.name] = answer

    def _container(self, session: str) -> str:
        """Return the session that contains an earlier copy; any other session returns itself."""
        seen = {session}
        while (target := self._containers.get(session)) is not None and target not in seen:
            session = target
            seen.add(session)
        return session

    def maker(self, session: str, agent: str | None, call: str) -> str:
        """Return the session that made a call."""
        return self._makers.get((session, agent, call), session)

    def is_further(self, session: str, agent: str | None, call: str) -> bool:
        """Return True if another transcript holds the call for the session that made it."""
        return (session, agent, call) in self._further

    def answered_in(self, session: str, agent: str | None, call: str) -> str | None:
        """Return the session with the result of a call that has none here."""
        return self._answers.get((session, agent, call))


def _by_key(database: sqlite3.Connection, session: str | None) -> Iterator[list[HeldCall]]:
    rows = database.execute(_HELD_BY_ALL) if session is None else database.execute(_HELD_BY_SESSION, (session,))
    found = (HeldCall(key, call, name, agent, bool(is_answered)) for key, call, name, agent, is_answered in rows)
    for _, holders in groupby(found, key=attrgetter("key")):
        yield list(holders)
