"""Trail: what a walk through stores looked at, so that a second look can tell whether it would meet the same again.

A walk lists every directory; a second look only asks each of them when it was last written.  That says enough where
the directory was settled: written well before the walk, so that no later change can bear the same time, on a disk of
this machine, and by a file system that tells the time finely.  Those that do not (FAT), and what programs and other
machines serve (FUSE, NFS), may not tell at all when something in a directory was made or removed.
Any other directory is listed again.
"""

import marshal
import os
import zlib
from collections.abc import Iterable
from stat import S_IFDIR, S_IFLNK, S_IFMT, S_IFREG
from struct import Struct
from time import time_ns
from typing import Any

from backscroll.value import NamedTuple

SETTLED = 60_000_000_000
"""Nanoseconds; clocks of file servers may differ from ours by so much."""
COARSE = 10_000_000
"""Nanoseconds; a time that is a multiple of this may come from a coarse clock."""
_LETTERS = {S_IFREG: "f", S_IFDIR: "d", S_IFLNK: "l"}
_SUM = 4
_STATE = Struct("<5Q")
_MOST = (1 << 64) - 1
"""A file with a greater number, or with a time before 1970, is never found the same: then there is a walk."""

FileState = tuple[str, int, int, int, int, int]
"""Path, size, time of writing and of change, inode and device of a file."""
DirectoryState = tuple[int, int, int, int]
LinkState = tuple[int, int, int, str] | int
"""What a link leads to, or the number of the error that it gives."""


class Listing(NamedTuple):
    """A directory that was listed."""

    path: str
    beginning: str
    """Only names that begin so were asked for."""
    state: DirectoryState | None
    """None where it was not settled."""
    names: list[str]
    """Each behind a letter that says what it is."""


class Trail:
    """What was looked at, but for the files that were met."""

    def __init__(self) -> None:
        self._begun = time_ns()
        self._listings: list[Listing] = []
        self._links: list[tuple[str, LinkState]] = []
        self._probes: list[tuple[str, str | None]] = []
        self._is_whole = True

    def listed(self, path: str, status: os.stat_result, kinds: Iterable[tuple[str, int]]) -> None:
        """Remember a directory by its state before it was listed, and each name in it with the mode's type."""
        state = _state_of_directory(status)
        names = sorted(_LETTERS.get(kind, "o") + name for name, kind in kinds)
        self._listings.append(Listing(path, "", state if self._is_settled(state) else None, names))

    def asked(self, path: str, beginning: str) -> None:
        """Remember what a directory holds that begins with something."""
        try:
            self._listings.append(Listing(path, beginning, None, _names_in(path, beginning)))
        except OSError:
            self.failed()

    def followed(self, path: str) -> None:
        """Remember where a link leads."""
        self._links.append((path, _state_of_link(path)))

    def probed(self, path: str) -> None:
        """Remember what there is by a name, or that there is nothing."""
        try:
            self._probes.append((path, _letter_at(path)))
        except OSError:
            self.failed()

    def failed(self) -> None:
        """Remember that something could not be looked at: then a second look tells nothing."""
        self._is_whole = False

    def packed(self, walked: str, files: Iterable[FileState]) -> bytes:
        """Return everything for a second look; nothing where that would tell nothing.  `walked` are the stores."""
        if not self._is_whole:
            return b""
        paths, states = [], []
        for path, *state in files:
            paths.append(path)
            states.append(_STATE.pack(*(number & _MOST for number in state)))
        listings = list(map(tuple, self._listings))
        data = marshal.dumps((walked, listings, self._links, self._probes, "\0".join(paths), b"".join(states)))
        return zlib.crc32(data).to_bytes(_SUM) + data

    def _is_settled(self, state: DirectoryState) -> bool:
        modified, changed, _, device = state
        return max(modified, changed) < self._begun - SETTLED and modified % COARSE != 0 and _is_disk(device)


def still_holds(packed: bytes, walked: str) -> bool:
    """Look again at all that a walk through the same stores has looked at, and say whether it would meet the same."""
    data = packed[_SUM:]
    if not data or zlib.crc32(data).to_bytes(_SUM) != packed[:_SUM]:
        return False
    then, listings, links, probes, *files = marshal.loads(data)  # noqa: S302 - our own, and not a byte is another
    try:
        return bool(
            then == walked
            and _are_files_same(*files)
            and all(_is_listing_same(*listing) for listing in listings)
            and all(_state_of_link(path) == state for path, state in links)
            and all(_letter_at(path) == letter for path, letter in probes)
        )
    except OSError:
        return False


def _is_disk(device: int) -> bool:
    """Say whether a file system lies on a disk; what does not has no major number of its own on Linux."""
    return not hasattr(os, "major") or os.major(device) != 0


def _are_files_same(paths: str, states: bytes) -> bool:
    """Compare files with what they were; thousands pass here at every command."""
    look = os.lstat
    names = paths.split("\0") if paths else []
    for path, (size, modified, changed, inode, device) in zip(names, _STATE.iter_unpack(states), strict=True):
        now = look(path)
        if (
            now.st_mtime_ns != modified
            or now.st_size != size
            or now.st_ctime_ns != changed
            or now.st_ino != inode
            or now.st_dev != device
        ):
            return False
    return True


def _is_listing_same(path: str, beginning: str, state: DirectoryState | None, names: list[str]) -> bool:
    return (state is not None and _state_of_directory(os.stat(path)) == state) or _names_in(path, beginning) == names


def _state_of_directory(status: os.stat_result) -> DirectoryState:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def _names_in(path: str, beginning: str) -> list[str]:
    with os.scandir(path) as scan:
        return sorted(_letter(entry) + entry.name for entry in scan if entry.name.startswith(beginning))


def _letter(entry: "os.DirEntry[Any]") -> str:
    if entry.is_symlink():
        return "l"
    if entry.is_dir(follow_symlinks=False):
        return "d"
    return "f" if entry.is_file(follow_symlinks=False) else "o"


def _state_of_link(path: str) -> LinkState:
    try:
        status = os.stat(path)
    except OSError as error:
        return error.errno or 0
    return S_IFMT(status.st_mode), status.st_ino, status.st_dev, os.path.realpath(path)


def _letter_at(path: str) -> str | None:
    try:
        return _LETTERS.get(S_IFMT(os.lstat(path).st_mode), "o")
    except FileNotFoundError:
        return None
