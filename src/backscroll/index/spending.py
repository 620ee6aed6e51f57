"""Who spent what first: API messages and calls, each counted once over all files, summed up by session.

A message or call may stand in many files: resumes, forks, side agents, versions set aside.  It counts
for the session that was first, and for nobody else, so that sums over sessions are sums over all.
What a session holds of others is kept beside it, with its owner, to explain totals that differ.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any

from backscroll.sessions import identity
from backscroll.sessions.model import Agent, Usage
from backscroll.sessions.outcomes import ERROR, REFUSED
from backscroll.times import parse
from backscroll.value import NamedTuple

MINUTE = len("2026-11-16T12:34")
QUARTER = 900
"""Seconds of the finest time that sums are kept for; every time zone's days begin at one."""
CONTEXTS = (200_000, 100_000)
"""Lengths of a prompt above which some model has another price, the greatest first."""
MAIN_AGENT, INTERNAL_AGENT, OTHER_AGENT = "main", "internal", "agent"
"""Types of agents where there is none to name: the session itself, helpers of the program, all others."""

SUMMED = (
    "input",
    "output",
    "cache_write",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "web_searches",
    "web_fetches",
)


class Spent(NamedTuple):
    """One record of an API message's usage, wherever it lies."""

    session: str
    born: str | None
    agent: str | None
    paths: str
    key: bytes
    request: str | None
    time: str | None
    is_copy: int
    model: str | None
    input: int | None
    output: int | None
    cache_write: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    is_lower_bound: int
    cost: float | None
    web_searches: int | None
    web_fetches: int | None
    tier: str | None
    speed: str | None
    geo: str | None
    branch: str | None
    records: int
    source: int
    line: int | None


class Called(NamedTuple):
    """One record of a call, wherever it lies."""

    session: str
    born: str | None
    agent: str | None
    key: bytes
    name: str
    target: str | None
    time: str | None
    is_copy: int
    outcome: str | None
    seconds: float | None


_SPENT = (
    "SELECT unit.session, unit.born, coalesce(spend.agent, unit.agent), unit.paths,"
    " spend.key, spend.request, spend.time, spend.is_copy, spend.model, spend.input, spend.output,"
    " spend.cache_write, spend.cache_read, spend.cache_write_5m, spend.cache_write_1h, spend.is_lower_bound,"
    " spend.cost, spend.web_searches, spend.web_fetches, spend.tier, spend.speed, spend.geo, spend.branch,"
    " spend.records, spend.source, spend.line"
)
_SPENT_BY = (
    _SPENT  # noqa: S608 - all pieces stand here
    + ", EXISTS (SELECT 1 FROM spend AS other WHERE other.key = spend.key AND other.unit <> spend.unit)"
    + " FROM unit JOIN spend ON spend.unit = unit.id WHERE unit.session = ?"
)
_SPENT_UNDER = _SPENT + " FROM spend JOIN unit ON unit.id = spend.unit WHERE spend.key = ?"
_CALLED = (
    "SELECT unit.session, unit.born, coalesce(call.agent, unit.agent), call.key, call.name,"
    " call.target, call.time, call.is_copy, call.outcome, call.seconds"
)
_CALLED_BY = (
    _CALLED  # noqa: S608 - as above
    + ", EXISTS (SELECT 1 FROM call AS other WHERE other.key = call.key AND other.unit <> call.unit)"
    + " FROM unit JOIN call ON call.unit = unit.id WHERE unit.session = ?"
)
_CALLED_UNDER = _CALLED + " FROM call JOIN unit ON unit.id = call.unit WHERE call.key = ?"
MOST_KEPT = 4096
_INSERT_USAGE = "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_TOOL = "INSERT INTO tool VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def forget_sums(database: sqlite3.Connection, session: str) -> None:
    """Delete the sums of a session."""
    database.execute("DELETE FROM usage WHERE session = ?", (session,))
    database.execute("DELETE FROM tool WHERE session = ?", (session,))


def write_sums(shared: "Shared", session: str, family: set[str], agents: Iterable[Agent], *, is_folded: bool) -> Usage:
    """Write the sums of a session and its earlier copies anew, and return what it spent in all.

    An earlier copy has no sums of its own: the session that contains it answers for it.
    """
    database = shared.database
    forget_sums(database, session)
    types = {agent.id: _type_of(agent) for agent in agents}
    sums = _usage_sums(messages_of(shared, family), family, types)
    if not is_folded:
        database.executemany(_INSERT_USAGE, ((session, *key, *amounts) for key, amounts in sums.items()))
        tools = _tool_sums(_calls_of(shared, family))
        database.executemany(_INSERT_TOOL, ((session, *key, *amounts) for key, amounts in tools.items()))
    return _total(sums)


class Message(NamedTuple):
    """One API message: the record of who spent it first, the record that counts, and all there are."""

    first: Spent
    greatest: Spent
    records: list[Spent]


class Shared:
    """What stands in the files of more than one session, looked up once for all of them."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self._messages: dict[bytes, list[Message]] = {}
        self._calls: dict[bytes, Called] = {}

    def messages(self, key: bytes) -> list[Message]:
        """Return the API messages under one id: as many as there were requests."""
        if key not in self._messages:
            if len(self._messages) >= MOST_KEPT:
                self._messages.clear()
            rows = self.database.execute(_SPENT_UNDER, (key,))
            self._messages[key] = [_message(records) for records in _by_request(map(Spent._make, rows))]
        return self._messages[key]

    def call(self, key: bytes) -> Called:
        """Return the record of who made a call first, with the first result that is known of it."""
        if key not in self._calls:
            if len(self._calls) >= MOST_KEPT:
                self._calls.clear()
            self._calls[key] = _first_call([Called._make(row) for row in self.database.execute(_CALLED_UNDER, (key,))])
        return self._calls[key]


def _message(records: list[Spent]) -> Message:
    return Message(
        first=min(records, key=_precedence),
        greatest=max(records, key=lambda spent: (spent.output or 0, spent.time or "", spent.session)),
        records=records,
    )


def messages_of(shared: Shared, family: Iterable[str]) -> Iterator[tuple[Message, Spent]]:
    """Yield every API message that a family of sessions holds, whoever spent it, with the family's own record of it."""
    alone: dict[bytes, list[Spent]] = defaultdict(list)
    held: dict[bytes, dict[str | None, Spent]] = defaultdict(dict)
    for name in sorted(family):
        for *row, is_shared in shared.database.execute(_SPENT_BY, (name,)):
            spent = Spent._make(row)
            if is_shared:
                held[spent.key].setdefault(spent.request, spent)
            else:
                alone[spent.key].append(spent)
    for records in alone.values():
        if len(records) == 1:
            yield Message(records[0], records[0], records), records[0]
            continue
        for of_request in _by_request(records):
            yield _message(of_request), of_request[0]
    for key, mine in held.items():
        for message in shared.messages(key):
            own = _own_record(message, mine)
            if own is not None:
                yield message, own


def _own_record(message: Message, mine: Mapping[str | None, Spent]) -> Spent | None:
    """Return the family's record of a message: by its request, or one that lost its request."""
    asked = message.first.request if message.first.request is not None else message.greatest.request
    return mine.get(asked) or (mine.get(None) if None in {spent.request for spent in message.records[:64]} else None)


def _by_request(records: Iterable[Spent]) -> Iterable[list[Spent]]:
    """Part the records of one message id by request; copies that lost their request go with the first."""
    requests: dict[str | None, list[Spent]] = defaultdict(list)
    for spent in records:
        requests[spent.request].append(spent)
    if None in requests and len(requests) > 1:
        lost = requests.pop(None)
        requests[min(name for name in requests if name is not None)].extend(lost)
    return requests.values()


def _precedence(record: Spent | Called) -> tuple[int, str, str, str]:
    return (record.is_copy, record.time or identity.LATE, record.born or identity.LATE, record.session)


def _type_of(agent: Agent) -> str:
    return INTERNAL_AGENT if agent.is_internal else agent.type or OTHER_AGENT


def context_of(spent: Spent) -> int:
    """Return the price class of a prompt by its length: 0, or the greatest limit that it is above."""
    length = (spent.input or 0) + (spent.cache_write or 0) + (spent.cache_read or 0)
    return next((limit for limit in CONTEXTS if length > limit), 0)


def quarter_of(time: str | None) -> int | None:
    """Return the number of the quarter of an hour that a stored moment lies in."""
    if time is None:
        return None
    quarter = _quarter(time[:MINUTE])
    return _quarter(time) if quarter is None else quarter


@lru_cache(1 << 14)
def _quarter(time: str) -> int | None:
    moment = parse(time)
    return None if moment is None else int(moment.timestamp() // QUARTER)


_amounts = attrgetter(*SUMMED)


def _usage_sums(
    messages: Iterable[tuple[Message, Spent]], family: set[str], types: Mapping[str, str]
) -> dict[tuple[Any, ...], list[Any]]:
    sums: dict[tuple[Any, ...], list[Any]] = {}
    for (first, greatest, _), mine in messages:
        is_own = first.session in family
        agent = first.agent if is_own else mine.agent
        key = (
            None if is_own else first.session,
            agent,
            MAIN_AGENT if agent is None else types.get(agent, OTHER_AGENT),
            first.branch,
            quarter_of(first.time),
            greatest.model,
            greatest.tier,
            greatest.speed,
            greatest.geo,
            context_of(greatest),
            greatest.is_lower_bound,
        )
        if key not in sums:
            sums[key] = [0, *[None] * len(SUMMED), None, 0, None, None]
        _add(sums[key], first, greatest)
    return sums


def _add(sums: list[Any], first: Spent, greatest: Spent) -> None:
    """Add one message: count, amounts, recorded cost and its count, first and last moment."""
    sums[0] += 1
    for place, amount in enumerate((*_amounts(greatest), greatest.cost), 1):
        if amount is not None:
            sums[place] = (sums[place] or 0) + amount
    sums[-3] += greatest.cost is not None
    if first.time is not None:
        sums[-2] = min(sums[-2] or first.time, first.time)
        sums[-1] = max(sums[-1] or first.time, first.time)


def _total(sums: Mapping[tuple[Any, ...], list[Any]]) -> Usage:
    total = Usage()
    for key, (count, *amounts) in sums.items():
        if key[0] is None:
            total.messages += count
            total.lower_bound |= bool(key[-1])
            for name, amount in zip(SUMMED, amounts, strict=False):
                if amount is not None and name != "web_fetches":
                    setattr(total, name, (getattr(total, name) or 0) + amount)
    return total


def _calls_of(shared: Shared, family: set[str]) -> Iterator[Called]:
    """Yield each call that a family of sessions was the first to make, with the first result that is known of it."""
    alone: dict[bytes, list[Called]] = defaultdict(list)
    held: dict[bytes, None] = {}
    for name in sorted(family):
        for *row, is_shared in shared.database.execute(_CALLED_BY, (name,)):
            call = Called._make(row)
            if is_shared:
                held[call.key] = None
            else:
                alone[call.key].append(call)
    yield from map(_first_call, alone.values())
    for key in held:
        call = shared.call(key)
        if call.session in family:
            yield call


def _first_call(records: list[Called]) -> Called:
    if len(records) == 1:
        return records[0]
    records.sort(key=_precedence)
    first = records[0]
    answered = next((record for record in records if record.outcome is not None), first)
    return first if answered is first else first._replace(outcome=answered.outcome, seconds=answered.seconds)


def _tool_sums(calls: Iterable[Called]) -> dict[tuple[Any, ...], list[Any]]:
    """Sum up calls, errors, refusals (errors too), calls without result, timed ones, their seconds and the slowest."""
    sums: dict[tuple[Any, ...], list[Any]] = {}
    for call in calls:
        key = (call.agent, quarter_of(call.time), call.name, call.target)
        amounts = sums.setdefault(key, [0, 0, 0, 0, 0, 0.0, 0.0])
        amounts[0] += 1
        amounts[1] += call.outcome in {ERROR, REFUSED}
        amounts[2] += call.outcome == REFUSED
        amounts[3] += call.outcome is None
        if call.seconds is not None:
            amounts[4] += 1
            amounts[5] += call.seconds
            amounts[6] = max(amounts[6], call.seconds)
    return sums
