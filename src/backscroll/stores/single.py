"""A store of one transcript: a file that somebody points at, with the sidecar directory beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

from backscroll.records import Damage
from backscroll.stores.base import Entry, FoundFile, Walk, files_of, found
from backscroll.stores.code import label
from backscroll.stores.trail import Trail
from backscroll.value import Value


class SingleStore(Value, frozen=True):
    """One transcript, wherever it lies, and its agents."""

    path: Path
    kind: str = "code"

    def files(self) -> Iterator[FoundFile | Damage]:
        """Yield the transcript and what lies in its sidecar directory."""
        return files_of(self, self.entries())

    def named(self, entry: Entry) -> FoundFile:
        """Say what a file is."""
        return found(entry, label(entry.parts), str(self.path.absolute().parent))

    def entries(self, trail: Trail | None = None) -> Iterator[Entry | Damage]:
        """Yield the same as the walk meets it, by the names that lead to it from the project."""
        trail = trail or Trail()
        directory = self.path.absolute().parent
        sidecar = directory / self.path.stem
        for entry in Walk(str(directory), str(directory), trail=trail).one(str(self.path.absolute())):
            yield _below(entry, directory.name)
        trail.probed(str(sidecar))
        if os.path.isdir(sidecar):
            for entry in Walk(str(sidecar), str(directory), trail=trail).below():
                yield _below(entry, directory.name, sidecar.name)


def _below(entry: Entry | Damage, *names: str) -> Entry | Damage:
    return entry if isinstance(entry, Damage) else entry._replace(parts=(*names, *entry.parts))
