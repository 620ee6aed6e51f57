"""Decode a value of Chromium (Blink's envelope, V8's structured clone, formats 9 to 16) to JSON-like data.

    envelope    FF, version of Blink; from 21 on FE, 8 bytes offset and 4 bytes size of a trailer, highest first;
                FF, version of V8
    value       a tag byte and its data; 00 before a tag is padding
    trailer     names of interfaces that the value needs; not read

`v8_tags` has the output form of each kind of value.  The result has no cycle, is at most `DEEPEST`
levels deep, has a bounded size, and is valid for every output, like results of `lenient`.  Nothing raises: if
the decoder stops at an unknown tag or at the end, the rest is missing, and the note says so.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from backscroll.formats.chromium import v8_tags as tags
from backscroll.formats.chromium.v8_simple import PRIMITIVES, TEXTS, SimpleValues
from backscroll.formats.chromium.v8_tags import CONTAINERS, HOLE, UNDEFINED, UNREAD, bytes_shown
from backscroll.formats.cursor import Cursor, MalformedError
from backscroll.formats.json.lenient import DEEPEST, DUPLICATE_KEYS, TOO_DEEP

BYTES_LEFT = "bytes after the value"
COUNT_DIFFERS = "count of properties differs"

_FREE_WEIGHT = 10_000
_MOST_WEIGHT = 4
"""The output may be this many times as large as the stored value."""


class _Shown(NamedTuple):
    """A decoded value, its share of the output size, and its depth."""

    value: Any
    weight: int = 1
    height: int = 1


class DecodedValue(NamedTuple):
    """The content of a stored value; `text` is exact, and None if the value is no text."""

    value: Any
    text: str | None
    note: str | None


def decode(data: bytes, externals: Sequence[Any] = ()) -> DecodedValue:
    """Decode one value; `externals` has the known facts about each blob that it refers to."""
    reader = _Reader(data, externals)
    decoded = reader.decode()
    if decoded.note and reader.version == 13:
        # Some builds wrote the flags of format 14 under the number 13.
        second = _Reader(data, externals, has_flags=True).decode()
        return second if second.note is None else decoded
    return decoded


class _Frame:
    """An open container."""

    __slots__ = ("end", "height", "id", "items", "label", "length", "levels", "numbers", "start", "tag", "weight")

    def __init__(self, tag: int, number: int, start: int) -> None:
        self.tag, self.id, self.start = tag, number, start
        self.end, self.length, self.numbers, self.levels = CONTAINERS[tag]
        self.items: list[Any] = []
        self.label: str | None = None
        """For an error: the name of the next value."""
        self.weight, self.height = 1, 0


class _Reader:
    def __init__(self, data: bytes, externals: Sequence[Any], *, has_flags: bool = False) -> None:
        self._cursor = Cursor(data)
        self._simple = SimpleValues(self._cursor, externals)
        self._has_flags = has_flags
        self._stack: list[_Frame] = []
        self._levels = 0
        self._objects: list[_Shown | None] = []
        """Values by number; None for an open container."""
        self._buffers: dict[int, bytes] = {}
        self._weight_left = _FREE_WEIGHT + _MOST_WEIGHT * len(data)
        self._text: str | None = None

    @property
    def version(self) -> int:
        """V8's format version of the value."""
        return self._simple.version

    def decode(self) -> DecodedValue:
        try:
            self._read_envelope()
            value = self._read_value()
            if self._cursor.left and self._cursor.data[self._cursor.position : self._cursor.end].strip(b"\0"):
                self._simple.notes[BYTES_LEFT] = None
        except MalformedError as error:
            self._simple.notes[f"not read beyond byte {self._cursor.position}: {error}"] = None
            value = self._close_all()
        return DecodedValue(value, self._text, ", ".join(self._simple.notes) or None)

    def _read_envelope(self) -> None:
        cursor = self._cursor
        if cursor.peek() != tags.VERSION:
            raise MalformedError("no version")
        cursor.byte()
        self._simple.version = cursor.varint()
        if self._simple.version >= tags.FIRST_WITH_ENVELOPE and cursor.peek() in (tags.VERSION, tags.TRAILER):
            if self._simple.version >= tags.FIRST_WITH_TRAILER and cursor.peek() == tags.TRAILER:
                cursor.byte()
                trailer = int.from_bytes(cursor.take(8), "big")
                if int.from_bytes(cursor.take(4), "big") and cursor.position < trailer <= cursor.end:
                    cursor.end = trailer
            if cursor.byte() != tags.VERSION:
                raise MalformedError("the version of V8 is missing")
            self._simple.version = cursor.varint()
        if self._simple.version > tags.NEWEST_V8:
            self._simple.notes[f"format {self._simple.version} is newer than is known"] = None

    def _read_value(self) -> Any:
        """Read values until the outermost one is finished; containers are kept on a stack, not on Python's."""
        while True:
            frame = self._stack[-1] if self._stack else None
            if frame is not None and frame.tag == ord("r") and frame.label is None:
                if not self._read_error_part(frame):
                    continue
                shown = self._close()
            else:
                tag = self._simple.tag()
                if frame is not None and tag == frame.end:
                    shown = self._close()
                elif tag in CONTAINERS:
                    self._open(tag)
                    continue
                else:
                    shown = self._read_simple(tag)
            if not self._stack:
                return shown.value
            self._add(shown)

    def _open(self, tag: int) -> None:
        frame = _Frame(tag, len(self._objects), self._cursor.position - 1)
        frame.length = self._cursor.varint() if frame.length else 0
        self._objects.append(None)
        self._stack.append(frame)
        self._levels += frame.levels

    def _add(self, shown: _Shown) -> None:
        frame = self._stack[-1]
        if frame.label is not None:
            frame.items.append(frame.label)
            frame.label = None
        frame.items.append(shown.value)
        frame.weight += shown.weight
        frame.height = max(frame.height, shown.height)

    def _close(self) -> _Shown:
        """Finish the innermost container, whose last tag has been read."""
        frame = self._stack[-1]
        counts = [self._cursor.varint() for _ in range(frame.numbers)]
        self._stack.pop()
        if counts and counts[0] != _count(frame):
            self._simple.notes[COUNT_DIFFERS] = None
        return self._finish(frame)

    def _finish(self, frame: _Frame) -> _Shown:
        if self._levels > DEEPEST:
            self._simple.notes[TOO_DEEP] = None
            size = self._cursor.position - frame.start
            shown = _Shown(f"[nested deeper than {DEEPEST} levels, {size} bytes]")
        else:
            shown = _Shown(self._shown(frame), frame.weight, frame.height + frame.levels)
        self._levels -= frame.levels
        self._objects[frame.id] = shown
        return shown

    def _close_all(self) -> Any:
        """Close all open containers with their current content; return the outermost value."""
        shown = _Shown(UNREAD)
        while self._stack:
            frame = self._stack[-1]
            if shown.value is not UNREAD or frame.label is not None:
                self._add(shown)
            self._stack.pop()
            shown = self._finish(frame)
        return shown.value

    def _shown(self, frame: _Frame) -> Any:
        tag, items = chr(frame.tag), frame.items
        if tag == "o":
            return self._properties(items)
        if tag == "'":
            return {"$set": items}
        if tag == ";":
            return {"$map": [list(pair) for pair in _pairs(items)]}
        if tag == "r":
            error = self._properties(items)
            return {"$error": error.pop("name", "Error"), **error}
        if tag == "A":
            values = [
                HOLE if item is UNDEFINED and self._simple.version < 11 else item for item in items[: frame.length]
            ]
            rest = items[frame.length :]
            return {"$array": values, "properties": self._properties(rest)} if rest else values
        return self._sparse(frame)

    def _sparse(self, frame: _Frame) -> Any:
        values, rest = {}, []
        for key, value in _pairs(frame.items):
            if type(key) is int and 0 <= key < frame.length:
                values[key] = value
            else:
                rest += [key, value]
        properties = {"properties": self._properties(rest)} if rest else {}
        if frame.length > 4 * len(values) + 64:
            return {"$array": {str(key): value for key, value in values.items()}, "length": frame.length, **properties}
        listed = [values.get(place, HOLE) for place in range(frame.length)]
        return {"$array": listed, **properties} if properties else listed

    def _properties(self, items: list[Any]) -> dict[str, Any]:
        pairs = _pairs(items)
        properties = {key if type(key) is str else _key_text(key): value for key, value in pairs}
        if len(properties) < len(pairs):
            self._simple.notes[DUPLICATE_KEYS] = None
        return properties

    def _read_error_part(self, frame: _Frame) -> bool:
        """Read one part of an error; return True at its end."""
        tag = self._simple.tag()
        if tag == frame.end:
            return True
        if tag == tags.ERROR_CAUSE:
            frame.label = "cause"
        elif tag in tags.ERRORS:
            frame.items += ["name", tags.ERRORS[tag]]
        elif tag in tags.ERROR_PARTS:
            frame.label = tags.ERROR_PARTS[tag]
            self._add(_text_shown(self._simple.string()))
        else:
            raise MalformedError(f"unknown part {tag:#04x} of an error")
        return False

    def _read_simple(self, tag: int) -> _Shown:
        """Read a value that holds no others."""
        kind = chr(tag)
        if kind in TEXTS:
            text = self._simple.text(kind)
            if not self._stack:
                self._text = self._simple.last_text
            return _text_shown(text)
        if kind in PRIMITIVES:
            return _Shown(self._simple.primitive(kind))
        if kind == "^":
            return self._read_reference()
        number = len(self._objects)
        self._objects.append(None)
        if kind in "B~":
            return self._read_buffer(number, is_resizable=kind == "~")
        shown = _Shown(self._simple.object(tag), 1, 3)
        self._objects[number] = shown
        return shown

    def _read_buffer(self, number: int, *, is_resizable: bool) -> _Shown:
        length = self._cursor.varint()
        if is_resizable:
            self._cursor.varint()
        raw = self._buffers[number] = self._cursor.take(length)
        shown = self._objects[number] = _Shown(bytes_shown(raw, "ArrayBuffer"), 1 + length // 6)
        return self._read_view(number, shown)

    def _read_reference(self) -> _Shown:
        number = self._cursor.varint()
        if number >= len(self._objects):
            raise MalformedError("reference to a missing object")
        found = self._objects[number]
        if found is None or found.weight > self._weight_left or self._levels + found.height > DEEPEST:
            found = _Shown({"$ref": number})
        self._weight_left -= found.weight
        return self._read_view(number, found) if number in self._buffers else found

    def _read_view(self, number: int, buffer: _Shown) -> _Shown:
        """Return the view that may follow an ArrayBuffer, or the buffer itself."""
        cursor = self._cursor
        if cursor.peek() != ord("V"):
            return buffer
        cursor.byte()
        tag, offset, length = cursor.varint(), cursor.varint(), cursor.varint()
        if self.version >= 14 or self._has_flags:
            cursor.varint()
        if tag not in tags.VIEWS:
            raise MalformedError(f"unknown view {tag:#04x} of an ArrayBuffer")
        if offset + length > len(self._buffers[number]):
            raise MalformedError("view reaches over the end of its ArrayBuffer")
        view = buffer
        if "$ref" not in buffer.value:
            raw = self._buffers[number][offset : offset + length]
            view = buffer._replace(value=bytes_shown(raw, tags.VIEWS[tag]))
        self._objects.append(view)
        return view


def _text_shown(text: str) -> _Shown:
    return _Shown(text, 1 + len(text) // 8)


def _pairs(items: list[Any]) -> list[tuple[Any, Any]]:
    """Return keys with their values; the last value may be missing."""
    if len(items) % 2:
        items = [*items, UNREAD]
    return list(zip(items[::2], items[1::2], strict=True))


def _count(frame: _Frame) -> int:
    """Return the counts at the end of a container: properties, or keys and values."""
    if frame.tag == ord("A"):
        return len(frame.items[frame.length :]) // 2
    return len(frame.items) // (2 if frame.tag in (ord("o"), ord("a")) else 1)


def _key_text(key: Any) -> str:
    return str(key) if type(key) in (int, float) else repr(key)
