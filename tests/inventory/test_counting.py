"""Counting records and fields: exact, with the first place of each, and in bounded memory."""

from typing import Any

import pytest

from backscroll.inventory import counting
from backscroll.inventory.counting import OTHERS, Inventory
from backscroll.place import Place


def counted(*records: tuple[str, dict[str, Any]]) -> Inventory:
    """Count records, one a line."""
    inventory = Inventory()
    for line, (kind, value) in enumerate(records, 1):
        inventory.add(kind, value, "code", value.get("version"), Place("f", line))
    return inventory


def test_types_fields_and_values() -> None:
    """Each type is counted, each field with the types of its values, by store and version, with its first place."""
    found = counted(
        ("user", {"a": 1, "version": "2.0"}), ("user", {"a": "x"}), ("tag", {}), ("user", {"a": 1.5, "b": None})
    )
    user, fields = found.types()["user"], found.fields("user")

    assert (3, {"code": 3}, {"2.0": 1, None: 2}) == (user.count, user.stores, user.versions)
    assert {"number": 2, "string": 1} == fields["a"].counts()
    assert (1, {"null": 1}, Place("f", 4)) == (fields["b"].count, fields["b"].counts(), fields["b"].place)
    assert Place("f", 2) == fields["a"].values["string"].place
    assert ({}, Place("f", 3)) == (found.fields("tag"), found.types()["tag"].place)


def test_every_type_of_value() -> None:
    """All types of JSON have their names; true is no number."""
    fields = counted(("x", {"a": True, "b": 1, "c": 1.0, "d": "", "e": [], "f": {}, "g": None})).fields("x")

    assert ["boolean", "number", "number", "string", "array", "object", "null"] == [
        next(iter(fields[name].values)) for name in "abcdefg"
    ]


def test_order_of_fields_does_not_matter() -> None:
    """The same fields in another order are the same shape, and one counting after another adds up."""
    found = counted(("x", {"a": 1, "b": 2}), ("x", {"b": 2, "a": 1}))
    assert 1 == len(found._shapes)
    assert 2 == found.types()["x"].count
    found.add("x", {"a": 1}, "code", None, Place("f", 9))

    assert (3, 2) == (found.fields("x")["a"].count, found.fields("x")["b"].count)


def test_names_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that invents a name for each record fills no memory: what is too much is counted together."""
    for name in ("_MOST_SHAPES", "_MOST_TYPES", "_MOST_FIELDS", "_MOST_VERSIONS"):
        monkeypatch.setattr(counting, name, 10)
    found = counted(
        *((f"type {n}", {}) for n in range(100)),
        *(("type 0", {f"field {n}": 1, "version": f"{n}"}) for n in range(100)),
        ("type 0", {"x" * 10_000: 1}),
    )
    types, fields = found.types(), found.fields("type 0")

    assert 11 == len(types) == len(fields)
    assert (90, 102) == (types[OTHERS].count, types["type 0"].count)
    assert 201 == sum(tally.count for name, tally in fields.items())
    assert len(types["type 0"].versions) <= 11
    assert len(found._shapes) <= 10
