"""The known schema: types of records and their fields, made by scripts/make_known_schema.py.

    {"types": {<type>: {<field>: [<types of values>]} or null}, "cowork": {<field>: [<type of value>, <required>]}}

A type whose fields are null is known by its name alone; a field whose list is empty may hold anything.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

Fields = dict[str, list[str]]


class Expected(NamedTuple):
    """The facts about a field in a public schema of Cowork's manifests."""

    value: str
    required: bool


@cache
def known_types() -> dict[str, Fields | None]:
    """Return every known type of record with its fields."""
    types: dict[str, Fields | None] = _data()["types"]
    return types


@cache
def cowork_fields() -> dict[str, Expected]:
    """Return the 27 fields that others found in 146 manifests of Cowork."""
    return {name: Expected(*expected) for name, expected in _data()["cowork"].items()}


def _data() -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("known.json").read_bytes())
    return data
