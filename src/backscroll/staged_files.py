"""Several new files that appear together or not at all.

Each file is written into a private directory inside its destination.  When all are whole, `publish` gives each its
name; it never replaces a file.  If anything fails before that, nothing is left behind.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from backscroll.errors import RefusedError
from backscroll.files import make_private_directory, name_new_file, reason_at_named, write_pieces

_EXISTS = "a file of this name exists already"


class StagedFiles:
    """New files of one directory while they are written."""

    def __init__(self, destination: Path, *, must_be_empty: bool = False) -> None:
        self.destination = destination
        self._made = must_be_empty and not destination.exists()
        try:
            if must_be_empty:
                _require_empty(destination)
            self._stage = destination / f".{os.urandom(8).hex()}.tmp"
            self._stage.mkdir(mode=0o700)
        except OSError as error:
            raise RefusedError(f"cannot write here: {reason_at_named(error)}", str(destination)) from error
        self._names: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._stage, ignore_errors=True)
        if self._made and kind is not None:
            with suppress(OSError):
                self.destination.rmdir()

    def require_free(self, name: str) -> None:
        """Raise RefusedError if a name is taken."""
        if os.path.lexists(self.destination / name):
            raise RefusedError(_EXISTS, str(self.destination / name), "Choose another name, or remove the file.")

    def write(self, name: str, pieces: Iterable[bytes]) -> Path:
        """Write a file piece by piece; return its place for now.  Raise RefusedError if its name is taken."""
        self.require_free(name)
        path = self._stage / name
        try:
            write_pieces(path, pieces)
        except OSError as error:
            raise RefusedError(f"cannot write here: {reason_at_named(error)}", str(self.destination)) from error
        self._names.append(name)
        return path

    def add(self, path: Path, name: str) -> None:
        """Take a file that another program wrote into the private directory."""
        path.chmod(0o600)
        path.replace(self._stage / name)
        self._names.append(name)

    def drop(self, name: str) -> Path:
        """Keep a file private: it is deleted in the end.  Return its place."""
        self._names.remove(name)
        return self._stage / name

    def publish(self) -> None:
        """Give all files their names; if one is taken, none appears."""
        named: list[Path] = []
        try:
            for name in self._names:
                name_new_file(self._stage / name, self.destination / name)
                named.append(self.destination / name)
        except OSError as error:
            for path in named:
                path.unlink(missing_ok=True)
            reason = _EXISTS if isinstance(error, FileExistsError) else f"cannot write here: {reason_at_named(error)}"
            raise RefusedError(reason, str(self.destination)) from error


def _require_empty(directory: Path) -> None:
    """Make a directory, or take an empty one; refuse a link in its place."""
    if directory.is_symlink():
        raise RefusedError("this is a symbolic link, not a directory", str(directory), "Name a new directory.")
    make_private_directory(directory)
    if any(directory.iterdir()):
        raise RefusedError("the directory is not empty", str(directory), "Name a new or an empty directory.")
