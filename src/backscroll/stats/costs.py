"""Costs of sessions, for every list that shows them: nothing is imported here that a list does not need."""

from collections.abc import Callable, Iterable
from decimal import Decimal

from backscroll.index.sums import QUARTER, Connection, of_sessions
from backscroll.sessions.model import Session
from backscroll.stats.prices import Prices

NO_MODEL = "(no model)"


def fill_costs(database: Connection, sessions: Iterable[Session], prices: Prices) -> None:
    """Give sessions the cost of what they spent: the sum of what has a price, None where nothing has."""
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


def eras(prices: Prices) -> Callable[[int | None], str]:
    """Return buckets that tell apart nothing but the times between two changes of any price."""
    return lambda quarter: f"{era_of(prices, quarter)} "


def era_of(prices: Prices, quarter: int | None) -> int:
    """Return the era of a quarter of an hour; what has no time is priced as of today."""
    return len(prices.changes) if quarter is None else prices.era_of(quarter * QUARTER)
