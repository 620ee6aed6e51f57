"""Select from the browser data of pages: by key, origin and kind, with secrets withheld.

Browser storage holds tokens and passwords too, and users paste output elsewhere.  So values whose name or form
suggests a secret are withheld unless the caller asks for them.  The same is true of deleted and superseded values,
because old values may be old secrets.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from json import dumps
from typing import Any

from backscroll.formats.chromium.records import StorageRecord, joined
from backscroll.formats.state import State
from backscroll.records import Damage
from backscroll.stores.browser import BrowserStore
from backscroll.stores.desktop_files.allowed import WITHHELD, without_secrets

NOTE = "secrets are withheld"

_CLAUDE = "https://claude.ai"
_LOOKS_SECRET = re.compile(
    r"sk-ant-[\w-]{8,}|sk-[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|(?<=Bearer )[\w.~+/-]{16,}"
)


@dataclass(frozen=True, slots=True)
class StorageFilter:
    """The filter for records."""

    key: str | None = None
    """An exact key, or a pattern with `*`."""
    origin: str | None = None
    """An exact origin, with or without its scheme, or a pattern with `*`."""
    indexeddb: bool = False
    history: bool = False
    everything: bool = False
    """Include Session Storage and the browser's own records."""
    secrets: bool = False


@dataclass(slots=True)
class Storage:
    """The stored values of pages, newest version of a key first, and the damage."""

    records: list[StorageRecord] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)


def read_storage(stores: Iterable[BrowserStore], wanted: StorageFilter) -> Storage:
    """Read the selected values from all stores."""
    storage = Storage()
    for store in stores:
        items = store.records()
        storage.damage += [item for item in items if isinstance(item, Damage)]
        storage.records += _chosen(items, wanted)
    storage.records.sort(key=_order)
    return storage


def _chosen(items: Iterable[StorageRecord | Damage], wanted: StorageFilter) -> Iterator[StorageRecord]:
    kinds = {"local-storage"} | ({"indexeddb"} if wanted.indexeddb or wanted.key is not None else set())
    for item in items:
        if isinstance(item, Damage) or not (wanted.everything or item.kind in kinds):
            continue
        if item.state is not State.LIVE and not wanted.history:
            continue
        if _matches(item.key, wanted.key) and _is_of(item.origin, wanted.origin):
            yield item if wanted.secrets else withheld(item)


def _matches(text: str, pattern: str | None) -> bool:
    return pattern is None or text == pattern or ("*" in pattern and fnmatchcase(text, pattern.replace("[", "[[]")))


def _is_of(origin: str | None, pattern: str | None) -> bool:
    if pattern is None:
        return True
    text = origin or ""
    host = text.partition("://")[2]
    return _matches(text, pattern.rstrip("/")) or _matches(host, pattern.rstrip("/"))


def _order(record: StorageRecord) -> tuple[bool, str, str, str, str, str, str, int]:
    return (
        record.origin != _CLAUDE,
        record.origin or "",
        record.partition or "",
        record.kind,
        record.database or "",
        record.object_store or "",
        record.key,
        -(record.sequence or 0),
    )


def withheld(record: StorageRecord) -> StorageRecord:
    """Return a record without the secrets in its value."""
    if record.text is None:
        return record
    is_structure = record.has_json and isinstance(record.json, dict | list)
    before = record.json if is_structure else record.text
    after = _without_tokens(without_secrets(before, record.key) if before else before)
    if after == before:
        return record
    note = joined(record.note, NOTE)
    if is_structure:
        return replace(record, json=after, text=dumps(after, ensure_ascii=False), is_withheld=True, note=note)
    return replace(record, text=after, json=None, has_json=False, is_withheld=True, note=note)


def _without_tokens(value: Any) -> Any:
    """Return a value without texts that look like a token, under any name."""
    if isinstance(value, str):
        return _LOOKS_SECRET.sub(WITHHELD, value)
    if isinstance(value, list):
        return [_without_tokens(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_tokens(item) for key, item in value.items()}
    return value
