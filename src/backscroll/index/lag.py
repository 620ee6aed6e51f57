"""The lag: which units the words have not taken in as they are now, by the catalogue, the disk and the ledger.

A unit is a transcript as the catalogue holds it, a file beside them, all prompts of a history, all those of global
configs, or all names.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from backscroll.index import few
from backscroll.index.fulltext import FullText
from backscroll.index.units import CONFIG_KINDS, Found, state_of
from backscroll.lazy import lazily
from backscroll.sessions.fingerprint import number_of
from backscroll.stores import FoundFile
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index import configs, typed
else:
    configs = lazily("backscroll.index.configs")
    typed = lazily("backscroll.index.typed")

TITLES = b"titles"
CONFIGS = b"configs"
DIGEST = slice(8)
"""The part of the fingerprint of global configs that says what they remember; the rest is what else may hold it."""
FILE = b"f:"
"""What the key of a file beside the transcripts begins with; its path follows."""
HISTORY_KINDS = {"history", "paste"}
LATE_KINDS = HISTORY_KINDS | CONFIG_KINDS | {"project-index", "row", "titles"}
"""What is read after the transcripts, because it adds what those do not hold."""


class Unit(NamedTuple):
    """What is taken in together: the transcripts of a session or an agent, files beside them, or all titles."""

    key: bytes
    kind: str
    session: str | None
    agent: str | None
    paths: tuple[str, ...]
    is_folded: bool
    """An earlier copy of another session, which keeps what that one does not hold."""
    fingerprint: bytes
    born: str
    size: int = 0


class Known(NamedTuple):
    """What the ledger knows of a unit."""

    number: int
    fingerprint: bytes | None
    is_folded: bool
    session: str | None
    paths: str
    ends: str | None

    @property
    def state(self) -> "State":
        """What differs where it must be taken in anew."""
        return [self.fingerprint, bool(self.is_folded), self.session]


State = list[Any]
"""Fingerprint, whether it is folded, session."""
Lag = tuple[list[Unit], list[int]]
"""The units that must be taken in, and the numbers of those that are gone."""


def compare(database: sqlite3.Connection, text: FullText, found: Found) -> Lag:
    """Return the units that must be taken in, and the numbers of those that are gone."""
    beside = {unit.key: unit for unit in _beside(database, text, found)}
    differing = [(key, now) for key, then, now in _states(database, text, beside.values()) if then != now]
    changed = [key for key, now in differing if now is not None]
    transcripts = transcripts_at(database, (key for key in changed if key not in beside))
    units = [*transcripts, *(beside[key] for key in changed if key in beside)]
    gone = ledger_of(text.ledger, (key for key, now in differing if now is None))
    return [sized(unit) for unit in units], [item.number for item in gone.values()]


def made_since(database: sqlite3.Connection, text: FullText) -> list[str] | None:
    """Return the sessions that were made anew since their names were taken in; None where nobody can tell."""
    known = ledger_of(text.ledger, [TITLES]).get(TITLES)
    index, _, number = (known.fingerprint if known and known.fingerprint else b"").decode().partition(":")
    if not number or _titles(database).fingerprint.decode().partition(":")[0] != index:
        return None
    return [name for (name,) in database.execute("SELECT session FROM made WHERE number > ?", (int(number),))]


def compare_few(database: sqlite3.Connection, text: FullText, changes: few.Few, made: list[str]) -> Lag:
    """Do as `compare` where only some sessions were made anew and few other files changed."""
    keys = {key for name in made for connection in (database, text.ledger) for key in _units_of(connection, name)}
    keys |= {key for (key,) in text.ledger.execute("SELECT key FROM unit WHERE fingerprint IS NULL")}  # heirs
    present = {unit.key: unit for unit in transcripts_at(database, keys)}
    texts = changes.texts({os.fsdecode(key[2:]) for key in keys if key.startswith(FILE)})
    beside = (_file_unit(file.kind, file.session, (file,)) for file in texts if file.kind not in LATE_KINDS)
    present |= {unit.key: unit for unit in (*beside, *_late(database, text.ledger, changes.found), _titles(database))}
    present |= {unit.key: unit for unit in _configs(database, text.ledger, changes.found, changes.unsaid)}
    late = (key for kind in LATE_KINDS for key in _units_like(text.ledger, kind))
    known = ledger_of(text.ledger, {*present, *keys, *late, *map(_file_key, changes.unsaid)})
    changed = [unit for key, unit in present.items() if key not in known or _state(unit) != known[key].state]
    return [sized(unit) for unit in changed], [item.number for key, item in known.items() if key not in present]


def _units_like(ledger: sqlite3.Connection, kind: str) -> list[bytes]:
    return [key for (key,) in ledger.execute("SELECT key FROM unit WHERE kind = ?", (kind,))]


def _units_of(connection: sqlite3.Connection, session: str) -> list[bytes]:
    """Return the transcripts of a session that the catalogue or the ledger holds."""
    rows = connection.execute("SELECT key FROM unit WHERE session = ?", (session,))
    return [key for (key,) in rows if not key.startswith(FILE)]


def _state(unit: Unit) -> State:
    return [unit.fingerprint, unit.is_folded, unit.session]


def is_in_step(database: sqlite3.Connection, text: FullText, found: Found) -> bool:
    """Say whether everything is taken in as it is."""
    return all(then == now for _, then, now in _states(database, text, _beside(database, text, found)))


def _states(
    database: sqlite3.Connection, text: FullText, beside: Iterable[Unit]
) -> Iterator[tuple[bytes, State | None, State | None]]:
    """Yield of every unit its key, the state in which it was taken in, and its state now; None where it is not there.

    They are met in the order of their keys, so that of all those that there are few are held at a time.
    """
    taken_in = text.ledger.execute("SELECT key, 0, fingerprint, is_folded, session FROM unit ORDER BY key")
    transcripts = database.execute(
        "SELECT key, 1, fingerprint, fold.id IS NOT NULL, session"
        " FROM unit LEFT JOIN fold ON fold.id = unit.session ORDER BY key"
    )
    others = sorted((unit.key, 1, *_state(unit)) for unit in beside)
    met = merge(taken_in, transcripts, others, key=itemgetter(0))
    for key, items in groupby(met, key=itemgetter(0)):
        states = {is_now: state for _, is_now, *state in items}
        yield key, states.get(0), states.get(1)


def ledger_of(ledger: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, Known]:
    """Return what the ledger knows of some units."""
    wanted = "SELECT number, fingerprint, is_folded, session, paths, ends FROM unit WHERE key = ?"
    rows = ((key, ledger.execute(wanted, (key,)).fetchone()) for key in keys)
    return {key: Known(*row) for key, row in rows if row is not None}


def transcripts_at(database: sqlite3.Connection, keys: Iterable[bytes]) -> Iterator[Unit]:
    """Yield the units of some transcripts."""
    wanted = (
        "SELECT session, agent, paths, fold.id IS NOT NULL, fingerprint, coalesce(born, '~')"
        " FROM unit LEFT JOIN fold ON fold.id = unit.session WHERE key = ?"
    )
    for key in keys:
        for session, agent, paths, is_folded, fingerprint, born in database.execute(wanted, (key,)):
            yield Unit(key, "transcript", session, agent, tuple(json.loads(paths)), bool(is_folded), fingerprint, born)


def _beside(database: sqlite3.Connection, text: FullText, found: Found) -> Iterator[Unit]:
    """Yield the units that are no transcripts."""
    yield from _files(found)
    yield from _late(database, text.ledger, found)
    yield from _configs(database, text.ledger, found)
    yield _titles(database)


def _files(found: Found) -> Iterator[Unit]:
    """Yield the files beside the transcripts that say something of their own."""
    for file in found.texts:
        if file.kind not in LATE_KINDS:
            yield _file_unit(file.kind, file.session, (file,))


def _late(database: sqlite3.Connection, ledger: sqlite3.Connection, found: Found) -> Iterator[Unit]:
    """Yield the files that add what transcripts do not hold, to be read after those."""
    (sessions,) = database.execute("SELECT count(*) FROM session").fetchone()
    histories: dict[str, list[FoundFile]] = {}
    for file in found.texts:
        if file.kind in HISTORY_KINDS:
            histories.setdefault(file.config, []).append(file)
        elif file.kind == "project-index":
            yield _file_unit(file.kind, None, (file,), sessions)
    for files in histories.values():
        files.sort(key=lambda file: (file.kind != "history", file.path))
        yield _file_unit("history", None, tuple(files), sessions, typed.state(ledger), _meta(database, "hints"))
    if found.rows:
        rows = database.execute(
            "SELECT path, session.id, session.messages > 0 FROM desktop_row JOIN session ON session.id = session"
        )
        of_rows = {os.fsdecode(path): rest for path, *rest in rows}
        for file in found.rows:
            if file.path in of_rows:
                session, has_messages = of_rows[file.path]
                yield _file_unit("row", session, (file,), has_messages)


def _configs(
    database: sqlite3.Connection, ledger: sqlite3.Connection, found: Found, unsaid: AbstractSet[str] | None = None
) -> Iterator[Unit]:
    """Yield the prompts that global configs remember, where they do: one unit, which messages and histories may hold.

    They are read only where one of them may have changed: Claude Code writes them all the time.
    """
    files = sorted((file.kind != "global-config", file.path) for file in found.texts if file.kind in CONFIG_KINDS)
    paths = [path for _, path in files]
    known = ledger_of(ledger, [CONFIGS]).get(CONFIGS)
    now = _as_known(known) if unsaid is not None and unsaid.isdisjoint(paths) else None
    if now is None or (unsaid is not None and not unsaid.isdisjoint(now.paths)):
        now = configs.remembered(paths)
    if now.paths:
        histories = state_of(file for file in found.texts if file.kind in HISTORY_KINDS)
        holding = (_meta(database, "sessions made"), typed.state(ledger), histories)
        fingerprint = now.digest + number_of(b"holding", *holding).to_bytes(8, signed=True)
        yield Unit(CONFIGS, "global-config", None, None, now.paths, is_folded=False, fingerprint=fingerprint, born="~~")


def _as_known(known: Known | None) -> "configs.Remembered | None":
    """Return what global configs remembered when they were last read; None where nobody can tell."""
    if known is None:
        return configs.Remembered((), b"")
    return configs.Remembered(tuple(json.loads(known.paths)), known.fingerprint[DIGEST]) if known.fingerprint else None


def _file_unit(kind: str, session: str | None, files: tuple[FoundFile, ...], *more: object) -> Unit:
    key = _file_key(files[0].path)
    paths = tuple(file.path for file in files)
    size = sum(file.size for file in files)
    fingerprint = number_of(state_of(files).encode(errors="replace"), *map(str, more)).to_bytes(8, signed=True)
    return Unit(key, kind, session, None, paths, is_folded=False, fingerprint=fingerprint, born="~", size=size)


def _file_key(path: str) -> bytes:
    return FILE + os.fsencode(path)


def _titles(database: sqlite3.Connection) -> Unit:
    """Return the unit of what sessions are called; that changes only when sessions are made anew."""
    state = _meta(database, "sessions made").encode()
    return Unit(TITLES, "titles", None, None, (), is_folded=False, fingerprint=state, born="~")


def _meta(database: sqlite3.Connection, name: str) -> str:
    row = database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row else ""


def sized(unit: Unit) -> Unit:
    """Return a unit with its size."""
    return unit if unit.size else unit._replace(size=sum(map(size_of, unit.paths)))


def size_of(path: str) -> int:
    """Return the size of a file; none where it is gone."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
