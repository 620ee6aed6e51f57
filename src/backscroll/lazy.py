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


class _NeedyPattern:
    """One that cannot match where some letters are missing: to look for those costs a hundredth."""

    def __init__(self, text: str | bytes, flags: int, needs: str | bytes) -> None:
        self._needs: Any = needs
        self._late: Any = _LatePattern(text, flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._late, name)

    def match(self, text: Any, *where: int) -> Any:
        return self._late.match(text, *where) if self._needs in text else None

    def search(self, text: Any, *where: int) -> Any:
        return self._late.search(text, *where) if self._needs in text else None

    def fullmatch(self, text: Any, *where: int) -> Any:
        return self._late.fullmatch(text, *where) if self._needs in text else None

    def sub(self, by: Any, text: Any, count: int = 0) -> Any:
        return self._late.sub(by, text, count) if self._needs in text else text


def pattern(text: AnyStr, flags: int = 0, needs: AnyStr | None = None) -> re.Pattern[AnyStr]:
    """Return a regular expression that costs nothing, 0.3 ms on average, until it is used.

    `needs` are letters without which it cannot match; while a text does not hold them, it is not even compiled.
    """
    return _LatePattern(text, flags) if needs is None else _NeedyPattern(text, flags, needs)  # type: ignore[return-value]
