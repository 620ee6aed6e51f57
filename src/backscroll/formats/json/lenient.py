r"""Decode one JSON text, even a badly written one, to one clean value.

`value_of` tries orjson; text that orjson refuses is repaired step by step, and the note names the repairs.
The resulting value is valid for every output (terminal, orjson, SQLite): its text is valid Unicode
without surrogates, its floats are finite, its integers fit 64 signed bits (larger ones become their
digits as text), its nesting ends at `DEEPEST` levels.  Bytes that are not UTF-8 show as `\xff`.
Text that is not one JSON text is refused with ValueError; finding whole objects in it is `salvage`'s work.
"""

import codecs
import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import orjson

DEEPEST = 100

INVALID_UTF8 = "invalid UTF-8 bytes"
LONE_SURROGATE = "lone surrogate"
NOT_A_NUMBER = "not-a-number"
TOO_LARGE = "number too large"
TOO_DEEP = "nested too deeply"
RAW_CONTROL = "raw control characters"
INVALID_ESCAPE = "invalid escape"
DUPLICATE_KEYS = "duplicate keys"

Notes = dict[str, None]
"""An ordered set of the repairs so far."""

_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_ZEROS_19 = b"0" * 19


@cache
def _long_number() -> re.Pattern[bytes]:
    return re.compile(rb"[:,\[][ \t\r\n]*+-?[0-9]{19}")


@cache
def _brackets() -> re.Pattern[bytes]:
    return re.compile(rb'"[^"]*+"?|([\[{]++)|([\]}]++)')


_CLOSING = {b"{": b"}", b"[": b"]", b'"': b'"'}


@cache
def _path() -> re.Pattern[bytes]:
    return re.compile(rb'"\w*[pP]ath"\s*:\s*"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


@cache
def _surrogate() -> re.Pattern[bytes]:
    return re.compile(
        rb"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
    )


@cache
def _escape() -> re.Pattern[str]:
    return re.compile(r'(\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))|\\')


_SHOWN_BYTES = {0xDC00 + byte: f"\\\\x{byte:02x}" for byte in range(0x80, 0x100)}
_CHUNK = 1 << 20


def value_of(raw: bytes) -> tuple[Any, str | None]:
    r"""Read one JSON text; return its clean value and the repairs, None if there were none.

    >>> value_of(b'{"text": "a\xffb", "tokens": NaN}')
    ({'text': 'a\\xffb', 'tokens': None}, 'invalid UTF-8 bytes, not-a-number')
    """
    # The error holds the whole decoded text once more: release it before the repairs begin.
    with suppress(ValueError):
        value = orjson.loads(raw)
        if not _has_long_number(raw) and not _is_deep(raw, value):
            return value, DUPLICATE_KEYS if has_duplicate_keys(raw) else None
    return _repaired(raw)


def has_duplicate_keys(raw: bytes) -> bool:
    """Return True if the outermost object names a key twice, as far as `uuid` or `sessionId` hint at it."""
    if raw.count(b'"uuid"') < 2 and raw.count(b'"sessionId"') < 2:
        return False
    outermost = False

    def look(pairs: list[tuple[str, Any]]) -> None:
        # Called once for each object as it closes, so the last call is for the outermost one.
        nonlocal outermost
        outermost = len({key for key, _ in pairs}) < len(pairs)

    try:
        json.loads(raw.decode("utf-8", "replace"), strict=False, parse_int=str, object_pairs_hook=look)
    except (ValueError, RecursionError):
        return False
    return outermost


def without_escapes(raw: bytes) -> bytes:
    r"""Return `raw` at the same length with every `\\` and `\"` overwritten, so that each remaining `"` bounds text."""
    return raw.replace(rb"\\", b"__").replace(rb"\"", b"__")


def _repaired(raw: bytes) -> tuple[Any, str | None]:
    if not _is_closed(raw):
        raise ValueError("cut short, or not JSON")
    notes: Notes = {}
    text = _paired(_valid(raw, notes), notes)
    value = _read(text, notes)
    if has_duplicate_keys(text):
        notes[DUPLICATE_KEYS] = None
    return value, ", ".join(notes) or None


def _is_closed(raw: bytes) -> bool:
    """Return True if the last byte fits the first; other lines are torn and need no attempts at repair."""
    body = raw.strip(b" \t\r\n")
    return body[-1:] == _CLOSING.get(body[:1], body[-1:])


def _has_long_number(raw: bytes) -> bool:
    return _ZEROS_19 in raw.translate(_TO_ZERO) and _long_number().search(raw) is not None


def _is_deep(raw: bytes, value: Any) -> bool:
    if raw.count(b"[") + raw.count(b"{") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _valid(raw: bytes, notes: Notes) -> bytes:
    """Replace each byte that is not UTF-8 with four escaped characters; in chunks, for lines of many megabytes."""
    if raw.isascii():
        return raw
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    parts = []
    for start in range(0, len(raw), _CHUNK):
        text = decode(raw[start : start + _CHUNK], start + _CHUNK >= len(raw))
        try:
            parts.append(text.encode())
        except UnicodeEncodeError:
            notes[INVALID_UTF8] = None
            parts.append(text.translate(_SHOWN_BYTES).encode())
    return b"".join(parts)


def _paired(raw: bytes, notes: Notes) -> bytes:
    r"""Replace lone surrogate escapes by U+FFFD, as Node does when it writes them to a file.

    In the value of a field whose name ends in `path` they are spelled out (`\ud800`), so that two paths stay two.
    """
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return raw
    named = _path().sub(lambda found: _surrogate().sub(lambda half: half[1] or b"\\" + half[0], found[0]), raw)
    text = _surrogate().sub(lambda found: found[1] or rb"\ufffd", named)
    if text != raw:
        notes[LONE_SURROGATE] = None
    return text


def _read(raw: bytes, notes: Notes) -> Any:
    try:
        value = _read_as_deep_as_can_be(raw, notes)
        is_deep = _is_deep(raw, value)
    except RecursionError:
        is_deep = True
    return _read_as_deep_as_can_be(_flattened(raw, notes), notes) if is_deep else value


def _read_as_deep_as_can_be(raw: bytes, notes: Notes) -> Any:
    if not _has_long_number(raw):
        with suppress(ValueError):
            return orjson.loads(raw)
    return _read_slowly(raw.decode(), notes)


def _flattened(raw: bytes, notes: Notes) -> bytes:
    """Replace each value nested deeper than `DEEPEST` levels by a text that says so."""
    parts: list[bytes] = []
    depth = start = done = 0
    for brackets in _brackets().finditer(without_escapes(raw)):
        count = brackets.end() - brackets.start()
        if brackets.lastindex == 1:
            if depth <= DEEPEST < depth + count:
                start = brackets.start() + DEEPEST - depth
            depth += count
        elif brackets.lastindex == 2:
            if depth - count <= DEEPEST < depth:
                end = brackets.start() + depth - DEEPEST
                parts += (raw[done:start], b'"[nested deeper than %d levels, %d bytes]"' % (DEEPEST, end - start))
                done = end
            depth -= count
    if depth > DEEPEST:
        raise ValueError("brackets are not closed")
    notes[TOO_DEEP] = None
    return b"".join((*parts, raw[done:]))


def _read_slowly(text: str, notes: Notes) -> Any:
    """Read with the standard library; repair each repairable error once."""
    is_strict = True
    while True:
        try:
            return _decoder(notes, is_strict).decode(text)
        except json.JSONDecodeError as error:
            if is_strict and error.msg.startswith("Invalid control"):
                is_strict = False
                notes[RAW_CONTROL] = None
            elif error.msg.startswith("Invalid \\") and INVALID_ESCAPE not in notes:
                text = _escape().sub(lambda found: found[1] or "\\\\", text)
                notes[INVALID_ESCAPE] = None
            else:
                raise


def _decoder(notes: Notes, is_strict: bool) -> json.JSONDecoder:
    def integer(digits: str) -> int | str:
        if len(digits) < 19 or (len(digits) <= 20 and -(2**63) <= int(digits) < 2**63):
            return int(digits)
        notes[TOO_LARGE] = None
        return digits

    def real(digits: str) -> float | None:
        value = float(digits)
        if value - value == 0:
            return value
        notes[TOO_LARGE] = None
        return None

    return json.JSONDecoder(strict=is_strict, parse_int=integer, parse_float=real, parse_constant=_constant(notes))


def _constant(notes: Notes) -> Callable[[str], None]:
    def constant(_: str) -> None:
        notes[NOT_A_NUMBER] = None

    return constant
