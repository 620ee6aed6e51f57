"""CSV that a spreadsheet never runs."""

import csv
import io

import pytest

from backscroll.views.csv import lines


@pytest.mark.parametrize("mark", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_text_that_begins_like_a_formula_is_quoted(mark: str) -> None:
    """An apostrophe stands before everything that a spreadsheet would run, also behind white space."""
    (row,) = csv.reader(io.StringIO("".join(lines([f"{mark}1+1|cmd"], []))))

    assert row[0].startswith("'")


def test_hidden_formulas() -> None:
    """White space and characters that are not shown do not hide a formula."""
    (row,) = csv.reader(io.StringIO("".join(lines([" \t=1", "\n\n@x", "a=1"], []))))

    assert ["'=1", "'@x", "a=1"] == [cell.replace("''", "'") for cell in row]


def test_cells() -> None:
    """Numbers stay numbers, unknown is empty, quotes and commas are quoted, lines end as the standard has it."""
    text = "".join(lines(["name", "n"], [['a "b", c', 1], ["x", -0.5], [None, None]]))

    assert 'name,n\r\n"a ""b"", c",1\r\nx,-0.5\r\n,\r\n' == text
