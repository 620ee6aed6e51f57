"""Read everything that pages stored in a Chromium profile, such as Claude Desktop's data directory.

`read_profile` finds Local Storage, Session Storage and IndexedDB by the names of their files, in LevelDB and in
SQLite.  It looks at any depth, because Electron keeps further profiles under Partitions.  It opens files one at a
time, takes no lock and writes nothing.  A running browser may write meanwhile.  So each store is read again until
its files are the same before and after, or have only grown at their ends without damage, which is a valid state
too.  Data that the browser has not committed yet is on no disk.

    Local Storage/leveldb/                        Local Storage
    LocalStorage                                  … in SQLite: the LevelDB beside it is stale then
    Session Storage/, SessionStorage
    IndexedDB/<origin>.indexeddb.leveldb/         IndexedDB of an origin; values too large for it in ….indexeddb.blob/
    IndexedDB/<origin>/<52 characters>            … in SQLite, a file for each database
    WebStorage/<number>/IndexedDB/…               … of a partition; WebStorage/QuotaManager names it
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from backscroll.files import reason_of
from backscroll.formats.chromium.local_storage import read_local_storage, read_session_storage
from backscroll.formats.chromium.records import StorageRecord, split_storage_key
from backscroll.formats.directory import Below, Profile
from backscroll.formats.state import State
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage

if TYPE_CHECKING:
    from backscroll.formats.chromium import indexeddb
    from backscroll.formats.chromium import sqlite as webstorage_sqlite
else:
    indexeddb = lazily("backscroll.formats.chromium.indexeddb")
    webstorage_sqlite = lazily("backscroll.formats.chromium.sqlite")

Items = Iterator[StorageRecord | Damage]
Origin = tuple[str | None, str | None]

STALE = "from before the move to SQLite"
CHANGING = "changed every time it was read"
ATTEMPTS = 10

_LEVELDB_FILE = r"(?:CURRENT|MANIFEST-[0-9]+|[0-9]+\.(?:log|ldb|sst))"
_LEVELDB = re.compile(
    r"(?P<directory>(?P<root>(?:.*/)?)"
    r"(?:(?P<local>Local Storage/leveldb)"
    r"|(?P<session>Session Storage)"
    r"|IndexedDB/(?P<origin>[^/]+)\.indexeddb\.leveldb"
    r"|WebStorage/(?P<bucket>[0-9]{1,18})/IndexedDB/indexeddb\.leveldb)/)" + _LEVELDB_FILE
)
_SQLITE = re.compile(
    r"(?P<root>(?:.*/)?)"
    r"(?:(?P<local>LocalStorage)"
    r"|(?P<session>SessionStorage)"
    r"|(?P<quota>WebStorage/QuotaManager)"
    r"|IndexedDB/(?P<origin>[^/]+)/[A-Z2-7]{52}"
    r"|WebStorage/(?P<bucket>[0-9]{1,18})/IndexedDB/[A-Z2-7]{52})"
)
_IDENTIFIER = re.compile(r"(?P<scheme>[^_]+)_(?P<host>.*)_(?P<port>[0-9]+)(?:@[0-9]+)?")
_BESIDE = ("-wal", "-journal")
_APPENDED = (".log", "-wal")
"""Files that only grow: their content up to any offset was a valid state at some time."""


class _Store(NamedTuple):
    name: str
    """Of its directory, with the last slash; of its file, for SQLite."""
    root: str
    kind: str
    origin: str | None
    bucket: int | None
    is_sqlite: bool


def read_profile(directory: Profile, path: str = "", attempts: int = ATTEMPTS) -> Items:
    """Yield every version of every value that pages stored, and all damage; `path` is the prefix of names in places.

    A store that changes during the read is read again, up to `attempts` times.
    """
    return _Profile(directory, path, attempts).read()


def origin_of(identifier: str) -> str | None:
    """Return the origin that the name of an IndexedDB directory encodes.

    >>> origin_of("https_claude.ai_0")
    'https://claude.ai'
    """
    found = _IDENTIFIER.fullmatch(identifier)
    if not found:
        return None
    port = "" if found["port"] == "0" else f":{found['port']}"
    return f"{found['scheme']}://{found['host']}{port}"


class _Profile:
    def __init__(self, directory: Profile, path: str, attempts: int) -> None:
        self._directory, self._path, self._attempts = directory, path, attempts
        self._names = frozenset(directory.names())
        self._buckets: dict[str, dict[int, str]] = {}
        self._moved: set[str] = set()
        """Roots whose Local Storage was read from SQLite."""

    def read(self) -> Items:
        stores = sorted({store for name in self._names for store in self._stores(name)}, key=_order)
        for store in stores:
            yield from self._read_steadily(store)

    def _read_steadily(self, store: _Store) -> list[StorageRecord | Damage]:
        items: list[StorageRecord | Damage] = []
        for _ in range(self._attempts):
            before = self._states(store)
            items = list(self._read_sqlite(store) if store.is_sqlite else self._read_leveldb(store))
            changed = _changed(before, self._states(store))
            is_torn = any(isinstance(item, Damage) for item in items)
            if not changed or (not is_torn and all(name.endswith(_APPENDED) for name in changed)):
                return items
        return [*items, Damage(Place(self._path + store.name), CHANGING)]

    def _states(self, store: _Store) -> dict[str, object]:
        """Return the names and current states of the files of a store."""
        self._names = frozenset(self._directory.names())
        if store.is_sqlite:
            own = [name for name in (store.name, *(store.name + suffix for suffix in _BESIDE)) if name in self._names]
        else:
            own = [name for name in self._names if name.startswith(store.name) and _LEVELDB.fullmatch(name)]
        return {name: self._directory.state(name) for name in own}

    def _stores(self, name: str) -> Iterator[_Store]:
        """Yield the store of a file, if it has one."""
        found = _LEVELDB.fullmatch(name) or _SQLITE.fullmatch(name)
        if found:
            is_sqlite = found.re is _SQLITE
            parts = found.groupdict()
            kind = next((kind for kind in ("quota", "local", "session") if parts.get(kind)), "indexeddb")
            bucket = int(parts["bucket"]) if parts["bucket"] else None
            where = name if is_sqlite else parts["directory"]
            yield _Store(where, parts["root"], kind, parts["origin"], bucket, is_sqlite)

    def _read_leveldb(self, store: _Store) -> Items:
        below, path = Below(self._directory, store.name), self._path + store.name
        if store.kind == "session":
            yield from read_session_storage(below, path)
        elif store.kind == "local":
            for item in read_local_storage(below, path):
                yield _stale(item) if store.root in self._moved else item
        else:
            blobs = Below(self._directory, store.name.removesuffix("leveldb/") + "blob/", is_deep=True)
            yield from indexeddb.read_indexeddb(below, blobs, self._origin(store), path)

    def _read_sqlite(self, store: _Store) -> Items:
        """Read a copy of a SQLite file with the files beside it."""
        path = self._path + store.name
        beside = [name for name in (store.name + suffix for suffix in _BESIDE) if name in self._names]
        try:
            with self._directory.open(store.name) as file:
                head = file.read(len(webstorage_sqlite.HEADER))
            if head != webstorage_sqlite.HEADER:
                yield Damage(Place(path), "not a file of SQLite")
                return
            with self._directory.copy([store.name, *beside]) as copied:
                yield from self._read_copy(store, f"{copied}/{store.name.rpartition('/')[2]}", path)
        except OSError as error:
            yield Damage(Place(path), reason_of(error))

    def _read_copy(self, store: _Store, copy: str, path: str) -> Items:
        if store.kind == "quota":
            damage: list[Damage] = []
            self._buckets[store.root] = webstorage_sqlite.read_buckets(copy, path, damage)
            yield from damage
        elif store.kind == "local":
            for item in webstorage_sqlite.read_local_storage(copy, path):
                if isinstance(item, StorageRecord):
                    self._moved.add(store.root)
                yield item
        elif store.kind == "session":
            yield from webstorage_sqlite.read_session_storage(copy, path)
        else:
            yield from webstorage_sqlite.read_indexeddb(copy, path, self._origin(store))

    def _origin(self, store: _Store) -> Origin:
        if store.origin is not None:
            return origin_of(store.origin), None
        storage_key = self._buckets.get(store.root, {}).get(store.bucket or 0)
        return split_storage_key(storage_key) if storage_key is not None else (None, None)


def _changed(before: dict[str, object], after: dict[str, object]) -> set[str]:
    """Return the names of files that were added, deleted or changed."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _order(store: _Store) -> tuple[str, int, bool, str]:
    """Sort stores so that others can use their facts: first owners of buckets, and Local Storage in SQLite."""
    return store.root, ("quota", "local", "session", "indexeddb").index(store.kind), not store.is_sqlite, store.name


def _stale(item: StorageRecord | Damage) -> StorageRecord | Damage:
    if isinstance(item, Damage) or item.state is not State.LIVE:
        return item
    return replace(item, state=State.SUPERSEDED, note=STALE if item.note is None else f"{item.note}, {STALE}")
