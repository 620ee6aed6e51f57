"""Split a damaged line into its complete records, and damage for everything else.

Such a line is a torn record with the next one glued to it, two records without the newline between them,
NUL bytes of a power loss, the mixed output of two writers, or noise.  `salvage` returns pieces that cover every
byte of the line.  It invents nothing.  The inner `message` of a torn record is a whole object too.  So an object
inside damage counts only if it has the shape of a record, and if the bytes after it could not continue an
enclosing object.

The time is linear.  From a candidate `{"` the walk follows the syntax as far as it goes.  Where it stops, at most
one object has just closed, and only that one can be a record.  The next candidate lies beyond the stop: a record
glued into an open string ends that string at its own first quote, and the walk stops there.
"""

import re
from typing import Any, NamedTuple

from backscroll.formats.json.lenient import value_of, without_escapes
from backscroll.formats.reasons import (
    BLANKS,
    BOM,
    BYTE_ORDER_MARK,
    EMPTY_OBJECT,
    GLUED,
    INSIDE_DAMAGE,
    NOT_A_RECORD,
    NUL_BYTES,
    TORN_RECORD,
)

_TREE_KEYS = frozenset({"uuid", "parentUuid", "sessionId"})
_METADATA_KEYS = frozenset({"sessionId"})
_TREE_TYPES = ("user", "assistant", "system", "attachment", "progress")
_METADATA_TYPES = (
    "custom-title",
    "ai-title",
    "tag",
    "agent-name",
    "agent-color",
    "agent-setting",
    "mode",
    "permission-mode",
    "repl-mode",
    "memory-mode",
    "dev-mods",
    "last-prompt",
    "pr-link",
    "worktree-state",
    "relocated",
    "queue-operation",
    "content-replacement",
    "speculation-accept",
    "task-summary",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "bridge-session",
    "isolation-latch",
    "atis-latch",
    "frame-link",
    "ended-by-model",
    "cost-state",
    "history-suppression",
    "observer-ref",
    "artifact-comment-monitor",
    "artifact-autoreact-ledger",
    "continued-in",
    "derived-from",
    "session-owner",
    "tools-used",
    "data-flow-records",
    "data-flow-incomplete",
    "resume-head-vouch",
    "api-request-shape",
    "api-request-blob",
    "api-request-resumed",
    "api-request",
    "checkpoint",
)

# docs/formats.md, "Record types": the keys that a record of each type always has besides `type`.
COMPANIONS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_TREE_TYPES, _TREE_KEYS),
    **dict.fromkeys(_METADATA_TYPES, _METADATA_KEYS),
    "summary": frozenset({"summary", "leafUuid"}),
    "file-history-snapshot": frozenset({"messageId", "snapshot"}),
    "file-history-delta": frozenset({"messageId", "backup"}),
    "attribution-snapshot": frozenset({"messageId", "fileStates"}),
    "fork-context-ref": frozenset({"agentId", "parentSessionId"}),
}
# Records without a type of this list: prompts in history.jsonl, and Cowork's audit.jsonl (docs/formats.md, "Cowork").
_OTHER_SHAPES = (frozenset({"display", "timestamp", "project"}), frozenset({"type", "_audit_timestamp"}))

_BLANK = rb"[ \t\r\n]*+"
_OPENING = re.compile(rb"\{" + _BLANK + rb'"')
_CANDIDATE = re.compile(rb"\{" + _BLANK + rb'"[A-Za-z_][A-Za-z0-9_]{0,63}"' + _BLANK + rb":")
_FLAT = rb'[^"{}\[\]\x00]*+'
_STEP = re.compile(rb"(?:" + _FLAT + rb'"[^"]*+"' + _BLANK + rb"(?=[:,}\]]))*+" + _FLAT + rb"(?:([{\[])|[}\]])")
_CONTINUES = re.compile(_BLANK + rb"[,}\]]")
_PADDING = re.compile(rb"(?:[ \t\r\n\x00]++|\xef\xbb\xbf)*+")
# Bytes that may follow an object that opens a line: none that could continue a torn object, digits included.
_AFTER_FIRST = re.compile(_BLANK + rb"(?:\Z|[\x00-\x1f{\x80-\xff])")
# A newline that was overwritten; `}` is not allowed, because it may close a torn object.
_AFTER_SHAPED = re.compile(_BLANK + rb"[^}](?:\Z|\{" + _BLANK + rb'")', re.DOTALL)
_AFTER_FOUND = re.compile(_BLANK + rb"(?:\Z|\x00|\{" + _BLANK + rb'(?:"|\Z))')
_BEFORE_MEMBER = b":,[ "
_AT_END = re.compile(_BLANK + rb"\Z")
_NUL_RUN = re.compile(rb"\x00{64,}+")


class Piece(NamedTuple):
    """A range of the line: a record has a value, damage only a note that gives the reason, a blank neither."""

    offset: int
    length: int
    value: Any = None
    note: str | None = None


def salvage(line: bytes, *, is_open: bool = False) -> list[Piece]:
    """Split a damaged line into records, damage and blanks that together cover each byte of it, in order.

    A program may still be writing an open line.  At its end, an object that could be a member of an incomplete one
    is no record yet.
    """
    plain = without_escapes(line)
    pieces: list[Piece] = []
    done = position = 0
    fresh = _after_padding(line, 0)
    while (candidate := _next_candidate(plain, position, fresh)) is not None:
        position, begin = _walk(plain, candidate)
        if begin is None or (is_open and begin != fresh and _may_go_on(line, begin, position)):
            continue
        found = _record(line, begin, position, is_fresh=begin == fresh, is_first=not done)
        if found is not None:
            pieces += _gap(line, done, begin)
            pieces.append(found)
            done = position
            fresh = _after_padding(line, done)
    return pieces + _gap(line, done, len(line))


def has_shape(value: dict[str, Any]) -> bool:
    """Return True if an object looks like a record: a known type with its companion keys, or a row of the tree."""
    kind = value.get("type")
    if isinstance(kind, str) and COMPANIONS.get(kind, _TREE_KEYS) <= value.keys():
        return True
    return any(keys <= value.keys() for keys in _OTHER_SHAPES)


def _after_padding(line: bytes, start: int) -> int:
    found = _PADDING.match(line, start)
    return found.end() if found else start


def _next_candidate(plain: bytes, position: int, fresh: int) -> int | None:
    """Return the possible start of the next object: after nothing but padding, or at a known key."""
    if position <= fresh and _OPENING.match(plain, fresh):
        return fresh
    found = _CANDIDATE.search(plain, position)
    return found.start() if found else None


def _walk(plain: bytes, start: int) -> tuple[int, int | None]:
    """Follow the syntax from the brace at `start`; return its end, and the start of an object that closes there."""
    opened: list[int] = []
    position = start
    while step := _STEP.match(plain, position):
        position = step.end()
        if step.lastindex:
            opened.append(position - 1)
            continue
        begin = opened.pop()
        # In ASCII a closing bracket is its opening one plus two.
        if plain[begin] + 2 != plain[position - 1]:
            return position, None
        if not opened or not _CONTINUES.match(plain, position):
            return position, begin if plain[begin] == ord("{") else None
    return position, None


def _may_go_on(line: bytes, begin: int, end: int) -> bool:
    return line[begin - 1] in _BEFORE_MEMBER and _AT_END.match(line, end) is not None


def _record(line: bytes, begin: int, end: int, *, is_fresh: bool, is_first: bool) -> Piece | None:
    """Return the object as a record if its surroundings and its shape allow that."""
    is_bounded = (_AFTER_FIRST if is_fresh else _AFTER_FOUND).match(line, end)
    if not is_bounded and not (is_fresh and _AFTER_SHAPED.match(line, end)):
        return None
    if not is_fresh and line.find(b'"type"', begin, end) < 0 and line.find(b'"display"', begin, end) < 0:
        return None
    try:
        value, note = value_of(line[begin:end])
    except ValueError:
        return None
    needs_shape = not (is_bounded and is_fresh and (is_first or "type" in value))
    if not value or (needs_shape and not has_shape(value)):
        return None
    context = _context(line, begin, is_fresh, is_first)
    return Piece(begin, end - begin, value, ", ".join(filter(None, (context, note))) or None)


def _context(line: bytes, begin: int, is_fresh: bool, is_first: bool) -> str | None:
    if not is_fresh:
        return INSIDE_DAMAGE
    if not is_first:
        return GLUED
    return BYTE_ORDER_MARK if line[begin - 3 : begin] == BOM else None


def _gap(line: bytes, start: int, end: int) -> list[Piece]:
    """Return the items between two records: blanks, runs of NUL bytes, and other damage."""
    body = line[start:end]
    inner = body.strip(BLANKS)
    if inner.startswith(BOM):
        inner = inner[len(BOM) :].lstrip(BLANKS)
    if not inner:
        return [Piece(start, end - start)] if end > start else []
    first = start + len(body.rstrip(BLANKS)) - len(inner)
    last = first + len(inner)
    pieces = [Piece(start, first - start)] if first > start else []
    pieces += _damage(line, first, last)
    return pieces + ([Piece(last, end - last)] if end > last else [])


def _damage(line: bytes, start: int, end: int) -> list[Piece]:
    """Return a damaged range, its long runs of NUL bytes apart from the rest."""
    if not line[start:end].strip(b"\x00" + BLANKS):
        return [Piece(start, end - start, None, NUL_BYTES)]
    pieces: list[Piece] = []
    for run in _NUL_RUN.finditer(line, start, end):
        if run.start() > start:
            pieces.append(Piece(start, run.start() - start, None, _reason(line, start, run.start())))
        pieces.append(Piece(run.start(), run.end() - run.start(), None, NUL_BYTES))
        start = run.end()
    if start < end:
        pieces.append(Piece(start, end - start, None, _reason(line, start, end)))
    return pieces


def _reason(line: bytes, start: int, end: int) -> str:
    if line[start:end].strip(BLANKS) == b"{}":
        return EMPTY_OBJECT
    return TORN_RECORD if _OPENING.match(line, start, end) else NOT_A_RECORD
