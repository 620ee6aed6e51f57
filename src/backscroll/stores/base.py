"""The common parts of all stores: FoundFile, the Store protocol and the walk that finds files.

The walk only lists directories (scandir, lstat): it opens nothing, changes nothing and never raises.
It visits each directory and file once, by device and inode, even if links form loops.
It follows a link if the target lies inside the top directory or the home directory.  Anything else that is neither
a regular file nor a directory is a `Damage` with its reason, and the walk continues.
"""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from stat import S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, S_ISDIR, S_ISLNK, S_ISREG
from typing import BinaryIO, NamedTuple, Protocol

from backscroll.files import not_regular, open_readonly, reason_of
from backscroll.place import Place
from backscroll.records import Damage


class FoundFile(NamedTuple):
    """A regular file of a store, in its state when the walk saw it."""

    path: str
    """The path from the system; bytes that are not UTF-8 become surrogates (os.fsdecode)."""
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int
    session: str | None
    """The session according to its name or directory; None if only the content names the session."""
    agent: str | None
    project_key: str | None
    config: str
    """The configuration directory that it belongs to."""


class Store(Protocol):
    """A place on disk where one Claude product keeps sessions."""

    @property
    def kind(self) -> str:
        """code, desktop, cowork, side or browser."""

    @property
    def path(self) -> Path:
        """The directory that identifies it."""

    def entries(self) -> "Iterator[FileEntry | FoundFile | Damage]":
        """Yield every file of the store, and a Damage for each entry that the walk could not read."""

    def named(self, entry: "FileEntry") -> FoundFile:
        """Return an entry as a file with its kind."""

    def files(self) -> "Iterator[FoundFile | Damage]":
        """Yield the same files with their kinds."""

    def open(self, path: str) -> BinaryIO:
        """Open a file of the store: a seekable stream of its unpacked bytes."""


class DiskStore:
    """A store whose files are plain files on disk."""

    def files(self: Store) -> "Iterator[FoundFile | Damage]":
        """Yield every file of the store with its kind, and a Damage for each entry that the walk could not read."""
        return files_of(self, self.entries())

    def open(self, path: str) -> BinaryIO:
        """Open a file read-only."""
        return open_readonly(path)


Opener = Callable[[str], BinaryIO]
"""Opens a file by its path: a seekable stream of its unpacked bytes."""


CACHED = "#epitaxy.local.transcript."
"""Part of the path of a transcript that a page of Desktop cached: it follows Desktop's data directory."""


def opener(stores: "Iterable[Store]") -> Opener:
    """Return a function that opens any file of the stores."""
    known = list(stores)
    packed = [store for store in known if not isinstance(store, DiskStore)]
    pages = {str(store.path): store for store in known if store.kind == "browser"}

    def open_file(path: str) -> BinaryIO:
        store = next((store for store in packed if is_inside(path, str(store.path))), None)
        if store is None and "#" in path:
            store = pages.get(path.partition(CACHED)[0])
        return open_readonly(path) if store is None else store.open(path)

    return open_file


class FileEntry(NamedTuple):
    """A regular file that a walk found; `parts` are the names on its path below the top directory."""

    path: str
    parts: tuple[str, ...]
    status: os.stat_result


class Label(NamedTuple):
    """The facts in the name and path of a file."""

    kind: str
    session: str | None = None
    agent: str | None = None
    project_key: str | None = None


def files_of(store: Store, entries: "Iterable[FileEntry | FoundFile | Damage]") -> Iterator[FoundFile | Damage]:
    """Yield the files that a walk through a store found, with their kinds."""
    return (store.named(entry) if isinstance(entry, FileEntry) else entry for entry in entries)


def found(entry: FileEntry, label: Label, config: str) -> FoundFile:
    """Return the FoundFile for an entry; a file of secrets is one in every place, and is never opened."""
    path, parts, status = entry
    kind, session, agent, project_key = label
    if _is_secret(parts[-1]) or _is_secret(os.path.basename(path)):
        kind = "secret"
    return FoundFile(
        path,
        kind,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_dev,
        session,
        agent,
        project_key,
        config,
    )


def _is_secret(name: str) -> bool:
    return name.endswith(".key") or name in (".credentials.json", ".audit-key", "policy-limits.json")


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return True if the path exists, or if that is unknown: the store reports unreadable places."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def closed(directory: str | os.PathLike[str]) -> Damage | None:
    """Return the damage if a directory exists and this user may not look into it."""
    try:
        with os.scandir(directory):
            os.lstat(os.path.join(directory, os.curdir))
    except PermissionError as error:
        return Damage(Place(os.fspath(directory)), reason_of(error))
    except (OSError, ValueError):
        return None
    return None


def is_inside(path: str, directory: str) -> bool:
    """Return True if a resolved path is `directory` or is below it."""
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


class Walk:
    """One pass over a directory tree: the files of a directory first, then its subdirectories, then links."""

    def __init__(self, top: str, home: str, own: str | None = None) -> None:
        self._start = top
        self._top = os.path.realpath(top)
        # With HOME=/ everything would be "inside the home": then only the top itself counts.
        self._within = [self._top] + [root for root in [os.path.realpath(home)] if os.path.dirname(root) != root]
        self._own = os.path.realpath(own) if own else None
        if self._own and is_inside(self._top, self._own):  # the demo home: ours, and requested
            self._own = None
        self._seen: set[tuple[int, int]] = set()
        self._directories: list[tuple[str, tuple[str, ...], os.stat_result | None]] = []
        self._links: list[tuple[str, tuple[str, ...]]] = []
        if self._own and (status := _status_of(self._own)):
            self._is_new(_key(status))

    def below(self, descend: Callable[[tuple[str, ...]], bool] | None = None) -> Iterator[FileEntry | Damage]:
        """Yield everything below the top directory, except directories for which `descend` returns False."""
        self._directories.append((self._start, (), _status_of(self._start)))
        while self._directories or self._links:
            if self._directories:
                path, parts, status = self._directories.pop()
                if (not parts or descend is None or descend(parts)) and self._is_new(status and _key(status)):
                    yield from self._scan(path, parts)
            else:
                yield from self._follow(*self._links.pop())

    def one(self, path: str) -> Iterator[FileEntry | Damage]:
        """Yield the file `path`, if it exists."""
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return
        except OSError as error:
            yield Damage(Place(path), reason_of(error))
            return
        if S_ISLNK(status.st_mode):
            yield from self._follow(path, (os.path.basename(path),))
        elif not S_ISREG(status.st_mode):
            yield Damage(Place(path), not_regular(status.st_mode))
        elif self._is_new(_key(status)):
            yield FileEntry(path, (os.path.basename(path),), status)

    def _scan(self, path: str, parts: tuple[str, ...]) -> list[FileEntry | Damage]:
        """List one directory; every command passes thousands of files here, so the work for each is small."""
        try:
            with os.scandir(path) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            return [Damage(Place(path), _reason_at(path, error))]
        met: list[FileEntry | Damage] = []
        directories = []
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                met.append(Damage(Place(entry.path), reason_of(error)))
                continue
            kind = S_IFMT(status.st_mode)
            if kind == S_IFREG:
                if self._is_new(_key(status)):
                    met.append(FileEntry(entry.path, (*parts, entry.name), status))
            elif kind == S_IFDIR:
                if entry.name.endswith(".jsonl"):
                    met.append(Damage(Place(entry.path), not_regular(status.st_mode)))
                directories.append((entry.path, (*parts, entry.name), status))
            elif kind == S_IFLNK:
                self._links.append((entry.path, (*parts, entry.name)))
            else:
                met.append(Damage(Place(entry.path), not_regular(status.st_mode)))
        self._directories.extend(reversed(directories))
        return met

    def _follow(self, path: str, parts: tuple[str, ...]) -> Iterator[FileEntry | Damage]:
        try:
            status = os.stat(path)  # before realpath, which would recurse along an endless chain of links
        except OSError as error:
            yield Damage(Place(path), _reason_at(path, error))
            return
        target = os.path.realpath(path)
        if self._own and is_inside(target, self._own):
            return
        if not any(is_inside(target, root) for root in self._within):
            yield Damage(Place(path), "symbolic link to outside the store")
        elif S_ISDIR(status.st_mode):
            if target != self._top and is_inside(self._top, target):
                yield Damage(Place(path), "symbolic link to a directory that holds the store")
            else:
                self._directories.append((target, parts, status))
        elif not S_ISREG(status.st_mode):
            yield Damage(Place(path), not_regular(status.st_mode))
        elif self._is_new(_key(status)):
            yield FileEntry(target, parts, status)

    def _is_new(self, key: tuple[int, int] | None) -> bool:
        if key in self._seen:
            return False
        if key is not None:
            self._seen.add(key)
        return True


def _status_of(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _key(status: os.stat_result) -> tuple[int, int] | None:
    # A directory scan on Windows returns no inode: then a second visit cannot be recognised.
    return (status.st_dev, status.st_ino) if status.st_ino else None


def _reason_at(path: str, error: OSError) -> str:
    if error.errno == errno.ENOENT and os.path.islink(path):
        return "broken symbolic link"
    return reason_of(error)
