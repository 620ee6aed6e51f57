"""Statements: the facts about one file in one record, or in a call with its result.

Input: decoded records.  Output: a `Statement`: the text before, the text after, the change, or some of the lines.
It includes the outcome of the call, because only successful calls reach the disk.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll.lazy import lazily
from backscroll.sessions.file_changes.edits import (
    CellEdit,
    Edit,
    agrees_with_patch,
    apply_cell_edit,
    apply_edits,
    curled,
    is_curled,
)

if TYPE_CHECKING:
    import base64
else:
    base64 = lazily("base64")

WRITE, EDIT, READ, SNAPSHOT = "write", "edit", "read", "snapshot"
STAGED, FAILED = "staged", "error"


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(r"^\s*([0-9]{1,7})(?:\t|→)(.*)$", re.DOTALL)


@cache
def _reminder() -> re.Pattern[str]:
    return re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


_ABSENT = ("File does not exist", "Error: File does not exist", "<tool_use_error>File does not exist")

MOST_LINES = 5_000_000
"""The greatest plausible number of lines; we ignore larger numbers."""

WRITE_TOOLS = {"Write", "write_file", "create_file"}
EDIT_TOOLS = {"Edit", "MultiEdit", "edit_file"}
NOTEBOOK_TOOLS = {"NotebookEdit"}
READ_TOOLS = {"Read", "read_file", "read_text_file"}
PLAN_TOOLS = {"ExitPlanMode"}
SHELL_TOOLS = {"Bash", "PowerShell"}
TEXT_TOOLS = WRITE_TOOLS | EDIT_TOOLS | NOTEBOOK_TOOLS | READ_TOOLS | PLAN_TOOLS


class Lines(NamedTuple):
    """Some lines of a file: the number of the first, their texts, and the total number of lines if known."""

    first: int
    texts: list[str]
    total: int | None = None


class Statement(NamedTuple):
    """The facts about one file."""

    kind: str
    path: str | None
    before: str | None = None
    after: str | None = None
    edits: tuple[Edit, ...] = ()
    cell: CellEdit | None = None
    lines: Lines | None = None
    data: bytes | None = None
    """The exact bytes, if the record holds them."""
    added: tuple[str, ...] = ()
    """The lines that the program's own patch shows as added, if a replacement has curled quotes."""
    is_created: bool = False
    is_absent: bool = False
    """True if the file did not exist."""
    has_raw_base: bool = False
    """True if the record shows the replaced text with its original line ends: such versions wrote them again."""
    failure: str | None = None
    """The reason why it never reached the disk although the result is no error: staged, error."""


@lru_cache(1024)
def tool_name(name: str) -> str:
    """Return the name of a tool without its MCP server."""
    return name.rsplit("__", 1)[-1] if name.startswith("mcp__") else name


def result_of(statement: Statement, base: str | None) -> str | None:
    """Return the text after a change to a base; prefer the base in the record itself."""
    if statement.after is not None:
        return statement.after
    is_base = statement.before is not None
    text = statement.before if is_base else base
    if text is None:
        return None
    if statement.cell is not None:
        return apply_cell_edit(text, statement.cell)
    if not statement.edits:
        return None
    if any(map(is_curled, statement.edits)):
        return _with_right_quotes(text, statement, is_base=is_base)
    return apply_edits(text, statement.edits, is_base=is_base)


def _with_right_quotes(text: str, statement: Statement, *, is_base: bool) -> str | None:
    """Newer versions curl the quotes of the new text, older ones do not: the program's patch shows which."""
    ways = [apply_edits(text, edits, is_base=is_base) for edits in (statement.edits, map(curled, statement.edits))]
    return next((way for way in ways if way is not None and agrees_with_patch(way, statement.added)), ways[0])


def statement_of_call(name: str, asked: Any, text: str | None, detail: Any, *, is_error: bool) -> Statement | None:
    """Return the statement of a call about a file, with its result if there is one; None for other tools."""
    tool = tool_name(name)
    given: dict[str, Any] = asked if isinstance(asked, dict) else {}
    result: dict[str, Any] = detail if isinstance(detail, dict) else {}
    if tool in WRITE_TOOLS:
        return _write(given, result)
    if tool in EDIT_TOOLS:
        return _edit(given, result)
    if tool in NOTEBOOK_TOOLS:
        return _notebook(given, result)
    if tool in READ_TOOLS:
        return _read(given, result, text, is_error=is_error)
    if tool in PLAN_TOOLS:
        plan = _text(result, "plan") or _text(given, "plan")
        return Statement(SNAPSHOT, _text(result, "filePath") or _text(given, "planFilePath"), after=plan)
    return None


def _write(given: dict[str, Any], result: dict[str, Any]) -> Statement:
    before = _text(result, "originalFile")
    content = _text(result, "content")
    return Statement(
        WRITE,
        _path(given, result),
        before=before or None,
        after=content if content or not _text(given, "content") else _text(given, "content"),
        is_created=result.get("type") == "create",
        has_raw_base="\r\n" in (before or "") or any(line.endswith("\r") for line in _patch_lines(result, "-")),
        failure=_failure(result),
    )


def _edit(given: dict[str, Any], result: dict[str, Any]) -> Statement:
    edits = _edits(given, result)
    before = _text(result, "originalFile")
    if before is None:
        before = _text(result, "originalFileContents")
    is_created = bool(edits) and not edits[0].old
    # An empty base that still had a match is no base: somebody removed the text to make the file smaller.
    return Statement(
        EDIT,
        _path(given, result),
        before=before if before or is_created else None,
        edits=edits,
        added=tuple(_patch_lines(result, "+")) if any(map(is_curled, edits)) else (),
        is_created=is_created,
        failure=_failure(result),
    )


def _edits(given: dict[str, Any], result: dict[str, Any]) -> tuple[Edit, ...]:
    """Return the applied replacements: those of the result, else those of the call."""
    listed = result.get("edits") if isinstance(result.get("edits"), list) else given.get("edits")
    if isinstance(listed, list):
        return tuple(_one_edit(item, "old_string", "new_string", "replace_all") for item in listed if _is_edit(item))
    if isinstance(result.get("oldString"), str) and isinstance(result.get("newString"), str):
        return (_one_edit(result, "oldString", "newString", "replaceAll"),)
    return (_one_edit(given, "old_string", "new_string", "replace_all"),) if _is_edit(given) else ()


def _is_edit(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in ("old_string", "oldText"))


def _one_edit(value: dict[str, Any], old: str, new: str, everywhere: str) -> Edit:
    if "oldText" in value:
        old, new = "oldText", "newText"
    return Edit(_text(value, old) or "", _text(value, new) or "", value.get(everywhere) is True)


def _notebook(given: dict[str, Any], result: dict[str, Any]) -> Statement:
    mode = _text(result, "edit_mode") or _text(given, "edit_mode") or "replace"
    cell = given.get("cell_id", given.get("cell_number", result.get("cell_number")))
    made = _text(result, "cell_id")
    source = _text(result, "new_source")
    return Statement(
        EDIT,
        _path(given, result),
        before=_text(result, "original_file") or None,
        after=_text(result, "updated_file") or None,
        cell=CellEdit(
            mode,
            (_text(given, "new_source") or "") if source is None else source,
            None if cell is None else str(cell),
            _text(given, "cell_type"),
            made if mode == "insert" and made != cell else None,
        ),
        failure=FAILED if result.get("error") else _failure(result),
    )


def _read(given: dict[str, Any], result: dict[str, Any], text: str | None, *, is_error: bool) -> Statement:
    if is_error:
        return Statement(READ, _path(given, result), is_absent=(text or "").startswith(_ABSENT))
    file = result.get("file")
    if isinstance(file, dict):
        return _read_file(file, _path(given, file))
    path = _path(given, result)
    if text is None or result.get("type") == "file_unchanged":
        return Statement(READ, path)
    lines = numbered_lines(text)
    if lines is None:
        return Statement(READ, path)
    # The lines that the model got do not tell the length of the file, unless it asked for all of it.
    asked_for_all = given.get("offset") is None and given.get("limit") is None and lines.first == 1
    has_room = len(lines.texts) < 2000 and all(len(line) < 2000 for line in lines.texts)
    return Statement(READ, path, after="\n".join(lines.texts) if asked_for_all and has_room else None, lines=lines)


def _read_file(file: dict[str, Any], path: str | None) -> Statement:
    content, encoded = _text(file, "content"), _text(file, "base64")
    if encoded is not None:
        return Statement(READ, path, data=_whole(encoded, file.get("originalSize")))
    if content is None:
        return Statement(READ, path)
    first, count, total = (_number(file.get(name)) for name in ("startLine", "numLines", "totalLines"))
    if first in (None, 1) and count is not None and count == total and not file.get("truncatedByTokenCap"):
        return Statement(READ, path, after=content)
    return Statement(READ, path, lines=_lines(first, content.split("\n"), total))


def _lines(first: int | None, texts: list[str], total: int | None) -> Lines | None:
    """Return some lines of a file, if their numbers are plausible."""
    start = 1 if first is None else first
    last = start - 1 + len(texts)
    if not 1 <= start <= last <= MOST_LINES:
        return None
    return Lines(start, texts, total if total is not None and last <= total <= MOST_LINES else None)


def _whole(encoded: str, size: Any) -> bytes | None:
    """Return the bytes of an image or document if they are the file's own, not those of a smaller picture."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        return None
    return data if len(data) == size else None


def numbered_lines(text: str) -> Lines | None:
    """Return the numbered lines in a text, as long as the numbers are consecutive."""
    first = 0
    lines: list[str] = []
    if "<system-reminder>" in text:
        text = _reminder().sub("\n", text)
    for line in text.split("\n"):
        found = _numbered().match(line)
        if found is None or (lines and int(found[1]) != first + len(lines)):
            break
        first = first or int(found[1])
        lines.append(found[2])
    return Lines(first, lines) if lines else None


def statement_of_attachment(attachment: dict[str, Any]) -> Iterator[Statement]:
    """Yield the statements of an attachment about files."""
    kind, content = attachment.get("type"), attachment.get("content")
    if kind == "file" and isinstance(content, dict) and isinstance(content.get("file"), dict):
        yield _read_file(content["file"], _text(content["file"], "filePath") or _text(attachment, "filename"))
    elif kind == "edited_text_file":
        yield Statement(READ, _text(attachment, "filename"), lines=numbered_lines(_text(attachment, "snippet") or ""))
    elif kind == "plan_file_reference":
        yield Statement(SNAPSHOT, _text(attachment, "planFilePath"), after=_text(attachment, "planContent"))
    elif kind == "nested_memory" and isinstance(content, dict):
        whole = _text(content, "rawContent")
        if whole is None and not content.get("contentDiffersFromDisk"):
            whole = _text(content, "content")
        yield Statement(SNAPSHOT, _text(content, "path") or _text(attachment, "path"), after=whole)


def statements_of_snapshot(record: dict[str, Any]) -> Iterator[Statement]:
    """Yield the statements about files of a record of type system, subtype file_snapshot."""
    files = record.get("snapshotFiles")
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("content"), str):
            yield Statement(SNAPSHOT, _text(file, "path") or _text(file, "key"), after=file["content"])


def _failure(result: dict[str, Any]) -> str | None:
    return STAGED if result.get("staged") is True else None


def _patch_lines(result: dict[str, Any], sign: str) -> Iterator[str]:
    hunks = result.get("structuredPatch")
    for hunk in hunks if isinstance(hunks, list) else ():
        lines = hunk.get("lines") if isinstance(hunk, dict) else None
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, str) and line.startswith(sign):
                yield line[1:]


def _path(given: dict[str, Any], result: dict[str, Any]) -> str | None:
    names = ("file_path", "notebook_path", "path", "filePath")
    return next((value for value in (_text(given, name) or _text(result, name) for name in names) if value), None)


def _text(value: dict[str, Any], name: str) -> str | None:
    found = value.get(name)
    return found if isinstance(found, str) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
