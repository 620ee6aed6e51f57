"""The names of the tag bytes in V8's and Blink's serialised values, and their form in JSON.

JSON has fewer kinds of values than JavaScript.  The others become an object with one key that
begins with `$`, and sometimes a second key with details:

    undefined, a hole        {"$undefined": true}, {"$hole": true}
    NaN, Infinity            {"$number": "NaN"}
    BigInt                   {"$bigint": "123"}
    Date                     {"$date": "2026-05-01T10:00:00.000Z"}, or milliseconds, or null
    RegExp                   {"$regexp": "a+b", "flags": "gi"}
    Map, Set                 {"$map": [[key, value], …]}, {"$set": [value, …]}
    array with properties    {"$array": [value, …], "properties": {…}}
    sparse array             {"$array": {index: value}, "length": 1000000, "properties": {…}}
    ArrayBuffer, its views   {"$bytes": base64, "type": "Uint8Array"}
    Error                    {"$error": "RangeError", "message": …, "stack": …, "cause": …}
    new Number(1) and such   {"$boxed": 1}
    Blob, File               {"$blob": the store's facts about it}
    other objects of the DOM {"$host": name, "values": […]}
    a reference to an open container, or one repeated too often    {"$ref": number of the object}
    an unread value          {"$unread": true}
"""

import math
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

from backscroll.times import iso

UNDEFINED: dict[str, Any] = {"$undefined": True}
HOLE: dict[str, Any] = {"$hole": True}
UNREAD: dict[str, Any] = {"$unread": True}

VERSION, TRAILER, PADDING, OBJECT_COUNT = 0xFF, 0xFE, 0, ord("?")
NEWEST_V8 = 16
FIRST_WITH_ENVELOPE = 16
FIRST_WITH_TRAILER = 21

# Containers: first tag, last tag, the count of numbers before the content and after it,
# and the number of levels of JSON in its output.
CONTAINERS: dict[int, tuple[int, int, int, int]] = {
    ord("o"): (ord("{"), 0, 1, 1),
    ord("A"): (ord("$"), 1, 2, 2),
    ord("a"): (ord("@"), 1, 2, 2),
    ord(";"): (ord(":"), 0, 1, 3),
    ord("'"): (ord(","), 0, 1, 2),
    ord("r"): (ord("."), 0, 0, 1),
}

REGEXP_FLAGS = "gimyusldv"

VIEWS = {
    ord("b"): "Int8Array",
    ord("B"): "Uint8Array",
    ord("C"): "Uint8ClampedArray",
    ord("w"): "Int16Array",
    ord("W"): "Uint16Array",
    ord("d"): "Int32Array",
    ord("D"): "Uint32Array",
    ord("h"): "Float16Array",
    ord("f"): "Float32Array",
    ord("F"): "Float64Array",
    ord("q"): "BigInt64Array",
    ord("Q"): "BigUint64Array",
    ord("?"): "DataView",
}

ERRORS = {
    ord("E"): "EvalError",
    ord("R"): "RangeError",
    ord("F"): "ReferenceError",
    ord("S"): "SyntaxError",
    ord("T"): "TypeError",
    ord("U"): "URIError",
}
ERROR_PARTS = {ord("m"): "message", ord("s"): "stack"}
ERROR_CAUSE = ord("c")

# Blink's objects that are nothing but numbers: name, and how many.
NUMBERED = {
    ord("Q"): ("DOMPoint", 4),
    ord("W"): ("DOMPointReadOnly", 4),
    ord("E"): ("DOMRect", 4),
    ord("R"): ("DOMRectReadOnly", 4),
    ord("T"): ("DOMQuad", 16),
    ord("Y"): ("DOMMatrix", 16),
    ord("U"): ("DOMMatrixReadOnly", 16),
    ord("I"): ("DOMMatrix", 6),
    ord("O"): ("DOMMatrixReadOnly", 6),
}
HANDLES = {ord("n"): "FileSystemFileHandle", ord("N"): "FileSystemDirectoryHandle"}
BLOB, FILE, FILE_LIST, EXCEPTION = ord("i"), ord("e"), ord("L"), ord("x")
HOST_TAGS = frozenset({BLOB, FILE, FILE_LIST})
"""Those that stood without an escape before format 13."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_BITS = 12_000
"""Python refuses to write longer numbers as decimal ones."""


def number_shown(value: float) -> Any:
    """Return a number for JSON: a whole number has no fraction, as in JavaScript."""
    if not math.isfinite(value):
        return {"$number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    is_minus_zero = not value and math.copysign(1, value) < 0
    return int(value) if value.is_integer() and abs(value) < 2**53 and not is_minus_zero else value


def bigint_shown(number: int) -> dict[str, str]:
    """Return a BigInt by its digits, or in base 16 if they are very many."""
    return {"$bigint": str(number) if number.bit_length() < _MOST_BITS else hex(number)}


def date_shown(milliseconds: float) -> dict[str, str | float | None]:
    """Return a date by its moment; by its milliseconds, if Python knows no such year."""
    if not math.isfinite(milliseconds):
        return {"$date": None}
    try:
        return {"$date": iso(_EPOCH + timedelta(milliseconds=milliseconds))}
    except OverflowError:
        return {"$date": milliseconds}


def bytes_shown(raw: bytes, name: str) -> dict[str, str]:
    """Return bytes in base 64 with the name of their type."""
    return {"$bytes": b64encode(raw).decode(), "type": name}
