"""Feature flags: the switches that Anthropic set for this user, as Claude Code last received them.

They are in the global config as `cachedGrowthBookFeatures`.  That file may hold secrets (approved API keys, the
environment of MCP servers), so only the flags leave this module.  docs/formats.md, "Feature flags".
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from backscroll.records import Damage, Json
from backscroll.stores.base import closed
from backscroll.stores.side import SideStore, read_object

FEATURES = "cachedGrowthBookFeatures"

_IN_CONFIG = (".config.json", ".claude.json", "config.json")
"""Names of the global config, in order of precedence."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag, from the config that was written last."""

    name: str
    value: Json
    path: str
    others: list[tuple[str, Json]]
    """Other configs with a different value, and that value."""


@dataclass(frozen=True, slots=True)
class FlagReport:
    """The flags of a home, by name, and the damage."""

    flags: list[Flag]
    damage: list[Damage]


@dataclass(frozen=True, slots=True)
class FlagChange:
    """A flag that differs between two homes."""

    name: str
    value: Json
    other: Json
    change: str
    """added: only the other home has it; removed: only this one; changed: both, with different values."""


@dataclass(frozen=True, slots=True)
class FlagDifference:
    """The differences between the flags of two homes, by name, and the damage."""

    changes: list[FlagChange]
    damage: list[Damage]


def read_flags(stores: Iterable[SideStore], prefix: str) -> FlagReport:
    """Return the flags of all global configs whose names begin with `prefix`, each once."""
    damage: list[Damage] = []
    found: dict[str, list[tuple[str, Any]]] = {}
    for path in sorted({path for store in stores for path in config_paths(store)}, key=_written, reverse=True):
        features = read_object(path, damage).get(FEATURES)
        for name, value in features.items() if isinstance(features, dict) else ():
            if name.startswith(prefix):
                found.setdefault(name, []).append((path, value))
    return FlagReport([_flag(name, values) for name, values in sorted(found.items())], damage)


def config_paths(store: SideStore) -> Iterator[str]:
    """Yield the global configs of a configuration directory: the first that exists in it, and the one beside it."""
    inside = [path for name in _IN_CONFIG if os.path.isfile(path := str(store.path / name))]
    yield from inside[:1]
    beside = str(store.path.parent / ".claude.json")
    if store.path.name == ".claude" and (os.path.isfile(beside) or closed(store.path.parent)):
        yield beside


def compare_flags(here: FlagReport, there: FlagReport) -> FlagDifference:
    """Return every flag that differs between two homes."""
    own, other = ({flag.name: flag.value for flag in report.flags} for report in (here, there))
    changes = []
    for name in sorted(own.keys() | other.keys()):
        if name not in own:
            changes.append(FlagChange(name, None, other[name], "added"))
        elif name not in other:
            changes.append(FlagChange(name, own[name], None, "removed"))
        elif own[name] != other[name]:
            changes.append(FlagChange(name, own[name], other[name], "changed"))
    return FlagDifference(changes, here.damage + there.damage)


def _flag(name: str, values: list[tuple[str, Any]]) -> Flag:
    (path, value), *older = values
    return Flag(name, value, path, [(place, other) for place, other in older if other != value])


def _written(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
