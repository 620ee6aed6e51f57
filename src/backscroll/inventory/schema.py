"""A JSON Schema of the records on this disk, inferred from the inventory: names, types and numbers, no values."""

from collections.abc import Iterable
from typing import Any

from backscroll.inventory.reading import is_part
from backscroll.inventory.report import TypeUse

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def infer_schema(types: Iterable[TypeUse]) -> dict[str, Any]:
    """Return a schema that every counted record satisfies, with schemas of parts of records beside it."""
    ordered = sorted((item for item in types if item.fields), key=lambda item: item.type)
    return {
        "$schema": _DIALECT,
        "title": "Records of Claude's products, as found on this machine",
        "anyOf": [{"$ref": f"#/$defs/{_pointer(item.type)}"} for item in ordered if not is_part(item.type)],
        "$defs": {item.type: _definition(item) for item in ordered},
    }


def _definition(item: TypeUse) -> dict[str, Any]:
    properties = {use.name: _property(use.types, use.count) for use in sorted(item.fields, key=lambda use: use.name)}
    if "type" in properties and "/" not in item.type:
        properties["type"]["const"] = item.type
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(use.name for use in item.fields if use.count == item.count),
        "x-count": item.count,
    }


def _property(types: dict[str, int], count: int) -> dict[str, Any]:
    names = sorted(types)
    return {"type": names[0] if len(names) == 1 else names, "x-count": count}


def _pointer(name: str) -> str:
    """Return a name as JSON Pointer, and a URI, have it."""
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace(" ", "%20")
