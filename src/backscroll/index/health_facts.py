"""Facts of the catalogue that the checks of `doctor` need, and the soundness of an index file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from os import fsencode
from pathlib import Path
from typing import NamedTuple

from backscroll.files import read_at
from backscroll.index.db import open_in_memory
from backscroll.index.integrity import is_sound
from backscroll.index.queries.sessions import path_of
from backscroll.index.schema import VERSION
from backscroll.place import Place
from backscroll.sessions.transcript.rows import SPOKEN_KINDS
from backscroll.sessions.transcript.tree import CONTINUE_TEXT, CYCLE, GAP
from backscroll.stores.base import Opener
from backscroll.times import parse

_UNANSWERED = "SELECT session, sum(unanswered) FROM tool_sum GROUP BY session HAVING sum(unanswered) > 0"
_FIRST_UNANSWERED = (
    "SELECT file.path, call.offset, call.length, EXISTS (SELECT 1 FROM record AS own JOIN record AS later"
    " ON later.unit = own.unit AND later.agent = own.agent AND later.branch = own.branch AND later.node > own.node"
    " AND later.kind = 'assistant' WHERE own.unit = call.unit AND own.agent = coalesce(call.agent, '')"
    " AND own.node = call.node AND own.part = 0)"
    " FROM unit JOIN call ON call.unit = unit.id"
    " JOIN file ON file.id = call.file WHERE unit.session = ? AND call.outcome IS NULL AND NOT call.is_copy"
    " ORDER BY unit.agent IS NOT NULL, call.rowid LIMIT 1"
)
_KNOWN = (
    "SELECT id FROM session UNION SELECT id FROM fold UNION SELECT session FROM unit"
    " UNION SELECT name.value FROM desktop_row, json_each(desktop_row.names) AS name"
)
_FILES = (
    "SELECT path FROM file WHERE (:kind IS NULL OR kind = :kind) AND (:config IS NULL OR config = :config)"
    " AND kind != 'gone' ORDER BY path"
)
_CONFIGS = "SELECT DISTINCT config FROM file WHERE config IS NOT NULL AND kind = 'transcript' ORDER BY config"
_TOTALS = "SELECT count(*), coalesce(sum(size), 0) FROM file WHERE kind != 'gone'"
_AGES = "SELECT id, mtime, config, released FROM session WHERE mtime IS NOT NULL AND config IS NOT NULL"
_VERSIONS = "SELECT version, max(updated) FROM unit WHERE version IS NOT NULL AND updated IS NOT NULL GROUP BY version"
_BESIDE = (
    "SELECT session, kind, min(path), count(*) FROM file WHERE session IS NOT NULL AND unit IS NULL AND kind != 'gone'"
    " GROUP BY session, kind ORDER BY session, kind"
)
_OWN_RECORDS = " FROM record JOIN unit ON unit.id = record.unit WHERE unit.agent IS NULL AND record.agent = ''"
_MARKS = f"SELECT DISTINCT unit.session, record.marks{_OWN_RECORDS} AND record.marks IS NOT NULL"
_DOUBLED = (
    f"SELECT DISTINCT session FROM (SELECT unit.session AS session{_OWN_RECORDS}"
    " AND record.id IS NOT NULL AND NOT record.is_repeat GROUP BY record.unit, record.id HAVING count(*) > 1)"
)
_SHORT_NOTICES = (
    "SELECT unit.session, file.path, record.offset, record.length FROM record JOIN unit ON unit.id = record.unit"
    " JOIN file ON file.id = record.file WHERE unit.agent IS NULL AND record.agent = '' AND record.branch = 'main'"
    " AND record.kind IN ('meta', 'notice') AND record.length < 1500 ORDER BY file.path, record.offset"
)
_MAIN = (
    "SELECT record.node, record.kind, record.offset, record.line, record.length FROM record"
    " JOIN unit ON unit.id = record.unit JOIN file ON file.id = record.file"
    " WHERE unit.session = ? AND unit.agent IS NULL AND record.agent = '' AND record.branch = 'main'"
    " AND file.path = ? AND NOT record.is_repeat ORDER BY record.node, record.part"
)
_AFTER = (
    "SELECT count(*) FROM record JOIN file ON file.id = record.file JOIN unit ON unit.id = record.unit"
    " WHERE unit.session = ? AND file.path = ? AND record.offset > ?"
)
_TRANSCRIPTS = (
    "SELECT file.path, file.size, file.session FROM file WHERE kind IN ('transcript', 'earlier', 'superseded', 'agent')"
    " ORDER BY mtime DESC, path"
)
_ACCOUNTS = "SELECT session, account FROM unit WHERE agent IS NULL AND account IS NOT NULL ORDER BY session"
_AGENT_MESSAGES = "SELECT max(messages) FROM agent WHERE session = :session AND substr(id, 1, length(:label)) = :label"
_WITH_PERSON = "SELECT path FROM desktop_row WHERE person != '{}' ORDER BY path"


class SessionAge(NamedTuple):
    """The facts that decide when the clean-up deletes a transcript."""

    mtime: float
    config: str
    released: str | None


class Unanswered(NamedTuple):
    """The calls of a session without a result."""

    calls: int
    place: Place | None
    """The place of the first call."""
    goes_on: bool
    """True if the model answered after that call, on the same branch."""


class MainRecord(NamedTuple):
    """A record of the visible branch."""

    node: int
    kind: str
    offset: int
    line: int | None
    length: int

    @property
    def is_spoken(self) -> bool:
        """True if it is part of the conversation of people and model."""
        return self.kind in SPOKEN_KINDS


def unanswered(database: sqlite3.Connection) -> dict[str, Unanswered]:
    """Return session to its calls without a result."""
    found = {}
    for session, calls in database.execute(_UNANSWERED).fetchall():
        first = database.execute(_FIRST_UNANSWERED, (session,)).fetchone()
        place = Place(path_of(first[0]), None, *first[1:3]) if first else None
        found[session] = Unanswered(calls, place, goes_on=bool(first and first[3]))
    return found


def ages(database: sqlite3.Connection) -> dict[str, SessionAge]:
    """Return session to the facts that decide when the clean-up deletes its transcript."""
    return {name: SessionAge(*values) for name, *values in database.execute(_AGES)}


def versions(database: sqlite3.Connection) -> dict[str, datetime]:
    """Return version of Claude Code to the last time that it wrote a transcript."""
    found = ((version, parse(updated)) for version, updated in database.execute(_VERSIONS))
    return {version: moment for version, moment in found if moment is not None}


def suspects(database: sqlite3.Connection, open_file: Opener) -> frozenset[str]:
    """Return the sessions whose links look broken: a missing parent, a cycle, one id for two records, a restart."""
    marked = {name for name, marks in database.execute(_MARKS) if GAP in marks or CYCLE in marks}
    doubled = {name for (name,) in database.execute(_DOUBLED)}
    return frozenset(marked | doubled | set(_restarted(database, open_file)))


def _restarted(database: sqlite3.Connection, open_file: Opener) -> Iterator[str]:
    """Yield the sessions that the program itself continued after a restart; it may then name an old parent."""
    for path, rows in groupby(database.execute(_SHORT_NOTICES).fetchall(), key=itemgetter(1)):
        try:
            with open_file(path_of(path)) as file:
                for session, _, offset, length in rows:
                    if CONTINUE_TEXT.encode() in read_at(file, offset, length):
                        yield session
        except OSError:
            continue


def main_records(database: sqlite3.Connection, session: str, path: str) -> list[MainRecord]:
    """Return the records of the visible branch in one transcript, in the order of reading."""
    return [MainRecord(*row) for row in database.execute(_MAIN, (session, fsencode(path)))]


def records_after(database: sqlite3.Connection, session: str, place: Place) -> int:
    """Return the number of records of a session after a place."""
    asked = (session, fsencode(place.path), place.offset or 0)
    return int(database.execute(_AFTER, asked).fetchone()[0])


def known_names(database: sqlite3.Connection) -> set[str]:
    """Return every id of a session, an earlier copy or a row."""
    return {name for (name,) in database.execute(_KNOWN)}


def files_beside(database: sqlite3.Connection) -> list[tuple[str, str, str, int]]:
    """Return (session, kind, first path, number) of the files that belong to sessions and are no transcripts."""
    return [(session, kind, path_of(path), count) for session, kind, path, count in database.execute(_BESIDE)]


def transcript_files(database: sqlite3.Connection) -> list[tuple[str, int, str | None]]:
    """Return path, size and session of every transcript, the last written first."""
    return [(path_of(path), size, session) for path, size, session in database.execute(_TRANSCRIPTS)]


def stated_accounts(database: sqlite3.Connection) -> dict[str, str]:
    """Return session to the account that its own records name."""
    return dict(database.execute(_ACCOUNTS).fetchall())


def rows_with_person(database: sqlite3.Connection) -> list[str]:
    """Return the rows that hold the name or the e-mail address of a person."""
    return [path_of(path) for (path,) in database.execute(_WITH_PERSON)]


def messages_of_agents(database: sqlite3.Connection, session: str, label: str) -> int:
    """Return the number of messages of the longest agent of a session whose id begins with a label."""
    return int(database.execute(_AGENT_MESSAGES, {"session": session, "label": label}).fetchone()[0] or 0)


def paths_of_files(database: sqlite3.Connection, *, kind: str | None = None, config: str | None = None) -> list[str]:
    """Return the files of one kind, of one configuration directory, or both."""
    return [path_of(stored) for (stored,) in database.execute(_FILES, {"kind": kind, "config": config})]


def configs(database: sqlite3.Connection) -> list[str]:
    """Return the configuration directories that hold transcripts."""
    return [config for (config,) in database.execute(_CONFIGS)]


def file_totals(database: sqlite3.Connection) -> tuple[int, int]:
    """Return the number of all files, and their bytes."""
    files, size = database.execute(_TOTALS).fetchone()
    return files, size


def is_index_sound(path: Path) -> bool:
    """Return True if an index is sound, or of another version, which the next command replaces."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            with closing(open_in_memory()) as fresh:
                return version != VERSION or is_sound(database, fresh)
    except sqlite3.OperationalError:
        return True  # locked or not readable, which is no damage
    except sqlite3.DatabaseError:
        return False
