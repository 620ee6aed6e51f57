"""Find the transcripts that only grew, and append the rows of their new records in one transaction.

`Grower.grow` refuses if that would not give the same rows as reading the whole file; see `tail` and `growth`.
"""

import os
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from backscroll.index.schema import COLUMNS
from backscroll.index.update import tail
from backscroll.index.update.files import checks_of, state_of
from backscroll.index.update.growth import Growth, ReadFile
from backscroll.index.update.read import WordListener
from backscroll.index.update.units import Unit
from backscroll.index.update.write import UnitWriter, write_states
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.stores.base import Opener

NEVER = 1 << 61
"""A number after every quarter of an hour."""

MakeWords = Callable[[TranscriptSource, int, Callable[[str], str | None]], WordListener | None]
"""Makes the word listener for the end of a file; its argument returns the tool of an earlier call."""


class Grower:
    """Reads transcripts that grew."""

    def __init__(self, database: sqlite3.Connection, writer: UnitWriter, open_file: Opener, looked: int) -> None:
        self._database = database
        self._writer = writer
        self._open_file = open_file
        self._looked = looked

    def is_kept(self, unit: Unit, before: frozenset[str]) -> bool:
        """Return True if a unit still has the same single transcript with the same beginning."""
        paths = {file.path for file in (*unit.files, *unit.side_files)}
        if paths != before or len(unit.files) != 1:
            return False
        file = self._file(unit.files[0].path)
        if file is None or unit.files[0].size < file.end:
            return False
        return checks_of(unit.files[0].path, file.end, self._open_file) == file.checks

    def _file(self, path: str) -> ReadFile | None:
        row = self._database.execute(
            "SELECT id, end, checks, words, size, mtime, ctime, inode, device FROM file WHERE path = ?",
            (os.fsencode(path),),
        ).fetchone()
        if row is None or row[1] is None or not row[2]:
            return None
        number, end, checks, words, *state = row
        return ReadFile(number, end, checks, words, tuple(state))

    def grow(  # noqa: PLR0911 - each return is a reason to read the whole file
        self, unit: Unit, number: int, make_words: MakeWords | None
    ) -> "Grown | None":
        """Read the appended part of a unit; return None if the whole file must be read again."""
        file = self._file(unit.files[0].path)
        if file is None:
            return None
        if state_of(unit.files[0]) == file.state:
            return self._settle(unit, number)
        columns = COLUMNS["unit"]
        row = self._database.execute("SELECT * FROM unit WHERE id = ?", (number,)).fetchone()
        before = dict(zip(columns, row, strict=True))
        left = tail.unpacked(before["tail"])
        if left is None or left.end != file.end:
            return None
        growth = Growth(self._database, unit, before, left, file, self._open_file)
        words = None
        if make_words is not None and file.words == file.end:
            words = make_words(growth.source, file.number, growth.tool_of)
        if not growth.read(words):
            return None
        self._database.execute("BEGIN IMMEDIATE")
        try:
            (now,) = self._database.execute("SELECT tail FROM unit WHERE id = ?", (number,)).fetchone() or (None,)
            if now != before["tail"]:  # another process was faster
                self._database.rollback()
                return None
            growth.write()
            self._writer.write_files(unit, number, [growth.end])
            self._database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (before["session"],))
        except UnicodeEncodeError:  # only a read of the whole file cleans texts that no database can hold
            self._database.rollback()
            return None
        except BaseException:
            self._database.rollback()
            raise
        self._database.execute("COMMIT")
        return Grown(growth.records, growth.damage, words is not None, min(growth.quarters, default=NEVER))

    def _settle(self, unit: Unit, number: int) -> "Grown":
        """Record that a transcript is unchanged; the small files beside it may have changed."""
        files = (*unit.files, *unit.side_files)
        self._database.execute("BEGIN IMMEDIATE")
        (side, session) = self._database.execute("SELECT side, session FROM unit WHERE id = ?", (number,)).fetchone()
        if unit.side_facts() != side:
            self._database.execute("UPDATE unit SET side = ? WHERE id = ?", (unit.side_facts(), number))
            self._database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
        write_states(self._database, ((file.path, state_of(file)) for file in files), self._looked)
        self._database.execute("COMMIT")
        return Grown(0, 0, with_words=False, is_same=True)


class Grown(NamedTuple):
    """The number of new records and damaged places, and whether the words were added."""

    records: int
    damage: int
    with_words: bool
    since: int = 0
    """The first quarter of an hour with changed sums."""
    is_same: bool = False
    """True if the transcript is unchanged."""
