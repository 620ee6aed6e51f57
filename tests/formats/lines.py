"""What the tests of JSON lines build their input from, and the law that every reading of it obeys."""

import io
import json
import random
from collections.abc import Callable, Iterable
from typing import Any

from backscroll.formats.json.lines import Scan, scan
from backscroll.records import Damage, Record

BOM = b"\xef\xbb\xbf"
SESSION = "11111111-1111-4111-8111-111111111111"

Item = Record | Damage


def row(number: int, text: str = "hello", **fields: Any) -> dict[str, Any]:
    """Return a row of the tree as Claude Code writes it, the number standing in its uuid and its text."""
    message = {"role": "user", "content": [{"type": "text", "text": f"{text} MK{number:06d}Q"}]}
    parent = f"uuid-{number - 1}" if number else None
    head = {"parentUuid": parent, "isSidechain": False, "sessionId": SESSION, "type": "user", "message": message}
    return {**head, "uuid": f"uuid-{number}", "timestamp": "2026-09-01T00:00:00.000Z", **fields}


def raw(record: Any) -> bytes:
    """Return a record's bytes as Claude Code writes them, without a newline."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def good(count: int, start: int = 0) -> list[bytes]:
    """Return whole lines, each with its newline."""
    return [raw(row(number)) + b"\n" for number in range(start, start + count)]


def read(data: bytes, decode: Callable[[bytes], Any] | None = None, **place: int) -> tuple[Scan, list[Item]]:
    """Scan bytes to their end, hold them against the law, and return the scan and what it yielded."""
    account = scan(io.BytesIO(data), "s.jsonl", decode, **place)
    items = list(account)
    obey(data, account, items)
    return account, items


def obey(data: bytes, account: Scan, items: Iterable[Item]) -> None:
    """Fail unless the items lie in `data` in order, with nothing but blanks between them, and the figures agree."""
    position, sums = account.start, {Record: 0, Damage: 0}
    for item in items:
        offset, length = span(item)
        assert length > 0
        assert is_blank(data[position:offset])
        assert offset >= position
        if isinstance(item, Record):
            assert item.raw == data[offset : offset + length]
        sums[type(item)] += length
        position = offset + length

    assert is_blank(data[position:])
    assert (sums[Record], sums[Damage], len(data)) == (account.record_bytes, account.damage_bytes, account.end)
    assert account.blank_bytes == account.end - account.start - sums[Record] - sums[Damage]


def span(item: Item) -> tuple[int, int]:
    """Return offset and length of a record or of damage."""
    place = item if isinstance(item, Record) else item.place
    return place.offset or 0, place.length or 0


def is_blank(data: bytes) -> bool:
    """Tell whether bytes are only line ends, white space and byte order marks."""
    return not data.replace(BOM, b"").strip(b" \t\r\n")


def raws(items: Iterable[Item]) -> list[bytes]:
    """Return the bytes of each record."""
    return [item.raw for item in items if isinstance(item, Record)]


def notes(items: Iterable[Item]) -> list[str | None]:
    """Return the note of each record."""
    return [item.note for item in items if isinstance(item, Record)]


def reasons(items: Iterable[Item]) -> list[str]:
    """Return the reason of each damage."""
    return [item.reason for item in items if isinstance(item, Damage)]


def dice(seed: int) -> random.Random:
    """Return a source of chance that gives the same numbers in every run."""
    return random.Random(seed)  # noqa: S311 - nothing secret hangs on it
