"""Folds: the sessions that are earlier copies of later ones, and that these contain."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from backscroll.index.update.derived.copies import Copies

_WORDS_MOVED = "UPDATE file SET words = 0 WHERE unit IN (SELECT id FROM unit WHERE session = ?) AND number IS NOT NULL"
"""The documents of a session belong to another one now."""


class Folds:
    """The table `fold`, as it was when this was made."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._targets: dict[str, str] = dict(database.execute("SELECT id, target FROM fold"))
        self._copies: dict[str, list[str]] = defaultdict(list)
        for copy, target in self._targets.items():
            self._copies[target].append(copy)

    def containers(self, name: str) -> list[str]:
        """Return all sessions that a session is an earlier copy of, directly or not; the nearest first."""
        found: list[str] = []
        target = self._targets.get(name)
        while target is not None and target not in found:
            found.append(target)
            target = self._targets.get(target)
        return found

    def copies_of(self, name: str) -> list[str]:
        """Return all earlier copies of a session, directly or not, in order of their ids."""
        copies: set[str] = set()
        pending = [name]
        while pending:
            new = {copy for copy in self._copies.get(pending.pop(), ()) if copy != name} - copies
            copies |= new
            pending += new
        return sorted(copies)

    def write(self, names: Iterable[str], copies: Copies) -> None:
        """Find and write which of some sessions are earlier copies."""
        for name in names:
            target, before = copies.folded_into(name), self._targets.get(name)
            if target == before:
                continue
            self._database.execute("DELETE FROM fold WHERE id = ?", (name,))
            if target is not None:
                self._database.execute("INSERT INTO fold VALUES (?, ?)", (name, target))
            if before is None or target is None:
                self._database.execute(_WORDS_MOVED, (name,))
