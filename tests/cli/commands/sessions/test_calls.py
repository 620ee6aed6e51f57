"""`calls` as a command."""

import json
from pathlib import Path

from command import said
from make import UUID, Draft, bash, home
from screens import at_terminal


def test_calls_of_agents_stand_in_their_places(tmp_path: Path) -> None:
    """People read calls in the order of time; the order of JSON stays that of the files."""
    draft = Draft(UUID, "/srv/shop").prompt("Go").answer(calls=[bash("first", "a")])
    agent = draft.agent("Look", "Look at it").answer(calls=[bash("second", "b")])
    draft.join(agent, "Seen.").answer(calls=[bash("third", "c")]).write(home(tmp_path))
    text = [line.split()[-1] for line in said("--root", tmp_path, "calls", UUID)[1].splitlines()]
    rows = json.loads(said("--root", tmp_path, "--json", "calls", UUID)[1])["calls"]

    assert ["first", "second", "third"] == [word for word in text if word in ("first", "second", "third")]
    assert sorted(rows, key=lambda row: row["agent"] is not None) == rows


def test_a_limit_that_cuts_says_so(tmp_path: Path) -> None:
    """Below the shown calls a line says that more follow; not where all are shown."""
    Draft(UUID, "/srv/shop").prompt("Go").answer(calls=[bash("one", "a"), bash("two", "b")]).write(home(tmp_path))
    asked = ("--root", tmp_path, "calls", "--limit")

    assert "More calls follow; leave out --limit to show all." in at_terminal(*asked, "1")
    assert "More calls" not in at_terminal(*asked, "2")
