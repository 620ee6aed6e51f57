"""Configs: the prompts that global configs and their backups remember, from before there were histories.

Claude Code up to 1.0 kept them in `.claude.json`, which every version of it writes anew all the time.  So all these
files are one unit, and it changes only when what they remember does.  A prompt is known by what it says, and lies in
the first file that remembers it.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from backscroll.lazy import lazily
from backscroll.sessions import beside
from backscroll.sessions.fingerprint import number_of
from backscroll.stores.side import HistoryPrompt
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index import side_entries, typed
    from backscroll.index.entries import Entry
else:
    side_entries = lazily("backscroll.index.side_entries")
    typed = lazily("backscroll.index.typed")


class Remembered(NamedTuple):
    """Which files remember prompts, and what changes whenever another prompt or another file does."""

    paths: tuple[str, ...]
    digest: bytes


def remembered(paths: Iterable[str]) -> Remembered:
    """Read what files remember; those that add nothing to the ones before them are left out."""
    found = {path: prompts for path, prompts in prompts_in(paths).items() if prompts}
    told: list[str | int] = []
    for path, prompts in found.items():
        told += [path, *sorted(prompts)]
    return Remembered(tuple(found), number_of(b"remembered", *told).to_bytes(8, signed=True))


def prompts_in(paths: Iterable[str]) -> dict[str, dict[int, HistoryPrompt]]:
    """Return the prompts of each file that none before it remembers, each by the number that stands for it."""
    known: set[int] = set()
    found = {}
    for path in paths:
        prompts = beside.config_prompts(path)
        found[path] = {number: prompt for number, prompt in prompts.items() if number not in known}
        known |= prompts.keys()
    return found


def write_down(ledger: sqlite3.Connection, unit: int, paths: Iterable[str]) -> None:
    """Write into the ledger which prompts are remembered now."""
    prompts = (item for found in prompts_in(paths).values() for item in found.items())
    ledger.execute("DELETE FROM typed WHERE unit = ?", (unit,))
    typed.write_down(ledger, ((unit, number, None, 0, *typed.said_in(prompt, {})) for number, prompt in prompts))


def wanted(database: sqlite3.Connection, ledger: sqlite3.Connection, unit: int) -> set[int]:
    """Return the numbers of the prompts that must be found: neither a message nor a history holds them."""
    known = typed.Typed(database, ledger)
    numbers = {number for (number,) in ledger.execute("SELECT place FROM typed WHERE unit = ?", (unit,))}
    return numbers - known.held(unit) - known.in_histories(unit)


def entries(paths: Iterable[str], numbers: AbstractSet[int]) -> "Iterator[Entry]":
    """Yield some prompts as they are found."""
    for file, prompts in enumerate(prompts_in(paths).values()):
        yield from (side_entries.of_config(number, prompts[number], file) for number in prompts if number in numbers)
