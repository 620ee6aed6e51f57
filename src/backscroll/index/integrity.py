"""Check that the catalogue still holds the values that we wrote.

Commands run this only after an error, to tell a damaged file from a bug of ours.  It reads the whole database once,
decodes every value, and verifies the rows that have a checksum.
"""

import json
import sqlite3
from collections.abc import Iterator

from backscroll.index.queries import sessions as query

_JSON = (
    "SELECT side FROM unit",
    "SELECT cwds FROM unit",
    "SELECT models FROM unit",
    "SELECT cost_models FROM unit WHERE cost_models IS NOT NULL",
    "SELECT damage FROM store",
    "SELECT read FROM desktop_row",
    "SELECT person FROM desktop_row",
    "SELECT body FROM desktop_row WHERE body != ''",
    "SELECT names FROM desktop_row",
    "SELECT body FROM marks",
    "SELECT damage FROM marks",
    (
        "SELECT value FROM meta WHERE name IN ('stores', 'cleanup days', 'settings and logs', 'merged', 'hints',"
        " 'words files', 'words configs')"
    ),
)
_CLASSES = {"INTEGER": {"integer"}, "TEXT": {"text"}, "REAL": {"real", "integer"}, "BLOB": {"blob"}}
_SCHEMA = (
    "SELECT type, name, sql FROM sqlite_master"
    " WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%' ORDER BY name"
)


def is_sound(database: sqlite3.Connection, fresh: sqlite3.Connection) -> bool:
    """Return True if everything in the catalogue is readable and unchanged; `fresh` is an empty catalogue."""
    try:
        database.rollback()
        return all(_tests(database, fresh))
    except Exception:  # noqa: BLE001  (an unreadable index is not sound)
        return False


def _tests(database: sqlite3.Connection, fresh: sqlite3.Connection) -> Iterator[bool]:
    own, expected = _schema(database), _schema(fresh)
    yield [item for item in expected if item in own or item[0] == "table"] == own  # a first filling has no indexes
    yield database.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
    yield from (_fits(database, table) for kind, table, _ in _schema(database) if kind == "table")
    for question in _JSON:
        yield all(json.loads(text) is not None for (text,) in database.execute(question))
    for read, body in database.execute("SELECT read, body FROM desktop_row WHERE body != ''"):
        yield json.loads(read).keys() == json.loads(body).keys()
    for (name,) in database.execute("SELECT id FROM session"):
        yield query.session(database, name).id == name
        query.agents(database, name)


def _schema(database: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return database.execute(_SCHEMA).fetchall()


def _fits(database: sqlite3.Connection, table: str) -> bool:
    """Return True if every value of a table has the type of its column."""
    for _, name, kind, is_needed, _, is_key in database.execute(f"PRAGMA table_info({table})"):
        allowed = _CLASSES[kind] | (set() if is_needed or is_key else {"null"})
        found = {value for (value,) in database.execute(f"SELECT DISTINCT typeof({name}) FROM {table}")}
        if not found <= allowed:
            return False
    return True
