"""Heads: the shaping fields of a record, whatever types its other fields have."""

from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import assistant, call, line, user
from msgspec import UNSET, Raw

from backscroll.sessions.transcript.heads import (
    Head,
    Started,
    UsageHead,
    decode_head,
    decoded,
    head_of,
    is_there,
    started_by,
)

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "content", "type"]), inner),
    max_leaves=5,
)


def test_a_plain_record_is_decoded_in_one_pass() -> None:
    """The fields of a record of the tree come out under the names they are stored under."""
    head = decode_head(line(assistant("a1", "u1", [call("toolu_1", "Bash", command="ls")], apiBlockIndex=2)))

    assert ("assistant", "a1", "u1", 2) == (head.type, head.uuid, head.parentUuid, head.apiBlockIndex)
    assert head.message is not None
    assert isinstance(head.message.content, list)
    assert {"command": "ls"} == decoded(head.message.content[0].input)  # type: ignore[union-attr]


def test_absent_and_null_parents_differ() -> None:
    """A record without `parentUuid` says nothing; one with null says that it has no parent."""
    parents = [decode_head(text).parentUuid for text in (b'{"type":"user"}', b'{"type":"user","parentUuid":null}')]

    assert [UNSET, None] == parents


def test_a_head_is_passed_through() -> None:
    """What the fast decoder made is taken as it is."""
    head = Head(type="user")

    assert head is head_of(head)


@pytest.mark.parametrize(
    "field, wrong",
    [
        ("uuid", 5),
        ("parentUuid", ["u1"]),
        ("timestamp", {"at": 1}),
        ("isMeta", "yes"),
        ("apiBlockIndex", True),
        ("apiBlockIndex", "0"),
        ("costUSD", "0.1"),
        ("message", 7),
        ("origin", "human"),
        ("forkedFrom", []),
        ("attachment", "file"),
        ("data", 1),
        ("compactMetadata", "auto"),
        ("worktreeSession", "w"),
    ],
)
def test_a_field_of_another_type_is_left_out(field: str, wrong: object) -> None:
    """One field that does not fit costs that field, never the record."""
    head = head_of({"type": "user", "cwd": "/r", field: wrong})

    assert ("user", "/r") == (head.type, head.cwd)
    assert getattr(Head(), field) == getattr(head, field)


def test_a_null_field_stays_null() -> None:
    """An explicit null survives the slow way, for a null parent means something."""
    head = head_of({"type": "user", "parentUuid": None, "uuid": 5})

    assert head.parentUuid is None


def test_a_message_that_is_a_bare_string_is_its_content() -> None:
    """`message` may be a text."""
    head = head_of({"type": "user", "message": "error"})

    assert head.message is not None
    assert "error" == head.message.content


def test_blocks_of_unexpected_shape_are_left_out() -> None:
    """Of a list of blocks the texts and objects stay, each with the fields that fit."""
    blocks = ["bare", {"type": "text", "text": "a", "id": 5}, 7, None, [1]]
    head = head_of({"message": {"id": 3, "content": blocks}})

    assert head.message is not None
    assert isinstance(head.message.content, list)
    assert ["bare", "a"] == [item if isinstance(item, str) else item.text for item in head.message.content]
    assert 2 == len(head.message.content)


def test_counts_that_are_no_whole_numbers_are_left_out() -> None:
    """Tokens of another type are unknown, the others are kept."""
    head = head_of({"message": {"usage": {"input_tokens": "3", "output_tokens": 5, "cache_creation": [1]}}})

    assert head.message is not None
    assert UsageHead(output_tokens=5) == head.message.usage


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("value", ["Error: no", ["a", {"b": 1}], 3, 0.5, True, {"stdout": "x"}])
def test_a_tool_use_result_of_every_type_is_there(value: object, broken: bool) -> None:
    """That a result is recorded is known whatever JSON type it has, on the fast way and on the slow one."""
    record = {"type": "user", "toolUseResult": value}
    head = head_of(record | {"uuid": 5}) if broken else decode_head(line(record))

    assert is_there(head.toolUseResult)


def test_agent_and_run_of_a_result() -> None:
    """A result that is an object may name the agent or the workflow run that the call started."""
    head = decode_head(line({"toolUseResult": {"agentId": "a1", "runId": "r1", "usage": {}}}))

    assert Started("a1", "r1") == started_by(bytes(head.toolUseResult))


def test_a_damaged_part_counts_as_absent() -> None:
    """A part that was kept undecoded and proves unreadable is None."""
    assert [None, None, 1] == [decoded(Raw()), decoded(Raw(b"{")), decoded(Raw(b"1"))]


@pytest.mark.slow
@for_all(st.dictionaries(st.sampled_from(Head.__struct_fields__), JSON))
def test_any_object_has_a_head(value: dict[str, Any]) -> None:
    """No value of any field can keep a record from having a head."""
    assert isinstance(head_of(value), Head)


@pytest.mark.slow
@for_all(st.dictionaries(st.sampled_from(Head.__struct_fields__), JSON))
def test_both_ways_agree(value: dict[str, Any]) -> None:
    """What the fast decoder accepts, the slow way reads alike where no nested field was dropped."""
    try:
        fast = decode_head(line(value))
    except ValueError:
        return

    slow = head_of(value)

    assert (fast.type, fast.uuid, fast.parentUuid) == (slow.type, slow.uuid, slow.parentUuid)
    assert is_there(fast.toolUseResult) == is_there(slow.toolUseResult)
    assert (fast.message is None) == (slow.message is None)


def test_a_user_record_keeps_its_text() -> None:
    """The text of a prompt is part of its head."""
    head = decode_head(line(user("u1", None, [{"type": "text", "text": "Hello"}])))

    assert head.message is not None
    assert isinstance(head.message.content, list)
    assert "Hello" == head.message.content[0].text  # type: ignore[union-attr]
