"""Measure recall and precision with the generator, and draw the table of docs/redaction.md."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from redact.generate import (
    COMMONEST,
    CONTAINERS,
    FAMILIES,
    LOOKALIKE_TEMPLATES,
    LOOKALIKES,
    VALUES,
    lookalikes,
    planted,
    reveals,
)

from backscroll.redact import Redactor

SEED = 21


@dataclass
class Tally:
    """How many secrets were hidden, by family and container, and which look-alikes were taken for one."""

    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    hidden: Counter[tuple[str, str]] = field(default_factory=Counter)
    unstable: list[tuple[str, str]] = field(default_factory=list)
    shown: Counter[str] = field(default_factory=Counter)
    mistaken: Counter[str] = field(default_factory=Counter)

    def recall(self, families: tuple[str, ...] = FAMILIES, containers: tuple[str, ...] = tuple(CONTAINERS)) -> float:
        """Return the share of secrets that vanished."""
        pairs = [(family, container) for family in families for container in containers]
        return sum(self.hidden[pair] for pair in pairs) / sum(self.planted[pair] for pair in pairs)

    def precision(self) -> float:
        """Return the share of true secrets among all that was redacted, secrets and look-alikes together."""
        hidden = self.hidden.total()
        return hidden / (hidden + self.mistaken.total())


def measure(values: int = VALUES, count: int = LOOKALIKES) -> Tally:
    """Plant secrets in every container, redact them, and try the look-alikes."""
    tally, redactor, random = Tally(), Redactor(), Random(SEED)  # noqa: S311 - fake secrets are meant to repeat
    for one in planted(SEED, values):
        for name, contain in CONTAINERS.items():
            parts = contain(one, random)
            if not reveals(parts, one.value):
                raise AssertionError(f"{name} does not carry {one.family}")
            redacted = redactor.redact_parts(parts)
            tally.planted[one.family, name] += 1
            tally.hidden[one.family, name] += not reveals(redacted, one.value)
            if redacted != redactor.redact_parts(redacted):
                tally.unstable.append((one.family, name))
    for kind, text in lookalikes(SEED, count):
        tally.shown[kind] += 1
        tally.mistaken[kind] += bool(redactor.detector.find(text.encode()))
    return tally


def table(tally: Tally) -> str:
    """Return the table of the documentation."""
    return "\n".join(_rows(tally)) + "\n"


def _rows(tally: Tally) -> Iterator[str]:
    yield "| planted in | recall, all families | recall, the 15 commonest |"
    yield "|---|---|---|"
    for name in CONTAINERS:
        yield f"| {name} | {tally.recall(containers=(name,)):.3f} | {tally.recall(COMMONEST, (name,)):.3f} |"
    yield f"| **all** ({tally.planted.total():,} secrets) | {tally.recall():.3f} | {tally.recall(COMMONEST):.3f} |"
    yield ""
    yield "| look-alike | tried | taken for a secret |"
    yield "|---|---|---|"
    for kind in LOOKALIKE_TEMPLATES:
        yield f"| {kind} | {tally.shown[kind]:,} | {tally.mistaken[kind]} |"
    yield f"| **all**, precision {tally.precision():.3f} | {tally.shown.total():,} | {tally.mistaken.total()} |"
