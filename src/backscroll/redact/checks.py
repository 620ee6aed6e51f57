"""Checks on the value that a rule found.

A check never clears a finding.  A failed check makes the finding unsure.
Each check is one table in a rule: `{ kind = "entropy", least = 3.0 }`.
"""

import math
import zlib
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

CONTEXT_BYTES = 64
BASE62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

CheckFunction = Callable[[bytes, bytes], bool]
"""Take a found value and the bytes around it; return True if the check passes."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """One check of a rule: its kind and the function that runs it."""

    kind: str
    passes: CheckFunction


def entropy(value: bytes) -> float:
    """Return the Shannon entropy of a value in bits per byte."""
    repeated = [count * math.log2(count) for count in Counter(value).values() if count > 1]
    return math.log2(len(value)) - sum(repeated) / len(value)


def has_crc32_tail(value: bytes) -> bool:
    """Return True if the last six base-62 digits are the CRC-32 of the random part (GitHub, npm)."""
    random_part = value[value.rfind(b"_") + 1 : -6]
    number, digits = zlib.crc32(random_part), bytearray()
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits.append(BASE62[digit])
    return bytes(reversed(digits)) == value[-6:]


def has_luhn_digit(value: bytes) -> bool:
    """Return True if the digits of a value satisfy the Luhn checksum."""
    digits = [byte - 48 for byte in reversed(value) if 48 <= byte <= 57]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return bool(digits) and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def has_json_head(value: bytes) -> bool:
    """Return True if the part before the first dot decodes to a JSON object (JWT)."""
    head = value.partition(b".")[0]
    try:
        decoded = urlsafe_b64decode(head + b"=" * (-len(head) % 4))
    except ValueError:
        return False
    return decoded.startswith(b"{") and decoded.rstrip().endswith(b"}")


CHECKSUMS: dict[str, Callable[[bytes], bool]] = {
    "crc32-base62": has_crc32_tail,
    "luhn": has_luhn_digit,
    "json-head": has_json_head,
}


def _checksum(table: Mapping[str, Any]) -> CheckFunction:
    function = CHECKSUMS[table["name"]]
    return lambda value, _around: function(value)


def _length(table: Mapping[str, Any]) -> CheckFunction:
    least, most = int(table.get("least", 0)), int(table.get("most", 1 << 30))
    return lambda value, _around: least <= len(value) <= most


def _entropy(table: Mapping[str, Any]) -> CheckFunction:
    least = float(table["least"])
    return lambda value, _around: bool(value) and entropy(value) >= least


def _alphabet(table: Mapping[str, Any]) -> CheckFunction:
    allowed = expand_alphabet(str(table["chars"]))
    return lambda value, _around: not value.translate(None, allowed)


def _context(table: Mapping[str, Any]) -> CheckFunction:
    words = [str(word).lower().encode() for word in table["words"]]
    return lambda _value, around: any(word in around.lower() for word in words)


def _mixed(table: Mapping[str, Any]) -> CheckFunction:
    least = int(table["least"])
    return lambda value, _around: count_character_classes(value) >= least


KINDS: dict[str, Callable[[Mapping[str, Any]], CheckFunction]] = {
    "alphabet": _alphabet,
    "checksum": _checksum,
    "context": _context,
    "entropy": _entropy,
    "length": _length,
    "mixed": _mixed,
}


def make_check(table: Mapping[str, Any]) -> RuleCheck:
    """Make a check from its table; raise KeyError, TypeError or ValueError if the table is wrong."""
    kind = str(table["kind"])
    return RuleCheck(kind, KINDS[kind](table))


def count_character_classes(value: bytes) -> int:
    """Return the number of character classes in a value: lower case, upper case, digits, others."""
    text = value.decode("latin-1")
    classes = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return sum(any(map(is_in_class, text)) for is_in_class in classes)


def expand_alphabet(chars: str) -> bytes:
    """Return all bytes of an alphabet that is written with ranges: `A-Za-z0-9_`, a dash stands last."""
    expanded, place = bytearray(), 0
    while place < len(chars):
        last = chars[place + 2] if chars[place + 1 : place + 2] == "-" and place + 2 < len(chars) else None
        expanded += bytes(range(ord(chars[place]), ord(last or chars[place]) + 1))
        place += 1 if last is None else 3
    return bytes(expanded)
