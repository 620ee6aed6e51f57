"""Import a module, or compile a regular expression, when it is first used.

`backscroll list` on a warm index must cost hardly more than Python itself, so the code that reads
transcripts, and the libraries it needs (25 ms of CPU), wait until there is something to read.
Type checkers and the import contracts see an ordinary import beside each use.
"""

import re
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, AnyStr


class _LaterModule(ModuleType):
    """What stands for a module until one of its attributes is asked for, and hands them on from then."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def lazily(name: str) -> ModuleType:
    """Return the module `name`, imported at the first use of one of its attributes."""
    return sys.modules.get(name) or _LaterModule(name)


class _LatePattern:
    """A regular expression that is compiled when it is first asked for anything."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)  # the next call goes straight to the compiled pattern's method
        return found


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that costs nothing, 0.3 ms on average, until it is used."""
    return _LatePattern(text, flags)  # type: ignore[return-value]
