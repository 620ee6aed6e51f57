"""The first 25 stories of lost sessions: each is diagnosed, and every remedy is a command line that we know."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from lost_stories import STORIES, Story, told
from make import fingerprint

from backscroll.cli.main import cli
from backscroll.health.model import KINDS, SEVERITIES


def parsed(remedy: str) -> None:
    """Parse a remedy with our own command line, or find the program of the system that it calls."""
    words = shlex.split(remedy)
    if words[0] != "backscroll":
        assert shutil.which(words[0])
        return
    context = cli.make_context("backscroll", words[1:])
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, command, rest = context.command.resolve_command(context, rest)
        assert command is not None
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_a_story_is_diagnosed(tmp_path: Path, story: Story) -> None:
    """The doctor says what was lost or is at risk, how badly, and in which words."""
    story.build(tmp_path)
    before = fingerprint(tmp_path) if "large" not in story.build.__name__ else None

    document = told(tmp_path, "doctor")

    for wanted in story.told:
        found = [item for item in document["findings"] if (item["kind"], item["severity"]) == wanted[:2]]
        assert wanted.times == sum(wanted.words in item["text"] for item in found), (wanted, document["findings"])
    if before is not None:
        assert before == fingerprint(tmp_path)
    for item in document["findings"]:
        check_finding(item)


def check_finding(item: dict[str, Any]) -> None:
    """Check the contract of a finding."""
    assert {"kind", "severity", "session", "place", "text", "remedy"} == item.keys()
    assert item["kind"] in KINDS
    assert item["severity"] in SEVERITIES
    assert item["text"].endswith((".", "”."))
    assert (item["place"] is None) <= (item["kind"] in ("disk", "timer"))
    assert (item["remedy"] is None) == (item["kind"] == "lost")
    if item["remedy"] is not None:
        parsed(item["remedy"])
