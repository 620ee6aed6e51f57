"""Import modules at their first use.

`backscroll list` with an up-to-date index must cost hardly more than Python itself.  So the code that reads
transcripts, and its libraries, are imported only when there is something to read.
Type checkers and import-linter see an ordinary import beside each use.
"""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

PLAIN_START = "BACKSCROLL_PLAIN_START"
"""The environment variable that turns off lazy imports and everything in `cli/startup.py`."""


def is_plain() -> bool:
    """Return True if this process runs without the start-up tricks."""
    return bool(os.environ.get(PLAIN_START))


def lazily(name: str) -> ModuleType:
    """Return the module `name`, imported at the first use of one of its attributes."""
    if is_plain():
        return import_module(name)
    return sys.modules.get(name) or _LazyModule(name)


class _LazyModule(ModuleType):
    """A stand-in for a module; it imports the module at the first access to an attribute."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.modules.get(self.__name__) or import_module(self.__name__), name)
