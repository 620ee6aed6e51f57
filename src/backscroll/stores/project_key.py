"""The name that Claude Code gives a project's directory: docs/formats.md, "Project directory key".

`encode` is exact for every version that was run; decoding is impossible, so there is only `could_be`,
which says whether a directory name may stem from a known working directory.
"""

from backscroll.lazy import pattern

_LONGEST = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

_TWO_UNITS = pattern(r"[\U00010000-\U0010ffff]")
_OTHER = pattern(r"[^A-Za-z0-9]")
_HASH = pattern(r"-[0-9a-z]{1,13}")
_DRIVE_KEY = pattern(r"[A-Za-z]--")


def encode(cwd: str) -> str:
    """Return the directory name for a working directory.

    >>> encode("/x/emo😀ji")
    '-x-emo--ji'
    """
    key = canon(cwd)
    return key if len(key) <= _LONGEST else f"{key[:_LONGEST]}-{_base36(abs(_hash(cwd)))}"


def canon(name: str) -> str:
    """Replace every UTF-16 unit that is not a letter or digit of ASCII by a dash; nothing is cut."""
    return _OTHER.sub("-", name if name.isascii() else _TWO_UNITS.sub("--", name))


def could_be(key: str, cwd: str) -> bool:
    """Say whether a project directory called `key` may hold sessions held in `cwd`.

    The hash of a long path is not compared: some builds used another hash function.
    """
    name, full = canon(key), canon(cwd)
    if _DRIVE_KEY.match(name) and _DRIVE_KEY.match(full):  # shells differ in the case of drive letters
        name, full = name.lower(), full.lower()
    if name == full:
        return True
    is_cut = len(full) > _LONGEST and name[:_LONGEST] == full[:_LONGEST]
    return is_cut and _HASH.fullmatch(name, _LONGEST) is not None


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
