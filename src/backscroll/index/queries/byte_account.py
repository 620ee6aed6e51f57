"""The byte account of a store: bytes of records, of damage and of blanks, and the files that are not read.

Transcripts were accounted for when they were read, and the catalogue has the sums of each unit.  A unit whose files lie
in several stores, or are packed, is read again.  Any other file counts as one record, or as damage.
For every store, records, damage, blanks and the files in `unread` together are its bytes.
"""

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from backscroll.records import Damage
from backscroll.sessions.searchable.side_files import LARGEST_FILE
from backscroll.sessions.summaries import StoreAccount, StoreSummary, UnreadFile
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.stores import kinds
from backscroll.stores.base import FoundFile, Opener, Store
from backscroll.stores.desktop import DesktopStore, places_left_alone
from backscroll.stores.side import SideStore

_CHANGED = "new or changed since the index was updated"
_TOO_LARGE = f"larger than {LARGEST_FILE >> 20} MiB"
_UNITS = (
    "SELECT file.unit, file.path, file.size, unit.bytes, record_bytes, damage_bytes, blank_bytes"
    " FROM file JOIN unit ON unit.id = file.unit WHERE file.number IS NOT NULL"
)


@dataclass(slots=True)
class _Unit:
    """The transcripts of a unit in the catalogue, and their account."""

    sizes: dict[str, int]
    bytes: int
    account: tuple[int, int, int]

    @property
    def is_plain(self) -> bool:
        """Return True if the account covers every byte of its files on the disk."""
        return self.bytes == sum(self.sizes.values()) == sum(self.account)


@dataclass(slots=True)
class _Account:
    """The account of one store so far."""

    records: int = 0
    damage: int = 0
    blanks: int = 0
    unread: list[UnreadFile] = field(default_factory=list)

    def add(self, records: int, damage: int, blanks: int) -> None:
        self.records += records
        self.damage += damage
        self.blanks += blanks


def account(
    database: sqlite3.Connection, summaries: Iterable[StoreSummary], stores: Iterable[Store], open_file: Opener
) -> list[StoreAccount]:
    """Return the account of every store, in the order of the summaries."""
    units = _units(database)
    found = {(store.kind, str(store.path)): store for store in stores}
    return [
        replace(
            _with_account(summary, found.get((summary.kind, summary.path)), units, open_file),
            left_alone=_left_alone(summary, found),
        )
        for summary in summaries
    ]


def _left_alone(summary: StoreSummary, found: Mapping[tuple[str, str], Store]) -> list[UnreadFile]:
    """Return the places of a store that are neither counted nor read.

    Those in Desktop's data are in the store `browser` if there is no store `desktop`.
    """
    store = found.get((summary.kind, summary.path))
    places: list[tuple[str, str]] = []
    if store is not None and summary.kind == ("desktop" if ("desktop", summary.path) in found else "browser"):
        places += places_left_alone(summary.path)
    if isinstance(store, (SideStore, DesktopStore)):
        places += store.left_alone()
    return [UnreadFile(path, reason, None) for path, reason in places]


def _units(database: sqlite3.Connection) -> dict[str, _Unit]:
    """Return the unit of each transcript by its path."""
    units: dict[int, _Unit] = {}
    by_path: dict[str, _Unit] = {}
    for number, stored, size, read, *counted in database.execute(_UNITS):
        path = os.fsdecode(stored)
        unit = units.setdefault(number, _Unit({}, read, (counted[0], counted[1], counted[2])))
        unit.sizes[path] = size
        by_path[path] = unit
    return by_path


def _with_account(
    summary: StoreSummary, store: Store | None, units: dict[str, _Unit], open_file: Opener
) -> StoreAccount:
    counted = _Account()
    damage = defaultdict(list)
    for item in summary.damage:
        damage[item.place.path].append(item)
    files = {} if store is None else {file.path: file for file in store.files() if isinstance(file, FoundFile)}
    done: set[int] = set()
    for path, file in files.items():
        unit = units.get(path)
        if unit is None:
            _add_other(counted, file, damage[path], open_file)
        elif unit.sizes[path] != file.size:
            counted.unread.append(UnreadFile(path, _CHANGED, file.size))
        elif not unit.is_plain or not unit.sizes.keys() <= files.keys():
            _read_again(counted, file, open_file)
        elif id(unit) not in done:
            done.add(id(unit))
            counted.add(*unit.account)
    return StoreAccount(
        *(summary.kind, summary.path, summary.files, summary.bytes, summary.sessions, summary.damage),
        record_bytes=counted.records,
        damage_bytes=counted.damage,
        blank_bytes=counted.blanks,
        unread=counted.unread,
        left_alone=[],
    )


def _add_other(counted: _Account, file: FoundFile, damage: list[Damage], open_file: Opener) -> None:
    """Count a file that is no transcript of a session."""
    reason = kinds.why_unread(file.kind, os.path.basename(file.path))
    if reason is None and file.kind in kinds.TRANSCRIPTS:
        reason = _CHANGED
    if reason is None and file.size > LARGEST_FILE and file.kind not in kinds.OF_ANY_SIZE:
        reason = _TOO_LARGE
    if reason is not None:
        counted.unread.append(UnreadFile(file.path, reason, file.size))
    elif file.kind in kinds.LINES:
        _read_again(counted, file, open_file)
    else:
        lost = sum(file.size if item.place.length is None else item.place.length for item in damage)
        counted.add(file.size - min(lost, file.size), min(lost, file.size), 0)


def _read_again(counted: _Account, file: FoundFile, open_file: Opener) -> None:
    with TranscriptSource(file.path, open_file) as source:
        for _ in source.heads():
            pass
        if source.size == file.size:
            counted.add(source.record_bytes, source.damage_bytes, source.blank_bytes)
        elif source.size or not source.damage:  # packed: its bytes on the disk count, not those in it
            lost = min(sum(item.place.length or 0 for item in source.damage if item.place.line is None), file.size)
            counted.add(file.size - lost, lost, 0)
        else:
            counted.unread.append(UnreadFile(file.path, source.damage[-1].reason, file.size))
