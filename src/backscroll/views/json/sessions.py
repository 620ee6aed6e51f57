"""Model values to JSON: the keys of docs/json.md, in its order, one object a line.

Input: sessions, messages, calls and related values.  Output: text in pieces, so that an answer of any length is
written as it is read; together the pieces of one function are one valid document.
Characters that a terminal could take for commands are written as JSON escapes, which lose nothing.  UTF-8 cannot
encode broken surrogates: they are written as the visible escapes of `safe_text`.

Only the standard library's `json`: it costs 9 ms of CPU to start, orjson 26 ms, and answers are small.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, NamedTuple

from backscroll.errors import QueryError
from backscroll.safe_text import escaped, suspect
from backscroll.sessions.message import Part
from backscroll.sessions.session import Agent, DesktopRow, Session, SessionMarks, Usage
from backscroll.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from backscroll.query.hits import Found, Hit
    from backscroll.sessions.model import Call, Transcript, TreeNode
    from backscroll.sessions.page import MessagePage, Outline
    from backscroll.sessions.summaries import StoreAccount, StoreSummary
    from backscroll.stores.places import LookedAt

Object = dict[str, Any]

_DEEPEST = 200


def object_of(value: "DataclassInstance | NamedTuple") -> Object:
    """Return a value, or a named tuple, with its fields as keys and times as text."""
    if isinstance(value, Part):
        return part_object(value)
    names = value._fields if isinstance(value, tuple) else [field.name for field in fields(value)]
    return {name: _plain(getattr(value, name)) for name in names}


def objects_of(sessions: Iterable[Session], keys: Sequence[str] | None) -> Iterator[Object]:
    """Yield sessions with all of their keys, or with some of them."""
    if keys is None:
        return map(object_of, sessions)
    wanted = _by_field(keys)
    return ({name: _part(getattr(session, name), parts) for name, parts in wanted.items()} for session in sessions)


def session_fields(text: str) -> list[str]:
    """Return the keys of sessions that a text names, such as `id` or `usage.cost`; raise QueryError for others."""
    known = [field.name for field in fields(Session)]
    parts = [f"usage.{field.name}" for field in fields(Usage)]
    parts += [f"rows.{name}" for name in DesktopRow.__annotations__]
    parts += [f"marks.{name}" for name in SessionMarks.__annotations__]
    keys = list(dict.fromkeys(name.strip() for name in text.split(",")))
    for key in keys:
        if key not in known and key not in parts:
            remedy = f"Use some of: {', '.join(known)}; or parts of them, such as usage.cost."
            raise QueryError(f"a session has no such key: {key}", remedy=remedy)
    return keys


def _by_field(keys: Sequence[str]) -> dict[str, list[str] | None]:
    """Return the fields that some keys name, each with the wanted parts of it; None for all of it."""
    found: dict[str, list[str] | None] = {}
    for key in keys:
        name, _, part = key.partition(".")
        parts = found.setdefault(name, [])
        if not part:
            found[name] = None
        elif parts is not None:
            parts.append(part)
    return found


def _part(value: Any, parts: list[str] | None) -> Any:
    """Return some parts of a value, or all of it, as JSON."""
    if parts is None or value is None:
        return _plain(value)
    if isinstance(value, list):
        return [_part(item, parts) for item in value]
    if isinstance(value, dict):
        return {name: value.get(name) for name in parts}
    return {name: _plain(getattr(value, name)) for name in parts}


_SCALARS = frozenset((str, int, float, bool, type(None)))


def _plain(value: Any) -> Any:
    """Return the value of a field as JSON; values from a store stay unchanged."""
    if type(value) in _SCALARS:  # most values are
        return value
    if is_dataclass(value) or hasattr(value, "_fields"):
        return object_of(value)
    if isinstance(value, datetime):
        return iso(value)
    return [_plain(item) for item in value] if isinstance(value, list) else value


def part_object(part: Part) -> Object:
    """Return one part of a message: its kind, its text, then the other fields of its kind."""
    return {"kind": part.kind, "text": part.text} | {
        key: value for key, value in part.data.items() if key not in ("kind", "text")
    }


def search_document(found: "Found", hits: Iterable["Hit"] | None = None) -> Iterator[str]:
    """Yield the answer of `search`; `hits` yields the hits one by one if they get their context only now."""
    yield f'{{"query": {dumps(found.query)},\n"total": {dumps(found.total)},\n"hits": '
    yield from _array_in_pieces(map(object_of, found.hits if hits is None else hits))
    if found.counts is not None:
        yield ',\n"counts": ' + array(map(object_of, found.counts))
    yield f',\n"suggestions": {dumps(found.suggestions)},\n"is_current": {dumps(found.is_current)}}}\n'


def overview_document(
    stores: Iterable["StoreSummary"], sessions: int, latest: Iterable[Session], expiring: Iterable[Session]
) -> Iterator[str]:
    """Yield the answer of `backscroll` alone."""
    yield '{"stores": ' + array(map(object_of, stores))
    yield f',\n"sessions": {sessions}'
    yield ',\n"latest": ' + array(map(object_of, latest))
    yield ',\n"expiring": ' + array(map(object_of, expiring)) + "}\n"


def stores_document(stores: Iterable["StoreAccount"], places: "Iterable[LookedAt]" = ()) -> Iterator[str]:
    """Yield the answer of `stores`."""
    yield '{"stores": ' + array(map(object_of, stores))
    looked = ({"product": one.product, "path": one.path, "found": one.found} for one in places)
    yield ',\n"looked": ' + array(looked) + "}\n"


def list_document(
    total: int,
    sessions: Iterable[Session],
    agents: dict[str, list[Agent]] | None = None,
    keys: Sequence[str] | None = None,
) -> Iterator[str]:
    """Yield the answer of `list`; `agents` has the agents of each session, `keys` limits the keys."""
    yield f'{{"total": {total},\n"sessions": '
    yield from _array_in_pieces(objects_of(sessions, keys))
    if agents is not None:
        yield ',\n"agents": ' + dumps({key: [object_of(agent) for agent in found] for key, found in agents.items()})
    yield "}\n"


def show_document(transcript: "Transcript") -> Iterator[str]:
    """Yield the answer of `show`, each message as it is read; damage and notes follow at the end."""
    yield '{"session": ' + dumps(object_of(transcript.session))
    yield ',\n"branches": ' + array(map(object_of, transcript.branches))
    yield ',\n"messages": '
    yield from _array_in_pieces(map(object_of, transcript.messages))
    yield ',\n"damage": ' + array(map(object_of, transcript.damage))
    yield ',\n"notes": ' + array(map(object_of, transcript.notes)) + "}\n"


def page_document(page: "MessagePage") -> Iterator[str]:
    """Yield the answer of `show --offset`: some messages, and the number of all."""
    yield '{"session": ' + dumps(object_of(page.session))
    yield f',\n"total": {page.total},\n"offset": {page.offset},\n"messages": '
    yield from _array_in_pieces(map(object_of, page.messages))
    yield page_end(page)


def page_end(page: "MessagePage") -> str:
    """Return the end of the answer of `show --offset`, after its messages."""
    damage, agents = (array(map(object_of, items)) for items in (page.damage, page.agents))
    return f',\n"damage": {damage},\n"agents": {agents}}}\n'


def outline_document(outline: "Outline") -> Iterator[str]:
    """Yield the answer of `outline`."""
    yield '{"session": ' + dumps(object_of(outline.session))
    yield f',\n"total": {outline.total},\n"items": ' + array(map(object_of, outline.items)) + "}\n"


def tree_document(session: Session, nodes: Iterable["TreeNode"]) -> Iterator[str]:
    """Yield the answer of `tree`."""
    yield '{"session": ' + dumps(object_of(session))
    yield ',\n"nodes": ' + array(map(object_of, nodes)) + "}\n"


def calls_document(calls: Iterable["Call"], limit: int | None = None) -> Iterator[str]:
    """Yield the answer of `calls`, each call as it is read; the total comes last."""
    total = 0
    yield '{"calls": ['
    for total, call in enumerate(calls, 1):
        if limit is None or total <= limit:
            yield (",\n" if total > 1 else "\n") + dumps(object_of(call))
    yield f'],\n"total": {total}}}\n'


def lines(objects: Iterable[Object]) -> Iterator[str]:
    """Yield JSON Lines: one object a line."""
    for value in objects:
        yield dumps(value) + "\n"


def dumps(value: Any) -> str:
    """Return any stored value as JSON on one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_foreign)
    except (ValueError, RecursionError):
        text = json.dumps(_tamed(value, 0), ensure_ascii=False, allow_nan=False, default=_foreign)
    return suspect().sub(_json_escape, text) if not text.isascii() or "\x7f" in text else text


def array(objects: Iterable[Object]) -> str:
    """Return a JSON array, one object a line."""
    return "".join(_array_in_pieces(objects))


def _array_in_pieces(objects: Iterable[Object]) -> Iterator[str]:
    before = "[\n"
    for value in objects:
        yield before + dumps(value)
        before = ",\n"
    yield "[]" if before == "[\n" else "]"


def _json_escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\\" + escaped(character)
    return json.dumps(character)[1:-1]


def _foreign(value: object) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _tamed(value: Any, depth: int) -> Any:
    """Return a copy that is valid JSON: no NaN, limited depth, no number too long to print."""
    if depth > _DEEPEST:
        return "[nested too deep]"
    if isinstance(value, dict):
        return {key: _tamed(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tamed(item, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and value.bit_length() > 10_000:
        return hex(value)
    return value
