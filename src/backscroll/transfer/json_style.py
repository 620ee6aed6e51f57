"""Change a few values in JSON files of Claude's products, and keep the style of the rest."""

import json
from typing import Any, NamedTuple

from backscroll.files import read_small

LARGEST = 64 << 20
_COMPACT, _SPACED = (",", ":"), (", ", ": ")


class JsonStyle(NamedTuple):
    """The style of a JSON file."""

    indent: int | None
    separators: tuple[str, str]
    is_ascii: bool
    end: str
    start: str = ""

    def text(self, value: Any) -> bytes:
        """Return a value in this style."""
        body = json.dumps(value, indent=self.indent, separators=self.separators, ensure_ascii=self.is_ascii)
        return (self.start + body + self.end).encode()


COMPACT = JsonStyle(None, _COMPACT, is_ascii=False, end="")
_STYLES = [
    (indent, separators, is_ascii)
    for is_ascii in (False, True)
    for indent, separators in ((None, _COMPACT), (2, (",", ": ")), (None, _SPACED), (4, (",", ": ")))
]


def read_json(path: str) -> tuple[Any, JsonStyle]:
    """Return the value and the style of a file; raise OSError or ValueError."""
    return parsed(read_small(path, LARGEST))


def parsed(data: bytes) -> tuple[Any, JsonStyle]:
    """Return the value of JSON bytes and their style; raise ValueError."""
    text = data.decode()
    start = "\ufeff" if text.startswith("\ufeff") else ""
    body = text[len(start) :].rstrip()
    end = text[len(start) + len(body) :]
    try:
        value = json.loads(body)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    for indent, separators, is_ascii in _STYLES:
        if json.dumps(value, indent=indent, separators=separators, ensure_ascii=is_ascii) == body:
            return value, JsonStyle(indent, separators, is_ascii, end, start)
    lines = "\n" in body
    return value, JsonStyle(
        2 if lines else None, (",", ": ") if lines else _COMPACT, is_ascii=True, end=end, start=start
    )
