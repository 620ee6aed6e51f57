"""Join: the records of a node into one message with its parts."""

import base64
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, assistant, bash, call, conversation, given, user

from backscroll.place import Place
from backscroll.sessions.message import Message, Part
from backscroll.sessions.reading.join import join_message
from backscroll.times import parse


def messages(directory: Path, *records: dict[str, Any] | bytes, agent: str | None = None) -> list[Message]:
    """Return every message of some records."""
    with conversation(directory, *records, is_agent=agent is not None) as read:
        return [join_message(node, read.tree, read, "S", agent) for node in read.tree.nodes]


def part(directory: Path, block: Any) -> Part:
    """Return the part that a content block becomes."""
    (message,) = messages(directory, assistant("a1", None, [block]))
    (found,) = message.parts
    return found


def test_a_split_answer_is_one_message(tmp_path: Path) -> None:
    """Four records of one API message are one message of four parts, its usage counted once."""
    draft = Draft(UUID).prompt("A").answer("Text", thinking="Hm", calls=[bash("a", "1"), bash("b", "2")])
    _, answer, *results = messages(tmp_path, *draft.lines())

    assert ["thinking", "text", "call", "call"] == [item.kind for item in answer.parts]
    assert ["tool", "tool"] == [item.role for item in results]
    assert answer.usage is not None
    assert 1 == answer.usage.messages


def test_an_interleaved_answer_is_one_message(tmp_path: Path) -> None:
    """Though results stand between its records, an answer is one message in the order of the API."""
    draft = Draft(UUID).prompt("A").answer("Text", calls=[bash("a", "1"), bash("b", "2")], interleaved=True)
    found = messages(tmp_path, *draft.lines())

    assert ["user", "assistant", "tool", "tool"] == [item.role for item in found]
    assert ["text", "call", "call"] == [item.kind for item in found[1].parts]


def test_parts_by_their_index(tmp_path: Path) -> None:
    """`apiBlockIndex` orders the parts of a message against the order of the file."""
    rows = [assistant(f"a{n}", None, text, api="msg_1", apiBlockIndex=n) for n, text in ((1, "second"), (0, "first"))]
    (answer,) = messages(tmp_path, *rows)

    assert ["first", "second"] == [item.text for item in answer.parts]


def test_who_and_where_a_message_is(tmp_path: Path) -> None:
    """A message says its ids, its time, its model, and where its first record lies."""
    first, second = user("u1"), assistant("a1", "u1", timestamp="2026-05-01T10:00:00.000Z")
    answer = messages(tmp_path, first, second)[1]

    assert ("a1", "u1", "S", "msg_a1", "claude-x", "main") == (
        answer.id,
        answer.parent,
        answer.session,
        answer.message_id,
        answer.model,
        answer.branch,
    )
    assert parse("2026-05-01T10:00:00.000Z") == answer.time
    assert (str(tmp_path / "records.jsonl"), 2) == (answer.place.path, answer.place.line)
    assert isinstance(answer.place, Place)


def test_a_message_has_the_time_of_its_first_record(tmp_path: Path) -> None:
    """The earliest of its records tells when a message was said."""
    rows = [assistant(f"a{n}", None, api="m", timestamp=f"2026-05-01T10:00:0{n}.000Z") for n in (2, 1)]
    (answer,) = messages(tmp_path, *rows)

    assert parse("2026-05-01T10:00:01.000Z") == answer.time


def test_progress_is_walked_through(tmp_path: Path) -> None:
    """The parent of a message is never a progress record."""
    progress = {"type": "progress", "uuid": "p1", "parentUuid": "u1"}
    found = messages(
        tmp_path, user("u1"), progress, {**progress, "uuid": "p2", "parentUuid": "p1"}, assistant("a1", "p2")
    )

    assert "u1" == found[3].parent


def test_the_greatest_output_is_shown(tmp_path: Path) -> None:
    """The usage of a message is that of its record with the greatest output, copies included, the later on a tie."""
    rows = [assistant(f"a{n}", None, api="msg_1", output=output) for n, output in enumerate((1, 9, 9))]
    rows[2]["message"]["usage"]["input_tokens"] = 7
    again = assistant("a0", None, api="msg_1", output=12)
    shown = [messages(tmp_path, *records)[0] for records in (rows, [*rows, again])]

    assert [(7, 9), (1, 12)] == [(item.usage.input, item.usage.output) for item in shown if item.usage]
    assert [0, 1] == [item.copies for item in shown]


def test_a_lower_bound_is_said(tmp_path: Path) -> None:
    """Of a version that wrote placeholders the output is a lower bound."""
    found = [messages(tmp_path, assistant("a1", version=version))[0].usage for version in ("2.0.33", "2.1.325")]

    assert [True, False] == [usage.lower_bound for usage in found if usage]


@pytest.mark.parametrize(
    "record, role, is_typed",
    [
        (user("u1"), "user", True),
        (user("u1", None, "x", promptSource="sdk"), "user", False),
        (user("u1", None, "<bash-input>ls</bash-input>"), "user", False),
        (user("u1", None, "<bash-stdout>a</bash-stdout>"), "system", False),
        (user("u1", None, [given("t1")]), "tool", False),
        (user("u1", None, "x", isMeta=True), "system", False),
        (user("u1", None, "x", isCompactSummary=True), "system", False),
        (assistant("a1"), "assistant", False),
        (assistant("a1", isApiErrorMessage=True), "system", False),
        ({"type": "system", "uuid": "s1", "content": "note"}, "system", False),
        ({"type": "attachment", "uuid": "t1", "attachment": {"type": "file"}}, "system", False),
        ({"type": "attachment", "uuid": "t1", "attachment": {"type": "queued_command", "prompt": "x"}}, "user", True),
        ({"type": "new", "uuid": "n1", "parentUuid": None}, "system", False),
    ],
)
def test_roles(tmp_path: Path, record: dict[str, Any], role: str, is_typed: bool) -> None:
    """Each record has one of four roles, and a prompt that a human typed says so."""
    (message,) = messages(tmp_path, record)

    assert (role, is_typed) == (message.role, message.is_typed)


def test_nobody_types_to_an_agent(tmp_path: Path) -> None:
    """What an agent is asked comes from its caller."""
    (message,) = messages(tmp_path, user("u1"), agent="a1")

    assert ("user", False, "a1") == (message.role, message.is_typed, message.agent)


@pytest.mark.parametrize(
    "content, parts",
    [
        ("Hello", [("text", "Hello", {})]),
        (["Hello"], [("text", "Hello", {})]),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], [("text", "a", {}), ("text", "b", {})]),
        (
            "<ide_selection>x</ide_selection>Why?",
            [("text", "<ide_selection>x</ide_selection>Why?", {"spoken": "Why?"})],
        ),
        ("<bash-input>ls</bash-input>", [("text", "<bash-input>ls</bash-input>", {"spoken": "!ls"})]),
        ([], []),
        (None, []),
        (5, []),
    ],
)
def test_parts_of_a_prompt(tmp_path: Path, content: Any, parts: list[tuple[str, str, dict[str, Any]]]) -> None:
    """A prompt is its text as stored, and beside it what a person would repeat where that differs."""
    (message,) = messages(tmp_path, user("u1", None, content))

    assert parts == [(item.kind, item.text, item.data) for item in message.parts]


def test_a_message_that_is_a_bare_string(tmp_path: Path) -> None:
    """`message` may be a text."""
    (message,) = messages(tmp_path, {"type": "user", "uuid": "u1", "message": "error"})

    assert [Part("text", "error")] == message.parts
    assert message.is_typed


def test_a_message_stored_as_single_characters(tmp_path: Path) -> None:
    """A text that was stored as one key for each character is put together again, in the order of the numbers."""
    letters = {str(number): letter for number, letter in enumerate("Hello world")}
    (message,) = messages(tmp_path, {"type": "user", "uuid": "u1", "message": dict(reversed(letters.items()))})

    assert ["Hello world"] == [item.text for item in message.parts]


def test_a_summary_is_a_summary(tmp_path: Path) -> None:
    """The text of a compaction's summary is a part of its own kind, as a string or as blocks."""
    found = messages(
        tmp_path,
        user("c1", None, "Short", isCompactSummary=True),
        user("c2", "c1", [{"type": "text", "text": "Short"}, {"type": "image"}], isCompactSummary=True),
    )

    assert [["summary"], ["summary", "image"]] == [[item.kind for item in message.parts] for message in found]


def test_a_queued_prompt_is_a_user_message(tmp_path: Path) -> None:
    """What was typed while the model worked is a message with its text and images."""
    prompt = [{"type": "text", "text": "Look"}, {"type": "image", "source": {"type": "base64", "data": "AAAA"}}]
    attachment = {"type": "queued_command", "prompt": prompt}
    (message,) = messages(tmp_path, {"type": "attachment", "uuid": "t1", "attachment": attachment})

    assert ("user", ["text", "image"]) == (message.role, [item.kind for item in message.parts])


def test_a_queued_image_alone(tmp_path: Path) -> None:
    """A queued prompt that is only an image has no empty text before it."""
    attachment = {"type": "queued_command", "prompt": [{"type": "image"}]}
    (message,) = messages(tmp_path, {"type": "attachment", "uuid": "t1", "attachment": attachment})

    assert ["image"] == [item.kind for item in message.parts]


@pytest.mark.parametrize("attachment", [{"type": "file", "filename": "a"}, "odd", None])
def test_other_attachments_are_kept_raw(tmp_path: Path, attachment: Any) -> None:
    """An attachment that is no prompt is kept as it is."""
    (message,) = messages(tmp_path, {"type": "attachment", "uuid": "t1", "attachment": attachment})

    assert ["other"] == [item.kind for item in message.parts]
    assert attachment == message.parts[0].data["raw"]


def test_a_system_record_keeps_its_own_fields(tmp_path: Path) -> None:
    """The text of a notice is its text; what is its alone is kept, what every record has is not."""
    record = {"type": "system", "uuid": "s1", "subtype": "turn_duration", "content": "x", "durationMs": 5, "cwd": "/r"}
    (message,) = messages(tmp_path, record)

    assert [Part("other", "x", {"type": "turn_duration", "raw": {"durationMs": 5}})] == message.parts


def test_a_boundary_says_why_and_at_what_size(tmp_path: Path) -> None:
    """A compaction's boundary carries trigger and tokens, or None where they are not recorded."""
    record = {"type": "system", "subtype": "compact_boundary", "uuid": "s1"}
    metadata = {"trigger": "auto", "preTokens": 155_000}
    found = messages(tmp_path, record | {"compactMetadata": metadata}, record | {"uuid": "s2"})

    assert [("auto", 155_000), (None, None)] == [
        (item.parts[0].data["trigger"], item.parts[0].data["tokens_before"]) for item in found
    ]


def test_results_carry_the_programs_own_data(tmp_path: Path) -> None:
    """Beside the text shown to the model stands what the program recorded."""
    (message,) = messages(
        tmp_path, user("u1", None, [given("t1", "ok", is_error=True)], toolUseResult={"stdout": "ok"})
    )

    assert [Part("result", "ok", {"id": "t1", "error": True, "detail": {"stdout": "ok"}})] == message.parts


@pytest.mark.parametrize(
    "block, expected",
    [
        ({"type": "text", "text": "a", "citations": []}, Part("text", "a")),
        ({"type": "text"}, Part("text", None)),
        ({"type": "thinking", "thinking": "", "signature": "s"}, Part("thinking", "")),
        ({"type": "redacted_thinking", "data": "x"}, Part("thinking", None, {"redacted": True})),
        (
            call("t1", "Bash", command="ls"),
            Part("call", None, {"id": "t1", "name": "Bash", "input": {"command": "ls"}}),
        ),
        (
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": "broken"},
            Part("call", None, {"id": "s1", "name": "web_search", "input": "broken"}),
        ),
        (given("t1", "ok"), Part("result", "ok", {"id": "t1", "error": False})),
        ({"type": "tool_result", "tool_use_id": "t1"}, Part("result", None, {"id": "t1", "error": False})),
        (
            given("t1", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            Part("result", "a\nb", {"id": "t1", "error": False}),
        ),
        (
            given("t1", [{"type": "tool_reference", "tool_name": "X"}]),
            Part(
                "result",
                None,
                {
                    "id": "t1",
                    "error": False,
                    "parts": [
                        {
                            "kind": "other",
                            "type": "tool_reference",
                            "raw": {"type": "tool_reference", "tool_name": "X"},
                        }
                    ],
                },
            ),
        ),
        (
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": {"error_code": "x"}},
            Part("result", None, {"id": "s1", "error": False, "raw": {"error_code": "x"}}),
        ),
        ("bare", Part("text", "bare")),
        (7, Part("other", None, {"type": "int", "raw": 7})),
        (
            {"type": "fallback", "text": "t"},
            Part("other", "t", {"type": "fallback", "raw": {"type": "fallback", "text": "t"}}),
        ),
        ({"type": 5}, Part("other", None, {"type": "block", "raw": {"type": 5}})),
    ],
)
def test_blocks_become_parts(tmp_path: Path, block: Any, expected: Part) -> None:
    """Every kind of block has its part, unknown ones are kept raw."""
    assert expected == part(tmp_path, block)


@pytest.mark.parametrize(
    "source, text, data",
    [
        (
            {"type": "base64", "media_type": "image/png", "data": base64.b64encode(b"x" * 30).decode()},
            None,
            {"media_type": "image/png", "source": "base64", "bytes": 30},
        ),
        ({"type": "url", "url": "https://example.com/a"}, "https://example.com/a", {"source": "url"}),
        (
            {"type": "text", "media_type": "text/plain", "data": "é"},
            "é",
            {"media_type": "text/plain", "source": "text", "bytes": 2},
        ),
        ("odd", None, {}),
    ],
)
def test_images_and_documents_are_named_not_loaded(
    tmp_path: Path, source: Any, text: str | None, data: dict[str, Any]
) -> None:
    """Of an image or document its type and size are told; its bytes stay in the transcript."""
    assert Part("image", text, data) == part(tmp_path, {"type": "image", "source": source})
    document = {"type": "document", "source": source, "title": "T"}
    assert Part("document", text, data | {"title": "T"}) == part(tmp_path, document)


def test_a_record_that_changed_meanwhile(tmp_path: Path) -> None:
    """A record that can no longer be read is a message without parts."""
    path = tmp_path / "records.jsonl"
    with conversation(tmp_path, user("u1"), user("u2", "u1")) as read:
        node = read.tree.nodes[1]
        path.write_bytes(b"x" * path.stat().st_size)

        assert [] == [item for item in join_message(node, read.tree, read, "S", None).parts if item.text]
