"""Costs, for lists and for the status line; it imports only modules that these need."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from backscroll.index.queries.usage import QUARTER, Connection, UsageFilter, of_sessions, sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from backscroll.sessions.session import Session
    from backscroll.stats.prices import Prices

NO_MODEL = "(no model)"
BLOCK = timedelta(hours=5)
_HOUR = 3600


def fill_costs(database: Connection, sessions: Iterable[Session], prices: Prices) -> None:
    """Set the cost of sessions: the sum of all usage with a price, or None if nothing has one."""
    known = {session.id: session for session in sessions}
    costs: dict[str, Decimal] = {}
    for spent in of_sessions(database, known, eras(prices)):
        name, cost = str(spent.session), prices.cost(spent)
        if cost is not None:
            costs[name] = costs.get(name, Decimal()) + cost
        elif (model := spent.model or NO_MODEL) not in known[name].usage.unpriced:
            known[name].usage.unpriced.append(model)
    for name, cost in costs.items():
        known[name].usage.cost = float(cost)
    for session in known.values():
        session.usage.unpriced.sort()


def total_cost(database: Connection, wanted: UsageFilter, prices: Prices) -> float | None:
    """Return the cost of all usage that passes a filter, or None if nothing of it has a price."""
    costs = [cost for spent in sums(database, wanted, (), eras(prices)) if (cost := prices.cost(spent)) is not None]
    return float(sum(costs, Decimal())) if costs else None


def block_starts(numbers: Iterable[int]) -> dict[int, int]:
    """Return the first quarter of an hour of each quarter's block: the full hour of its first message."""
    starts: dict[int, int] = {}
    start, length = None, BLOCK // timedelta(seconds=QUARTER)
    for number in numbers:
        if start is None or number >= start + length:
            start = number - number % (_HOUR // QUARTER)
        starts[number] = start
    return starts


def eras(prices: Prices) -> Callable[[int | None], str]:
    """Return a function that puts a time into a bucket; a bucket ends when any price changes."""
    return lambda quarter: f"{era_of(prices, quarter)} "


def era_of(prices: Prices, quarter: int | None) -> int:
    """Return the era of a quarter of an hour; usage without a time has today's prices."""
    return len(prices.changes) if quarter is None else prices.era_of(quarter * QUARTER)
