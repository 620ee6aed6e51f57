"""What to show of all that pages stored: chosen by key, origin and kind, with secrets withheld.

Tokens and passwords lie in a browser's storage too, and whatever is printed may be pasted somewhere.  So what is
called like one, or looks like one, is withheld unless it is asked for; what is deleted or superseded is left out
unless it is asked for, because old values are old secrets.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import pairwise
from json import dumps
from typing import Any

from backscroll.formats.leveldb import State
from backscroll.formats.storage import StorageRecord, joined
from backscroll.records import Damage
from backscroll.stores.browser import BrowserStore
from backscroll.value import Value, field

_CLAUDE = "https://claude.ai"

WITHHELD = "[withheld]"
NOTE = "secrets are withheld"

_SECRET_WORDS = {
    *("token", "secret", "password", "passwd", "passphrase", "credential", "credentials", "jwt", "cookie", "bearer"),
    *("authorization", "apikey"),
}
_SECRET_KEYS = {"api", "session", "private", "access", "auth", "encryption", "signing"}
"""Words that make a `key` a secret one: apiKey, session-key."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LOOKS_SECRET = re.compile(
    r"sk-ant-[\w-]{8,}|sk-[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|(?<=Bearer )[\w.~+/-]{16,}"
)


class Wanted(Value, frozen=True):
    """Which records are asked for."""

    key: str | None = None
    """A key as it is, or a pattern with `*`."""
    origin: str | None = None
    """An origin as it is, with or without its scheme; or a part of it with `*`."""
    indexeddb: bool = False
    history: bool = False
    everything: bool = False
    """Session Storage, and what the browser keeps for itself, too."""
    secrets: bool = False


class Storage(Value):
    """What pages stored, newest version of a key first; and what could not be read."""

    records: list[StorageRecord] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)


def read_storage(stores: Iterable[BrowserStore], wanted: Wanted) -> Storage:
    """Read what is wanted from all stores."""
    storage = Storage()
    for store in stores:
        items = store.records()
        storage.damage += [item for item in items if isinstance(item, Damage)]
        storage.records += _chosen(items, wanted)
    storage.records.sort(key=_order)
    return storage


def _chosen(items: Iterable[StorageRecord | Damage], wanted: Wanted) -> Iterator[StorageRecord]:
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
    if record.has_json and not isinstance(record.json, str):
        json = _without_secrets(record.json, is_secret=_is_secret(record.key))
        if json == record.json:
            return record
        text = dumps(json, ensure_ascii=False)
        return record._replace(json=json, text=text, is_withheld=True, note=joined(record.note, NOTE))
    text = _without_secrets(record.text, is_secret=_is_secret(record.key))
    if text == record.text:
        return record
    return record._replace(text=text, json=None, has_json=False, is_withheld=True, note=joined(record.note, NOTE))


def _without_secrets(value: Any, *, is_secret: bool) -> Any:
    if isinstance(value, str):
        return WITHHELD if is_secret and value else _LOOKS_SECRET.sub(WITHHELD, value)
    if isinstance(value, list):
        return [_without_secrets(item, is_secret=is_secret) for item in value]
    if isinstance(value, dict):
        return {key: _without_secrets(item, is_secret=is_secret or _is_secret(key)) for key, item in value.items()}
    return value


def _is_secret(name: str) -> bool:
    """Say whether a name is that of a secret: accessToken, api_key, session-key, password."""
    words = [word.lower() for word in _WORD.findall(name)]
    return any(word in _SECRET_WORDS for word in words) or any(
        second == "key" and first in _SECRET_KEYS for first, second in pairwise(words)
    )
