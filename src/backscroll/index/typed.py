"""Typed: which prompts messages hold, so that a history adds only those that none does.

The ledger keeps a number for every prompt of a transcript, made of its letters and digits alone: a history knows
what was typed, a transcript what was sent.
"""

import json
import sqlite3
from functools import cached_property
from typing import TYPE_CHECKING

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.sessions import prompts
else:
    prompts = lazily("backscroll.sessions.prompts")

NEAR = 60 * 60 * 1000
"""Milliseconds that may lie between typing and sending: what is typed while Claude works waits in a queue."""


class Typed:
    """The prompts of all transcripts that are in the index."""

    def __init__(self, database: sqlite3.Connection, ledger: sqlite3.Connection) -> None:
        self._database = database
        self._ledger = ledger

    def holds(self, text: str, session: str | None, project: str | None, time: int | None) -> bool:
        """Say whether a message is this prompt: of the session, else of that time or, without a session, project."""
        rows = self._ledger.execute("SELECT session, time FROM prompt WHERE said = ?", (prompts.said_key(text),))
        for name, moment in rows:
            if session is not None and name == session:
                return True
            if time is not None and moment is not None and abs(time - moment) <= NEAR:
                return True
            if session is None and project is not None and self._project_of(name) == project:
                return True
        return False

    def is_known(self, session: str | None) -> bool:
        """Say whether there is such a session, under this id or a later one."""
        return session in self._sessions

    @cached_property
    def _sessions(self) -> set[str]:
        merged = self._database.execute("SELECT value FROM meta WHERE name = 'merged'").fetchone()
        names = {name for (name,) in self._database.execute("SELECT id FROM session")}
        return names | (json.loads(merged[0]).keys() if merged else set())

    def _project_of(self, session: str) -> str | None:
        row = self._database.execute("SELECT cwd FROM session WHERE id = ?", (session,)).fetchone()
        return row[0] if row else None


def state(ledger: sqlite3.Connection) -> str:
    """Return what changes whenever a prompt is added or deleted."""
    return repr(ledger.execute("SELECT count(*), max(id) FROM prompt").fetchone())
