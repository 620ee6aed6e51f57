"""Prices: the cost of an API message in US dollars, by model, time and service tier.

scripts/make_prices.py makes the table beside this module from `genai-prices` (MIT, by Pydantic), with the
multipliers of docs/usage.md.  A user's own prices replace ours.  Amounts are decimal, so that a total is the exact
sum of its parts in every grouping.  The cost of a model without a price is None, never 0.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from backscroll.errors import QueryError
from backscroll.index.queries.usage import Sum

MILLION, THOUSAND = Decimal(1_000_000), Decimal(1000)
ONE = Decimal(1)
AMOUNTS = ("input", "output", "cache_write", "cache_write_1h", "cache_read", "web_search")
"""The prices of a model, per million tokens; for a web search per thousand."""


@cache
def _brackets() -> re.Pattern[str]:
    return re.compile(r"\[[^\]]*\]$")


@cache
def _bedrock() -> re.Pattern[str]:
    return re.compile(r"^(?:([a-z-]+)\.)?anthropic\.")


@cache
def _revision() -> re.Pattern[str]:
    return re.compile(r"-v\d+(?::\w+)*$")


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@cache
def _name() -> re.Pattern[str]:
    return re.compile(r"^claude-(?:([a-z]+)-(\d+(?:-\d+)?)|(\d+(?:-\d+)?)-([a-z]+))$")


class Model(NamedTuple):
    """A model as a key of the price table: `name` is the family and version alone."""

    name: str
    is_fast: bool = False
    is_regional: bool = False
    """True if Bedrock serves it inside one region, which costs more."""


@lru_cache(maxsize=1000)
def model_of(written: str) -> Model:
    """Return the model of a name, as the API, a cloud or a gateway writes it.

    >>> model_of("claude-sonnet-4-5-20250929[1m]").name
    'claude-sonnet-4-5'
    >>> model_of("us.anthropic.claude-3-5-haiku-20241022-v1:0")
    Model(name='claude-haiku-3-5', is_fast=False, is_regional=True)
    """
    name = written.strip().lower()
    name = (_brackets().sub("", name) if "[" in name else name).rpartition("/")[2]
    bedrock = _bedrock().match(name) if "anthropic." in name else None
    name = (name[bedrock.end() :] if bedrock else name).partition("@")[0]
    name = (_revision().sub("", name) if "-v" in name else name).replace(".", "-")
    is_fast = name.endswith("-fast")
    name = _date().sub("", name.removesuffix("-fast"))
    known = _name().match(name)
    if known:
        family, version = known[1] or known[4], known[2] or known[3]
        name = f"claude-{family}-{version.removesuffix('-0')}"
    return Model(name, is_fast, bedrock is not None and bedrock[1] != "global")


class _Rates(NamedTuple):
    """The prices of one model from one day on; `long` has the prices of prompts longer than `above`."""

    base: dict[str, Decimal]
    since: date | None
    above: int | None
    long: dict[str, Decimal]


@dataclass(slots=True)
class Prices:
    """All prices: those of each model in order of time, and the multipliers."""

    models: dict[str, list[_Rates]]
    fast: Decimal
    fast_models: dict[str, Decimal]
    us: Decimal
    batch: Decimal
    regional: dict[str, Decimal]
    source: str
    day: str
    changes: list[date] = field(default_factory=list)
    """The days on which any price changes; they divide time into eras."""

    def era_of(self, moment: float) -> int:
        """Return the number of the era of a moment in seconds."""
        return bisect_right(self.changes, moment, key=_seconds)

    def cost(self, spent: Sum) -> Decimal | None:
        """Return the cost of an amount; None if its model, or any part of it, has no known price."""
        if spent.model is None:
            return None
        model = model_of(spent.model)
        rates = self._rates(spent.model, model, spent.context, spent.era)
        if rates is None:
            return None
        long_lived = spent.cache_write_1h or 0
        tokens = {
            "input": spent.input or 0,
            "output": spent.output or 0,
            "cache_write": (spent.cache_write or 0) - long_lived,
            "cache_write_1h": long_lived,
            "cache_read": spent.cache_read or 0,
        }
        searches = spent.web_searches or 0
        if any(amount and name not in rates for name, amount in tokens.items()):
            return None
        if searches and "web_search" not in rates:
            return None
        sum_of_tokens = sum((amount * rates[name] for name, amount in tokens.items() if amount), Decimal())
        dearer = self._multiplier(spent, model)
        return sum_of_tokens * dearer / MILLION + (searches * rates["web_search"] / THOUSAND if searches else 0)

    def _rates(self, written: str, model: Model, context: int, era: int) -> dict[str, Decimal] | None:
        dated = self.models.get(written) or self.models.get(model.name)
        if not dated:
            return None
        day = self.changes[era - 1] if era else date.min
        rates = next((item for item in reversed(dated) if item.since is None or item.since <= day), None)
        if rates is None:
            return None
        return rates.long if rates.above is not None and context >= rates.above else rates.base

    def _multiplier(self, spent: Sum, model: Model) -> Decimal:
        by = ONE
        if spent.speed == "fast" or model.is_fast:
            by *= self.fast_models.get(model.name, self.fast)
        if spent.geo == "us":
            by *= self.us
        if spent.tier == "batch":
            by *= self.batch
        if model.is_regional:
            by *= self.regional.get(model.name, ONE)
        return by


def load_prices(own: Mapping[str, Any] | None = None) -> Prices:
    """Return the prices that come with the package, with a user's own prices on top."""
    table = json.loads(Path(__file__).with_name("prices.json").read_bytes())
    multipliers = table["multipliers"]
    prices = Prices(
        models={name: [_rates_of(item) for item in items] for name, items in table["models"].items()},
        fast=Decimal(multipliers["fast"]["by"]),
        fast_models={name: Decimal(by) for name, by in multipliers["fast"]["models"].items()},
        us=Decimal(multipliers["us"]["by"]),
        batch=Decimal(multipliers["batch"]["by"]),
        regional={name: Decimal(by) for name, by in table["regional"].items()},
        source=table["source"],
        day=table["date"],
    )
    _add_own(prices, own or {})
    prices.changes = sorted({item.since for items in prices.models.values() for item in items if item.since})
    return prices


def _rates_of(item: Mapping[str, Any]) -> _Rates:
    since = date.fromisoformat(item["from"]) if item.get("from") else None
    return _Rates(_decimals(item), since, item.get("above"), _decimals(item.get("long", {})))


def _decimals(item: Mapping[str, Any]) -> dict[str, Decimal]:
    return {name: Decimal(str(item[name])) for name in AMOUNTS if name in item}


def _add_own(prices: Prices, own: Mapping[str, Any]) -> None:
    """Replace our prices by a user's: [models."name"] with prices, [multipliers] fast, us, batch."""
    models, multipliers = own.get("models", {}), own.get("multipliers", {})
    if not isinstance(models, Mapping) or not set(own) <= {"models", "multipliers"}:
        raise QueryError("not a table of prices", ", ".join(own), _REMEDY)
    for name, item in models.items():
        _check(name, item, (*AMOUNTS, "fast"))
        if "fast" in item:
            prices.fast_models[model_of(name).name] = Decimal(str(item["fast"]))
        if any(amount in item for amount in AMOUNTS):
            prices.models[name] = prices.models[model_of(name).name] = [_rates_of(item)]
    _check("multipliers", multipliers, ("fast", "us", "batch"))
    for name, by in multipliers.items():
        setattr(prices, name, Decimal(str(by)))
    if "fast" in multipliers:
        prices.fast_models.clear()


def _check(name: str, item: object, known: Sequence[str]) -> None:
    """Raise QueryError for a value that is not a price."""
    if not isinstance(item, Mapping):
        raise QueryError("not a table of prices", name, _REMEDY)
    for key, value in item.items():
        if key not in known or not _is_price(value):
            raise QueryError(f"not a price: {key} = {value!r}", name, _REMEDY)


_REMEDY = (
    "A model's prices are numbers of US dollars per million tokens: input, output, cache_write, …; see docs/usage.md."
)


def _is_price(value: object) -> bool:
    try:
        return not isinstance(value, bool) and Decimal(str(value)).is_finite() and Decimal(str(value)) >= 0
    except InvalidOperation:
        return False


def _seconds(day: date) -> float:
    return datetime.combine(day, time(), UTC).timestamp()
