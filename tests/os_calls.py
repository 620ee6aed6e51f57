"""Something happens just before a chosen system call that writes: an error, a short write, a swapped directory.

    with before_each_call(lambda number, name: ...):
        run([...])

Only calls from `new_files.py`, `changes/` and `archive/` are counted, so the same number always means the same call,
however busy the machine is.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import backscroll.new_files  # noqa: F401 - at its import it looks at the functions that are replaced here

NAMES = ("open", "write", "fsync", "link", "replace", "chmod", "mkdir", "listdir", "stat", "close")
CHANGING = (
    "open",
    "write",
    "fsync",
    "link",
    "replace",
    "rename",
    "chmod",
    "mkdir",
    "unlink",
    "rmdir",
    "utime",
    "symlink",
    "ftruncate",
)
"""The calls of `changes/` that matter to a kill or an error."""
_OF_PATHLIB = ("mkdir", "unlink", "rmdir", "rename", "replace")
"""The calls that a `Path` may make for our code."""
Happening = Callable[[int, str], None]
"""Gets the number of the call and its name; an OSError that it raises is the call's."""


@contextmanager
def before_each_call(happening: Happening, names: tuple[str, ...] = NAMES) -> Iterator[list[str]]:
    """Let something happen before each call; the list that is yielded grows by the name of each."""
    done: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(os, name, _watched(name, getattr(os, name), done, happening))
        yield done


def _watched(name: str, function: Callable[..., Any], done: list[str], happening: Happening) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        frame = sys._getframe(1)
        if name in _OF_PATHLIB and frame.f_code.co_filename.endswith("pathlib.py") and frame.f_back is not None:
            frame = frame.f_back
        path = frame.f_code.co_filename
        if path.endswith("new_files.py") or "/backscroll/changes/" in path or "/backscroll/archive/" in path:
            done.append(name)
            happening(len(done), name)
        return function(*arguments, **options)

    return call
