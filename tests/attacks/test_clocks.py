"""Wrong clocks: whatever times files have, an index that grew with them answers as a fresh one does."""

import os
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chance import chance, rounds
from make import Draft, home

import backscroll
from backscroll.index.update import files

SEEDS = range(18, 18 + rounds(1))
"""Each seed is a test of its own, so that a long run has no long test."""
STEPS = 8
NOW = 1_780_000_000
TIMES = (-(2**31), -1, 0, 1, NOW, NOW + 1, 2**31 - 1, 2**31, 2**33, 9_000_000_000)
"""Before 1970, at its beginning, today, and far in the future."""
ANIMALS = ("okapi", "hyena", "zebra", "llama", "camel", "koala")
"""Words of one length: a rewrite keeps the size."""


def essence(root: Path) -> Any:
    """Return everything that is said of all sessions, but for the times of their files."""
    with backscroll.open(root) as library:
        listed = sorted((item.id, item.title, item.messages) for item in library.list_sessions(limit=None).sessions)
        options = backscroll.Options(all_hits=True, limit=1000)
        hits = {word: library.search(word, options=options).hits for word in ANIMALS}
        return listed, {word: sorted((hit.session or "", hit.snippet) for hit in hits[word]) for word in ANIMALS}


def write(root: Path, number: int, numbers: Random) -> Path:
    """Write or rewrite a session in place with any of the animals, all of one length."""
    name = f"{number:08}-1111-4111-8111-111111111111"
    animal = numbers.choice(ANIMALS)
    return Draft(name, "/srv/zoo").prompt(f"feed the {animal}").answer("Fed.").write(root)


def fresh(root: Path, monkeypatch: pytest.MonkeyPatch, directory: Path) -> Any:
    """Return the answer of an index that never saw anything before."""
    with monkeypatch.context() as patch:
        patch.setenv("BACKSCROLL_HOME", str(directory))
        return essence(root)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_times_and_rewrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Files from before 1970 or from the future, rewritten at once with size and time kept, are read as they are."""
    numbers = chance(seed)
    root = home(tmp_path / "root")
    for step in range(STEPS):
        moment = numbers.choice(TIMES)
        for number in numbers.sample(range(6), 2):
            path = write(root, number, numbers)
            os.utime(path, (moment, moment))
        assert fresh(root, monkeypatch, tmp_path / f"fresh-{step}") == essence(root), step


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_clock_jumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Whatever the clock says when the index looks at the files, the next change is noticed."""
    numbers = chance(seed)
    root = home(tmp_path / "root")
    for step in range(STEPS):
        path = write(root, numbers.randrange(4), numbers)
        os.utime(path, (NOW, NOW))
        clock = (NOW + numbers.choice([-(10**9), -3600, -1, 0, 1, 3600, 10**9])) * 10**9
        with monkeypatch.context() as patch:
            patch.setattr(files, "time_ns", partial(int, clock))
            known = essence(root)
        assert fresh(root, monkeypatch, tmp_path / f"fresh-{step}") == known, step
