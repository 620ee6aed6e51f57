"""A store of one transcript: a file that somebody points at, with the sidecar directory beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

from backscroll.records import Damage
from backscroll.stores.base import FoundFile, Walk, found
from backscroll.stores.code import label
from backscroll.value import Value


class SingleStore(Value, frozen=True):
    """One transcript, wherever it lies, and its agents."""

    path: Path
    kind: str = "code"

    def files(self) -> Iterator[FoundFile | Damage]:
        """Yield the transcript and what lies in its sidecar directory."""
        directory = self.path.absolute().parent
        sidecar = directory / self.path.stem
        walk = Walk(str(directory), str(directory))
        for entry in walk.one(str(self.path.absolute())):
            yield (
                entry
                if isinstance(entry, Damage)
                else found(entry, label((directory.name, entry.parts[-1])), str(directory))
            )
        if os.path.isdir(sidecar):
            for entry in Walk(str(sidecar), str(directory)).below():
                if isinstance(entry, Damage):
                    yield entry
                else:
                    yield found(entry, label((directory.name, sidecar.name, *entry.parts)), str(directory))
