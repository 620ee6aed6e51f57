"""What editing calls changed."""

from typing import Any

import pytest

from backscroll.views.diff import DiffLine, call_diff, compare, patch_lines, tally


def signs(lines: list[DiffLine]) -> list[str]:
    """Return lines as text."""
    return [line.sign + line.text for line in lines]


def test_an_edit() -> None:
    """An edit is compared line by line, with context."""
    found = call_diff("Edit", {"old_string": "a\nb\nc\n", "new_string": "a\nx\nc\n"})

    assert [" a", "-b", "+x", " c"] == signs(found)
    assert "+1 −1" == tally(found)


def test_several_edits() -> None:
    """The edits of a MultiEdit follow each other."""
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}, "broken"]

    assert ["-a", "+b", "+c"] == signs(call_diff("MultiEdit", {"edits": edits}))


def test_the_recorded_patch_is_preferred() -> None:
    """Only the program's patch knows line numbers."""
    data = {"structuredPatch": [{"oldStart": 3, "newStart": 3, "lines": [" a", "-b", "+c", "\\ No newline", 7]}]}

    assert list(patch_lines(data)) == [
        DiffLine("@", "line 3"),
        DiffLine(" ", "a", 3),
        DiffLine("-", "b", 4),
        DiffLine("+", "c", 4),
        DiffLine(" ", "\\ No newline", 5),
    ]
    assert call_diff("Edit", {"old_string": "x"}, data) == list(patch_lines(data))


def test_a_write_over_a_known_file() -> None:
    """A Write is a diff where what was there before is known."""
    assert ["-a", "+b"] == signs(call_diff("Write", {"content": "b"}, {"originalFile": "a"}))


def test_a_notebook() -> None:
    """A notebook's cell is all new unless the old one is known."""
    assert ["+x"] == signs(call_diff("NotebookEdit", {"new_source": "x"}))
    assert ["-o", "+x"] == signs(call_diff("NotebookEdit", {"new_source": "x"}, {"old_source": "o"}))


@pytest.mark.parametrize(
    "name, call_input, data",
    [
        ("Bash", {"command": "ls"}, None),
        ("Edit", "text", None),
        ("Edit", None, {"structuredPatch": "x"}),
        ("Edit", {}, {"structuredPatch": [1, {"lines": None}]}),
        ("MultiEdit", {"edits": 3}, None),
        ("Write", {"content": "x"}, {"originalFile": None}),
    ],
)
def test_other_calls_and_broken_ones_have_no_diff(name: str, call_input: Any, data: Any) -> None:
    """What is no edit, or does not say what it changed, gives nothing."""
    assert [] == call_diff(name, call_input, data)


def test_far_changes_are_parted() -> None:
    """Between two changes that lie far apart a line says that something was left out."""
    old = [str(number) for number in range(40)]
    new = ["x", *old[1:39], "y"]

    assert 1 == signs(list(compare("\n".join(old), "\n".join(new)))).count("@")


@pytest.mark.slow
def test_texts_of_any_size_are_compared_in_bounded_time() -> None:
    """Tens of thousands of differing lines are shown one after the other; comparing all pairs would take hours."""
    old = "\n".join(f"a{number}" for number in range(50_000))
    new = "\n".join(f"b{number}" for number in range(50_000))

    assert 100_000 == sum(1 for _ in compare(old, new))
