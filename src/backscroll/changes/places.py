"""Places below a root: directories held open, entered one by one, without ever following a link."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backscroll.errors import RefusedError
from backscroll.new_files import HAS_OPENAT

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def parent_held(root: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """Hold the directory open in which the last of `parts` stands; raise OSError where a link or nothing is there."""
    if not HAS_OPENAT:
        raise RefusedError("this system cannot open files relative to a directory, so nothing is changed", str(root))
    # The root itself may be a link of the user's: a ~/.claude that lies in a directory of dotfiles.
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
    """Wait until the names in a directory are on the disk."""
    os.fsync(held)
