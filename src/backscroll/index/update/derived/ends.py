"""The last thing on the main branch of each session, and the call that it ended in."""

import json
import sqlite3

from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.prompts import RESULTS
from backscroll.sessions.transcript.rows import ASSISTANT, USER_KINDS

_NAMES = {ASSISTANT: "answer", RESULTS: "result"} | dict.fromkeys(USER_KINDS, "prompt")
_LAST = (
    "SELECT node FROM record WHERE record.unit = unit.id AND record.agent = '' AND record.part = 0"
    f" AND record.branch = '{MAIN}' AND record.kind IN (SELECT value FROM json_each(%s)) ORDER BY node DESC LIMIT 1"
)
_ENDS = (
    "WITH ending AS MATERIALIZED (SELECT unit.id AS unit,"
    f" ({_LAST % ':kinds'}) AS last, ({_LAST % ':answers'}) AS answer"
    " FROM unit WHERE unit.id IN (SELECT value FROM json_each(:units)))"
    " SELECT ending.unit, record.kind, (SELECT name FROM call WHERE call.unit = ending.unit"
    "  AND call.node = ending.answer AND call.agent IS NULL AND call.outcome IS NULL ORDER BY call.rowid LIMIT 1)"
    " FROM ending JOIN record ON record.unit = ending.unit AND record.agent = '' AND record.node = ending.last"
    "  AND record.part = 0"
)


def ends_of(database: sqlite3.Connection, units: list[int]) -> dict[int, tuple[str, str | None]]:
    """Return for each unit of a session how its main branch ends, and the tool of a call without a result there.

    A session ends in a prompt, an answer, a call or a result.  A prompt after a call without a result ends that call.
    """
    asked = {"units": json.dumps(units), "kinds": json.dumps([*_NAMES]), "answers": json.dumps([ASSISTANT])}
    found: dict[int, tuple[str, str | None]] = {}
    for unit, kind, open_call in database.execute(_ENDS, asked):
        is_open = open_call is not None and _NAMES[kind] != "prompt"
        found[unit] = ("call", open_call) if is_open else (_NAMES[kind], None)
    return found
