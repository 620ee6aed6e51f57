"""Rules: one kind of secret each, and the match of one rule at one place.

Input: a rule, bytes, and the place of a literal of the rule.
Output: a sighting, or None.
"""

from dataclasses import dataclass, field

from backscroll.redact.checks import CONTEXT_BYTES, RuleCheck
from backscroll.redact.patterns import BytesPattern

LONGEST = 512
LETTERS_AND_DIGITS = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Rule:
    """A detector: how to notice a place quickly, and how to find the exact match there."""

    name: str
    family: str
    label: str
    pattern: BytesPattern = field(repr=False)
    literals: tuple[str, ...] = field(default=(), repr=False)
    gate: str | None = None
    before: bytes = b""
    not_after: bytes = b""
    group: int = 0
    ignore_case: bool = False
    inside_words: bool = False
    whole_values: bool = False
    longest: int = LONGEST
    exception: BytesPattern | None = field(default=None, repr=False)
    checks: tuple[RuleCheck, ...] = ()
    matches: tuple[str, ...] = field(default=(), repr=False)
    ignores: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A match of a rule in bytes: the part to replace, the decoded value, and whether all checks passed."""

    start: int
    end: int
    rule: Rule
    sure: bool
    value: bytes = field(repr=False)


def match_rule(rule: Rule, data: bytes, place: int) -> Sighting | None:
    """Match a rule whose literal is at `place`."""
    if rule.not_after and place and data[place - 1] in rule.not_after:
        return None
    start = place - _run_before(data, place, rule) if rule.before else place
    found = _match_at(rule, data, start)
    if found is None:
        return None
    end, (first, last) = found
    if first == last or not (rule.inside_words or _stands_apart(data, start, end)):
        return None
    value = data[first:last]
    if rule.exception is not None and rule.exception.fullmatch(value):
        return None
    around = data[max(0, first - CONTEXT_BYTES) : last + CONTEXT_BYTES]
    return Sighting(first, last, rule, all(check.passes(value, around) for check in rule.checks), value)


def _run_before(data: bytes, place: int, rule: Rule) -> int:
    """Return the length of the run of allowed bytes that ends at `place`."""
    window = data[max(0, place - rule.longest) : place]
    return len(window) - len(window.rstrip(rule.before))


def _match_at(rule: Rule, data: bytes, start: int) -> tuple[int, tuple[int, int]] | None:
    """Return the end of the match at `start` and the span of its group; look further while it fills the window."""
    limit = start + rule.longest
    while (found := rule.pattern.match(data, start, limit)) is not None:
        span = found.span()
        if span[1] < limit or limit >= len(data):
            return span[1], found.span(rule.group) if rule.group else span
        limit = start + 2 * (limit - start)
    return None


def _stands_apart(data: bytes, start: int, end: int) -> bool:
    """Return True if no letter or digit touches the match from outside."""
    if start and data[start - 1] in LETTERS_AND_DIGITS and data[start] in LETTERS_AND_DIGITS:
        return False
    return not (end < len(data) and data[end] in LETTERS_AND_DIGITS and data[end - 1] in LETTERS_AND_DIGITS)
