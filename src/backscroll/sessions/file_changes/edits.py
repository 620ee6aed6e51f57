r"""Edits: the effect of Claude Code's file tools on a text (docs/recovery.md, "How an edit is replayed").

Texts have the form that the program sees: `\r\n` read as `\n`, a byte order mark kept as `\ufeff`.
An edit that does not fit a text returns None: the tool worked on another text.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

_CURLY = "“”‘’"
_OPENS_AFTER = " \t\n\r([{—–"
LARGEST_RESULT = 1 << 28
"""The most characters that one edit may write; more is an attack on memory."""


class Edit(NamedTuple):
    """One replacement that the tool applied."""

    old: str
    new: str
    everywhere: bool = False


class CellEdit(NamedTuple):
    """One change of a notebook's cell, as versions without `updated_file` record it."""

    mode: str
    source: str
    cell: str | None = None
    """The cell's id, `cell-N`, or its number."""
    kind: str | None = None
    new_id: str | None = None
    """The id of an inserted cell."""


def apply_edits(text: str, edits: Iterable[Edit], *, is_base: bool = False) -> str | None:
    """Apply edits in order; return None unless all of them fit.

    `is_base` means that the tool certainly worked on this text.  Otherwise a text in which a single edit fits twice is
    wrong, because the tool requires exactly one match.
    """
    changed: str | None = text
    for edit in edits:
        if changed is None:
            return None
        changed = _replaced(changed, edit, is_base=is_base)
    return changed


def _replaced(text: str, edit: Edit, *, is_base: bool) -> str | None:
    if not edit.old:
        return edit.new if not text.removeprefix("\ufeff") else None
    old = _with_its_line_end(text, edit)
    found = text.count(old)
    if not found or (found > 1 and not edit.everywhere and not is_base):
        return None
    if edit.everywhere and found * len(edit.new) > LARGEST_RESULT:
        return None
    return text.replace(old, edit.new, -1 if edit.everywhere else 1)


def _with_its_line_end(text: str, edit: Edit) -> str:
    """Return the text to search for; deleting a whole line includes its line end, if some line has one there."""
    with_end = edit.old + "\n"
    is_deletion = not edit.new and not edit.old.endswith("\n")
    return with_end if is_deletion and with_end in text else edit.old


def is_curled(edit: Edit) -> bool:
    """Return True if an edit replaced curly quotes by straight ones; newer versions curl them again on disk."""
    return any(mark in edit.old for mark in _CURLY) and any(mark in edit.new for mark in "\"'")


def curled(edit: Edit) -> Edit:
    """Return an edit with curly quotes in its new text, if the old text has curly ones of that kind."""
    new = edit.new
    if any(mark in edit.old for mark in "“”"):
        new = _curl(new, '"', "“", "”")
    if any(mark in edit.old for mark in "‘’"):
        new = _curl(new, "'", "‘", "’")
    return edit._replace(new=new)


def _curl(text: str, straight: str, opening: str, closing: str) -> str:
    pieces = []
    for place, character in enumerate(text):
        if character != straight:
            pieces.append(character)
            continue
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        is_apostrophe = straight == "'" and before.isalpha() and after.isalpha()
        opens = not is_apostrophe and (not before or before in _OPENS_AFTER)
        pieces.append(opening if opens else closing)
    return "".join(pieces)


def agrees_with_patch(text: str, added: Iterable[str]) -> bool:
    """Return True if a text holds all lines that the program's own patch shows as added.

    The patch is for display: it shows each leading tab as two spaces.
    """
    lines = {_shown(line) for line in text.split("\n")}
    return all(_shown(line) in lines for line in added)


def _shown(line: str) -> str:
    bare = line.lstrip("\t")
    return ("  " * (len(line) - len(bare)) + bare).removesuffix("\r")


def apply_cell_edit(text: str, edit: CellEdit) -> str | None:
    """Apply a change of a cell to a notebook's text, and serialise it as the program does."""
    try:
        notebook: Any = json.loads(text.removeprefix("\ufeff"))
        cells = notebook["cells"]
        place = _cell_place(cells, edit)
        if place is None:
            return None
        _change_cells(cells, place, edit)
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    return json.dumps(notebook, ensure_ascii=False, indent=1)


def _cell_place(cells: list[dict[str, Any]], edit: CellEdit) -> int | None:
    """Return the number of the changed cell, or the position of the inserted one."""
    if edit.cell is None:
        return 0 if edit.mode == "insert" else None
    number = next((number for number, cell in enumerate(cells) if cell.get("id") == edit.cell), None)
    counted = edit.cell.removeprefix("cell-")
    if number is None and counted.isdecimal():
        number = int(counted)
        if edit.cell == counted:  # a bare number is the position itself
            return number if number < len(cells) + (edit.mode == "insert") else None
    if number is None or number >= len(cells):
        return None
    return number + 1 if edit.mode == "insert" else number


def _change_cells(cells: list[dict[str, Any]], place: int, edit: CellEdit) -> None:
    if edit.mode == "delete":
        del cells[place]
    elif edit.mode == "insert":
        cells.insert(place, _new_cell(edit))
    else:
        cell = cells[place]
        cell["source"] = edit.source
        if cell.get("cell_type") == "code":
            cell["execution_count"] = None
            cell["outputs"] = []
        if edit.kind and edit.kind != cell.get("cell_type"):
            cell["cell_type"] = edit.kind


def _new_cell(edit: CellEdit) -> dict[str, Any]:
    identity = {"id": edit.new_id} if edit.new_id else {}
    cell: dict[str, Any] = {"cell_type": edit.kind or "code", **identity, "source": edit.source, "metadata": {}}
    return cell | ({"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {})
