"""A store of one transcript: a file that the user names, with the sidecar directory beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

from backscroll.records import Damage
from backscroll.stores.base import DiskStore, FileEntry, FoundFile, Walk, found
from backscroll.stores.code import label


class SingleStore(DiskStore):
    """One transcript, wherever it lies, and its agents."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kind = "code"

    def named(self, entry: FileEntry) -> FoundFile:
        """Return an entry as a file with its kind."""
        return found(entry, label(entry.parts), str(self.path.absolute().parent))

    def entries(self) -> Iterator[FileEntry | Damage]:
        """Yield the files in the order of the walk, with their paths below the project."""
        directory = self.path.absolute().parent
        sidecar = directory / self.path.stem
        for entry in Walk(str(directory), str(directory)).one(str(self.path.absolute())):
            yield _below(entry, directory.name)
        if os.path.isdir(sidecar):
            for entry in Walk(str(sidecar), str(directory)).below():
                yield _below(entry, directory.name, sidecar.name)


def _below(entry: FileEntry | Damage, *names: str) -> FileEntry | Damage:
    return entry if isinstance(entry, Damage) else entry._replace(parts=(*names, *entry.parts))
