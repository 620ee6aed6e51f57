"""Places below a root: each directory is opened inside its parent, without following a link."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backscroll.errors import RefusedError
from backscroll.new_files import HAS_OPENAT

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def parent_held(root: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """Hold the parent directory of the last of `parts` open; raise OSError if a link or nothing is in the way."""
    if not HAS_OPENAT:
        raise RefusedError("this system cannot open files relative to a directory, so nothing is changed", str(root))
    # The root itself may be a link of the user, such as a ~/.claude in a directory of dotfiles.
    held = os.open(os.path.realpath(root), _FLAGS)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _FLAGS, dir_fd=held)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)


def sync_directory(held: int) -> None:
    """Sync the names in a directory to the disk."""
    os.fsync(held)
