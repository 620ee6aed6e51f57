"""The prompts in global configs and their backups, from before there were histories.

Claude Code up to 1.0 stored them in `.claude.json`, which every version rewrites all the time.  So we treat all these
files as one, which changes only when its prompts do.  The text of a prompt identifies it; the first file with it is
its place.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from backscroll.index.words.numbers import CONFIGS
from backscroll.lazy import lazily
from backscroll.sessions.searchable import side_files
from backscroll.sessions.transcript.fingerprint import number_of
from backscroll.stores.side import HistoryPrompt

if TYPE_CHECKING:
    from backscroll.index.words import prompt_history, side_documents
    from backscroll.index.words.documents import Entry
else:
    prompt_history = lazily("backscroll.index.words.prompt_history")
    side_documents = lazily("backscroll.index.words.side_documents")


class Remembered(NamedTuple):
    """The files with prompts, and a state that changes with any prompt or file."""

    paths: tuple[str, ...]
    digest: bytes


def remembered(paths: Iterable[str]) -> Remembered:
    """Read the prompts of files; omit files without a new prompt."""
    found = {path: prompts for path, prompts in prompts_in(paths).items() if prompts}
    told: list[str | int] = []
    for path, prompts in found.items():
        told += [path, *sorted(prompts)]
    return Remembered(tuple(found), number_of(b"remembered", *told).to_bytes(8, signed=True))


def prompts_in(paths: Iterable[str]) -> dict[str, dict[int, HistoryPrompt]]:
    """Return the prompts of each file that no earlier file has, each by its number."""
    known: set[int] = set()
    found = {}
    for path in paths:
        prompts = side_files.config_prompts(path)
        found[path] = {number: prompt for number, prompt in prompts.items() if number not in known}
        known |= prompts.keys()
    return found


def write_lines(database: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Write the current prompts into the catalogue."""
    prompts = (item for found in prompts_in(paths).values() for item in found.items())
    database.execute("DELETE FROM typed WHERE file = ?", (CONFIGS,))
    rows = ((CONFIGS, number, None, 0, *prompt_history.said_in(prompt, {})) for number, prompt in prompts)
    prompt_history.write_lines(database, rows)


def wanted(database: sqlite3.Connection) -> set[int]:
    """Return the numbers of the prompts that neither a message nor a history has."""
    known = prompt_history.Typed(database)
    numbers = {number for (number,) in database.execute("SELECT place FROM typed WHERE file = ?", (CONFIGS,))}
    return numbers - known.held(CONFIGS) - known.in_histories(CONFIGS)


def entries(files: Mapping[str, int], numbers: AbstractSet[int]) -> "Iterator[Entry]":
    """Yield some prompts as entries; `files` are the paths of the configs, and their numbers."""
    for path, prompts in prompts_in(files).items():
        found = (number for number in prompts if number in numbers)
        yield from (side_documents.of_config(number, prompts[number], files[path]) for number in found)
