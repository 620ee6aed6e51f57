"""Field lists: the fields of records, messages, rows and manifests that may go out.

The lists are data, in `fields.toml`.  A field that no list names is dropped.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SHIPPED_LISTS = "fields.toml"
_ID = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:toolu|srvtoolu|msg|req|call|session|local|agent|hook)_"
    r"[A-Za-z0-9_-]{1,80}|a?[0-9a-f]{7,64}(?:@v[0-9]+)?|\d{4}-\d\d-\d\dT[\d:.]{5,15}(?:Z|[+-][\d:]{4,6})|[A-Za-z0-9]{0,5}"
)


@dataclass(frozen=True, slots=True)
class FieldList:
    """The allowed fields of one kind of object."""

    allowed: frozenset[str]
    inside: Mapping[str, str]
    kinds: frozenset[str] | None

    def allows(self, name: str, kind: object) -> bool:
        """Return True if a field of an object of type `kind` may go out."""
        return name in self.allowed and (self.kinds is None or name == "type" or kind in self.kinds)


@dataclass(frozen=True, slots=True)
class FieldLists:
    """All lists, and the fields that hold ids and opaque data."""

    lists: Mapping[str, FieldList]
    ids: frozenset[str]
    opaque: frozenset[str]
    never: frozenset[str]
    """Fields that go out at no depth."""
    cut: frozenset[str] = frozenset()
    """Fields whose text a program may have cut, with an ellipsis in place of the rest."""

    def is_id(self, name: str, text: str) -> bool:
        """Return True if a field holds ids and its value has the shape of one."""
        return name in self.ids and _ID.fullmatch(text) is not None


@cache
def shipped_fields() -> FieldLists:
    """Load the lists that ship with the package."""
    tables = tomllib.loads(files("backscroll.redact").joinpath(SHIPPED_LISTS).read_text(encoding="utf-8"))
    lists = {name: _make_list(table) for name, table in tables.items() if isinstance(table, dict)}
    names = {name: frozenset(tables[name]) for name in ("ids", "opaque", "never", "cut")}
    return FieldLists(lists, **names)


def _make_list(table: Mapping[str, object]) -> FieldList:
    kinds = table.get("kinds")
    inside = table.get("inside", {})
    return FieldList(
        allowed=_names(table["allowed"]),
        inside=inside if isinstance(inside, dict) else {},
        kinds=None if kinds is None else _names(kinds),
    )


def _names(names: object) -> frozenset[str]:
    return frozenset(map(str, names)) if isinstance(names, list) else frozenset()
