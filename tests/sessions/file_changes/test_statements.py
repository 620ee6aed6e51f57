"""Statements: whatever stands in a record, it is read or left alone."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backscroll.recovery.content import Form, contradicts, with_lines
from backscroll.sessions.file_changes.statements import (
    MOST_LINES,
    TEXT_TOOLS,
    Lines,
    numbered_lines,
    result_of,
    statement_of_attachment,
    statement_of_call,
    statements_of_snapshot,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [
    *("file_path", "notebook_path", "path", "filePath", "filename", "planFilePath", "file", "type", "key"),
    *("content", "old_string", "new_string", "replace_all", "edits", "oldString", "newString", "oldText", "newText"),
    *("originalFile", "originalFileContents", "original_file", "updated_file", "structuredPatch", "lines"),
    *("new_source", "cell_id", "cell_number", "edit_mode", "cell_type", "error", "staged", "plan", "planContent"),
    *("offset", "limit", "numLines", "startLine", "totalLines", "base64", "originalSize", "snippet", "rawContent"),
    "snapshotFiles",
]
OBJECTS = st.dictionaries(st.sampled_from(FIELDS), ANYTHING | st.dictionaries(st.sampled_from(FIELDS), ANYTHING))


@pytest.mark.slow
@settings(max_examples=50)
@given(
    tool=st.sampled_from(sorted(TEXT_TOOLS)),
    asked=OBJECTS | ANYTHING,
    detail=OBJECTS | ANYTHING,
    text=st.none() | st.text(),
    is_error=st.booleans(),
)
def test_any_record_is_read_without_complaint(
    tool: str, asked: Any, detail: Any, text: str | None, is_error: bool
) -> None:
    """Fields of any type, in any place, never raise, and give texts or nothing."""
    statement = statement_of_call(tool, asked, text, detail, is_error=is_error)

    assert statement is not None
    assert isinstance(result_of(statement, "base"), str | None)


@pytest.mark.slow
@settings(max_examples=30)
@given(OBJECTS)
def test_any_attachment_is_read_without_complaint(fields: dict[str, Any]) -> None:
    """So it is with attachments and notices."""
    for kind in ("file", "edited_text_file", "plan_file_reference", "nested_memory", "other"):
        assert isinstance(list(statement_of_attachment({**fields, "type": kind})), list)
    assert isinstance(list(statements_of_snapshot(fields)), list)


@pytest.mark.parametrize(
    "first, total", [(-5, 3), (0, 3), (MOST_LINES * 9, None), (1, MOST_LINES * 9), (10**40, 10**40)]
)
def test_line_numbers_that_cannot_be_true_are_not_believed(first: int, total: int | None) -> None:
    """Nobody gets us to make a list of a billion lines."""
    file = {"content": "a\nb", "startLine": first, "numLines": 2, "totalLines": total}
    statement = statement_of_call("Read", {"file_path": "/x"}, "", {"type": "text", "file": file}, is_error=False)

    assert statement is not None
    if statement.lines is not None:
        content = with_lines(None, *statement.lines, Form())
        assert len(content.lines or ()) <= 2
        assert not contradicts(content, *statement.lines)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("     1\tone\n     2\t", Lines(1, ["one", ""])),
        ("    10→ten\n    11→eleven\n\n<system-reminder>\nx\n</system-reminder>\n", Lines(10, ["ten", "eleven"])),
        ("1\ta\n2\tb\n5\tz", Lines(1, ["a", "b"])),
        ("no numbers", None),
        ("", None),
        ("9" * 5000 + "\tx", None),
    ],
)
def test_numbered_lines(text: str, expected: Lines | None) -> None:
    """The lines that a model was shown, in the styles of all versions, as far as they follow each other."""
    assert expected == numbered_lines(text)


def test_an_edit_cannot_be_made_to_fill_the_memory() -> None:
    """A replacement that would write more than any file holds is not made."""
    asked = {"file_path": "/x", "old_string": "a", "new_string": "b" * 100_000, "replace_all": True}
    statement = statement_of_call("Edit", asked, "ok", None, is_error=False)

    assert statement is not None
    assert result_of(statement, "a" * 100_000) is None
