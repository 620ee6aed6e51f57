"""Hits that are equal by score or by time: the newest come first, however the index was built."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import answer, run
from make import home, line, user, write_transcript

NUMBER = 250
"""More messages than one question to tantivy fetches."""
BEGINNING = datetime(2026, 5, 1, tzinfo=UTC)
SEARCHES: list[tuple[str, ...]] = [
    ("continue",),
    ("continue", "--all-hits"),
    ("continue", "--per-session", "2", "--limit", "30"),
    ("continue", "--sort", "time"),
    ("contin*",),
    ("role:user",),
    ("role:user", "--all-hits"),
    ("continue -never", "--all-hits", "--limit", "40"),
]


def write(root: Path, number: int, minute: int) -> None:
    """Write a session in which somebody typed one word; every fourth has two such messages."""
    name = f"{number:08}-0000-4000-8000-000000000000"
    records = []
    for turn in range(1 + (number % 4 == 0)):
        uuid = f"{number:08}-0000-4000-8000-{turn:012}"
        moment = (BEGINNING + timedelta(minutes=minute, seconds=turn)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        records.append(user(uuid, None, "continue", timestamp=moment, sessionId=name))
    write_transcript(root, "-w", name, [line(record) for record in records])


def answers(root: Path, ours: Path) -> list[bytes]:
    """Return what each search answers with the index in a directory."""
    return [run("--root", root, "--json", "search", *words, BACKSCROLL_HOME=str(ours)).stdout for words in SEARCHES]


@pytest.mark.parametrize("minutes", [0, 1], ids=["one time", "many times"])
def test_equal_hits_do_not_depend_on_the_history(tmp_path: Path, minutes: int) -> None:
    """An index to which equal messages were added in any order answers byte for byte as one made at once."""
    root, numbers = home(tmp_path / "home"), list(range(NUMBER))
    random.Random(1).shuffle(numbers)  # noqa: S311 - no secret
    for start in range(0, NUMBER, 50):
        for number in numbers[start : start + 50]:
            write(root, number, number * minutes)
        run("--root", root, "search", "continue", BACKSCROLL_HOME=str(tmp_path / "grown"))

    assert answers(root, tmp_path / "anew") == answers(root, tmp_path / "grown")


def test_equal_hits_are_the_newest(tmp_path: Path) -> None:
    """Of more equal hits than one question fetches, the newest come first."""
    root = home(tmp_path / "home")
    for number in range(NUMBER):
        write(root, number, number)
    found = answer(root, "search", "continue", "--limit", "3")

    assert [NUMBER - 1, NUMBER - 2, NUMBER - 3] == [int(hit["session"][:8]) for hit in found["hits"]]
