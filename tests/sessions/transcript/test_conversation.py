"""Conversation: a session's own records apart from those of the agents inside its file."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, assistant, conversation, line, user

from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.conversation import is_internal_agent, read_conversation
from backscroll.sessions.transcript.rows import Row


def side(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a record as one of a sidechain."""
    return record | {"isSidechain": True, **fields}


def ids(rows: list[Row]) -> list[str]:
    """Return the ids of rows."""
    return [row.id for row in rows]


def test_inline_agents_are_taken_out(tmp_path: Path) -> None:
    """Sidechain records without agent id are chains by the root that they lead to, not part of the session."""
    with conversation(
        tmp_path,
        user("u1"),
        side(user("x1-first-chain")),
        side(user("y1-second-chain")),
        side(assistant("x2", "x1-first-chain")),
        assistant("a1", "u1"),
        side(assistant("y2", "y1-second-chain")),
    ) as read:
        assert ["u1", "a1"] == ids([node.head for node in read.tree.nodes])
        assert {"inline-x1-first": ["x1-first-chain", "x2"], "inline-y1-secon": ["y1-second-chain", "y2"]} == {
            agent.id: ids([node.head for node in agent.tree.nodes]) for agent in read.inline
        }


def test_inline_agents_with_an_id(tmp_path: Path) -> None:
    """Sidechain records that name their agent belong to it, wherever their parents are."""
    with conversation(
        tmp_path, side(user("x1"), agentId="a7"), side(user("x2"), agentId="a8"), side(assistant("x3"), agentId="a7")
    ) as read:
        assert {"a7": 2, "a8": 1} == {agent.id: len(agent.tree.nodes) for agent in read.inline}


def test_a_sidechain_without_uuids(tmp_path: Path) -> None:
    """Records that cannot be linked are an agent each, named by their line."""
    record = {"type": "user", "isSidechain": True, "message": {"content": "x"}}
    with conversation(tmp_path, record) as read:
        assert ["inline-line-1"] == [agent.id for agent in read.inline]


def test_an_agents_own_file_is_one_conversation(tmp_path: Path) -> None:
    """In an agent's file every record is a sidechain's; they are its conversation."""
    records = (side(user("x1")), side(assistant("x2", "x1")))
    with conversation(tmp_path, *records, is_agent=True) as read:
        assert 2 == len(read.tree.nodes)
        assert [] == read.inline


def test_a_leaf_counts_the_sessions_own_rows(tmp_path: Path) -> None:
    """Sidechain rows before a statement of the visible end do not make it stale."""
    with conversation(
        tmp_path,
        user("u1"),
        side(user("x1")),
        side(assistant("x2", "x1")),
        assistant("a1", "u1"),
        user("u2", "a1"),
        {"type": "last-prompt", "leafUuid": "a1"},
        user("u3", "a1"),
    ) as read:
        main = read.tree.read_along(MAIN)

        assert ["u1", "a1", "u3"] == ids([read.tree.nodes[position].head for position in main])


@pytest.mark.parametrize(
    "name, first, is_internal",
    [
        ("acompact-0123456789abcdef", "Summarise", True),
        ("aside_question-0123456789abcdef", "Why?", True),
        ("aprompt_suggestion-0123456789abcdef", "Next?", True),
        ("aagent_summary-0123456789abcdef", "Sum", True),
        ("aextract_memories-0123456789abcdef", "Note", True),
        ("a0123456789abcdef", "Warmup", True),
        ("1a2b3c4d", " Warmup\n", True),
        ("a0123456789abcdef", "Warmup the oven", False),
        ("a0123456789abcdef", "Do it", False),
        (None, "Do it", False),
    ],
)
def test_helpers_of_the_program(tmp_path: Path, name: str | None, first: str, is_internal: bool) -> None:
    """An agent is internal by its label, or by the prompt that only warms up."""
    with conversation(tmp_path, user("x1", None, first), assistant("x2", "x1"), is_agent=True) as read:
        assert is_internal is is_internal_agent(name, read.tree)


def test_an_agent_that_says_nothing_is_no_helper(tmp_path: Path) -> None:
    """An empty agent's file is an agent like any other."""
    with conversation(tmp_path, is_agent=True) as read:
        assert not is_internal_agent("a1", read.tree)


def test_several_files_are_one_conversation(tmp_path: Path) -> None:
    """Versions of a transcript are read together: what both hold is said once."""
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    rows = [line(user("u1")), line(assistant("a1", "u1")), line(user("u2", "a1")), line(user("u3", "a1"))]
    old.write_bytes(b"".join(rows[:3]))
    new.write_bytes(b"".join([*rows[:2], rows[3]]))
    with read_conversation([str(old), str(new)]) as read:
        assert ["u1", "a1", "u2", "u3"] == ids([node.head for node in read.tree.nodes])
        assert [1, 1, 0, 0] == [len(node.repeats) for node in read.tree.nodes]
        assert "u3" == read.value(read.tree.nodes[3].head)["uuid"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A transcript that vanished is an empty conversation with its damage."""
    with read_conversation([str(tmp_path / "gone.jsonl")]) as read:
        assert [] == read.tree.nodes
        assert ["vanished: no such file"] == [damage.reason for damage in read.sources[0].damage]


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    """A record that is no longer where it was reads as empty, and nothing fails."""
    path = tmp_path / "live.jsonl"
    path.write_bytes(Draft(UUID).prompt("Hello").text())
    with read_conversation([str(path)]) as read:
        path.write_bytes(b"")

        assert {} == read.sources[0].value(10_000, 5)


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """What is appended after the scan does not disturb what was read; the next reading finds it."""
    path = tmp_path / "live.jsonl"
    draft = Draft(UUID).prompt("Hello")
    path.write_bytes(draft.text())
    with read_conversation([str(path)]) as read:
        path.write_bytes(draft.answer("Hi.").text())

        assert 1 == len(read.tree.nodes)
        assert "user" == read.value(read.tree.nodes[0].head)["type"]

    with read_conversation([str(path)]) as again:
        assert 2 == len(again.tree.nodes)


def test_a_compressed_version(tmp_path: Path) -> None:
    """A version that somebody compressed is read like any other, and that is noted."""
    path = tmp_path / "old.jsonl.gz"
    path.write_bytes(gzip.compress(Draft(UUID).prompt("Hello").answer("Hi.").text()))
    with read_conversation([str(path)]) as read:
        assert 2 == len(read.tree.nodes)
        assert "user" == read.value(read.tree.nodes[0].head)["type"]
        assert ["stored as gzip"] == [note.reason for note in read.sources[0].notes]


@pytest.mark.slow
def test_a_giant_line_between_others(tmp_path: Path) -> None:
    """An image of fifty megabytes is a part of its message, and costs its neighbours nothing."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 50_000_000}}
    with conversation(tmp_path, user("u1"), user("u2", "u1", [image]), assistant("a2", "u2")) as read:
        source = read.sources[0]

        assert ["u1", "u2", "a2"] == ids([node.head for node in read.tree.nodes])
        assert source.size == source.record_bytes + source.damage_bytes + source.blank_bytes > 50_000_000


def test_lines_as_they_are_stored(tmp_path: Path) -> None:
    """A source gives back its lines byte by byte, damage included."""
    with conversation(tmp_path, b'{"type":"user"}\r\n', b"torn {", b"\n", b"\xff") as read:
        assert [b'{"type":"user"}\r\n', b"torn {\n", b"\xff"] == list(read.sources[0].lines())
