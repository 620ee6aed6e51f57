"""Edits: each fact that breaks a naive replay."""

import json

import pytest

from backscroll.sessions.file_changes.edits import (
    CellEdit,
    Edit,
    agrees_with_patch,
    apply_cell_edit,
    apply_edits,
    curled,
    is_curled,
)

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": "c1",
            "metadata": {},
            "outputs": [{"text": "1"}],
            "execution_count": 3,
            "source": "1",
        },
        {"cell_type": "markdown", "id": "c2", "metadata": {}, "source": ["# hi"]},
    ],
    "metadata": {},
    "nbformat": 4,
}


@pytest.mark.parametrize(
    "text, edit, expected",
    [
        ("one\ntwo\n", Edit("two", "2"), "one\n2\n"),
        ("one\ntwo\nthree\n", Edit("two", ""), "one\nthree\n"),
        ("one\ntwo\nthree\n", Edit("two\n", ""), "one\nthree\n"),
        ("one two three", Edit("two ", ""), "one three"),
        ("x two y\ntwo\n", Edit("two", "", everywhere=True), "x two y\n"),
        ("del\nx del y\ndel\n", Edit("del", "", everywhere=True), "x del y\n"),
        ("aXbXc", Edit("X", "YY", everywhere=True), "aYYbYYc"),
        ("aaaa", Edit("aa", "b", everywhere=True), "bb"),
        ("a.b", Edit(".", r"$& $1 \1"), r"a$& $1 \1b"),
        ("", Edit("", "made\n"), "made\n"),
        ("\ufeff", Edit("", "made\n"), "made\n"),
        ("tab\there", Edit("\there", "\tthere"), "tab\tthere"),
    ],
)
def test_an_edit_does_what_the_program_does(text: str, edit: Edit, expected: str) -> None:
    """Replacements are literal, a deleted line takes its end along, an empty old text makes a file."""
    assert expected == apply_edits(text, [edit])


@pytest.mark.parametrize(
    "text, edit",
    [("one", Edit("two", "2")), ("two two", Edit("two", "2")), ("filled", Edit("", "made"))],
)
def test_an_edit_that_does_not_fit_gives_nothing(text: str, edit: Edit) -> None:
    """A text in which the old one is missing, or stands twice, cannot have been what was edited."""
    assert apply_edits(text, [edit]) is None


def test_the_recorded_base_is_believed() -> None:
    """Where the record holds the text that was edited, the first occurrence is replaced."""
    assert "2 two" == apply_edits("two two", [Edit("two", "2")], is_base=True)


def test_several_edits_build_on_each_other_or_none_is_applied() -> None:
    """MultiEdit applies one edit after the other, all or nothing."""
    assert "c" == apply_edits("a", [Edit("a", "b"), Edit("b", "c")])
    assert apply_edits("a", [Edit("a", "b"), Edit("x", "c")]) is None


def test_quotes_are_curled_as_the_old_text_has_them() -> None:
    """Opening and closing quotes are told apart, apostrophes close; a kind that the old text lacks stays straight."""
    edit = Edit("“hello”", 'say "bye" it\'s')

    assert is_curled(edit)
    assert "say “bye” it's" == curled(edit).new
    assert "it’s ‘so’" == curled(Edit("‘a’", "it's 'so'")).new
    assert not is_curled(Edit("plain", '"x"'))


def test_the_patch_is_compared_as_it_is_shown() -> None:
    """The program's patch writes leading tabs as two blanks."""
    assert agrees_with_patch("def f():\n\t\treturn 1\n", ["    return 1"])
    assert not agrees_with_patch("def f():\n", ["  return 1"])


@pytest.mark.parametrize(
    "edit, sources",
    [
        (CellEdit("replace", "2", "c1"), ["2", ["# hi"]]),
        (CellEdit("replace", "2", "cell-0"), ["2", ["# hi"]]),
        (CellEdit("replace", "2", "1"), ["1", "2"]),
        (CellEdit("insert", "new", "c1", "markdown", "n1"), ["1", "new", ["# hi"]]),
        (CellEdit("insert", "new", None, "code"), ["new", "1", ["# hi"]]),
        (CellEdit("delete", "", "c2"), ["1"]),
    ],
)
def test_a_cell_is_changed_by_its_id_or_number(edit: CellEdit, sources: list[object]) -> None:
    """Versions before 2.0.77 record only the cell; it is found by id, by `cell-N`, or by its bare number."""
    changed = apply_cell_edit(json.dumps(NOTEBOOK), edit)

    assert changed is not None
    assert sources == [cell["source"] for cell in json.loads(changed)["cells"]]
    assert changed.startswith('{\n "cells": [\n  {\n   "cell_type"')


def test_a_changed_code_cell_loses_its_output() -> None:
    """What a cell printed belongs to its old source."""
    changed = json.loads(apply_cell_edit(json.dumps(NOTEBOOK), CellEdit("replace", "2", "c1")) or "")

    assert ([], None) == (changed["cells"][0]["outputs"], changed["cells"][0]["execution_count"])


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cells": 1}', '{"cells": []}'])
def test_what_is_no_notebook_gives_nothing(text: str) -> None:
    """A text that has no such cell cannot have been what was edited."""
    assert apply_cell_edit(text, CellEdit("replace", "2", "c1")) is None
