"""The detector: sightings in a text, in all its forms.

Input: bytes, or the parts of a message.  Output: sightings in the source's own offsets.
Pseudonyms are never part of a sighting.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from backscroll.redact.engine import RuleEngine
from backscroll.redact.forms import DecodedView, end_words_at_escapes, views
from backscroll.redact.pseudonyms import LONGEST_PSEUDONYM, PSEUDONYM, has_pseudonym
from backscroll.redact.rule_table import shipped_rules
from backscroll.redact.rules import Rule, Sighting

LEVELS = 2
SHORTEST_REST = 16
SHORTEST_SECRET = 4
_SPELLED_ESCAPE = re.compile(rb"(?:\\+|^)(?:x1[bB]|u001[bB]|033)(?:\[[0-9;]*[A-Za-z])?|\\+[nrtbf]")
"""A terminal escape, or the end of a line, that a view or JSON spells with visible characters."""
_NO_LETTERS = re.compile(rb"[^A-Za-z0-9\x80-\xff]")
IDENTITY_LABELS = {b"account", b"email", b"home", b"host", b"name", b"user"}


class Detector:
    """Find secrets and identities in texts, in every form that `forms.py` decodes."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._engine = RuleEngine(rules)
        self._labels = {rule.label.encode() for rule in (*rules, *shipped_rules())} | IDENTITY_LABELS

    @cached_property
    def _token_engine(self) -> RuleEngine:
        return RuleEngine([rule for rule in self._engine.rules if _is_token(rule)])

    def find(self, data: bytes) -> list[Sighting]:
        """Return all sightings in `data`, sorted, without overlaps and without pseudonyms."""
        return self._without_pseudonyms(data, self._find(data, LEVELS))

    def find_across(self, parts: Sequence[bytes]) -> list[Sighting]:
        """Return the sightings in the joined parts that cross a seam between two of them."""
        seams = list(accumulate(map(len, parts)))
        found = self.find(b"".join(parts))
        return [one for one in found if bisect_right(seams, one.start) != bisect_left(seams, one.end)]

    def merge(self, sightings: Iterable[Sighting]) -> list[Sighting]:
        """Sort sightings and join those that overlap."""
        return self._engine.merge(sightings)

    def _find(self, data: bytes, levels: int) -> list[Sighting]:
        """Return the sightings in the raw bytes and in their views."""
        plain, data = data, end_words_at_escapes(data)
        seen = [_with_value(one, plain) for one in self._engine.find(data)]
        if levels == 0:
            return seen
        deeper = [one for view in views(data) for one in self._find_in_view(view, levels - 1, seen)]
        return self._engine.merge([*seen, *deeper]) if deeper else seen

    def _find_in_view(self, view: DecodedView, levels: int, seen: list[Sighting]) -> list[Sighting]:
        if view.form == "wrapped":
            return self._find_wrapped(view, levels, seen)
        return [_moved(one, view) for one in self._find(view.data, levels)]

    def _find_wrapped(self, view: DecodedView, levels: int, seen: list[Sighting]) -> list[Sighting]:
        """Return the tokens that cross a line break, and the secrets in base64 that was broken over lines."""
        ends = {one.start: one.end for one in seen}
        tokens = [(one, _moved(one, view)) for one in self._token_engine.find(view.data)]
        crossing = [there for here, there in tokens if _crosses(here, there, ends.get(there.start))]
        runs = [inner for inner in views(view.data) if inner.form == "base64"] if levels else []
        encoded = [_moved(_moved(one, inner), view) for inner in runs for one in self._engine.find(inner.data)]
        return crossing + encoded

    def _without_pseudonyms(self, data: bytes, sightings: list[Sighting]) -> list[Sighting]:
        holes = sorted({hole for one in sightings for hole in self._pseudonyms_near(data, one)})
        return [part for one in sightings for part in _cut(one, holes)] if holes else sightings

    def _pseudonyms_near(self, data: bytes, sighting: Sighting) -> Iterator[tuple[int, int]]:
        """Yield the places of the pseudonyms that a sighting may touch."""
        start, end = max(0, sighting.start - LONGEST_PSEUDONYM), sighting.end + LONGEST_PSEUDONYM
        if has_pseudonym(data[start:end]):
            found = PSEUDONYM.finditer(data, start, end)
            yield from (one.span() for one in found if one[1] in self._labels)


def _is_token(rule: Rule) -> bool:
    """Return True if a rule finds words that are tokens by their own shape."""
    return bool(rule.literals) and not (rule.group or rule.ignore_case or rule.family in {"identity", "key"})


def _moved(sighting: Sighting, view: DecodedView) -> Sighting:
    """Return the sighting with the offsets of the view's source."""
    start, end = view.source_span(sighting.start, sighting.end)
    return replace(sighting, start=start, end=end)


def _with_value(sighting: Sighting, data: bytes) -> Sighting:
    """Return the sighting with its value in `data`."""
    value = data[sighting.start : sighting.end]
    return sighting if value == sighting.value else replace(sighting, value=value)


def _crosses(here: Sighting, there: Sighting, known_end: int | None) -> bool:
    """Return True if a token crosses a line break, and is not a whole token with the next line's first word."""
    if there.end - there.start == here.end - here.start:
        return False
    return known_end is None or there.end - known_end > SHORTEST_REST


def _cut(sighting: Sighting, holes: Sequence[tuple[int, int]]) -> Iterator[Sighting]:
    """Yield the parts of a sighting that lie between pseudonyms."""
    start = sighting.start
    first = bisect_left(holes, (sighting.start, 0)) - 1
    for here, there in holes[max(0, first) :]:
        if here >= sighting.end:
            break
        if here > start:
            yield from _rest(sighting, start, here)
        start = max(start, there)
    if start == sighting.start:
        yield sighting
    elif start < sighting.end:
        yield from _rest(sighting, start, sighting.end)


def _rest(sighting: Sighting, start: int, end: int) -> Iterator[Sighting]:
    """Yield the part of a sighting beside a pseudonym, unless it is only quotes, brackets and escapes."""
    value = sighting.value[start - sighting.start : end - sighting.start]
    if len(_NO_LETTERS.sub(b"", _SPELLED_ESCAPE.sub(b"", value))) >= SHORTEST_SECRET:
        yield replace(sighting, start=start, end=end, value=value)
