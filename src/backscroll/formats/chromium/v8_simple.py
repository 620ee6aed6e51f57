"""The values of V8's format that hold no others: texts, numbers, dates, patterns, objects of the browser."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from backscroll.formats.chromium import v8_tags as tags
from backscroll.formats.chromium.v8_tags import HOLE, UNDEFINED, bigint_shown, date_shown, number_shown
from backscroll.formats.cursor import Cursor, MalformedError
from backscroll.formats.json.lenient import INVALID_UTF8, LONE_SURROGATE, Notes

TEXTS = '"cS'
PRIMITIVES = "_0TF-IUNZ"

_LONE = re.compile("[\ud800-\udfff]")


class SimpleValues:
    """Reads single values from a cursor; `version` is the format version, `notes` collects the repairs."""

    def __init__(self, cursor: Cursor, externals: Sequence[Any]) -> None:
        self.version = 0
        self.notes: Notes = {}
        self.last_text = ""
        """The text that was read last, exactly."""
        self._cursor, self._externals = cursor, externals
        self._objects: dict[str, Callable[[], Any]] = {
            "D": lambda: date_shown(cursor.double()),
            "R": self._regexp,
            "y": lambda: {"$boxed": True},
            "x": lambda: {"$boxed": False},
            "n": lambda: {"$boxed": number_shown(cursor.double())},
            "z": lambda: {"$boxed": self._bigint()},
            "s": lambda: {"$boxed": self.string()},
            "t": lambda: {"$host": "ArrayBuffer", "values": [cursor.varint()]},
            "u": lambda: {"$host": "SharedArrayBuffer", "values": [cursor.varint()]},
            "p": lambda: {"$host": "shared object", "values": [cursor.varint()]},
            "\\": lambda: self._host(cursor.byte()),
        }

    def tag(self) -> int:
        """Read the next tag, and skip the padding before it."""
        while True:
            tag = self._cursor.byte()
            if tag == tags.OBJECT_COUNT:
                self._cursor.varint()
            elif tag != tags.PADDING:
                return tag

    def text(self, kind: str) -> str:
        """Read a text whose tag has been read; a lone surrogate becomes U+FFFD."""
        raw = self._cursor.prefixed()
        if kind == '"':
            self.last_text = raw.decode("latin-1")
        elif kind == "S":
            self.last_text = self._utf8(raw)
        elif len(raw) % 2:
            raise MalformedError("half a character")
        else:
            self.last_text = raw.decode("utf-16-le", "surrogatepass")
            if _LONE.search(self.last_text):
                self.notes[LONE_SURROGATE] = None
                return _LONE.sub("\ufffd", self.last_text)
        return self.last_text

    def string(self) -> str:
        """Read a text inside another value."""
        if self.version < 12:
            return self._utf8(self._cursor.prefixed())
        kind = chr(self.tag())
        if kind not in TEXTS:
            raise MalformedError("text is missing")
        return self.text(kind)

    def primitive(self, kind: str) -> Any:
        """Read a value that is neither text nor object."""
        if kind in "IU":
            number = self._cursor.varint()
            if number >> 32:
                raise MalformedError("number of more than 32 bits")
            return number if kind == "U" else number >> 1 ^ -(number & 1)
        if kind == "N":
            return number_shown(self._cursor.double())
        if kind == "Z":
            return self._bigint()
        return {"_": UNDEFINED, "-": HOLE, "T": True, "F": False}.get(kind)

    def object(self, tag: int) -> Any:
        """Read an object that holds no others."""
        read = self._objects.get(chr(tag))
        if read is not None:
            return read()
        if self.version < 13 and tag in tags.HOST_TAGS:
            return self._host(tag)
        raise MalformedError(f"unknown tag {tag:#04x}")

    def _regexp(self) -> dict[str, str]:
        pattern, bits = self.string(), self._cursor.varint()
        return {"$regexp": pattern, "flags": "".join(c for bit, c in enumerate(tags.REGEXP_FLAGS) if bits >> bit & 1)}

    def _bigint(self) -> dict[str, str]:
        bits = self._cursor.varint()
        number = int.from_bytes(self._cursor.take(bits >> 1), "little")
        return bigint_shown(-number if bits & 1 else number)

    def _host(self, tag: int) -> Any:
        """Read an object of the browser, as far as its form is known."""
        cursor = self._cursor
        if tag in (tags.BLOB, tags.FILE):
            return {"$blob": self._external(cursor.varint())}
        if tag == tags.FILE_LIST:
            count = cursor.varint()
            if count > cursor.left:
                raise MalformedError("list of files is cut short")
            return {"$host": "FileList", "values": [{"$blob": self._external(cursor.varint())} for _ in range(count)]}
        if tag in tags.NUMBERED:
            name, count = tags.NUMBERED[tag]
            return {"$host": name, "values": [number_shown(cursor.double()) for _ in range(count)]}
        if tag in tags.HANDLES:
            return {"$host": tags.HANDLES[tag], "values": [self._utf8(cursor.prefixed()), cursor.varint()]}
        if tag == tags.EXCEPTION:
            return {"$host": "DOMException", "values": [self._utf8(cursor.prefixed()) for _ in range(3)]}
        raise MalformedError(f"object of the browser of unknown kind {tag:#04x}")

    def _external(self, index: int) -> Any:
        return self._externals[index] if index < len(self._externals) else {"index": index}

    def _utf8(self, raw: bytes) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.notes[INVALID_UTF8] = None
            return raw.decode("utf-8", "replace")
