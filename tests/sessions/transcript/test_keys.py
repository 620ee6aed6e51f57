"""Keys: the same message, call or record has the same key in every file, and no other has it."""

from pathlib import Path
from typing import Any

import pytest
from make import assistant, call, given, line, user

from backscroll.sessions.transcript.conversation import read_conversation
from backscroll.sessions.transcript.keys import Keys, is_rewriting_version
from backscroll.sessions.transcript.rows import Row

LONG = "0123456789abcdef"


def row(directory: Path, name: str, record: dict[str, Any]) -> tuple[Keys, Row]:
    """Return the row of one record in a file of its own, and the keys of that file."""
    path = directory / f"{name}.jsonl"
    path.write_bytes(line(record))
    with read_conversation([str(path)]) as conversation:
        return Keys([str(path)]), conversation.tree.nodes[0].head


def is_same(directory: Path, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Say whether records of two files are the same message."""
    (here, mine), (there, theirs) = row(directory, "one", one), row(directory, "two", other)
    return here.message(mine) == there.message(theirs)


def test_an_answer_is_known_by_its_api_message(tmp_path: Path) -> None:
    """Records of one API message are the same message, whatever their own ids are."""
    assert is_same(tmp_path, assistant(f"{LONG}1", api=f"msg_{LONG}"), assistant(f"{LONG}2", api=f"msg_{LONG}"))
    assert not is_same(tmp_path, assistant(f"{LONG}1", api=f"msg_{LONG}1"), assistant(f"{LONG}1", api=f"msg_{LONG}2"))


def test_results_are_known_by_their_calls(tmp_path: Path) -> None:
    """Records that answer the same calls are the same, whatever their own ids are."""
    one, other = (user(f"{LONG}{number}", None, [given(f"toolu_{LONG}")]) for number in range(2))

    assert is_same(tmp_path, one, other)


@pytest.mark.parametrize("record", [user("u1"), assistant("a1", api="msg_1"), user("u1", None, [given("t1")])])
def test_a_short_id_names_something_in_its_own_file_only(tmp_path: Path, record: dict[str, Any]) -> None:
    """An id that somebody made up is not the same message in another file."""
    assert not is_same(tmp_path, record, record)


def test_a_record_without_an_id_is_known_by_its_place(tmp_path: Path) -> None:
    """Two records without ids are never one."""
    path = tmp_path / "one.jsonl"
    record = {"type": "user", "message": {"role": "user", "content": "Go"}}
    path.write_bytes(line(record) * 2)
    with read_conversation([str(path)]) as conversation:
        keys = [Keys([str(path)]).record(node.head) for node in conversation.tree.nodes]

    assert 2 == len(set(keys))


@pytest.mark.parametrize("name, is_shared", [(f"toolu_{LONG}", True), ("toolu_1", False), (f"{LONG}#1", False)])
def test_calls(tmp_path: Path, name: str, is_shared: bool) -> None:
    """A call is known by its id in all files; one with a short id, or named by its place, in its own only."""
    record = assistant("a1", None, [call(f"toolu_{LONG}")])
    (here, mine), (there, theirs) = row(tmp_path, "one", record), row(tmp_path, "two", record)

    assert is_shared is (here.call(name, mine) == there.call(name, theirs))


def test_a_copy_is_known_by_its_origin(tmp_path: Path) -> None:
    """A record that names the one it was copied from is that one; its own key stays its own."""
    keys, original = row(tmp_path, "one", user(LONG))
    others, copy = row(tmp_path, "two", user(f"{LONG}2", forkedFrom={"sessionId": "S", "messageUuid": LONG}))

    assert keys.origin(original) == others.origin(copy)
    assert keys.record(original) != others.record(copy)


@pytest.mark.parametrize(
    "version, is_rewriting", [("0.2.9", True), ("1.0.128", True), ("1.1.0", False), ("2.1.325", False), (None, False)]
)
def test_versions_that_rewrite(version: str | None, is_rewriting: bool) -> None:
    """Up to 1.0 the program gave every record a new id when a session was resumed."""
    assert is_rewriting is is_rewriting_version(version)


@pytest.mark.parametrize("is_rewriting", [False, True])
def test_every_message_has_a_key(tmp_path: Path, *, is_rewriting: bool) -> None:
    """The first and the last message have keys too, and no two keys are equal."""
    path = tmp_path / "one.jsonl"
    records = [user("u1"), assistant("a1", "u1"), user("u2", "a1"), assistant("a2", "u2")]
    path.write_bytes(b"".join(map(line, records)))
    with read_conversation([str(path)]) as conversation:
        keys = Keys([str(path)]).messages(conversation.tree, is_rewriting=is_rewriting)

    assert {0, 1, 2, 3} == set(keys)
    assert 4 == len(set(keys.values()))
