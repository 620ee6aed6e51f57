"""All that an index says, to compare one that was brought up to date with one that was made anew.

Numbers of files and units are replaced by paths and keys; when somebody looked, and where a transcript may be read on,
depends on the way there and is left out.
"""

import sqlite3
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from searched import Searched

from backscroll.index.schema import COLUMNS, UNIT_TABLES

LEFT_OUT = {"id", "tail", "looked", "words"}
"""Columns that depend on the way there."""
OWN_ORDER: dict[str, Callable[[dict[str, Any]], Any]] = {
    "record": itemgetter("agent", "node", "part"),
    "message": lambda _: 0,
    "evidence": itemgetter("kind"),
}
"""Tables whose rows are read in the order in which they were written: all of them, or those of a kind."""
JOINED = {
    "session": "id",
    "agent": "session, number",
    "fold": "id",
    "usage_sum": "session, owner, agent, branch, quarter, model, context, is_lower_bound, tier, speed, geo",
    "tool_sum": "session, agent, quarter, name, target",
    "desktop_row": "path",
    "store": "rowid",
}

Dump = dict[str, Any]


def dump(database: sqlite3.Connection) -> Dump:
    """Return all that a catalogue says of units, sessions and files."""
    paths = dict(database.execute("SELECT id, path FROM file"))
    keys = dict(database.execute("SELECT id, key FROM unit"))
    found: Dump = {"unit": {row["key"]: row for row in _rows(database, "unit", "key")}}
    for table in UNIT_TABLES:
        by_unit: dict[bytes, list[Any]] = {}
        for row in _rows(database, table, "unit" if table == "record" else "rowid"):
            by_unit.setdefault(keys[row.pop("unit")], []).append(_with_paths(row, paths))
        order = OWN_ORDER.get(table, repr)
        found[table] = {key: sorted(rows, key=order) for key, rows in by_unit.items()}
    for row in (files := _rows(database, "file", "path")):
        row["unit"] = keys.get(row["unit"])
    found["file"] = files
    found |= {table: _rows(database, table, order) for table, order in JOINED.items()}
    meta = database.execute("SELECT name, value FROM meta WHERE name NOT LIKE 'words%' ORDER BY name").fetchall()
    return found | {"meta": meta, "dirty": database.execute("SELECT * FROM dirty").fetchall()}


def _rows(database: sqlite3.Connection, table: str, order: str) -> list[dict[str, Any]]:
    columns = COLUMNS.get(table) or [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    rows = database.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}")  # noqa: S608 - names of tables
    left_out = LEFT_OUT - ({"id"} if table not in {"file", "unit"} else set())
    return [{name: value for name, value in zip(columns, row, strict=True) if name not in left_out} for row in rows]


def _with_paths(row: dict[str, Any], paths: dict[int, bytes]) -> dict[str, Any]:
    files = {name: paths.get(row[name]) for name in ("file", "answer_file") if name in row}
    return row | files


def differing(one: Dump, other: Dump) -> list[str]:
    """Return the tables in which two catalogues differ, so that a failure says where to look."""
    return [table for table in one if one[table] != other[table]]


def dump_words(searched: Searched) -> Dump:
    """Return which passages and prompts each file holds in the words, and all that is held, with its time."""
    database = searched.database
    of_file = "coalesce((SELECT path FROM file WHERE id = file), file)"
    asked = {
        "passages": f"SELECT {of_file}, key, max(place, 0) FROM passage ORDER BY 1, 2",  # noqa: S608 - stands above
        "kept": "SELECT key FROM passage WHERE is_kept ORDER BY key",
        "prompts": f"SELECT {of_file}, said, session, time FROM prompt ORDER BY 1, 2, 3, 4",  # noqa: S608 - as above
        "typed": f"SELECT {of_file}, * FROM typed ORDER BY 1, place",  # noqa: S608 - as above
        "behind": "SELECT path FROM file WHERE words IS NULL OR (number IS NOT NULL AND words < end)",
        "renamed": "SELECT session FROM renamed",
    }
    found: Dump = {name: database.execute(question).fetchall() for name, question in asked.items()}
    found["typed"] = [(path, *row) for path, _, *row in found["typed"]]
    return found | {"documents": searched.documents(), "times": searched.times()}
