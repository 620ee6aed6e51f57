"""The difference of two sequences of lines."""

from collections.abc import Sequence

import pytest
from chance import chance

from backscroll.formats.diffs import (
    CHANGED,
    EQUAL,
    FREE_STEPS,
    MOST_STEPS,
    UNCOMPARED,
    Difference,
    compare,
    hunks,
    step_limit,
)

Lines = Sequence[str]


def common(old: Lines, new: Lines) -> int:
    """Return the length of the longest common subsequence, by the textbook table."""
    row = [0] * (len(new) + 1)
    for line in old:
        above, row = row, [0]
        for number, other in enumerate(new):
            row.append(above[number] + 1 if line == other else max(above[number + 1], row[number]))
    return row[-1]


def kept(found: Difference) -> int:
    """Return how many lines a difference keeps."""
    return sum(run.old_end - run.old_start for run in found.runs if run.kind == EQUAL)


def check(old: Lines, new: Lines) -> Difference:
    """Compare, and check that the runs cover both sides in order and that equal runs are equal."""
    found = compare(old, new)
    edges = [(0, 0)]
    for run in found.runs:
        assert edges[-1] == (run.old_start, run.new_start)
        assert run.kind != EQUAL or old[run.old_start : run.old_end] == new[run.new_start : run.new_end]
        edges.append((run.old_end, run.new_end))
    assert (len(old), len(new)) == edges[-1]
    assert len(set(edges)) == len(edges)
    return found


def kinds(found: Difference) -> list[str]:
    """Return the kinds of all runs."""
    return [run.kind for run in found.runs]


@pytest.mark.parametrize("letters", [1, 2, 3, 6])
def test_the_shortest_difference_is_found(letters: int) -> None:
    """500 random pairs of small texts: no other difference keeps more lines."""
    generator = chance(letters)
    for _ in range(500):
        old, new = ([generator.choice("abcdef"[:letters]) for _ in range(generator.randint(0, 12))] for _ in range(2))

        assert common(old, new) == kept(check(old, new))


@pytest.mark.parametrize(
    "old, new, expected", [("", "", []), ("a", "a", [EQUAL]), ("a", "", [CHANGED]), ("", "b", [CHANGED])]
)
def test_the_smallest_texts(old: str, new: str, expected: list[str]) -> None:
    """Nothing and equal texts have no change."""
    assert expected == kinds(compare(old, new))


def test_texts_without_a_common_line_need_no_search() -> None:
    """A new text is a change, not a comparison that was given up."""
    found = check([f"a{number}" for number in range(5000)], [f"b{number}" for number in range(5000)])

    assert ([CHANGED], 0) == (kinds(found), found.steps)


def test_lines_that_occur_once_part_a_large_difference() -> None:
    """If the steps run out, only the parts that differ too much are given up, not the whole text."""
    generator = chance(5)
    old = [line for part in range(40) for line in [f"mark {part}", *(generator.choice("ab") for _ in range(60))]]
    new = [line for part in range(40) for line in [f"mark {part}", *(generator.choice("ab") for _ in range(60))]]
    found = check(old, new)

    assert found.steps > step_limit(len(old) + len(new))
    assert kept(found) > 1000
    assert 0 == kinds(found).count(UNCOMPARED)


def two_letters(size: int) -> tuple[list[str], list[str]]:
    """Return random lines of two kinds: the case that made older code cubic."""
    generator = chance(size)
    old, new = ([generator.choice("ab") for _ in range(size)] for _ in range(2))
    return ["start", *old, "x"], ["begin", *new, "y"]


def reversed_lines(size: int) -> tuple[list[str], list[str]]:
    """Return a text and its reverse: no two lines of it can both stay."""
    old = [str(number) for number in range(size)]
    return old, old[::-1]


def shuffled(size: int) -> tuple[list[str], list[str]]:
    """Return a text and its lines in another order."""
    old = [str(number) for number in range(size)]
    return old, chance(size).sample(old, size)


def one_line_often(size: int) -> tuple[list[str], list[str]]:
    """Return one line again and again, once and twice as often."""
    return ["a", *["x"] * size, "b"], ["c", *["x"] * (2 * size), "d"]


@pytest.mark.parametrize("shape", [two_letters, reversed_lines, shuffled, one_line_often])
def test_work_grows_with_the_lines_and_ends_at_a_limit(shape: object) -> None:
    """Twice the lines take at most about twice the steps, and no text takes more than the limit allows."""
    assert callable(shape)
    steps = {}
    for size in (250, 500, 1000, 2000, 4000, 8000, 16000, 32000):
        old, new = shape(size)
        steps[size] = check(old, new).steps
        lines = len(old) + len(new)

        assert steps[size] <= 2 * step_limit(lines) + 3 * lines
    assert all(steps[2 * size] <= 2 * steps[size] + 3 * FREE_STEPS for size in steps if 2 * size in steps)
    assert max(steps.values()) <= 2 * MOST_STEPS + 3 * 96_004


def test_a_part_that_is_not_compared_is_marked() -> None:
    """A text that differs too much becomes one replacement that says so."""
    old, new = two_letters(4000)

    assert UNCOMPARED in kinds(check(old, new))


def test_hunks_have_context() -> None:
    """Near changes share a hunk, far ones do not, and equal texts have none."""
    old = [str(number) for number in range(60)]
    new = [*old]
    new[10], new[14], new[50] = "x", "y", "z"
    found = list(hunks(compare(old, new).runs, 3))

    assert [(7, 18), (47, 54)] == [(hunk[0].old_start, hunk[-1].old_end) for hunk in found]
    assert [] == list(hunks(compare(old, old).runs, 3))
