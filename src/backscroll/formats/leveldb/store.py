"""Read every remaining version of every key in a LevelDB directory, and the damage.

`Database` needs no library, no lock and no write.  The live version of a key is the one with the highest sequence
number in the files that the manifest lists, deletions included.  The order of files does not matter.  Files that
the manifest no longer lists (retired ones) contribute history only.  A record that a compaction copied into several
files is one record.

It reads twice: first only keys and sequence numbers are remembered, then the versions are yielded with
their states.  Never more than one block or batch is held, unless the whole store is small.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from backscroll.files import reason_of
from backscroll.formats.directory import Directory, file_size
from backscroll.formats.leveldb.log import KeyVersion, log_versions
from backscroll.formats.leveldb.manifest import TableManifest, read_manifest
from backscroll.formats.leveldb.table import has_footer, table_versions
from backscroll.formats.state import State
from backscroll.place import Place
from backscroll.records import Damage

OTHER_TABLE = "another table is in the place of this one: the manifest lists another size"
TABLE_MISSING = "listed in the manifest, but missing: all tables and logs are read, and deleted keys may appear"

_NAME = re.compile(r"([0-9]+)\.(log|ldb|sst)")
_HELD = 32 << 20
"""Up to this many bytes of keys and values are kept from the first reading, so that a second one is not needed."""
_IS_VALUE, _YIELDED = 2, 1


class KeyEntry(NamedTuple):
    """One version of a key, and its place, where it can be checked by hand."""

    key: bytes
    value: bytes | None
    """None for a deletion."""
    sequence: int
    state: State
    file: str
    offset: int
    is_compressed: bool

    @property
    def place(self) -> Place:
        """The place of the entry: its own, or that of the packed block that holds it."""
        return Place(self.file, None, self.offset)


class _File(NamedTuple):
    name: str
    number: int
    is_log: bool
    is_counted: bool


_Found = tuple[_File, KeyVersion | Damage]


def read(directory: Directory, path: str = "") -> Iterator[KeyEntry | Damage]:
    """Yield every version of every key, and all damage; `path` is the prefix of names in places."""
    return iter(Database(directory, path))


class Database:
    """The versions and damage of a LevelDB directory, to be iterated once."""

    def __init__(
        self, directory: Directory, path: str = "", watch: Callable[[KeyVersion], object] | None = None
    ) -> None:
        """Read keys and sequence numbers; `watch` gets every version of this first reading, copies included."""
        self._directory, self._path = directory, path
        self._damage: list[Damage] = []
        self._sizes: dict[str, int] = {}
        self._newest: dict[bytes, int] = {}
        """For each key, of its newest counted version: its sequence number << 2, and two bits."""
        self._last_value: dict[bytes, int] = {}
        self._held: list[_Found] | None = []
        self.manifest = read_manifest(directory, path, self._damage)
        self._files = self._find_files()
        self._survey(watch)

    def __iter__(self) -> Iterator[KeyEntry | Damage]:
        yield from self._damage
        seen: set[int] | None = set() if len(self._files) > 1 else None
        found, self._held = self._held, None
        for file, item in self._scan() if found is None else found:
            if isinstance(item, Damage):
                yield item
                continue
            if seen is not None:
                # The hash of a tuple of bytes is random for each process, so that no file can provoke a collision.
                mark = hash((item.key, item.sequence, item.value))
                if mark in seen:
                    continue
                seen.add(mark)
            key, value, sequence, offset, is_compressed = item
            yield KeyEntry(key, value, sequence, self._state(file, item), self._path + file.name, offset, is_compressed)

    def _find_files(self) -> list[_File]:
        """Return the logs and tables, those that count first."""
        named = [(name, _NAME.fullmatch(name)) for name in self._directory.names()]
        numbers = {name: (int(match[1]), match[2] == "log") for name, match in named if match and len(match[1]) < 20}
        tables = {number for number, is_log in numbers.values() if not is_log}
        manifest = self.manifest
        for number in sorted(manifest.tables.keys() - tables) if manifest else ():
            self._damage.append(Damage(Place(f"{self._path}{number:06}.ldb"), TABLE_MISSING))
            manifest = None
        files = [_File(name, *facts, _counts(manifest, *facts)) for name, facts in numbers.items()]
        return sorted(files, key=lambda file: (not file.is_counted, file.number, file.name))

    def _survey(self, watch: Callable[[KeyVersion], object] | None) -> None:
        size, newest, last_value = 0, self._newest, self._last_value
        for file, item in self._scan():
            if self._held is not None:
                self._held.append((file, item))
            if isinstance(item, Damage):
                continue
            key, value, sequence, *_ = item
            if file.is_counted:
                code = sequence << 2 | (_IS_VALUE if value is not None else 0)
                if code > newest.get(key, -1):
                    newest[key] = code
            if value is not None and sequence >= last_value.get(key, 0):
                last_value[key] = sequence
            if watch is not None:
                watch(item)
            size += len(key) + len(value or b"") + 200
            if size > _HELD:
                self._held = None

    def _scan(self) -> Iterator[_Found]:
        for file in self._files:
            try:
                for item in self._read(file):
                    yield file, item
            except OSError as error:
                yield file, Damage(Place(self._path + file.name), reason_of(error))

    def _read(self, file: _File) -> Iterable[KeyVersion | Damage]:
        path = self._path + file.name
        with self._directory.open(file.name) as opened:
            # A log may grow between the two readings.
            size = self._sizes.setdefault(file.name, file_size(opened))
            if file.is_log:
                yield from log_versions(opened, path, size)
            elif file.is_counted or has_footer(opened, size):
                if self._listed_size(file) not in (None, size) and has_footer(opened, size):
                    yield Damage(Place(path), OTHER_TABLE)
                yield from table_versions(opened, path, size)
            # A table that is neither listed nor finished is being written, and holds only copies.

    def _listed_size(self, file: _File) -> int | None:
        """Return the size of a table in the manifest, which LevelDB writes once, when the table is finished."""
        return self.manifest.tables.get(file.number) if self.manifest is not None else None

    def _state(self, file: _File, version: KeyVersion) -> State:
        key, value, sequence, *_ = version
        newest = self._newest.get(key)
        is_newest = newest is not None and newest >> 2 == sequence and file.is_counted and not newest & _YIELDED
        if newest is not None and newest & _IS_VALUE:
            if not is_newest or value is None:
                return State.SUPERSEDED
            self._newest[key] = newest | _YIELDED
            return State.LIVE
        is_last = is_newest if value is None else sequence == self._last_value.get(key)
        return State.DELETED if is_last else State.SUPERSEDED


def _counts(manifest: TableManifest | None, number: int, is_log: bool) -> bool:
    """Return True if a file is part of the store now."""
    if manifest is None:
        return True
    if is_log:
        return number >= manifest.log_number or number == manifest.previous_log
    return number in manifest.tables
