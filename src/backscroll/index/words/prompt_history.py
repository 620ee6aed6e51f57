"""Find the prompts in histories that no message repeats; only these are added to the search index.

The catalogue has a number for every prompt of a transcript and for every line of a history, made of its letters and
digits alone: a history has the typed text, a transcript the sent text.  A query on the catalogue finds the lines to
add.  A history is read again only if it did anything but grow.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.stores import side

if TYPE_CHECKING:
    from backscroll.sessions.searchable import side_files
    from backscroll.sessions.transcript import prompts
else:
    side_files = lazily("backscroll.sessions.searchable.side_files")
    prompts = lazily("backscroll.sessions.transcript.prompts")

NEAR = 60 * 60 * 1000
"""The most milliseconds between typing and sending: prompts wait in a queue while Claude works."""
_HELD = (
    "SELECT typed.place FROM typed JOIN prompt ON prompt.said = typed.said WHERE typed.file = :file"
    " AND (prompt.session = typed.session OR abs(prompt.time - typed.time) <= :near)"
)
_OF_NO_SESSION = (
    "SELECT typed.place, typed.project, prompt.session FROM typed JOIN prompt ON prompt.said = typed.said"
    " WHERE typed.file = ? AND typed.session IS NULL AND typed.project IS NOT NULL"
)
_IN_HISTORIES = (
    "SELECT typed.place, typed.project, other.project FROM typed"
    " JOIN typed AS other ON other.said = typed.said AND other.file != typed.file"
    " WHERE typed.file = ? AND other.project IS NOT NULL"
)
_SLIGHT = "SELECT place, session FROM typed WHERE file = ? AND is_slight"


class Typed:
    """The prompts of all transcripts in the index."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def is_said(self, text: str, session: str | None) -> bool:
        """Return True if a message of a session is this prompt."""
        asked = "SELECT 1 FROM prompt WHERE said = ? AND session = ? LIMIT 1"
        return self._database.execute(asked, (prompts.said_key(text), session)).fetchone() is not None

    def is_known(self, session: str | None) -> bool:
        """Return True if there is such a session, under this id or a later one."""
        return session in self._sessions

    def held(self, file: int) -> set[int]:
        """Return the places of the lines of a history that a message repeats.

        The message is in the same session, else at the same time or, without a session, in the same project.  A line
        without a meaning of its own is not needed either while its session exists.
        """
        found = {place for (place,) in self._database.execute(_HELD, {"file": file, "near": NEAR})}
        for place, project, session in self._database.execute(_OF_NO_SESSION, (file,)):
            if place not in found and _is_same(self._project_of(session), project):
                found.add(place)
        return found | {place for place, name in self._database.execute(_SLIGHT, (file,)) if self.is_known(name)}

    def in_histories(self, file: int) -> set[int]:
        """Return the places of the prompts of global configs that the same project has in a history."""
        rows = self._database.execute(_IN_HISTORIES, (file,))
        return {place for place, project, other in rows if _is_same(project, other)}

    @cached_property
    def _sessions(self) -> set[str]:
        merged = self._database.execute("SELECT value FROM meta WHERE name = 'merged'").fetchone()
        names = {name for (name,) in self._database.execute("SELECT id FROM session")}
        return names | (json.loads(merged[0]).keys() if merged else set())

    def _project_of(self, session: str) -> str | None:
        row = self._database.execute("SELECT cwd FROM session WHERE id = ?", (session,)).fetchone()
        return row[0] if row else None


def _is_same(directory: str | None, other: str) -> bool:
    """Return True if two directories are the same; on Windows global configs write paths with slashes."""
    return directory is not None and directory.replace("\\", "/") == other.replace("\\", "/")


class History:
    """One history in the catalogue, with the pastes in files beside it."""

    def __init__(
        self, database: sqlite3.Connection, file: int, path: str, pastes: Mapping[str, tuple[int, str]]
    ) -> None:
        self._database = database
        self.file, self.path = file, path
        self._pastes = pastes
        """The number and path of the file of each paste, by name."""

    def read_on(self) -> dict[int, side.HistoryPrompt]:
        """Read the new lines, write them into the catalogue, and return them by place."""
        end, line = self._end()
        found = side.history(self.path, end + 1 if end else 0, line + 1)
        fresh = {prompt.place.offset or 0: prompt for prompt in found if not isinstance(prompt, Damage)}
        write_lines(self._database, (self._row(place, prompt) for place, prompt in fresh.items()))
        return fresh

    def end(self) -> int:
        """Return the end of the part that was read."""
        return self._end()[0]

    def _end(self) -> tuple[int, int]:
        row = self._database.execute(
            "SELECT place + length, line FROM typed WHERE file = ? ORDER BY place DESC LIMIT 1", (self.file,)
        ).fetchone()
        return (row[0], row[1]) if row else (0, 0)

    def _row(self, place: int, prompt: side.HistoryPrompt) -> tuple[object, ...]:
        where = (self.file, place, prompt.place.line, prompt.place.length)
        return (*where, *said_in(prompt, self.pasted_into(prompt)))

    def files_of(self, prompt: side.HistoryPrompt) -> dict[str, int]:
        """Return the file numbers of the pastes in a prompt, by number of the paste."""
        named = prompt.pasted_files().items()
        return {number: self._pastes[name][0] for number, name in named if name in self._pastes}

    def pasted_into(self, prompt: side.HistoryPrompt) -> dict[str, str]:
        """Return the texts of the pastes in a prompt that lie in files, by number of the paste."""
        named = prompt.pasted_files().items()
        return {number: side_files.text_in(self._pastes[name][1]) for number, name in named if name in self._pastes}

    def lines(self) -> dict[int, int]:
        """Return all known lines: place to number."""
        return dict(self._database.execute("SELECT place, line FROM typed WHERE file = ? ORDER BY place", (self.file,)))

    def at(self, place: int, line: int) -> side.HistoryPrompt | None:
        """Read one line again."""
        prompt = next(side.history(self.path, place, line), None)
        return prompt if isinstance(prompt, side.HistoryPrompt) else None


def said_in(prompt: side.HistoryPrompt, pasted: Mapping[str, str]) -> tuple[object, ...]:
    """Return the columns of a prompt in the catalogue: said, session, project, time, is_slight."""
    whole = prompt.whole(pasted)
    is_slight = side.is_bare_command(prompt.text) or side.has_gaps(whole)
    return prompts.said_key(whole), prompt.session, prompt.project, time_of(prompt), is_slight


def write_lines(database: sqlite3.Connection, rows: Iterable[tuple[object, ...]]) -> None:
    """Write lines of histories, or prompts of global configs, into the catalogue."""
    database.executemany("INSERT OR REPLACE INTO typed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def time_of(prompt: side.HistoryPrompt) -> int | None:
    """Return the time of typing of a prompt, in milliseconds."""
    return round(prompt.time.timestamp() * 1000) if prompt.time else None


def state(database: sqlite3.Connection) -> str:
    """Return a state that changes whenever a prompt is added or deleted."""
    return repr(database.execute("SELECT count(*), max(id) FROM prompt").fetchone())
