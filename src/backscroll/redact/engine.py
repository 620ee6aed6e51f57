"""The engine: one pass over the literals of all rules, then the rules at each place.

Input: rules and bytes.  Output: sightings, sorted, without overlaps.
RE2 makes the pass, so its time is linear.  A rule then looks at a bounded window, or at bytes that it consumes.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from backscroll.redact.patterns import BytesPattern, compile_pattern
from backscroll.redact.rules import LETTERS_AND_DIGITS, Rule, Sighting, match_rule

RuleEntry = tuple[bytes, Rule]
"""A rule to try, and the bytes that must stand at its place."""


class RuleEntries(NamedTuple):
    """The rules to try at one distance from the literal that was met."""

    distance: int
    entries: tuple[RuleEntry, ...]
    exact: tuple[bytes, ...]
    folded: tuple[bytes, ...]
    """The same bytes for rules that ignore case."""
    longest: int


class RuleEngine:
    """Find the matches of many rules in one pass."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._ranks = {rule.name: rank for rank, rule in enumerate(self.rules)}
        self._entries = _entries_by_literal(self.rules)
        self._lengths = sorted({len(literal) for literal in self._entries}, reverse=True)
        self._bare = tuple(rule for rule in self.rules if not rule.literals)
        self._places = _compile_alternatives(_alternatives(self.rules))
        self._bare_places = _compile_alternatives([_gate_alternative(rule) for rule in self._bare])

    def find(self, data: bytes) -> list[Sighting]:
        """Return all sightings, sorted; sightings that overlap become one."""
        seen: list[Sighting] = []
        ends: dict[str, int] = {}
        for place, rule in self._candidates(data):
            if place < ends.get(rule.name, 0) or _continues_word(data, place, rule):
                continue
            sighting = match_rule(rule, data, place)
            if sighting is not None:
                ends[rule.name] = sighting.end
                seen.append(sighting)
        return self.merge(seen)

    def merge(self, sightings: Iterable[Sighting]) -> list[Sighting]:
        """Sort sightings and join those that overlap; the rule that stands first in the table names them."""
        chains: list[list[Sighting]] = []
        end = 0
        for sighting in sorted(sightings, key=lambda one: (one.start, -one.end)):
            if chains and sighting.start < end:
                chains[-1].append(sighting)
            else:
                chains.append([sighting])
            end = max(end, sighting.end)
        return [chain[0] if len(chain) == 1 else self._join(chain) for chain in chains]

    def _join(self, chain: Sequence[Sighting]) -> Sighting:
        """Join sightings that overlap; all values are copied once, however long the chain is."""
        pieces, end = [chain[0].value], chain[0].end
        for one in chain[1:]:
            if one.end > end:
                pieces.append(one.value[end - one.start :])
                end = one.end
        named = min(chain, key=lambda one: self._ranks.get(one.rule.name, -1))
        return Sighting(chain[0].start, end, named.rule, any(one.sure for one in chain), b"".join(pieces))

    def _candidates(self, data: bytes) -> Iterator[tuple[int, Rule]]:
        """Yield the place of each literal and gate, with each rule to try there."""
        for found in self._places.finditer(data):
            start, end = found.span()
            met = data[start:end]
            entries = self._entries.get(met)
            if entries is None:
                yield from self._gate_candidates(data, start, met)
            else:
                yield from _entered(entries, data, start)
        for found in self._bare_places.finditer(data):
            for rule in self._bare:
                yield found.span()[0], rule

    def _gate_candidates(self, data: bytes, start: int, met: bytes) -> Iterator[tuple[int, Rule]]:
        """Yield the rules of a gate, or of a literal in another case, and those that begin inside it."""
        yield from self._candidates_at(data, start, met)
        for found in self._places.finditer(data, start + 1, start + len(met) + self._lengths[0]):
            inner, end = found.span()
            if inner >= start + len(met):
                return
            yield from self._candidates_at(data, inner, data[inner:end])

    def _candidates_at(self, data: bytes, start: int, met: bytes) -> Iterator[tuple[int, Rule]]:
        for text in {met, met.lower()}:
            for length in self._lengths:
                if length <= len(text) and (entries := self._entries.get(text[:length])):
                    yield from _entered(entries, data, start)


def _entered(groups: Iterable[RuleEntries], data: bytes, start: int) -> Iterator[tuple[int, Rule]]:
    """Yield the rules whose literal is really at its place; one look tells for most places that none is."""
    for distance, entries, exact, folded, longest in groups:
        place = start + distance
        if not distance:
            yield from ((place, rule) for _, rule in entries)
        elif data.startswith(exact, place) or (folded and data[place : place + longest].lower().startswith(folded)):
            yield from ((place, rule) for literal, rule in entries if _stands(literal, data, place, rule))


def _stands(literal: bytes, data: bytes, place: int, rule: Rule) -> bool:
    return data.startswith(literal, place) or (
        rule.ignore_case and data[place : place + len(literal)].lower() == literal
    )


def _continues_word(data: bytes, place: int, rule: Rule) -> bool:
    """Return True if the literal continues a word, so that the rule cannot match."""
    if rule.inside_words or rule.before or place == 0:
        return False
    return data[place - 1] in LETTERS_AND_DIGITS and data[place] in LETTERS_AND_DIGITS


def _entries_by_literal(rules: Sequence[Rule]) -> dict[bytes, tuple[RuleEntries, ...]]:
    """Return the rules to try for each literal, and for the literals that begin inside it."""
    by_first_byte: dict[int, list[tuple[bytes, Rule]]] = defaultdict(list)
    for rule in rules:
        for literal in dict.fromkeys(_key(literal, rule) for literal in rule.literals):
            by_first_byte[literal[0]].append((literal, rule))
    literals = {literal for pairs in by_first_byte.values() for literal, _ in pairs}
    return {literal: tuple(_grouped(_entries_of(literal, by_first_byte))) for literal in literals}


def _grouped(entries: Iterable[tuple[int, bytes, Rule]]) -> Iterator[RuleEntries]:
    """Group entries, which are sorted by distance."""
    for distance, group in groupby(entries, itemgetter(0)):
        pairs = tuple((literal, rule) for _, literal, rule in group)
        exact = tuple({literal for literal, rule in pairs if not rule.ignore_case})
        folded = tuple({literal for literal, rule in pairs if rule.ignore_case})
        yield RuleEntries(distance, pairs, exact, folded, max(len(literal) for literal, _ in pairs))


def _key(literal: str, rule: Rule) -> bytes:
    return (literal.lower() if rule.ignore_case else literal).encode()


def _entries_of(
    literal: bytes, by_first_byte: Mapping[int, Sequence[tuple[bytes, Rule]]]
) -> Iterator[tuple[int, bytes, Rule]]:
    """Yield the rules that begin at each distance inside a literal."""
    for distance in range(len(literal)):
        rest = literal[distance:]
        folded = rest.lower()
        for byte in {rest[0], folded[0]}:
            for other, rule in by_first_byte.get(byte, ()):
                here = folded if rule.ignore_case else rest
                begins_here = here.startswith(other) or (distance and other.startswith(here))
                if begins_here and not _continues_word(literal, distance, rule):
                    yield distance, other if distance else b"", rule


def _alternatives(rules: Sequence[Rule]) -> list[str]:
    """Return gates and literals as patterns; gates and longer literals come first."""
    gates = {_gate_alternative(rule): None for rule in rules if rule.literals and rule.gate}
    literals = {(literal, rule.ignore_case) for rule in rules if not rule.gate for literal in rule.literals}
    ordered = sorted(literals, key=lambda pair: (-len(pair[0]), pair))
    return [*gates, *(_in_case(re.escape(text), ignore_case=ignore_case) for text, ignore_case in ordered)]


def _gate_alternative(rule: Rule) -> str:
    return _in_case(rule.gate or "", ignore_case=rule.ignore_case)


def _in_case(pattern: str, *, ignore_case: bool) -> str:
    return f"(?i:{pattern})" if ignore_case else f"(?:{pattern})"


def _compile_alternatives(alternatives: Sequence[str]) -> BytesPattern:
    """Compile one pattern of all alternatives; without any it matches nothing."""
    return compile_pattern("|".join(alternatives) or r"[^\x00-\x{10ffff}]", captures=False)
