"""Values that no program expects, the ways to every field of a JSON document, and damage as disks do it."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

__all__ = ["VALUES", "broken", "fields", "with_value"]

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, -(2**63), 10**30, 0.5, -0.0, 1e308),
    *("", " ", "\0", "\n", "\x1b[2J", "\ud800", "\U0001f600", "a" * 70_000, "9" * 5000, "../../etc/passwd", "/", "-x"),
    *("2026-05-01T10:00:00Z", "9999-12-31T23:59:59Z", "NaN", "%s%n", "'; DROP TABLE file; --"),
    *([], {}, [[[]]], {"": {}}, [None]),
)


def fields(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every field of a record."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from fields(item, (*path, key))


def with_value(record: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of a record with another value in one field."""
    changed = copy.deepcopy(record)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def broken(data: bytes, numbers: Random) -> bytes:
    """Return bytes with some bits changed, an end cut off, a piece zeroed, repeated or put in the place of another."""
    how = numbers.choice(["flip", "cut", "zero", "twice", "move"])
    start = numbers.randrange(len(data))
    length = numbers.choice([1, 7, 64, 512])
    piece = data[start : start + length]
    if how == "flip":
        changed = bytearray(data)
        for _ in range(numbers.choice([1, 3, 30])):
            changed[numbers.randrange(len(changed))] ^= 1 << numbers.randrange(8)
        return bytes(changed)
    if how == "cut":
        return data[:start]
    if how == "zero":
        return data[:start] + bytes(len(piece)) + data[start + length :]
    if how == "twice":
        return data[:start] + piece + data[start:]
    other = numbers.randrange(len(data))
    return data[:other] + piece + data[other + len(piece) :]
