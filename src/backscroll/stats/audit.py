"""Audit: the steps from records on disk to the total, and the reasons why Claude Code's figures differ.

It reads only the index.  A record that does not count appears with the file that holds its original.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from backscroll.index.queries.damage import damage_of, notes_of
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.queries.usage import NOTHING, Connection, Sum, UsageFilter, copied, held_by, sums
from backscroll.index.queries.usage_records import (
    Spent,
    Stated,
    UsageMessage,
    counts,
    family_of,
    messages,
    stated,
    transcript_of,
    with_recorded_costs,
)
from backscroll.place import Place
from backscroll.sessions.transcript.token_counts import DOUBT
from backscroll.stats.costs import era_of, eras
from backscroll.stats.model import Amount, Audit, AuditMessage, Comparison, CopiedFrom, ModelDifference
from backscroll.stats.prices import Prices, model_of
from backscroll.stats.usage import UsageTally

SAME = Decimal("0.0000005")
"""Two costs are equal if they differ by less than this many dollars: Claude Code uses binary fractions."""
_STATED_AMOUNTS = {
    "input": "inputTokens",
    "output": "outputTokens",
    "cache_write": "cacheCreationInputTokens",
    "cache_read": "cacheReadInputTokens",
    "cache_write_5m": "cacheCreationEphemeral5mInputTokens",
    "cache_write_1h": "cacheCreationEphemeral1hInputTokens",
    "web_searches": "webSearchRequests",
}
_TOKENS = ("input", "output", "cache_write", "cache_read")


def report(database: Connection, session: str | None, prices: Prices) -> Audit:
    """Explain the total of everything, or of one session."""
    counted = counts(database, session)
    family = None if session is None else family_of(database, session)
    total = UsageTally(Amount())
    for spent in sums(database, UsageFilter(SessionFilter(session=session)), (), eras(prices)):
        total.add(spent, prices.cost(spent))
    amount = total.done()
    return Audit(
        records=counted.records,
        repeated=counted.records - counted.messages,
        copies=counted.messages - amount.messages,
        counted=amount.messages,
        synthetic=counted.synthetic,
        total=amount,
        unpriced=sorted(total.unpriced.values(), key=lambda item: (-item.messages, item.model or "")),
        copied=list(_copied(database, session, prices)),
        comparisons=[*_by_message(database, session, prices), *_by_session(database, session, prices)],
        prices=f"{prices.source}, {prices.day}",
        messages=list(_messages(database, session, prices)) if session else [],
        uncounted=damage_of(database, family),
        doubted=notes_of(database, family, DOUBT),
    )


def _copied(database: Connection, session: str | None, prices: Prices) -> Iterator[CopiedFrom]:
    tallies: dict[tuple[str, str], UsageTally] = {}
    for spent in copied(database, eras(prices)):
        key = (spent.session or "", spent.project or "")
        if session in {None, key[0]}:
            tallies.setdefault(key, UsageTally(Amount())).add(spent, prices.cost(spent))
    for (holder, first), tally in sorted(tallies.items()):
        yield CopiedFrom(holder, first, transcript_of(database, first), tally.done())


def _messages(database: Connection, session: str, prices: Prices) -> Iterator[AuditMessage]:
    """Yield every usage record of a session, with the reason why it counts or not."""
    found: list[AuditMessage] = []
    for message, mine in messages(database, session):
        is_own = message.first in mine
        counting = (message.greatest if message.greatest in mine else message.first) if is_own else None
        found += [_counted(message, counting, prices)] if counting is not None else []
        found += [_copy(message, spent, prices) for spent in mine if spent is not counting]
    return iter(sorted(found, key=lambda item: (item.place.path, item.place.line or 0)))


def _counted(message: UsageMessage, lies: Spent, prices: Prices) -> AuditMessage:
    spent = message.greatest
    reason = "counted; its output is a placeholder" if spent.is_lower_bound else "counted"
    return _message(lies, spent, prices, reason, is_counted=True)


def _copy(message: UsageMessage, spent: Spent, prices: Prices) -> AuditMessage:
    is_elsewhere = message.first.session != spent.session
    reason = (
        "copy: another session holds the original" if is_elsewhere else "copy: another file of it holds the original"
    )
    found = _message(spent, spent, prices, reason, is_counted=False)
    found.first_place = Place(message.first.transcript, message.first.line)
    found.first_session = message.first.session
    return found


def _message(lies: Spent, spent: Spent, prices: Prices, reason: str, *, is_counted: bool) -> AuditMessage:
    tally = UsageTally(Amount())
    single = _sum_of(spent, prices)
    tally.add(single, prices.cost(single))
    place = Place(lies.transcript, lies.line)
    return AuditMessage(place, spent.model, tally.done(), is_counted, reason, lies.records)


def _sum_of(spent: Spent, prices: Prices) -> Sum:
    known = {name: getattr(spent, name) for name in _SHARED}
    return NOTHING._replace(
        bucket=f"{era_of(prices, spent.quarter)} ",
        messages=1,
        lower_bound_messages=spent.is_lower_bound,
        lower_bound_output=(spent.output or 0) if spent.is_lower_bound else 0,
        first=spent.time,
        last=spent.time,
        **known,
    )


_SHARED = set(Spent._fields) & set(Sum._fields) - {"session", "branch", "agent"}


def _by_message(database: Connection, session: str | None, prices: Prices) -> Iterator[Comparison]:
    """Compare the price that each message of a session records with ours."""
    for name in with_recorded_costs(database, session):
        tally = UsageTally(Amount())
        recorded, unmarked = 0.0, 0
        for spent in held_by(database, name, eras(prices)):
            if spent.session is None:
                tally.add(spent, prices.cost(spent))
                recorded += spent.recorded or 0.0
                unmarked += spent.messages - spent.recorded_messages
        is_equal = tally.cost is not None and abs(Decimal(recorded) - tally.cost) < SAME
        reasons = [f"{unmarked} of its messages record no price"] if unmarked else []
        if not is_equal and not unmarked:
            reasons.append("prices were different then, or the model has no known price")
        cost = tally.done().cost
        yield Comparison(name, "costUSD", recorded, cost, cost, cost, is_equal, reasons)


def _by_session(database: Connection, session: str | None, prices: Prices) -> Iterator[Comparison]:
    """Compare the last cost that Claude Code recorded for a session with ours."""
    for statement in stated(database, session):
        own, held = UsageTally(Amount()), UsageTally(Amount())
        by_model: dict[str, UsageTally] = {}
        copies: dict[str, UsageTally] = {}
        for spent in held_by(database, statement.session, eras(prices)):
            cost = prices.cost(spent)
            held.add(spent, cost)
            if not statement.starts_at_zero:
                by_model.setdefault(model_of(spent.model or "").name, UsageTally(Amount())).add(spent, cost)
            (own if spent.session is None else copies.setdefault(spent.session, UsageTally(Amount()))).add(spent, cost)
        if statement.starts_at_zero:
            by_model, copies = _since_branch(database, statement.session, prices)
        yield _comparison(statement, own, held, by_model, copies, prices)


def _since_branch(
    database: Connection, session: str, prices: Prices
) -> tuple[dict[str, UsageTally], dict[str, UsageTally]]:
    """Return the usage by model of a session that `/branch` made, and that of the copies that count for it.

    Claude Code's own sum starts at zero there.  Copies count for the branch if its parent's file is gone.
    """
    by_model: dict[str, UsageTally] = {}
    copies: dict[str, UsageTally] = {}
    for message, mine in messages(database, session):
        if message.first in mine:
            spent = _sum_of(message.greatest, prices)
            tallies, name = (copies, "") if message.first.is_copy else (by_model, model_of(spent.model or "").name)
            tallies.setdefault(name, UsageTally(Amount())).add(spent, prices.cost(spent))
    return by_model, copies


def _comparison(  # noqa: PLR0913, PLR0917 - the recorded figures and the tallies to compare with
    statement: Stated,
    own: UsageTally,
    held: UsageTally,
    by_model: dict[str, UsageTally],
    copies: dict[str, UsageTally],
    prices: Prices,
) -> Comparison:
    models, repriced = _stated_models(statement.models, prices)
    differences = [
        ModelDifference(name, tally.done(), by_model.pop(model_of(name).name, UsageTally(Amount())).done())
        for name, tally in models.items()
    ]
    differences += [ModelDifference(name, Amount(), tally.done()) for name, tally in by_model.items()]
    is_equal = _same(statement.cost, own.cost)
    reasons = [] if is_equal else list(_reasons(statement, differences, copies, repriced))
    own_amount, held_amount = own.done(), held.done()
    return Comparison(
        session=statement.session,
        source="cost-state",
        recorded=statement.cost,
        computed=own_amount.cost,
        with_copies=held_amount.cost,
        repriced=None if repriced is None else float(repriced),
        is_equal=is_equal,
        reasons=reasons,
        models=[item for item in differences if _tokens(item.stated) != _tokens(item.found)],
    )


def _same(recorded: float, computed: Decimal | None) -> bool:
    return abs(Decimal(recorded) - (computed or Decimal())) < SAME


def _tokens(amount: Amount) -> tuple[int, ...]:
    return tuple(getattr(amount, name) or 0 for name in _TOKENS)


def _stated_models(models: dict[str, Any], prices: Prices) -> tuple[dict[str, UsageTally], Decimal | None]:
    """Return the recorded usage of each model, and its cost at our prices for short prompts."""
    tallies: dict[str, UsageTally] = {}
    total: Decimal | None = Decimal()
    for name, value in models.items():
        given = value if isinstance(value, dict) else {}
        amounts = {
            ours: given[theirs] for ours, theirs in _STATED_AMOUNTS.items() if isinstance(given.get(theirs), int)
        }
        spent = NOTHING._replace(bucket=f"{len(prices.changes)} ", model=name, **amounts)
        cost = prices.cost(spent)
        tallies[name] = UsageTally(Amount())
        tallies[name].add(spent, cost)
        total = None if cost is None or total is None else total + cost
    return tallies, total


def _reasons(
    statement: Stated, differences: Iterable[ModelDifference], copies: dict[str, UsageTally], repriced: Decimal | None
) -> Iterator[str]:
    """Yield the reasons why two figures of one session differ."""
    for name, tally in copies.items():
        copied = "1 message is a copy" if (number := tally.amount.messages) == 1 else f"{number:,} messages are copies"
        yield (
            f"{copied}; session {name} holds the original"
            if name
            else f"{copied} from a deleted session; Claude Code's sum starts after it"
        )
    for item in differences:
        missing = [stated - found for stated, found in zip(_tokens(item.stated), _tokens(item.found), strict=True)]
        if any(number > 0 for number in missing):
            tokens = sum(number for number in missing if number > 0)
            yield f"no transcript records {tokens:,} tokens of {item.model}"
        if any(number < 0 for number in missing):
            tokens = -sum(number for number in missing if number < 0)
            yield f"Claude Code's last sum does not include {tokens:,} tokens of {item.model} that the transcripts hold"
    if repriced is None:
        yield "Claude Code has a price for a model that has no price here"
    elif not _same(statement.cost, repriced):
        yield f"Claude Code's own tokens cost ${repriced:.6f} at our prices: long prompts, fast mode or other prices"
