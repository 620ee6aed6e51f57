"""Prices: which model a name means, what serves dearer, and that an unknown model costs nothing we know."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from backscroll.errors import QueryError
from backscroll.index.queries.usage import NOTHING
from backscroll.sessions.transcript.rows import PRICE_LIMITS
from backscroll.stats import prices
from backscroll.stats.prices import Model, load_prices, model_of

TABLE = json.loads(Path(prices.__file__).with_name("prices.json").read_bytes())
MILLION = 1_000_000


def cost(model: str | None, own: dict[str, Any] | None = None, day: str = "2026-11-15", **spent: Any) -> Decimal | None:
    """Return what something costs on a day; without an amount, a million tokens of input."""
    table = load_prices(own)
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    amounts = (
        spent if {"input", "output", "cache_write", "cache_read", "web_searches"} & set(spent) else {"input": MILLION}
    )
    return table.cost(NOTHING._replace(bucket=f"{table.era_of(moment)} ", model=model, **(spent | amounts)))


@pytest.mark.parametrize(
    "written, model",
    [
        ("claude-sonnet-4-5-20250929", Model("claude-sonnet-4-5")),
        ("claude-sonnet-4-5", Model("claude-sonnet-4-5")),
        ("claude-sonnet-4.5", Model("claude-sonnet-4-5")),
        ("claude-4-5-sonnet", Model("claude-sonnet-4-5")),
        ("claude-sonnet-4-5[1m]", Model("claude-sonnet-4-5")),
        ("claude-sonnet-4-20250514", Model("claude-sonnet-4")),
        ("claude-sonnet-4-0", Model("claude-sonnet-4")),
        ("claude-3-5-haiku-latest", Model("claude-haiku-3-5")),
        ("claude-3-opus-20240229", Model("claude-opus-3")),
        ("anthropic/claude-opus-4.1", Model("claude-opus-4-1")),
        ("anthropic/claude-opus-5-fast", Model("claude-opus-5", is_fast=True)),
        ("claude-opus-4-1@20250805", Model("claude-opus-4-1")),
        ("vertex_ai/claude-haiku-4-5@20251001", Model("claude-haiku-4-5")),
        ("global.anthropic.claude-opus-4-5-20251101-v1:0", Model("claude-opus-4-5")),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", Model("claude-sonnet-4", is_regional=True)),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", Model("claude-sonnet-3-5", is_regional=True)),
        (
            "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-5-5",
            Model("claude-opus-5-5", is_regional=True),
        ),
        ("Claude-Opus-5-5", Model("claude-opus-5-5")),
        ("glm-4.6", Model("glm-4-6")),
    ],
)
def test_names_of_models(written: str, model: Model) -> None:
    """Dated, aliased and suffixed names, and those of clouds and gateways, mean the model that they name."""
    assert model == model_of(written)


@pytest.mark.parametrize(
    "written", ["claude-opus-5-6", "claude-opus-55", "claude-opus", "<synthetic>", "", "gpt-5", None]
)
def test_an_unknown_model_has_no_price(written: str | None) -> None:
    """A name that only begins like a known one is another model, and its cost is unknown, not 0."""
    assert cost(written) is None


@pytest.mark.parametrize(
    "spent, dollars",
    [
        ({"input": MILLION}, "4"),
        ({"output": MILLION}, "20"),
        ({"cache_read": MILLION}, "0.2"),
        ({"cache_write": MILLION}, "5"),
        ({"cache_write": MILLION, "cache_write_1h": MILLION}, "8"),
        ({"cache_write": MILLION, "cache_write_1h": MILLION // 4}, "5.75"),
        ({"input": MILLION, "web_searches": 3}, "4.03"),
        ({"input": MILLION, "speed": "fast"}, "8"),
        ({"input": MILLION, "geo": "us"}, "4.4"),
        ({"input": MILLION, "geo": "global"}, "4"),
        ({"input": MILLION, "tier": "batch"}, "2"),
        ({"input": MILLION, "tier": "priority"}, "4"),
        ({"input": MILLION, "speed": "fast", "geo": "us", "web_searches": 100}, "9.8"),
        ({"input": 0}, "0"),
    ],
)
def test_what_an_amount_costs(spent: dict[str, Any], dollars: str) -> None:
    """Each kind of token has its price; fast, US and batch multiply tokens and leave searches alone."""
    assert Decimal(dollars) == cost("claude-opus-5-5", **spent)


@pytest.mark.parametrize(
    "model, context, day, dollars",
    [
        ("claude-sonnet-4-5", 0, "2026-11-15", "3"),
        ("claude-sonnet-4-5", 100_000, "2026-11-15", "3"),
        ("claude-sonnet-4-5", 200_000, "2026-11-15", "6"),
        ("claude-sonnet-4", 200_000, "2025-09-01", "6"),
        ("claude-haiku-5-5", 0, "2026-11-15", "0.1"),
        ("claude-haiku-5-5", 100_000, "2026-11-15", "0.5"),
        ("claude-haiku-5-5", 200_000, "2026-11-15", "0.5"),
        ("claude-opus-4-6", 200_000, "2026-03-12", "10"),
        ("claude-opus-4-6", 200_000, "2026-03-13", "5"),
        ("claude-opus-5-5", 200_000, "2026-11-15", "4"),
    ],
)
def test_long_prompts(model: str, context: int, day: str, dollars: str) -> None:
    """A prompt above a model's limit costs more in all its tokens, as long as the model had such a limit."""
    assert Decimal(dollars) == cost(model, context=context, day=day)


@pytest.mark.parametrize(
    "model, dollars",
    [("claude-opus-4-6", "30"), ("claude-opus-4-7", "30"), ("claude-opus-4-8", "10"), ("claude-opus-5", "10")],
)
def test_fast_mode_by_model(model: str, dollars: str) -> None:
    """Fast mode costs six times as much with Opus 4.6 and 4.7, twice as much with those that followed."""
    assert Decimal(dollars) == cost(model, speed="fast")


def test_bedrock_inside_a_region() -> None:
    """Bedrock's own regions cost a tenth more, for the models for which they do."""
    assert Decimal("5.5") == cost("eu.anthropic.claude-opus-4-5-20251101-v1:0")
    assert Decimal(5) == cost("global.anthropic.claude-opus-4-5-20251101-v1:0")
    assert Decimal(15) == cost("us.anthropic.claude-opus-4-1-20250805-v1:0")


def test_a_part_without_price_makes_the_cost_unknown() -> None:
    """A model whose searches have no known price has no cost where it searched."""
    assert cost("claude-3-opus-20240229") == 15
    assert cost("claude-3-opus-20240229", input=1, web_searches=1) is None


def test_own_prices_win() -> None:
    """A user's price of a model, also of one that nobody else knows, takes the place of ours."""
    own = {"models": {"claude-opus-5-5": {"input": 1.5}, "glm-4.6": {"input": "0.6", "output": 2}}}

    assert Decimal("1.5") == cost("claude-opus-5-5", own)
    assert Decimal("1.5") == cost("us.anthropic.claude-opus-5-5", own) / Decimal("1.1")  # type: ignore[operator]
    assert Decimal("0.6") == cost("glm-4.6", own)
    assert cost("glm-4.6", own, cache_read=1) is None
    assert Decimal(3) == cost("claude-sonnet-4-5", own)


def test_own_multipliers_win() -> None:
    """A user may say what fast mode, US inference and batches cost."""
    own = {"models": {"claude-opus-5": {"fast": 3}}, "multipliers": {"us": 1, "batch": "0.25"}}

    assert Decimal(15) == cost("claude-opus-5", own, speed="fast")
    assert Decimal(30) == cost("claude-opus-4-6", own, speed="fast")
    assert Decimal(5) == cost("claude-opus-5", own, geo="us")
    assert Decimal("1.25") == cost("claude-opus-5", own, tier="batch")
    assert Decimal(10) == cost("claude-opus-4-6", {"multipliers": {"fast": 2}}, speed="fast")


@pytest.mark.parametrize(
    "own",
    [
        {"models": {"a": 3}},
        {"models": {"a": {"input": "much"}}},
        {"models": {"a": {"input": -1}}},
        {"models": {"a": {"input": True}}},
        {"models": {"a": {"input": float("nan")}}},
        {"models": {"a": {"inputs": 1}}},
        {"multipliers": {"slow": 1}},
        {"models": []},
    ],
)
def test_what_is_no_price_is_refused(own: dict[str, Any]) -> None:
    """A file of prices with a slip in it is not half believed."""
    with pytest.raises(QueryError):
        load_prices(own)


def test_the_table_can_be_used() -> None:
    """Every limit of a prompt is one that the index tells apart, and every model has the five prices of tokens."""
    items = [item for items in TABLE["models"].values() for item in items]

    assert {item["above"] for item in items if "above" in item} == set(PRICE_LIMITS)
    assert all({"input", "output", "cache_write", "cache_write_1h", "cache_read"} <= set(item) for item in items)
    assert all(
        set(item["long"]) >= {"input", "output", "cache_write", "cache_write_1h", "cache_read"}
        for item in items
        if "long" in item
    )
    assert [] == [name for name in TABLE["models"] if model_of(name).name != name]


def test_the_table_says_where_it_comes_from() -> None:
    """The table names its source, its licence and its day; so does each multiplier."""
    assert "MIT" in TABLE["source"]
    assert TABLE["date"] == datetime.fromisoformat(TABLE["date"]).date().isoformat()
    assert all(item["source"].startswith("https://") and item["date"] for item in TABLE["multipliers"].values())
    assert TABLE["source"] == load_prices().source
