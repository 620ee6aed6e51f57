"""Stand-ins for modules that click, msgspec and pathlib import, and that hardly any command then uses.

They are a quarter of what starting a command costs.  Each stand-in answers the little that is asked of it
in every run; whatever else is asked loads the module itself, which takes its place from then on.
Only the command line puts them up: a program that imports backscroll keeps its own modules.
"""

import os
import sys
import typing
import urllib
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


class StandIn(ModuleType):
    """What stands for a module until something is asked that it cannot answer."""

    def __init__(self, name: str, **known: object) -> None:
        super().__init__(name)
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # asked by every `from … import`; none of these modules is a package
            raise AttributeError(name)
        return getattr(_real(self.__name__), name)


def put_up() -> None:
    """Put up the stand-ins of all modules that are not loaded yet."""
    for name, known in _KNOWN.items():
        if name not in sys.modules:
            sys.modules[name] = StandIn(name, **known)
    vars(urllib).setdefault("parse", sys.modules["urllib.parse"])  # as the import of a module sets it in its package


def _real(name: str) -> ModuleType:
    if isinstance(sys.modules.get(name), StandIn):
        del sys.modules[name]
    return import_module(name)


def _clean(doc: str) -> str:
    """Do as `inspect.cleandoc`; the help of an option is one line."""
    if "\n" in doc or "\t" in doc:
        return str(_real("inspect").cleandoc(doc))
    return doc.lstrip(" ")


def _untranslated(message: str) -> str:
    """Do as `gettext.gettext` without a catalogue: ours is an English program."""
    return message


def _plural(one: str, many: str, number: int) -> str:
    return one if number == 1 else many


def _quote(text: bytes, safe: str = "/") -> str:
    """Do as `urllib.parse.quote_from_bytes`, which `pathlib` takes at its import and seldom uses."""
    return str(_real("urllib.parse").quote_from_bytes(text, safe))


def _system() -> str:
    """Do as `platform.system`, which `uuid` asks on systems that have `os.uname`."""
    return os.uname().sysname


_KNOWN: dict[str, dict[str, Callable[..., object] | object]] = {
    "inspect": {"cleandoc": _clean},
    "gettext": {"gettext": _untranslated, "ngettext": _plural},
    "platform": {"system": _system} if hasattr(os, "uname") else {},
    "typing_extensions": {name: getattr(typing, name) for name in ("NotRequired", "Required", "get_type_hints")},
    "urllib.parse": {"quote_from_bytes": _quote},
    "textwrap": {},
    "msgspec.inspect": {},
}
"""What each stand-in answers itself."""
