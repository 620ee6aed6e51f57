"""Usage: tokens and cost, each API message once, grouped by time, model, project, session and more.

Input: the sums in the index, by quarter of an hour, and the prices.  Output: rows
that add up to the total in every grouping, to the token and to the last digit of the cost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from decimal import Decimal

from backscroll.errors import QueryError
from backscroll.index.queries.usage import KEYS, QUARTER, Connection, Sum, UsageFilter, quarters, sums, titles
from backscroll.stats.costs import BLOCK, NO_MODEL, block_starts, era_of
from backscroll.stats.model import Amount, Burn, Unpriced, UsageReport, UsageRow
from backscroll.stats.prices import Prices
from backscroll.times import parse

TIMES = ("hour", "day", "week", "month", "block")
GROUPS = ("day", "week", "month", "hour", "model", "project", "session", "account", "agent", "branch", "block")
"""The keys for grouping usage."""
_BETWEEN = "\x1f"
_AMOUNTS = Sum._fields[Sum._fields.index("input") : Sum._fields.index("web_fetches") + 1]


@dataclass(slots=True)
class UsageTally:
    """An amount while it is summed; its cost is a decimal until `done`."""

    amount: Amount
    cost: Decimal | None = None
    unpriced: dict[str | None, Unpriced] = field(default_factory=dict)
    first: str | None = None
    last: str | None = None

    def add(self, spent: Sum, cost: Decimal | None) -> None:
        """Add usage; without a cost, record it as unpriced."""
        amount = self.amount
        amount.messages += spent.messages
        amount.lower_bound |= spent.lower_bound_messages > 0
        amount.lower_bound_messages += spent.lower_bound_messages
        amount.lower_bound_output += spent.lower_bound_output
        for name in _AMOUNTS:
            _add_to(amount, name, getattr(spent, name))
        if spent.first is not None and spent.last is not None:
            self.first = min(self.first or spent.first, spent.first)
            self.last = max(self.last or spent.last, spent.last)
        if cost is not None:
            self.cost = (self.cost or Decimal()) + cost
            return
        missing = self.unpriced.setdefault(spent.model, Unpriced(spent.model, 0, None, None, None, None))
        missing.messages += spent.messages
        for name in ("input", "output", "cache_write", "cache_read"):
            _add_to(missing, name, getattr(spent, name))

    def done(self) -> Amount:
        """Return the amount."""
        self.amount.cost = None if self.cost is None else float(self.cost)
        self.amount.first, self.amount.last = parse(self.first), parse(self.last)
        self.amount.unpriced = sorted(model or NO_MODEL for model in self.unpriced)
        return self.amount


def _add_to(amount: object, name: str, more: int | None) -> None:
    if more is not None:
        setattr(amount, name, (getattr(amount, name) or 0) + more)


def report(  # noqa: PLR0913 - filter, groups, prices, time zone, time
    database: Connection, wanted: UsageFilter, by: Sequence[str], prices: Prices, *, zone: tzinfo | None, now: datetime
) -> UsageReport:
    """Group usage; `zone=None` means this machine's time zone."""
    _check(by)
    starts = block_starts(quarters(database, wanted)) if "block" in by else {}
    bucket = _bucketing([key for key in by if key in TIMES], zone, prices, starts)
    rows: dict[tuple[str | None, ...], UsageTally] = {}
    total = UsageTally(Amount())
    for spent in sums(database, wanted, [key for key in by if key in KEYS], bucket):
        labels = tuple(_labels(spent, by))
        cost = prices.cost(spent)
        total.add(spent, cost)
        if labels not in rows:
            rows[labels] = UsageTally(UsageRow(key=_joined(labels), keys=dict(zip(by, labels, strict=True))))
        rows[labels].add(spent, cost)
    made = [row for tally in _sorted(rows, by) if isinstance(row := tally.done(), UsageRow)]
    if "session" in by:
        _add_titles(database, made)
    if "block" in by:
        _add_burn(made, now, zone, starts)
    unpriced = sorted(total.unpriced.values(), key=lambda item: (-item.messages, item.model or ""))
    return UsageReport(list(by), made, total.done(), unpriced, f"{prices.source}, {prices.day}")


def _check(by: Sequence[str]) -> None:
    for key in by:
        if key not in GROUPS:
            raise QueryError(f"usage cannot be grouped by {key}", remedy=f"Use {', '.join(GROUPS)}.")
    if not by or len(set(by)) < len(by):
        raise QueryError("a key of a grouping may appear only once", remedy=f"Use {', '.join(GROUPS)}.")


def _bucketing(
    times: Sequence[str], zone: tzinfo | None, prices: Prices, starts: dict[int, int]
) -> Callable[[int | None], str]:
    """Return a function from a quarter of an hour to `era label label …`; a missing time has empty labels."""
    known: dict[int | None, str] = {None: _bucket(era_of(prices, None), [""] * len(times))}

    def bucket(quarter: int | None) -> str:
        if quarter not in known:
            seconds = quarter * QUARTER if quarter is not None else 0
            moment = datetime.fromtimestamp(seconds, zone)
            labels = [_label(key, moment, starts.get(quarter or 0, 0), zone) for key in times]
            known[quarter] = _bucket(era_of(prices, quarter), labels)
        return known[quarter]

    return bucket


def _bucket(era: int, labels: Iterable[str]) -> str:
    return f"{era} {_BETWEEN.join(labels)}"


def _label(key: str, moment: datetime, start: int, zone: tzinfo | None) -> str:
    if key == "week":
        year, week, _ = moment.isocalendar()
        return f"{year}-W{week:02}"
    if key == "block":
        moment = datetime.fromtimestamp(start * QUARTER, zone)
    formats = {"day": "%Y-%m-%d", "month": "%Y-%m", "hour": "%Y-%m-%d %H:00", "block": "%Y-%m-%d %H:%M"}
    return moment.strftime(formats[key])


def _labels(spent: Sum, by: Sequence[str]) -> Iterator[str | None]:
    times = iter(spent.bucket.partition(" ")[2].split(_BETWEEN))
    for key in by:
        label = next(times) if key in TIMES else getattr(spent, key)
        yield label or None


def _joined(labels: Sequence[str | None]) -> str | None:
    return labels[0] if len(labels) == 1 else " · ".join(label or "unknown" for label in labels)


def _sorted(rows: dict[tuple[str | None, ...], UsageTally], by: Sequence[str]) -> list[UsageTally]:
    """Sort by time in order, by anything else with the highest cost first; unknown comes last."""
    timed = [number for number, key in enumerate(by) if key in TIMES]

    def order(item: tuple[tuple[str | None, ...], UsageTally]) -> tuple[object, ...]:
        labels, tally = item
        times = [(labels[number] is None, labels[number] or "") for number in timed]
        is_unknown = all(label is None for label in labels)
        return (times, is_unknown, -(tally.cost or 0), -tally.amount.tokens, [label or "" for label in labels])

    return [tally for _, tally in sorted(rows.items(), key=order)]


def _add_titles(database: Connection, rows: Iterable[UsageRow]) -> None:
    rows = list(rows)
    known = titles(database, (row.keys["session"] or "" for row in rows))
    for row in rows:
        row.title = known.get(row.keys["session"] or "")


def _add_burn(rows: Iterable[UsageRow], now: datetime, zone: tzinfo | None, starts: dict[int, int]) -> None:
    moments = {_label("block", now, start, zone): start for start in starts.values()}
    for row in rows:
        label = row.keys["block"]
        if label is not None:
            row.burn = _burn(row, datetime.fromtimestamp(moments[label] * QUARTER, UTC), now)


def _burn(row: UsageRow, start: datetime, now: datetime) -> Burn:
    """Compute the rate from the first message to the last, or to now while the block is active."""
    end = start + BLOCK
    is_active = start <= now < end
    last = now if is_active else row.last
    minutes = (last - row.first).total_seconds() / 60 if last and row.first else 0.0
    if minutes < 1:
        return Burn(start, end, is_active, None, None)
    per_minute = row.tokens / minutes
    per_hour = None if row.cost is None else row.cost / minutes * 60
    burn = Burn(start, end, is_active, per_minute, per_hour)
    if is_active:
        left = (end - now).total_seconds() / 60
        burn.projected_tokens = row.tokens + round(per_minute * left)
        burn.projected_cost = None if row.cost is None or per_hour is None else row.cost + per_hour * left / 60
    return burn
