"""Seeded chance: the same attack every time, and ten times as much of it under `make faults`."""

import os
from random import Random

IS_LONG = bool(os.environ.get("BACKSCROLL_FAULTS"))
"""Set by `make faults`; read here, because every test gets an environment without it."""
LONGER = 10


def chance(seed: int) -> Random:
    """Return a generator that gives the same numbers on every run."""
    return Random(seed)  # noqa: S311 - not for secrets


def rounds(usual: int) -> int:
    """Return how often an attack is tried: ten times as often under `make faults`."""
    return usual * LONGER if IS_LONG else usual
