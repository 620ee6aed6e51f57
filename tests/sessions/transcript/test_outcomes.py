"""What a call is about and how it ended, from the head of its block."""

from typing import Any

import orjson
import pytest
from make import call, given
from msgspec import Raw

from backscroll.sessions.transcript.heads import Block, decode_head
from backscroll.sessions.transcript.outcomes import ERROR, OK, REFUSED, outcome_of, target_of


def block(value: dict[str, Any]) -> Block:
    """Return the head of a content block."""
    message = decode_head(orjson.dumps({"message": {"content": [value]}})).message
    assert message is not None
    assert isinstance(message.content, list)
    found = message.content[0]
    assert isinstance(found, Block)
    return found


@pytest.mark.parametrize(
    "tool, asked, target",
    [
        ("Read", {"file_path": "/a/b.py", "limit": 3}, "/a/b.py"),
        ("Write", {"content": "x" * 100_000, "file_path": "C:\\a.py"}, "C:\\a.py"),
        ("NotebookEdit", {"notebook_path": "/n.ipynb"}, "/n.ipynb"),
        ("Skill", {"skill": "pdf", "args": "x"}, "pdf"),
        ("Skill", {"command": "pdf"}, "pdf"),
        ("SlashCommand", {"command": "/review now"}, "review"),
        ("Task", {"subagent_type": "Explore", "prompt": "Look"}, "Explore"),
        ("Agent", {"prompt": "Look"}, None),
        ("Bash", {"command": "ls", "file_path": "/a"}, None),
        ("Read", {"file_path": ["/a"]}, None),
        ("Read", {"file_path": 7, "notebook_path": "/n"}, "/n"),
        ("Read", {}, None),
        ("Skill", {"skill": "/"}, None),
    ],
)
def test_what_a_call_is_about(tool: str, asked: dict[str, Any], target: str | None) -> None:
    """File tools are about a file, skills about themselves, agents about their type; the rest about nothing."""
    assert target == target_of(block(call("c1", tool, **asked)))


@pytest.mark.parametrize("asked", ["text", ["a"], None, 3])
def test_an_input_that_is_no_object_is_about_nothing(asked: Any) -> None:
    """Broken files hold inputs of any shape."""
    assert target_of(block(call("c1", "Read") | {"input": asked})) is None


@pytest.mark.parametrize(
    "result, detail, outcome",
    [
        (given("c1", "fine"), None, OK),
        (given("c1", "fine", is_error=False), "User rejected tool use", OK),
        (given("c1", "Exit code 1", is_error=True), "Error: Exit code 1", ERROR),
        (given("c1", "no", is_error=True), "User rejected tool use", REFUSED),
        (given("c1", "The user doesn't want to proceed with this tool use.", is_error=True), None, REFUSED),
        (given("c1", [{"type": "text", "text": "The user doesn't want to proceed"}], is_error=True), None, REFUSED),
        (given("c1", "Permission to use Bash has been denied.", is_error=True), None, REFUSED),
        (given("c1", "Claude requested permissions to write to /a", is_error=True), {}, REFUSED),
        (given("c1", [], is_error=True), ["x"], ERROR),
        (given("c1", None, is_error=True), None, ERROR),
    ],
)
def test_how_a_call_ended(result: dict[str, Any], detail: Any, outcome: str) -> None:
    """A result is fine, an error, or a refusal by a person, a rule or a hook, whichever of its two texts says so."""
    assert outcome == outcome_of(block(result), Raw(orjson.dumps(detail)))
