"""Usage: tokens and cost beside ccusage and codeburn.

Both keep caches in the home that they read, which is a copy.
What differs, and which records prove who is right, is in docs/usage.md.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from corpora import Home, public
from lab import Case, Lab, Section
from measure import Figure

FIGURES = ("input", "output", "cache write", "cache read", "cost $")
COLUMNS = ("program", *FIGURES, "CPU", "wall", "peak memory", "runs", "command", "note")


def usage(lab: Lab) -> Section:
    """Count the tokens of a generated home, and of a home of real transcripts where that is there."""
    homes = [lab.sized("M"), *([lab.home("public", public)] if public().path.exists() else [])]
    homes = [lab.given] if lab.given else homes
    cases = [case for home in homes for case in counted(lab, home, f"usage of {home.name}")]
    text = "\n".join(f"{home.name}: {home.describe()}." for home in homes)
    text += "\nWhat differs, and which records prove who is right, is in [usage](usage.md)."
    return Section("Usage", text, cases, COLUMNS)


def counted(lab: Lab, home: Home, task: str) -> Iterator[Case]:
    """Yield every program that counts tokens, at one home."""
    first, again = lab.cold(task, home, "usage --json"), lab.ours(task, home, "usage --json", first="usage")
    first.note, first.repeats = "no index", 1
    for case in (first, again):
        case.facts = _read(_ours)
        yield case
    program = {name: lab.peers[name].program for name in ("ccusage", "codeburn", "node") if lab.has(name)}
    if "ccusage" in program:
        words = "claude daily --offline --json"
        command = [program["ccusage"], *words.split()]
        yield Case(task, "ccusage", f"ccusage {words}", command, home.path, lab.times(3), facts=_read(_ccusage))
    if "codeburn" in program:
        words = "overview --from 2020-01-01 --to 2035-12-31"
        command = [program["node"], program["codeburn"], *words.split()]
        yield Case(task, "codeburn", f"codeburn {words}", command, home.path, lab.times(3), facts=_read(_codeburn))


def _read(read: Callable[[str], tuple[Any, ...]]) -> Callable[[str, Figure], dict[str, float | str]]:
    return lambda output, _: dict(zip(FIGURES, read(output), strict=True))


def _ours(answer: str) -> tuple[Any, ...]:
    total = json.loads(answer)["total"]
    return (*(total[name] for name in ("input", "output", "cache_write", "cache_read")), _cents(total["cost"]))


def _ccusage(answer: str) -> tuple[Any, ...]:
    total = json.loads(answer)["totals"]
    tokens = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens")
    return (*(total[name] for name in tokens), _cents(total["totalCost"]))


def _codeburn(answer: str) -> tuple[Any, ...]:
    """Read the table that `overview` prints: it alone counts models without a price."""
    labels = ("Input", "Output", "Cache in", "Cache out")
    found = [re.search(rf"│\s+{label}\s+│\s+([\d,]+)", answer) for label in labels]
    cost = re.search(r"Cost\s+\$([\d,.]+)", answer)
    tokens = tuple(int(match[1].replace(",", "")) if match else "" for match in found)
    return (*tokens, _cents(float(cost[1].replace(",", ""))) if cost else "")


def _cents(value: float) -> str:
    return f"{value:,.2f}"
