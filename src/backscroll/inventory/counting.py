"""Counting records by type, and their fields by name and type of value, in one pass and in little memory.

Records of one type mostly have one of a few shapes: sets of names with types.  Shapes are counted first, with one
lookup for each record, and expanded into fields when there are many shapes, and at the end.
A store is foreign data: names beyond a limit are counted together, under `…`.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from backscroll.place import Place

OTHERS = "…"

_MOST_SHAPES = 20_000
_MOST_TYPES = 2_000
_MOST_FIELDS = 1_000
_MOST_VERSIONS = 500
_LONGEST_NAME = 200
_NAMES = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class Tally:
    """The counts of one name: in total, by version, store and type of value, with its first place."""

    __slots__ = ("count", "place", "stores", "values", "versions")

    def __init__(self, place: Place) -> None:
        self.count = 0
        self.place = place
        self.values: dict[str, Tally] = {}
        """Of a field: the types of its values."""
        self.stores: Counter[str] = Counter()
        self.versions: Counter[str | None] = Counter()

    def counts(self) -> dict[str, int]:
        """Return the number of values of each type, the most frequent first."""
        return dict(sorted(((name, value.count) for name, value in self.values.items()), key=lambda item: -item[1]))

    def add(self, count: int, store: str, version: str | None) -> None:
        """Add to the count."""
        self.count += count
        self.stores[store] += count
        is_new = version not in self.versions
        self.versions[OTHERS if is_new and len(self.versions) >= _MOST_VERSIONS else version] += count


class _Shape(NamedTuple):
    store: str
    version: str | None
    kind: str
    fields: frozenset[tuple[str, type]]


class Inventory:
    """Types of records, each with its fields."""

    def __init__(self) -> None:
        self.records = 0
        self._types: dict[str, Tally] = {}
        self._fields: dict[str, dict[str, Tally]] = {}
        self._shapes: dict[_Shape, int] = {}
        self._places: dict[_Shape, Place] = {}

    def add(self, kind: str, value: Mapping[str, Any], store: str, version: str | None, place: Place) -> None:
        """Count one record, or one part of a record, of type `kind`."""
        shape = _Shape(store, version, kind, frozenset(zip(value, map(type, value.values()), strict=True)))
        count = self._shapes.get(shape)
        if count is None:
            if len(self._shapes) >= _MOST_SHAPES:
                self._unfold()
            self._places[shape] = place
        self._shapes[shape] = (count or 0) + 1

    def types(self) -> dict[str, Tally]:
        """Return every type that was found."""
        self._unfold()
        return self._types

    def fields(self, kind: str) -> dict[str, Tally]:
        """Return the fields of a type."""
        self._unfold()
        return self._fields.get(kind, {})

    def _unfold(self) -> None:
        for shape, count in self._shapes.items():
            place = self._places[shape]
            kind = _tally(self._types, shape.kind, _MOST_TYPES, place)
            self._types[kind].add(count, shape.store, shape.version)
            fields = self._fields.setdefault(kind, {})
            for name, value in shape.fields:
                field = fields[_tally(fields, name, _MOST_FIELDS, place)]
                field.add(count, shape.store, shape.version)
                kind_of_value = _NAMES.get(value, value.__name__)
                field.values.setdefault(kind_of_value, Tally(place)).add(count, shape.store, shape.version)
        self._shapes.clear()
        self._places.clear()


def _tally(tallies: dict[str, Tally], name: str, most: int, place: Place) -> str:
    """Return the name under which a thing is counted; create its tally if it is new."""
    name = name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + OTHERS
    if name not in tallies:
        name = name if len(tallies) < most else OTHERS
        tallies.setdefault(name, Tally(place))
    return name
