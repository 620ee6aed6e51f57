"""`--since` and `--until` of every command: whole days and months, words, and the range above the table."""

import json
import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from command import said
from make import Draft, bash, home

SESSIONS = {"2026-07-22": "1", "2026-07-23": "2", "2026-07-31": "3", "2026-08-01": "4"}


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the clock of this machine be UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    os.environ.pop("TZ", None)
    time.tzset()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session late on each of four days."""
    for day, number in SESSIONS.items():
        draft = Draft(
            f"{number * 8}-1111-4111-8111-111111111111", "/srv/shop", started=datetime.fromisoformat(f"{day}T23:50:00Z")
        )
        draft.prompt("common").answer("Yes.", calls=[bash("ls", "a")]).write(home(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "bounds, numbers",
    [
        (("--until", "2026-07-23"), "12"),
        (("--until", "2026-07"), "123"),
        (("--since", "2026-07-23", "--until", "2026-07-23"), "2"),
        (("--since", "2026-08"), "4"),
    ],
)
def test_bounds_include_the_day_and_the_month(root: Path, bounds: tuple[str, ...], numbers: str) -> None:
    """A day or month as a bound is part of the range, for lists and for searches."""
    listed = json.loads(said("--root", root, "list", "--json", *bounds)[1])["sessions"]
    hits = json.loads(said("--root", root, "search", "--json", "common", *bounds)[1])["hits"]

    assert numbers == "".join(sorted(session["id"][0] for session in listed))
    assert numbers == "".join(sorted({hit["session"][0] for hit in hits}))


def test_until_in_a_query_includes_the_day(root: Path) -> None:
    """`until:` in a query means the same as the option."""
    hits = json.loads(said("--root", root, "search", "--json", "common until:2026-07-23")[1])["hits"]

    assert "12" == "".join(sorted(hit["session"][0] for hit in hits))


@pytest.mark.parametrize("command", ["list", "usage", "tools", "files"])
def test_the_range_stands_above_the_table(root: Path, command: str) -> None:
    """The first line names the range that was used; without one there is no such line."""
    _, out, _ = said("--root", root, command, "--since", "2026-07-20", "--until", "2026-07-23")
    _, other, _ = said("--root", root, command, "--since", "2026-07-20T10:30")

    assert "from 2026-07-20 to 2026-07-23" == out.splitlines()[0]
    assert "from 2026-07-20 10:30" == other.splitlines()[0]
    assert "from" not in said("--root", root, command)[1].splitlines()[0]


@pytest.mark.parametrize("words", ["yesterday", "last week", "3 days", "this month", "12 hours ago"])
def test_words_are_understood(root: Path, words: str) -> None:
    """Times by name are understood by every command that takes them."""
    for command in ("list", "usage", "tools", "files"):
        assert 0 == said("--root", root, command, "--since", words)[0]


def test_what_is_no_time_is_refused_with_the_forms(root: Path) -> None:
    """Anything else is wrong use, with the forms that are understood."""
    code, _, err = said("--root", root, "list", "--until", "next year")

    assert 2 == code
    assert "not a time: next year" in err
    assert "last week" in err


@pytest.mark.parametrize("command", [("list",), ("search", "common"), ("usage",), ("tools",), ("files",)], ids=" ".join)
def test_a_range_that_ends_before_it_begins_is_refused(root: Path, command: tuple[str, ...]) -> None:
    """Exchanged bounds are wrong use, not an empty answer; one day as both bounds is a range."""
    code, out, err = said("--root", root, *command, "--until", "2026-07-22", "--since", "2026-07-23")

    assert (2, "") == (code, out)
    assert "--until is before --since" in err
    assert 0 == said("--root", root, *command, "--until", "2026-07-23", "--since", "2026-07-23")[0]
