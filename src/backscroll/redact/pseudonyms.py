"""Pseudonyms: the names that replace secrets and identities.

The same value gets the same pseudonym throughout: ⟨aws-key-1⟩, ⟨aws-key-2⟩, ⟨user⟩, ⟨home⟩.
Values are kept as keyed digests only, so that no memory dump, repr or pickle of this table holds a secret.
"""

import re
import secrets
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

from backscroll.redact.identities import CLOSING, OPENING, KnownIdentities, pseudonym

LONGEST_PSEUDONYM = 120
_OPENINGS = (OPENING.encode(), b"%E2%9F%A8", b"%e2%9f%a8", b"\\u27e8", b"\\u27E8")
_CLOSING = rb"(?:%s|(?i:%%e2%%9f%%a9|\\+u27e9))" % CLOSING.encode()
PSEUDONYM = re.compile(
    rb"(?:%s)([a-z][a-z0-9-]{0,60}?)(?:-([0-9]{1,9}))?" % b"|".join(map(re.escape, _OPENINGS)) + _CLOSING
)
"""One pseudonym, also as in a URL or in JSON: its label, and its number if it has one."""


def has_pseudonym(data: bytes) -> bool:
    """Return True if data may hold a pseudonym."""
    return any(opening in data for opening in _OPENINGS)


class Pseudonyms:
    """Give each value a name, and the same value the same name."""

    def __init__(self, known: KnownIdentities | None = None) -> None:
        self._key = secrets.token_bytes(16)
        self._names: dict[bytes, str] = {}
        self._numbers: Counter[str] = Counter()
        for label, spellings in (known or KnownIdentities()).spellings():
            self._register(label, spellings)

    def name(self, label: str, value: bytes) -> str:
        """Return the pseudonym of a value; make one if the value is new."""
        digest = self._digest(value)
        found = self._names.get(digest)
        if found is None:
            self._numbers[label] += 1
            found = self._names[digest] = f"{OPENING}{label}-{self._numbers[label]}{CLOSING}"
        return found

    def reserve(self, data: bytes) -> None:
        """Skip the numbers of pseudonyms that a text already has."""
        for found in PSEUDONYM.finditer(data):
            label, number = found[1].decode(), int(found[2] or b"1")
            self._numbers[label] = max(self._numbers[label], number)

    def _register(self, label: str, spellings: Iterable[str]) -> None:
        """Give the spellings of a known identity one pseudonym; the first of a label has no number."""
        self._numbers[label] += 1
        name = pseudonym(label, self._numbers[label])
        for spelling in spellings:
            self._names.setdefault(self._digest(spelling.encode()), name)

    def _digest(self, value: bytes) -> bytes:
        return blake2b(value.lower(), digest_size=16, key=self._key).digest()
