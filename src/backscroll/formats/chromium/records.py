"""StorageRecord: one value that a page stored in the browser, in any engine; and the encoding of its text.

Texts are exact, lone surrogates included; `json` is clean, as `lenient` makes it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from backscroll.formats.json.lenient import value_of
from backscroll.formats.state import State
from backscroll.place import Place
from backscroll.records import Json

Kind = Literal["local-storage", "session-storage", "indexeddb", "metadata"]
"""Metadata are the browser's own values, which no page sees."""

UNKNOWN_TEXT = "text in an unknown coding"
ODD_TEXT = "odd last byte in UTF-16"

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_JSON_STARTS = frozenset('{["-0123456789tfn')


@dataclass(frozen=True, slots=True)
class StorageRecord:
    """One version of one value."""

    kind: Kind
    key: str
    state: State
    place: Place
    origin: str | None = None
    partition: str | None = None
    """The site that the origin was embedded in, if its storage is kept apart for that."""
    database: str | None = None
    """IndexedDB's database; for session storage, the tab's namespace."""
    object_store: str | None = None
    text: str | None = None
    """None for a deletion, and for values that are no text."""
    json: Json = None
    has_json: bool = False
    key_bytes: bytes = b""
    value_bytes: bytes | None = None
    """Unpacked, and taken from its own file if it has one; None for a deletion."""
    sequence: int | None = None
    time: datetime | None = None
    """The time of its commit, if the store has it."""
    has_exact_time: bool = False
    """If False, it was committed at that time or earlier."""
    note: str | None = None
    is_withheld: bool = False
    """True if a secret was removed from text and json."""


def text_of(data: bytes) -> tuple[str | None, str | None]:
    r"""Return the text of a key or value of Local Storage, None if it is no text; and the reason.

    >>> text_of(b"\x01caf\xe9")
    ('café', None)
    """
    if not data:
        return "", None
    if data[0] == 1:
        return data[1:].decode("latin-1"), None
    if data[0] == 0:
        return utf16(data[1:])
    return None, UNKNOWN_TEXT


def utf16(data: bytes) -> tuple[str, str | None]:
    """Return the text of little-endian UTF-16, and a note on its damage."""
    odd = len(data) % 2
    text = data[: len(data) - odd].decode("utf-16-le", "surrogatepass")
    return text, ODD_TEXT if odd else None


def json_of(text: str | None) -> tuple[Any, bool, str | None]:
    """Return the value of a JSON text, True if it is JSON, and the repairs."""
    if text is None or text.lstrip()[:1] not in _JSON_STARTS:
        return None, False, None
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raw = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    try:
        value, note = value_of(raw)
    except (ValueError, RecursionError):
        return None, False, None
    return value, True, note


def split_storage_key(text: str) -> tuple[str, str | None]:
    """Return origin and partition of a storage key.

    >>> split_storage_key("https://a.example/^0https://claude.ai")
    ('https://a.example', 'https://claude.ai')
    """
    origin, caret, partition = text.partition("^")
    if caret:
        partition = partition[1:] if partition.startswith("0") and "^" not in partition else "^" + partition
    return origin.removesuffix("/"), partition or None


def moment(microseconds: int) -> datetime | None:
    """Return the time of a count of microseconds since 1601."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def joined(*notes: str | None) -> str | None:
    """Return several notes as one."""
    return ", ".join(filter(None, notes)) or None
