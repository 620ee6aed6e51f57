"""The difference of two sequences of lines, found in bounded work.

Input: two sequences of lines.  Output: runs that cover both, each equal, changed or not compared.
Myers' algorithm finds the shortest difference, but its work grows with lines times changes.  So steps are counted.
If they run out, lines that occur once on both sides split the texts, and each gap gets its own share of steps.
If a gap uses up its share too, it becomes one run of the kind UNCOMPARED: all its old lines, then all its new ones.

Lines become numbers first, so one step costs the same for a short line and for a long one.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

EQUAL, CHANGED, UNCOMPARED = "equal", "changed", "uncompared"
STEPS_PER_LINE = 16
FREE_STEPS = 10_000
"""Every comparison gets these on top, so two texts of 70 lines never run out of steps."""
MOST_STEPS = 250_000
"""The limit for texts of any size: about a tenth of a second."""
_FREE_STEPS_OF_A_GAP = 100

Pairs = list[tuple[int, int]]


class LineRun(NamedTuple):
    """Neighbouring lines of both sides that are equal, that changed, or that were not compared."""

    kind: str
    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def first(self, count: int) -> "LineRun":
        """Return the first `count` lines of an equal run."""
        length = min(count, self.old_end - self.old_start)
        return LineRun(self.kind, self.old_start, self.old_start + length, self.new_start, self.new_start + length)

    def last(self, count: int) -> "LineRun":
        """Return the last `count` lines of an equal run."""
        length = min(count, self.old_end - self.old_start)
        return LineRun(self.kind, self.old_end - length, self.old_end, self.new_end - length, self.new_end)


class Difference(NamedTuple):
    """The runs that turn one side into the other, and the number of steps of the search."""

    runs: list[LineRun]
    steps: int


def compare(old: Sequence[Hashable], new: Sequence[Hashable]) -> Difference:
    """Return the difference of two sequences; at most `step_limit(...)` steps twice, plus one per line."""
    start, end = _shared_ends(old, new)
    search = _Search(old[start : len(old) - end], new[start : len(new) - end])
    pairs = [(number, number) for number in range(start)]
    pairs += [(one + start, other + start) for one, other in search.pairs]
    pairs += [(len(old) - number, len(new) - number) for number in range(end, 0, -1)]
    gaps = {number + start for number in search.open_gaps}
    return Difference(list(_runs(pairs, gaps, len(old), len(new))), search.steps)


def step_limit(lines: int) -> int:
    """Return the limit of steps for two texts with this total number of lines."""
    return min(FREE_STEPS + STEPS_PER_LINE * lines, MOST_STEPS)


def hunks(runs: Sequence[LineRun], context: int) -> Iterator[list[LineRun]]:
    """Yield groups of changes, each with at most `context` equal lines before, after and twice that between them."""
    group: list[LineRun] = []
    for run in runs:
        if run.kind != EQUAL:
            group.append(run)
        elif not group:
            group = [run.last(context)]
        elif run.old_end - run.old_start > 2 * context or run is runs[-1]:
            if group[-1].kind != EQUAL:
                yield [*group, run.first(context)]
            group = [run.last(context)]
        else:
            group.append(run)
    if group and group[-1].kind != EQUAL:
        yield group


class _Search:
    """Finds the pairs of equal lines of two sequences that share neither their first nor their last line."""

    def __init__(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
        self.steps = 0
        self.open_gaps: set[int] = set()
        """The number of pairs before each gap that was not compared."""
        self._left = step_limit(len(old) + len(new))
        in_old, in_new = set(old), set(new)
        numbers = {line: number for number, line in enumerate(in_old & in_new)}
        places_old = [place for place, line in enumerate(old) if line in in_new]
        places_new = [place for place, line in enumerate(new) if line in in_old]
        found = self._found(
            [numbers[old[place]] for place in places_old], [numbers[new[place]] for place in places_new]
        )
        self.pairs = [(places_old[one], places_new[other]) for one, other in found]

    def _found(self, old: list[int], new: list[int]) -> Pairs:
        pairs = self._shortest(old, new, self._left)
        return self._between_anchors(old, new) if pairs is None else pairs

    def _between_anchors(self, old: list[int], new: list[int]) -> Pairs:
        pairs: Pairs = []
        from_old = from_new = 0
        for one, other in [*_anchors(old, new), (len(old), len(new))]:
            found = self._gap(old[from_old:one], new[from_new:other])
            if found is None:
                self.open_gaps.add(len(pairs))
            pairs += [(from_old + mine, from_new + theirs) for mine, theirs in found or ()]
            pairs.append((one, other))
            from_old, from_new = one + 1, other + 1
        return pairs[:-1]

    def _gap(self, old: list[int], new: list[int]) -> Pairs | None:
        most = min(_FREE_STEPS_OF_A_GAP + STEPS_PER_LINE * (len(old) + len(new)), self._left)
        before = self.steps
        found = self._shortest(old, new, most)
        self._left -= self.steps - before
        return found

    def _shortest(self, old: list[int], new: list[int], most: int) -> Pairs | None:
        """Return the pairs of the shortest difference, by Myers' algorithm; None if that takes more steps.

        `rows[d][i]` is the greatest number of old lines that d changes can use up on the diagonal 2 * i - d.
        """
        if not old or not new:
            return []
        rows: list[array[int]] = []
        goal, stop = len(old) - len(new), self.steps + most
        for changes in range(len(old) + len(new) + 1):
            row = self._row(old, new, rows[-1] if rows else None, stop)
            if row is None:
                return None
            if abs(goal) <= changes and (goal + changes) % 2 == 0 and row[(goal + changes) // 2] >= len(old):
                return _walked_back(rows, len(old), len(new))
            rows.append(row)
        raise AssertionError("a difference has at most as many changes as both sides have lines")

    def _row(self, old: list[int], new: list[int], before: "array[int] | None", stop: int) -> "array[int] | None":
        """Return the row for one more change than the row before; None if the steps run out."""
        if before is None:
            return array("l", [self._follow(old, new, 0, 0)])
        changes = len(before)
        row = array("l")
        for number in range(changes + 1):
            if number == 0 or (number < changes and before[number - 1] < before[number]):
                place = before[number]
            else:
                place = before[number - 1] + 1
            row.append(self._follow(old, new, place, place - 2 * number + changes))
            if self.steps > stop:
                return None
        return row

    def _follow(self, old: list[int], new: list[int], place: int, other: int) -> int:
        """Follow equal lines as far as they go, and count the steps."""
        start = place
        while place < len(old) and other < len(new) and old[place] == new[other]:
            place += 1
            other += 1
        self.steps += 1 + place - start
        return place


def _walked_back(rows: "list[array[int]]", place: int, other: int) -> Pairs:
    """Return the pairs on the path in the rows."""
    pairs: Pairs = []
    for changes in range(len(rows), 0, -1):
        row, number = rows[changes - 1], (place - other + changes) // 2
        is_insertion = number == 0 or (number < changes and row[number - 1] < row[number])
        before = row[number] if is_insertion else row[number - 1]
        diagonal = 2 * number - changes
        after = before if is_insertion else before + 1
        pairs += [(one, one - diagonal) for one in range(place - 1, after - 1, -1)]
        place = before
        other = before - diagonal - (1 if is_insertion else -1)
    pairs += [(one, one) for one in range(place - 1, -1, -1)]
    return pairs[::-1]


def _anchors(old: list[int], new: list[int]) -> Pairs:
    """Return the longest rising chain of lines that occur exactly once on both sides."""
    in_old, in_new = Counter(old), Counter(new)
    place_in_new = {line: place for place, line in enumerate(new) if in_new[line] == 1}
    candidates = [
        (place, place_in_new[line]) for place, line in enumerate(old) if in_old[line] == 1 and line in place_in_new
    ]
    ends: list[int] = []
    """The lowest place in `new` that a chain of each length can end at."""
    tops: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(candidates):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        tops[length : length + 1] = [number]
        before.append(tops[length - 1] if length else -1)
    chain: Pairs = []
    number = tops[-1] if tops else -1
    while number >= 0:
        chain.append(candidates[number])
        number = before[number]
    return chain[::-1]


def _shared_ends(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """Return the number of shared lines at the beginning, and of shared remaining lines at the end."""
    most = min(len(old), len(new))
    start = 0
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


def _runs(pairs: Pairs, open_gaps: set[int], old_length: int, new_length: int) -> Iterator[LineRun]:
    """Yield the runs between and along pairs of equal lines."""
    old_end = new_end = 0
    equal: LineRun | None = None
    for number, (one, other) in enumerate([*pairs, (old_length, new_length)]):
        if equal is not None and (one, other) == (old_end, new_end) and number < len(pairs):
            equal = LineRun(EQUAL, equal.old_start, one + 1, equal.new_start, other + 1)
        else:
            if equal is not None:
                yield equal
            if (one, other) != (old_end, new_end):
                is_open = number in open_gaps and one > old_end and other > new_end
                yield LineRun(UNCOMPARED if is_open else CHANGED, old_end, one, new_end, other)
            equal = LineRun(EQUAL, one, one + 1, other, other + 1) if number < len(pairs) else None
        old_end, new_end = one + 1, other + 1
