"""The browser data of Claude Desktop's pages: Local Storage, Session Storage and IndexedDB of its profiles.

    Local Storage/, Session Storage/, IndexedDB/, WebStorage/, LocalStorage, SessionStorage    of the profile
    Partitions/<name>/…                                                                       of further ones

`BrowserStore` finds these files in Desktop's data directory and ignores all others.  It reads files in place, without
a lock; a SQLite file is copied to a private directory and read there.  docs/formats.md, "Browser storage".
"""

import errno
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from backscroll.files import DENIED, open_readonly, private_copies, read_small
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.stores.base import DiskStore, FileEntry, FoundFile, Label, Walk, found, is_there
from backscroll.times import of_file

if TYPE_CHECKING:
    from backscroll.formats.chromium import profile as chromium
    from backscroll.formats.chromium.records import StorageRecord
    from backscroll.stores.desktop_files import page_cache
else:
    page_cache = lazily("backscroll.stores.desktop_files.page_cache")
    chromium = lazily("backscroll.formats.chromium.profile")

_DIRECTORIES = frozenset({"Local Storage", "Session Storage", "IndexedDB", "WebStorage"})
_FILES = frozenset(
    name + suffix for name in ("LocalStorage", "SessionStorage") for suffix in ("", "-wal", "-journal", "-shm")
)
_PARTITIONS = "Partitions"
STORAGE_NAMES = _DIRECTORIES | _FILES | {_PARTITIONS}
"""The names in a data directory of Desktop that belong to its browser storage."""
_LARGEST_SETTINGS = 16 << 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""The time of settings files with an invalid time: before all others."""


class BrowserStore(DiskStore):
    """The browser storage in one data directory of Claude Desktop."""

    def __init__(self, path: Path, home: Path, own: Path | None = None) -> None:
        self.path = path
        self.home = home
        self.own = own
        self.kind = "browser"

    def named(self, entry: FileEntry) -> FoundFile:
        """Return an entry as a file with its kind."""
        return found(entry, Label("browser"), str(self.path))

    def entries(self) -> Iterator[FileEntry | Damage]:
        """Yield the files of the store as entries, and the damage."""
        walk = Walk(str(self.path), str(self.home), str(self.own) if self.own else None)
        for entry in walk.below(_is_storage_directory):
            if isinstance(entry, Damage) or _is_storage_file(entry.parts):
                yield entry

    def group_scopes(self) -> tuple[Any, datetime] | None:
        """Return the groups in Desktop's settings and the time of the settings; read nothing else in them."""
        path = self.path / "claude_desktop_config.json"
        try:
            settings = json.loads(read_small(path, _LARGEST_SETTINGS))
            scopes = settings["preferences"]["epitaxyPrefs"]["dframe-group-scopes"]
            return scopes, of_file(os.stat(path).st_mtime) or _LONG_AGO
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            return None

    def records(self) -> "list[StorageRecord | Damage]":
        """Return every version of every value that pages stored, and all damage."""
        profile = DiskProfile(self)
        if not profile.names():  # a Desktop that was never opened: the readers need not even be imported
            return list(profile.closed)
        return [*chromium.read_profile(profile, str(self.path) + os.sep), *profile.closed]

    def open(self, path: str) -> BinaryIO:
        """Open a file; a transcript from a page's cache gets the form of Claude Code."""
        key = path.removeprefix(f"{self.path}#")
        if key == path:
            return open_readonly(path)
        for session in page_cache.cached_sessions(self.records()):
            if session.key == key and session.records is not None:
                return BytesIO(page_cache.lines_of(session))
        raise FileNotFoundError(errno.ENOENT, "no such cached transcript", path)


class DiskProfile:
    """The files of a store by their names below its directory, for the readers of browser formats."""

    def __init__(self, store: BrowserStore) -> None:
        self._store = store
        self._entries: dict[str, FileEntry] = {}
        self.closed: list[Damage] = []
        """The directories that this user may not list, as of the last call of `names`."""

    def names(self) -> Iterable[str]:
        """List the files again and return their names."""
        met = list(self._store.entries())
        self._entries = {"/".join(entry.parts): entry for entry in met if isinstance(entry, FileEntry)}
        self.closed = [item for item in met if isinstance(item, Damage) and item.reason == DENIED]
        return self._entries.keys()

    def open(self, name: str) -> BinaryIO:
        """Open one file for reading."""
        return open_readonly(self._entry(name).path)

    def state(self, name: str) -> object:
        """Return size, time and identity of a file at the last call of `names`."""
        status = self._entry(name).status
        return status.st_size, status.st_mtime_ns, status.st_ino

    def copy(self, names: Iterable[str]) -> AbstractContextManager[str]:
        """Copy files into one private directory."""
        return private_copies({name.rpartition("/")[2]: self._entry(name).path for name in names}, self._store.own)

    def _entry(self, name: str) -> FileEntry:
        if name not in self._entries:
            raise FileNotFoundError(errno.ENOENT, "no such file", name)
        return self._entries[name]


def holds_storage(directory: Path) -> bool:
    """Return True if a directory is a browser profile or contains one."""
    return any(is_there(directory / name) for name in (*_DIRECTORIES, _PARTITIONS, "LocalStorage"))


def _in_profile(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return a path relative to its profile."""
    return parts[2:] if parts[0] == _PARTITIONS else parts


def _is_storage_directory(parts: tuple[str, ...]) -> bool:
    inner = _in_profile(parts)
    return not inner or inner[0] in _DIRECTORIES


def _is_storage_file(parts: tuple[str, ...]) -> bool:
    inner = _in_profile(parts)
    return len(inner) > 1 or (len(inner) == 1 and inner[0] in _FILES)
