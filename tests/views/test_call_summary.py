"""Calls in a few words."""

from typing import Any

import pytest

from backscroll.views.call_summary import gist, tool_name


@pytest.mark.parametrize(
    "name, call_input, about",
    [
        ("Bash", {"command": "ls", "description": "List"}, "ls"),
        ("Bash", {"command": "cd x\nls", "description": "List"}, "List"),
        ("Read", {"file_path": "/a"}, "/a"),
        ("Read", {"file_path": "/a", "offset": 20}, "/a from line 20"),
        ("Grep", {"pattern": "x", "path": "src"}, "x in src"),
        ("Task", {"subagent_type": "Explore", "description": "look"}, "Explore: look"),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}, 3]}, "1 of 3 done"),
        ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, "Which?"),
        ("mcp__x__y", {"query": "find"}, "find"),
        ("Unknown", {"a": 1}, '{"a": 1}'),
        ("Unknown", {}, ""),
        ("Bash", "half an inp", "half an inp"),
        ("Bash", None, ""),
        ("Bash", {"command": ["ls", "-l"]}, '["ls", "-l"]'),
        ("Bash", {"command": ""}, '{"command": ""}'),
    ],
)
def test_gist(name: str, call_input: Any, about: str) -> None:
    """The argument that matters says what a call is about; without one, the input does."""
    assert about == gist(name, call_input)


def test_gist_is_never_endless() -> None:
    """An input of a megabyte is said in a line or two."""
    assert len(gist("Bash", {"command": "x" * 1_000_000})) < 5000


@pytest.mark.parametrize("name, said", [("mcp__github__search", "github/search"), ("Bash", "Bash"), ("mcp__", "mcp__")])
def test_tool_names(name: str, said: str) -> None:
    """Tools of servers are named as server and tool."""
    assert said == tool_name(name)
