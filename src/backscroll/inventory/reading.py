"""From found files to the records, and the parts of records, that are counted.

Each kind of file has types of its own: a transcript those of its records, and of the blocks, attachments and notices
inside them; any other file one named after it.  An object inside a record or part has the type `<type>.<field>`, and
objects in a list `<type>.<field>[]`, unless its names are data, such as paths: such a map is known as null.
Files that hold secrets are not opened.  docs/formats.md, "Record types" and "Drift".
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from backscroll.files import open_readonly, reason_of
from backscroll.formats.json.lines import scan
from backscroll.formats.json.streams import open_stream
from backscroll.inventory.counting import OTHERS, Inventory
from backscroll.inventory.known import known_types
from backscroll.place import Place
from backscroll.records import Damage, Record
from backscroll.stores.base import FoundFile
from backscroll.stores.side import read_object

NO_TYPE = "(no type)"
COWORK, CODE_ROW = "cowork-manifest", "desktop-row"

_COWORK_FIELDS = {"processName", "vmProcessName", "userSelectedFolders", "hostLoopMode", "egressAllowedDomains"}
_TRANSCRIPTS = {"transcript", "agent", "superseded"}
_LINES = {"audit": "audit/", "workflow-journal": "workflow-journal/", "history": "history"}
"""Files of lines other than transcripts, and the prefix of their types; a prefix without a slash is the type itself."""
_DOCUMENTS = {
    "agent-meta",
    "title",
    "archived",
    "released",
    "live",
    "project-index",
    "tasks",
    "row",
    "row-tmp",
    "worktrees",
}
KINDS = _TRANSCRIPTS | _LINES.keys() | _DOCUMENTS
"""The kinds of files that are read; all others hold something else than JSON, or secrets."""

_PARTS = ("block/", "attachment/", "progress/", "system/")
_DEEPEST = 5
"""Objects below this depth are not examined."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""A name of a field.  In an object that is not known, any other name may be data and is not shown."""

Part = tuple[str, dict[str, Any]]


def is_part(kind: str) -> bool:
    """Return True if a type belongs to a part of records, and not to records themselves."""
    return kind in ("message", "usage") or kind.startswith(_PARTS) or "." in kind


def count_file(file: FoundFile, store: str, inventory: Inventory) -> list[Damage]:
    """Count everything in one file; return its damage."""
    if file.kind in _DOCUMENTS:
        return _count_document(file, store, inventory)
    try:
        with open_readonly(file.path) as opened:
            return _count_lines(file, opened, store, inventory)
    except OSError as error:
        return [Damage(Place(file.path), reason_of(error))]


def _count_lines(file: FoundFile, opened: Any, store: str, inventory: Inventory) -> list[Damage]:
    damage: list[Damage] = []
    name = _transcript_type if file.kind in _TRANSCRIPTS else _named(_LINES[file.kind])
    parts = _parts if file.kind in _TRANSCRIPTS else _message_parts
    version = None
    for item in scan(open_stream(opened).file, file.path):
        if isinstance(item, Damage):
            damage.append(item)
            continue
        value, place = _value(item), Place(file.path, item.line, item.offset, item.length)
        stated = value.get("version")
        # Statements about a session have no version of their own: that of the record before holds.
        version = stated if isinstance(stated, str) else version
        inventory.records += 1
        for kind, part in _with_nested([(name(value), value), *parts(value)]):
            inventory.add(kind, part, store, version, place)
    return damage


def _count_document(file: FoundFile, store: str, inventory: Inventory) -> list[Damage]:
    damage: list[Damage] = []
    value = read_object(file.path, damage)
    if not damage:
        kind = file.kind
        if kind in ("row", "row-tmp"):
            kind = COWORK if _COWORK_FIELDS & value.keys() else CODE_ROW
        inventory.records += 1
        for name, part in _with_nested([(kind, value)]):
            inventory.add(name, part, store, None, Place(file.path))
    return damage


def _value(record: Record) -> dict[str, Any]:
    return record.value if isinstance(record.value, dict) else {}


def _transcript_type(value: dict[str, Any]) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) and kind else NO_TYPE


def _named(prefix: str) -> Callable[[dict[str, Any]], str]:
    if not prefix.endswith("/"):
        return lambda _: prefix
    return lambda value: prefix + _transcript_type(value)


def _parts(value: dict[str, Any]) -> Iterator[Part]:
    """Yield the parts of a transcript's record that have types or fields of their own."""
    yield from _message_parts(value)
    kind = value.get("type")
    if kind == "system":
        yield f"system/{value.get('subtype', NO_TYPE)}", {}
    part = value.get({"attachment": "attachment", "progress": "data"}.get(str(kind), ""))
    if isinstance(part, dict):
        yield f"{kind}/{_transcript_type(part)}", part


def _with_nested(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield parts, and the objects inside them that are no parts themselves."""
    for kind, value in parts:
        yield kind, value
        if kind in known_types() and value:
            yield from _nested(kind, value, 1)


def _nested(kind: str, value: dict[str, Any], depth: int) -> Iterator[Part]:
    for field, item in value.items():
        if not isinstance(item, dict | list) or not _NAME.fullmatch(field) or _is_part_itself(kind, field):
            continue
        is_list = isinstance(item, list)
        name = f"{kind}.{field}[]" if is_list else f"{kind}.{field}"
        if name in known_types() and known_types()[name] is None:
            continue
        for inner in item if is_list else (item,):
            if isinstance(inner, dict):
                yield name, inner if name in known_types() else _named_plainly(inner)
                if depth < _DEEPEST:
                    yield from _nested(name, inner, depth + 1)


def _is_part_itself(kind: str, field: str) -> bool:
    """Return True if the objects in a field have types of their own."""
    return (
        field == "message"
        or (kind == "message" and field in ("usage", "content"))
        or (kind == "block/tool_result" and field == "content")
        or (kind, field) in (("attachment", "attachment"), ("progress", "data"))
    )


def _named_plainly(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object that is not known, without names that may be data."""
    return {name if _NAME.fullmatch(name) else OTHERS: item for name, item in value.items()}


def _message_parts(value: dict[str, Any]) -> Iterator[Part]:
    message = value.get("message")
    if not isinstance(message, dict):
        return
    yield "message", message
    usage, content = message.get("usage"), message.get("content")
    if isinstance(usage, dict):
        yield "usage", usage
    yield from _blocks(content)


def _blocks(content: Any) -> Iterator[Part]:
    """Yield the blocks of a message, and those of the results in it."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            kind = _transcript_type(block)
            yield f"block/{kind}", block
            if kind == "tool_result":
                yield from _blocks(block.get("content"))
