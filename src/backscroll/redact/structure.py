"""Structure: JSON values without secrets.

Input: a decoded record, row or manifest, or one line of a transcript.
Output: the same with allowed fields only, every string redacted, ids as they were.
This module reads no files and knows no sessions: the caller names the list of fields.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import orjson

from backscroll.redact.fields import FieldList, FieldLists, shipped_fields
from backscroll.redact.forms import is_base64_of_text
from backscroll.redact.redactor import NamedText, Redactor, encode

SHORTEST_OPAQUE = 100
HEAD = 1024
LONGEST_KEY = 32
ELLIPSIS = "…"
MESSAGE_TEXTS = frozenset({"text", "thinking", "content"})

_LAST_WORD = re.compile(r"[!-~]+\Z")
_Take = Callable[[NamedText], str]
_Value = TypeVar("_Value")


class StructureRedactor:
    """Redact JSON values by lists of allowed fields and by the rules of a `Redactor`."""

    def __init__(
        self, redactor: Redactor, also: frozenset[str] = frozenset(), fields: FieldLists | None = None
    ) -> None:
        self.redactor = redactor
        self._also = also
        self._fields = fields or shipped_fields()
        self._plain_keys: set[str] = set()

    def redact_line(self, line: bytes) -> bytes:
        """Return a line of a transcript, still valid JSON; a line that is not JSON is redacted as text."""
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            return self.redactor.redact_bytes(line)
        end = line[len(line.rstrip(b"\r\n")) :]
        try:
            return dump_json(self.redact(record, "record")) + end
        except RecursionError:
            return self._redact_deep(line)

    def _redact_deep(self, line: bytes) -> bytes:
        """Return a line whose values are nested too deeply to walk, redacted as text; `null` if that breaks it."""
        redacted = self.redactor.redact_bytes(line)
        try:
            orjson.loads(redacted)
        except orjson.JSONDecodeError:
            return b"null" + line[len(line.rstrip(b"\r\n")) :]
        return redacted

    def redact(self, value: Any, kind: str) -> Any:
        """Return a value with the allowed fields of its kind, redacted: record, message, row or manifest."""
        listed = self._fields.lists[kind]
        return self._redacted(lambda take: self._with_list(value, listed, take))

    def redact_value(self, value: _Value) -> _Value:
        """Return any JSON value or dataclass, redacted, without the fields that never go out."""
        redacted: _Value = self._redacted(lambda take: self._tree(value, "", take, in_message=False))
        return redacted

    def allowed_fields(self, value: Any, kind: str) -> Any:
        """Return an object with the allowed fields of its kind, not redacted yet."""
        if not isinstance(value, dict):
            return value
        listed = self._fields.lists[kind]
        return {name: inner for name, inner in value.items() if self._allows(listed, name, value.get("type"))}

    def _redacted(self, rebuild: Callable[[_Take], Any]) -> Any:
        """Rebuild a value twice: first to collect its texts, then to put in the redacted ones."""
        texts: list[NamedText] = []
        rebuild(lambda text: _collect(texts, text))
        results = iter(self.redactor.redact_texts(texts))
        return rebuild(lambda _text: next(results))

    def _with_list(self, value: Any, listed: FieldList, take: _Take) -> Any:
        """Rebuild an object with its allowed fields only."""
        if not isinstance(value, dict):
            return self._tree(value, "", take, in_message=False)
        return {
            name: self._with_list(inner, self._fields.lists[listed.inside[name]], take)
            if name in listed.inside
            else self._tree(inner, name, take, in_message=name in MESSAGE_TEXTS)
            for name, inner in value.items()
            if self._allows(listed, name, value.get("type"))
        }

    def _allows(self, listed: FieldList, name: str, kind: object) -> bool:
        return name in listed.inside or name in self._also or listed.allows(name, kind)

    def _tree(self, value: Any, name: str, take: _Take, *, in_message: bool) -> Any:
        """Rebuild any JSON value; `name` is the field that holds it."""
        if isinstance(value, str):
            return self._text(value, name, take, in_message=in_message)
        if isinstance(value, list):
            return [self._tree(inner, name, take, in_message=in_message) for inner in value]
        if isinstance(value, dict):
            return dict(self._pairs(value, take, in_message=in_message))
        if is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value, take)
        return value

    def _dataclass(self, value: Any, take: _Take) -> Any:
        """Rebuild a dataclass; its texts are pieces of a message."""
        changed = {}
        for one in fields(value):
            inner = getattr(value, one.name)
            changed[one.name] = self._tree(inner, one.name, take, in_message=one.name in MESSAGE_TEXTS)
        return replace(value, **changed)

    def _pairs(self, value: dict[str, Any], take: _Take, *, in_message: bool) -> Iterator[tuple[str, Any]]:
        for name, inner in value.items():
            if name in self._fields.never and name not in self._also:
                continue
            yield self._key(name, take), self._tree(inner, name, take, in_message=in_message and name in MESSAGE_TEXTS)

    def _key(self, name: str, take: _Take) -> str:
        """Return the name of a field; one in which the detector finds nothing stays, and is not asked for again."""
        if name in self._plain_keys:
            return name
        if len(name) < LONGEST_KEY and name.isidentifier() and not self.redactor.detector.find(encode(name)):
            self._plain_keys.add(name)
            return name
        return take(NamedText(name))

    def _text(self, text: str, name: str, take: _Take, *, in_message: bool) -> str:
        if name in self._fields.cut:
            text = without_cut_word(text)
        if self._fields.is_id(name, text) or (name in self._fields.opaque and self._is_opaque(text)):
            return text
        return take(NamedText(text, "" if in_message else name, in_message))

    def _is_opaque(self, text: str) -> bool:
        """Return True if a text is base64 of an image or signature, and does not begin with a token."""
        if len(text) < SHORTEST_OPAQUE or is_base64_of_text(text):
            return False
        found = self.redactor.detector.find(text[:HEAD].encode())
        return not found or found[0].start > 0


def _collect(texts: list[NamedText], text: NamedText) -> str:
    texts.append(text)
    return text.text


def without_cut_word(text: str, longest: int | None = None) -> str:
    """Return a text without the word at which it was cut: no rule knows half a secret.

    A cut text ends in an ellipsis, or has all the characters that it may have.
    """
    bare = text.removesuffix(ELLIPSIS).removesuffix("...")
    if len(bare) == len(text) and (longest is None or len(text) < longest):
        return text
    return _LAST_WORD.sub("", bare) + ELLIPSIS


def dump_json(value: Any) -> bytes:
    """Return a value as JSON; half a surrogate pair is written as an escape."""
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
