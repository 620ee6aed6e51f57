"""The prompts that global configs and their backups remember, from before there were histories.

Claude Code up to 1.0 kept them in `.claude.json`, which every version of it writes anew all the time.  So all these
files are taken as one, which changes only when what they remember does.  A prompt is known by what it says, and lies in
the first file that remembers it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from backscroll.index.words.numbers import CONFIGS
from backscroll.lazy import lazily
from backscroll.sessions import beside
from backscroll.sessions.fingerprint import number_of
from backscroll.stores.side import HistoryPrompt
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    from backscroll.index.words import prompt_history, side_documents
    from backscroll.index.words.documents import Entry
else:
    prompt_history = lazily("backscroll.index.words.prompt_history")
    side_documents = lazily("backscroll.index.words.side_documents")


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


def write_down(database: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Write into the catalogue which prompts are remembered now."""
    prompts = (item for found in prompts_in(paths).values() for item in found.items())
    database.execute("DELETE FROM typed WHERE file = ?", (CONFIGS,))
    rows = ((CONFIGS, number, None, 0, *prompt_history.said_in(prompt, {})) for number, prompt in prompts)
    prompt_history.write_down(database, rows)


def wanted(database: sqlite3.Connection) -> set[int]:
    """Return the numbers of the prompts that must be found: neither a message nor a history holds them."""
    known = prompt_history.Typed(database)
    numbers = {number for (number,) in database.execute("SELECT place FROM typed WHERE file = ?", (CONFIGS,))}
    return numbers - known.held(CONFIGS) - known.in_histories(CONFIGS)


def entries(files: Mapping[str, int], numbers: AbstractSet[int]) -> "Iterator[Entry]":
    """Yield some prompts as they are found; `files` are the paths of the configs, and their numbers."""
    for path, prompts in prompts_in(files).items():
        found = (number for number in prompts if number in numbers)
        yield from (side_documents.of_config(number, prompts[number], files[path]) for number in found)
