"""LevelDB's CURRENT and MANIFEST: the current tables and logs of the store.

A manifest is a log whose records are changes, each a sequence of tags (varint) with their data:

    1  comparator          bytes
    2  log number          the oldest log that is not in tables yet
    3  next file number
    4  last sequence
    5  compaction pointer  level, key
    6  table removed       level, number
    7  table added         level, number, size, smallest key, largest key
    9  previous log number
"""

import re
from dataclasses import dataclass, field

from backscroll.files import reason_of
from backscroll.formats.cursor import Cursor, MalformedError
from backscroll.formats.directory import Directory, file_size
from backscroll.formats.leveldb.log import INCOMPLETE, log_records
from backscroll.place import Place
from backscroll.records import Damage

MISSING = "missing: all tables and logs are read, and deleted keys may appear"
UNREADABLE = "unreliable: all tables and logs are read, and deleted keys may appear"

_CURRENT = "CURRENT"
_NAME = re.compile(rb"(MANIFEST-[0-9]+)\n?")
_LONGEST_NAME = 100


@dataclass(slots=True)
class TableManifest:
    """The files of the store."""

    comparator: bytes | None = None
    log_number: int = 0
    previous_log: int = 0
    last_sequence: int | None = None
    tables: dict[int, int] = field(default_factory=dict)
    """Number and size of each table."""


def read_manifest(directory: Directory, path: str, damage: list[Damage]) -> TableManifest | None:
    """Return the content of the manifest that CURRENT names, or None; add its errors to `damage`."""
    names = frozenset(directory.names())
    if _CURRENT not in names:
        damage.append(Damage(Place(path + _CURRENT), MISSING))
        return None
    try:
        with directory.open(_CURRENT) as file:
            found = _NAME.fullmatch(file.read(_LONGEST_NAME))
    except OSError as error:
        damage.append(Damage(Place(path + _CURRENT), f"{reason_of(error)}; {UNREADABLE}"))
        return None
    if not found:
        damage.append(Damage(Place(path + _CURRENT), f"names no manifest; {UNREADABLE}"))
        return None
    name = found[1].decode()
    if name not in names:
        damage.append(Damage(Place(path + name), MISSING))
        return None
    return _read(directory, name, path + name, damage)


def _read(directory: Directory, name: str, path: str, damage: list[Damage]) -> TableManifest | None:
    manifest, trusted = TableManifest(), True
    try:
        with directory.open(name) as file:
            for record in log_records(file, path, file_size(file)):
                if isinstance(record, Damage):
                    damage.append(record)
                    trusted = trusted and record.reason == INCOMPLETE
                else:
                    _apply(manifest, Cursor(record.data))
    except OSError as error:
        damage.append(Damage(Place(path), f"{reason_of(error)}; {UNREADABLE}"))
        return None
    except MalformedError as error:
        damage.append(Damage(Place(path), f"{error}; {UNREADABLE}"))
        return None
    if not trusted or manifest.comparator is None:
        damage.append(Damage(Place(path), UNREADABLE))
        return None
    return manifest


def _apply(manifest: TableManifest, cursor: Cursor) -> None:
    while cursor.left:
        tag = cursor.varint()
        if tag == 1:
            manifest.comparator = cursor.prefixed()
        elif tag == 2:
            manifest.log_number = cursor.varint()
        elif tag == 3:
            cursor.varint()
        elif tag == 4:
            manifest.last_sequence = cursor.varint()
        elif tag == 5:
            cursor.varint()
            cursor.prefixed()
        elif tag == 6:
            cursor.varint()
            manifest.tables.pop(cursor.varint(), None)
        elif tag == 7:
            cursor.varint()
            number = cursor.varint()
            manifest.tables[number] = cursor.varint()
            cursor.prefixed()
            cursor.prefixed()
        elif tag == 9:
            manifest.previous_log = cursor.varint()
        else:
            raise MalformedError(f"change of unknown kind {tag}")
