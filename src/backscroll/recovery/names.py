r"""Safe names for recovered paths.

A path in a transcript is foreign data.  This module turns it into a list of plain names below a directory:
no `..`, no root, no drive, no device, nothing with a special meaning for a file system.  Forbidden characters
become hexadecimal (`%2E%2E`), so that nothing is lost and nothing collides by accident.
"""

import re
import sys
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

from backscroll.sessions.file_changes.paths import parts

POSIX, WINDOWS, MACOS = "posix", "windows", "macos"
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)", re.IGNORECASE)
_UNFIT = {
    POSIX: re.compile(r"[\x00-\x1f\x7f/]"),
    MACOS: re.compile(r"[\x00-\x1f\x7f/:]"),
    WINDOWS: re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]'),
}
_SURROGATE = re.compile("[\ud800-\udfff]")
LONGEST_NAME = 200
"""In bytes; file systems take 255, and the number of a twin must fit."""
LONGEST_PATH = 3000
DEEPEST = 120
_GIT = re.compile(r"\.git|git~\d+|\.hg|\.svn", re.IGNORECASE)
_IGNORABLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def this_system() -> str:
    """Return the system of this machine, whose rules apply."""
    return {"win32": WINDOWS, "darwin": MACOS}.get(sys.platform, POSIX)


def safe_parts(path: str, system: str) -> list[str]:
    """Return the names below a directory under which a recovered path is written."""
    names = [safe_name(name, system) for name in parts(path)] or [_short("")]
    if len(names) > DEEPEST or sum(len(name.encode()) + 1 for name in names) > LONGEST_PATH:
        names = ["%too-long", _short(path)]
    return names


def safe_name(name: str, system: str) -> str:
    """Return one name in a form that is safe on a system."""
    if name in (".", ".."):
        return "%2E" * len(name)
    name = _SURROGATE.sub(lambda found: f"%u{ord(found.group()):04X}", name)
    name = _UNFIT[system].sub(lambda found: f"%{ord(found.group()):02X}", name)
    if system == WINDOWS:
        if name[-1:] in (".", " "):
            name = f"{name[:-1]}%{ord(name[-1]):02X}"
        if _DEVICES.match(name):
            name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name.encode()) > LONGEST_NAME:
        name = _shortened(name)
    return name


def _shortened(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    ending = dot + suffix if stem and len(suffix.encode()) <= 20 else ""
    start = name.encode()[: LONGEST_NAME - 40].decode(errors="ignore")
    return f"{start}~{_short(name)}{ending}"


def _short(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def is_repository(names: Sequence[str]) -> bool:
    """Return True if names lead into a version control directory, whose hooks and settings run programs."""
    return any(_GIT.fullmatch(visible(name).partition(":")[0].rstrip(". ")) for name in names)


def visible(name: str) -> str:
    """Return a name without the characters that some file systems ignore."""
    return _IGNORABLE.sub("", name)


class Names:
    """Assigns unique names to each recovered path, even if the file system ignores case."""

    def __init__(self, system: str) -> None:
        self._system = system
        self._taken: dict[tuple[str, ...], str] = {}

    def for_path(self, path: str) -> list[str]:
        """Return safe names for a path that no other path has got, as a file or as a directory."""
        names: list[str] = []
        *directories, last = safe_parts(path, self._system)
        for name in directories:
            names = self._free([*names, name], "directory")
        return self._free([*names, last], "file")

    def _free(self, names: list[str], kind: str) -> list[str]:
        """Reserve and return names; the last one gets a number if they are taken."""
        *before, wanted = names
        number = 1
        while not self._is_free(names, kind):
            number += 1
            names = [*before, f"{wanted}~{number}"]
        self._taken[self._folded(names)] = kind
        return names

    def _is_free(self, names: list[str], kind: str) -> bool:
        taken = self._taken.get(self._folded(names))
        return taken is None or taken == kind == "directory"

    def _folded(self, names: list[str]) -> tuple[str, ...]:
        if self._system == POSIX:
            return tuple(names)
        return tuple(unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold()) for name in names)
