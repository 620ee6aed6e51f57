"""Local Storage and Session Storage in LevelDB to `StorageRecord`s.

    Local Storage
    VERSION                            1
    META:<storage key>                 protocol buffer: 1 microseconds since 1601, 2 bytes used
    METAACCESS:<storage key>           protocol buffer: 1 microseconds since 1601
    _<storage key> 00 <key>            value; both as 00 and UTF-16, lowest byte first, or 01 and Latin-1

    Session Storage
    version, next-map-id
    namespace-<36 characters>-<storage key>    the number of a map
    map-<number>-<key in UTF-8>                value in UTF-16, lowest byte first

A commit writes all its changes in one batch that ends with META, so a record's time is that of the first
META of its storage key with a higher sequence number.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from backscroll.formats.chromium.records import (
    Kind,
    StorageRecord,
    joined,
    json_of,
    moment,
    split_storage_key,
    text_of,
    utf16,
)
from backscroll.formats.cursor import MalformedError, fields
from backscroll.formats.directory import Directory
from backscroll.formats.leveldb.log import KeyVersion
from backscroll.formats.leveldb.store import Database, KeyEntry
from backscroll.records import Damage

UNKNOWN_KEY = "key of an unknown kind"

_META, _ACCESS = b"META:", b"METAACCESS:"
_NAMESPACE = re.compile(rb"namespace-(.{36})-(.*)", re.DOTALL)
_MAP = re.compile(rb"map-([0-9]{1,18})-(.*)", re.DOTALL)
_SETTINGS = frozenset({b"VERSION", b"version", b"next-map-id"})


def read_local_storage(directory: Directory, path: str = "") -> Iterator[StorageRecord | Damage]:
    """Yield every version of every value; the browser's own values are metadata."""
    commits = _Commits()
    for item in Database(directory, path, commits.watch):
        yield item if isinstance(item, Damage) else _local(item, commits)


def read_session_storage(directory: Directory, path: str = "") -> Iterator[StorageRecord | Damage]:
    """Yield every version of every value of every tab; the browser's own values are metadata."""
    maps: dict[int, tuple[str, bytes]] = {}

    def watch(version: KeyVersion) -> None:
        found = _NAMESPACE.fullmatch(version.key)
        if found and version.value and version.value.isdigit() and len(version.value) < 19:
            maps.setdefault(int(version.value), (_decoded(found[1]), found[2]))

    for item in Database(directory, path, watch):
        yield item if isinstance(item, Damage) else _session(item, maps)


class _Commits:
    """The times of the commits to each storage key, by sequence number."""

    def __init__(self) -> None:
        self._found: dict[bytes, list[tuple[int, int]]] = {}
        self._sequences: list[int] = []
        self._is_sorted = False

    def watch(self, version: KeyVersion) -> None:
        self._sequences.append(version.sequence)
        if version.key.startswith(_META) and version.value is not None and len(version.value) < 64:
            time = _microseconds(version.value)
            if time is not None:
                self._found.setdefault(version.key[len(_META) :], []).append((version.sequence, time))

    def time(self, storage_key: bytes, sequence: int) -> tuple[datetime | None, bool]:
        """Return the time of the commit of the write with this number, and True if that time is exact.

        A compaction drops a META that has a newer one, and leaves a gap in the sequence numbers.
        """
        if not self._is_sorted:
            self._sequences = sorted(set(self._sequences))
            for commits in self._found.values():
                commits.sort()
            self._is_sorted = True
        commits = self._found.get(storage_key, [])
        place = bisect_left(commits, (sequence, 0))
        if place == len(commits):
            return None, False
        end, microseconds = commits[place]
        between = bisect_left(self._sequences, end) - bisect_left(self._sequences, sequence)
        return moment(microseconds), between == end - sequence


def _microseconds(value: bytes) -> int | None:
    try:
        time = fields(value).get(1)
    except MalformedError:
        return None
    return time if isinstance(time, int) else None


def _local(entry: KeyEntry, commits: _Commits) -> StorageRecord:
    storage_key, nul, name = entry.key.partition(b"\0")
    if nul and storage_key.startswith(b"_"):
        key, key_note = text_of(name)
        text, note = (None, None) if entry.value is None else text_of(entry.value)
        record = _record(entry, "local-storage", _decoded(entry.key) if key is None else key, text)
        time, is_exact = commits.time(storage_key[1:], entry.sequence)
        record = replace(record, time=time, has_exact_time=is_exact, note=joined(key_note, note, record.note))
        return _placed(record, storage_key[1:])
    for prefix in (_META, _ACCESS):
        if entry.key.startswith(prefix):
            microseconds = _microseconds(entry.value or b"")
            time = None if microseconds is None else moment(microseconds)
            record = _record(entry, "metadata", _decoded(prefix[:-1]), None)
            placed = _placed(record, entry.key[len(prefix) :])
            return replace(placed, time=time, has_exact_time=time is not None)
    return _other(entry)


def _session(entry: KeyEntry, maps: dict[int, tuple[str, bytes]]) -> StorageRecord:
    if found := _MAP.fullmatch(entry.key):
        text, note = (None, None) if entry.value is None else utf16(entry.value)
        record = _record(entry, "session-storage", found[2].decode("utf-8", "surrogateescape"), text)
        if int(found[1]) not in maps:
            return replace(record, note=joined(note, record.note, "map of an unknown tab"))
        namespace, storage_key = maps[int(found[1])]
        return replace(_placed(record, storage_key), database=namespace, note=joined(note, record.note))
    if found := _NAMESPACE.fullmatch(entry.key):
        text = None if entry.value is None else _decoded(entry.value)
        record = _record(entry, "metadata", "namespace", text)
        return replace(_placed(record, found[2]), database=_decoded(found[1]))
    return _other(entry)


def _other(entry: KeyEntry) -> StorageRecord:
    record = _record(entry, "metadata", _decoded(entry.key), None if entry.value is None else _decoded(entry.value))
    return record if entry.key in _SETTINGS else replace(record, note=UNKNOWN_KEY)


def _record(entry: KeyEntry, kind: Kind, key: str, text: str | None) -> StorageRecord:
    json, has_json, note = json_of(text)
    return StorageRecord(
        kind=kind,
        key=key,
        state=entry.state,
        place=entry.place,
        text=text,
        json=json,
        has_json=has_json,
        key_bytes=entry.key,
        value_bytes=entry.value,
        sequence=entry.sequence,
        note=note,
    )


def _placed(record: StorageRecord, storage_key: bytes) -> StorageRecord:
    origin, partition = split_storage_key(_decoded(storage_key))
    return replace(record, origin=origin, partition=partition)


def _decoded(data: bytes) -> str:
    return data.decode("latin-1")
