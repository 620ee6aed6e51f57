"""The name that Claude Code gives a project's directory: docs/formats.md, "Project directory key".

`encode` is exact for every version that we ran.  Decoding is impossible; `could_be` tests if a directory name may
come from a known working directory.
"""

import re
from functools import cache, lru_cache

_LONGEST = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@cache
def _two_units() -> re.Pattern[str]:
    return re.compile(r"[\U00010000-\U0010ffff]")


@cache
def _other() -> re.Pattern[str]:
    return re.compile(r"[^A-Za-z0-9]")


@cache
def _hash_ending() -> re.Pattern[str]:
    return re.compile(r"-[0-9a-z]{1,13}")


@cache
def _drive_key() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z]--")


def encode(cwd: str) -> str:
    """Return the directory name for a working directory.

    >>> encode("/x/emo😀ji")
    '-x-emo--ji'
    """
    key = canon(cwd)
    return key if len(key) <= _LONGEST else f"{key[:_LONGEST]}-{_base36(abs(_hash(cwd)))}"


def canon(name: str) -> str:
    """Replace every UTF-16 unit that is not an ASCII letter or digit with a dash; truncate nothing."""
    return _other().sub("-", name if name.isascii() else _two_units().sub("--", name))


@lru_cache(1 << 12)
def could_be(key: str, cwd: str) -> bool:
    """Return True if a project directory called `key` may hold sessions of the directory `cwd`.

    The hash of a long path is not compared: some builds used another hash function.
    """
    name, full = canon(key), canon(cwd)
    if _drive_key().match(name) and _drive_key().match(full):  # shells differ in the case of drive letters
        name, full = name.lower(), full.lower()
    if name == full:
        return True
    is_cut = len(full) > _LONGEST and name[:_LONGEST] == full[:_LONGEST]
    return is_cut and _hash_ending().fullmatch(name, _LONGEST) is not None


def _hash(text: str) -> int:
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _base36(number: int) -> str:
    digits = _DIGITS[number % 36]
    while number := number // 36:
        digits = _DIGITS[number % 36] + digits
    return digits
