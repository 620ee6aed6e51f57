"""The files that hold a message, and the one of them that has its document in the full-text index.

The full-text index has one document for each message, for the session that said it first.  The rule is that of usage
(docs/counting.md): not a stated copy, then the earliest, then the file that began earliest; earlier copies of a session
come last, because another session contains them.
"""

import json
import sqlite3
from collections.abc import Iterable

_MISPLACED = """
SELECT key, file FROM (
  SELECT passage.key, passage.file, passage.is_kept, row_number() OVER (
    PARTITION BY passage.key
    ORDER BY fold.id IS NOT NULL, passage.is_copy, coalesce(passage.time, 1 << 62), coalesce(unit.born, '~'),
      coalesce(unit.session, ''), coalesce(unit.agent, ''), file.path
  ) AS place
  FROM json_each(?) AS contested CROSS JOIN passage ON passage.key = contested.value
    LEFT JOIN file ON file.id = passage.file LEFT JOIN unit ON unit.id = file.unit
    LEFT JOIN fold ON fold.id = unit.session
) WHERE place = 1 AND NOT is_kept
"""


def misplaced(database: sqlite3.Connection, keys: Iterable[int]) -> list[tuple[int, int]]:
    """Return the messages whose document is not assigned to the file that held them first, and that file."""
    return database.execute(_MISPLACED, (json.dumps(list(keys)),)).fetchall()


def shared(database: sqlite3.Connection) -> set[int]:
    """Return the messages that several files hold."""
    return {key for (key,) in database.execute("SELECT key FROM passage GROUP BY key HAVING count(*) > 1")}
