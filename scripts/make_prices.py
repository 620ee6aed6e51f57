"""Write src/backscroll/stats/prices.json from genai-prices.

Needed when prices change, not to build or to run:
`uv run --with genai-prices==0.2.1 scripts/make_prices.py 2026-11-15`, the day on which the prices were looked up.
genai-prices is by Pydantic Services Inc. and others, under the MIT licence: https://github.com/pydantic/genai-prices.
"""

import importlib
import importlib.metadata
import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from backscroll.stats.prices import model_of

TABLE = Path(__file__).parent.parent / "src" / "backscroll" / "stats" / "prices.json"
AMOUNTS = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_write_mtok": "cache_write",
    "cache_write_1h_mtok": "cache_write_1h",
    "cache_read_mtok": "cache_read",
    "web_searches_kcount": "web_search",
}
LONG = {
    "claude-sonnet-4": {
        "above": 200_000,
        "long": {
            "input": "6",
            "output": "22.5",
            "cache_write": "7.5",
            "cache_write_1h": "12",
            "cache_read": "0.6",
            "web_search": "10",
        },
    },
}
"""Prices of long prompts that genai-prices does not have: https://www.anthropic.com/news/1m-context, 2025-08-12."""
MULTIPLIERS = {
    "fast": {
        "by": "2",
        "models": {"claude-opus-4-6": "6", "claude-opus-4-7": "6"},
        "source": "https://code.claude.com/docs/en/fast-mode; as Claude Code 2.1.325",
        "date": "2026-11-15",
    },
    "us": {
        "by": "1.1",
        "source": "https://platform.claude.com/docs/en/manage-claude/data-residency; as Claude Code 2.1.325",
        "date": "2026-11-15",
    },
    "batch": {
        "by": "0.5",
        "source": "https://platform.claude.com/docs/en/about-claude/pricing#batch-processing",
        "date": "2026-10-14",
    },
}


def models(provider: str) -> dict[str, list[dict[str, Any]]]:
    """Return the prices of a provider's Claude models, each in the order of time."""
    providers = importlib.import_module("genai_prices.data").providers
    found = next(item for item in providers if item.id == provider).models
    table = {model.id: [dated(price) for price in listed(model.prices)] for model in found if "claude-" in model.id}
    return {name: items for name, items in table.items() if "cache_read" in items[0]}


def listed(prices: Any) -> list[Any]:
    """Return prices as the list that they are when they change."""
    return prices if isinstance(prices, list) else [prices]


def dated(price: Any) -> dict[str, Any]:
    """Return one set of prices, with the day that it holds from, and that of long prompts."""
    start = getattr(getattr(price, "constraint", None), "start_date", None)
    amounts = vars(getattr(price, "prices", price))
    known = {name: amounts[key] for key, name in AMOUNTS.items() if amounts.get(key) is not None}
    base = {name: text(getattr(value, "base", value)) for name, value in known.items()}
    tiers = {tier.start for value in known.values() for tier in getattr(value, "tiers", ())}
    if len(tiers) > 1:
        raise SystemExit(f"more than one tier: {tiers}")
    item: dict[str, Any] = {"from": str(start)} if start else {}
    item |= base
    for above in tiers:
        item["above"] = above
        item["long"] = {
            name: text(value.tiers[0].price if hasattr(value, "tiers") else value) for name, value in known.items()
        }
    return item


def text(amount: Decimal) -> str:
    """Return an amount as it is written."""
    return format(amount.normalize(), "f")


def regional() -> dict[str, str]:
    """Return how many times dearer Bedrock is inside a region than across all, by model."""
    bedrock = models("aws")
    across = {model_of(name).name: items[-1] for name, items in bedrock.items() if name.startswith("global.")}
    inside = {model_of(name).name: items[-1] for name, items in bedrock.items() if name.startswith("regional.")}
    ratios = {
        name: Decimal(inside[name]["input"]) / Decimal(prices["input"])
        for name, prices in across.items()
        if name in inside
    }
    return {name: text(ratio) for name, ratio in sorted(ratios.items()) if ratio != 1}


def table(day: str) -> dict[str, Any]:
    """Return the whole table."""
    version = importlib.metadata.version("genai-prices")
    return {
        "source": f"genai-prices {version} (MIT, https://github.com/pydantic/genai-prices)",
        "notice": "Copyright (c) Pydantic Services Inc. 2025 to present; MIT License, see the source",
        "date": date.fromisoformat(day).isoformat(),
        "unit": "US dollars per million tokens; web searches per thousand",
        "models": {
            model_of(name).name: [item | LONG.get(model_of(name).name, {}) for item in items]
            for name, items in sorted(models("anthropic").items())
        },
        "regional": regional(),
        "multipliers": MULTIPLIERS,
    }


def main() -> int:
    """Write the table."""
    day = sys.argv[1] if len(sys.argv) > 1 else json.loads(TABLE.read_bytes())["date"]
    TABLE.write_text(json.dumps(table(day), indent=1) + "\n", encoding="utf-8")
    print(f"{TABLE}: {TABLE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
