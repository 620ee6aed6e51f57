"""Findings: reports about the places of secrets.

A finding holds no part of the secret: only the public prefix of its kind and its length.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from backscroll.redact.rules import Sighting


@dataclass(frozen=True, slots=True)
class Finding:
    """A place that a rule found, with a masked sample; `sure` is False if a check failed."""

    rule: str
    family: str
    offset: int
    line: int
    sample: str
    sure: bool


def mask(sighting: Sighting) -> str:
    """Return the public prefix of the rule, if the value begins with one, and the value's length."""
    text = sighting.value.decode("utf-8", "replace")
    prefixes = (
        () if sighting.rule.family in {"identity", "assigned", "connection", "header"} else sighting.rule.literals
    )
    prefix = next((literal for literal in prefixes if text.startswith(literal) and len(literal) * 2 < len(text)), "")
    return f"{prefix}… ({len(text)} characters)"


def report(data: bytes, sightings: Iterable[Sighting], offset: int = 0, line: int = 1) -> Iterator[Finding]:
    """Yield a finding for each sighting, in order; `offset` and `line` are those of the first byte of `data`."""
    last = 0
    for one in sightings:
        line += data.count(b"\n", last, one.start)
        last = one.start
        yield Finding(one.rule.name, one.rule.family, offset + one.start, line, mask(one), one.sure)
