"""The files of a store for a reader of many files: their names, and a function that opens them.

Stores implement these protocols over their own way of opening files; tests do it over a dict.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol


class Directory(Protocol):
    """Files by name; names of files in subdirectories contain `/`."""

    def names(self) -> Iterable[str]:
        """Return the names of all existing files."""
        ...

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading, seekable, or raise OSError."""
        ...


class Profile(Directory, Protocol):
    """A directory that can make private copies of its files, because SQLite needs a path."""

    def state(self, name: str) -> object:
        """Return a state that changes whenever a file does, for a name from `names`."""
        ...

    def copy(self, names: Iterable[str]) -> AbstractContextManager[str]:
        """Copy files into one private directory; return its path, which is deleted with the context."""
        ...


class Below:
    """The files of a subdirectory; `is_deep` includes its own subdirectories."""

    def __init__(self, directory: Directory, prefix: str, *, is_deep: bool = False) -> None:
        self._directory, self._prefix, self._is_deep = directory, prefix, is_deep

    def names(self) -> Iterator[str]:
        """Return the names of the files, relative to this directory."""
        start = len(self._prefix)
        for name in self._directory.names():
            if name.startswith(self._prefix) and (self._is_deep or "/" not in name[start:]):
                yield name[start:]

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        return self._directory.open(self._prefix + name)


def file_size(file: BinaryIO) -> int:
    """Return the size of an open file, and seek to its start."""
    size = file.seek(0, 2)
    file.seek(0)
    return size
