"""A store of one transcript: a file that somebody points at, with the sidecar directory beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

from backscroll.records import Damage
from backscroll.stores.base import DiskStore, Entry, FoundFile, Walk, found
from backscroll.stores.code import label
from backscroll.value import Value


class SingleStore(DiskStore, Value, frozen=True):
    """One transcript, wherever it lies, and its agents."""

    path: Path
    kind: str = "code"

    def named(self, entry: Entry) -> FoundFile:
        """Say what a file is."""
        return found(entry, label(entry.parts), str(self.path.absolute().parent))

    def entries(self) -> Iterator[Entry | Damage]:
        """Yield the same as the walk meets it, by the names that lead to it from the project."""
        directory = self.path.absolute().parent
        sidecar = directory / self.path.stem
        for entry in Walk(str(directory), str(directory)).one(str(self.path.absolute())):
            yield _below(entry, directory.name)
        if os.path.isdir(sidecar):
            for entry in Walk(str(sidecar), str(directory)).below():
                yield _below(entry, directory.name, sidecar.name)


def _below(entry: Entry | Damage, *names: str) -> Entry | Damage:
    return entry if isinstance(entry, Damage) else entry._replace(parts=(*names, *entry.parts))
