"""Rows: each record of the tree as a light entry, with its kind, its calls and its place."""

from pathlib import Path
from typing import Any

import pytest
from make import assistant, call, given, line, user

from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.conversation import read_conversation
from backscroll.sessions.transcript.facts import Facts, queued_text
from backscroll.sessions.transcript.fingerprint import text_key
from backscroll.sessions.transcript.rows import (
    ASSISTANT,
    ATTACHMENT,
    BOUNDARY,
    OTHER,
    PROGRESS,
    QUEUED,
    SYNTHETIC,
    SYSTEM,
    Row,
    rows_of,
)
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.token_counts import LARGEST_COUNT


def written(directory: Path, *records: dict[str, Any]) -> str:
    """Write records, and return the path of their file."""
    path = directory / "r.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    return str(path)


def read(directory: Path, *records: dict[str, Any]) -> list[Row]:
    """Write records and read them as rows."""
    with TranscriptSource(written(directory, *records)) as source:
        return [row for _, _, row in rows_of(source.heads(), 0, Facts()) if row is not None]


def row(directory: Path, record: dict[str, Any]) -> Row:
    """Return the row of one record."""
    return read(directory, record)[0]


def queued(prompt: Any, **fields: Any) -> dict[str, Any]:
    """Return a queued prompt."""
    attachment = {"type": "queued_command", "prompt": prompt, **fields}
    return {"type": "attachment", "uuid": "t1", "parentUuid": "u1", "attachment": attachment}


@pytest.mark.parametrize(
    "record, kind",
    [
        (user("u1"), prompts.TYPED),
        (user("u1", None, [given("toolu_1")]), prompts.RESULTS),
        (user("u1", None, "x", isMeta=True), prompts.META),
        (user("u1", None, "x", isCompactSummary=True), prompts.SUMMARY),
        (user("u1", None, "<bash-input>ls</bash-input>"), prompts.COMMAND),
        (user("u1", None, [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}]), prompts.TYPED),
        (user("u1", None, ["bare text"]), prompts.TYPED),
        (user("u1", None, []), prompts.PROMPT),
        (user("u1", None, None), prompts.PROMPT),
        ({"type": "user", "uuid": "u1"}, prompts.PROMPT),
        ({"type": "user", "uuid": "u1", "message": "error"}, prompts.TYPED),
        ({"type": "user", "uuid": "u1", "message": {"0": "H", "1": "i"}}, prompts.PROMPT),
        (assistant("a1"), ASSISTANT),
        ({"type": "assistant", "uuid": "a1"}, ASSISTANT),
        (assistant("a1", isApiErrorMessage=True), SYNTHETIC),
        ({"type": "assistant", "uuid": "a1", "message": {"model": "<synthetic>"}}, SYNTHETIC),
        ({"type": "system", "uuid": "s1", "subtype": "compact_boundary"}, BOUNDARY),
        ({"type": "system", "uuid": "s1", "subtype": "turn_duration"}, SYSTEM),
        ({"type": "attachment", "uuid": "t1", "attachment": {"type": "file"}}, ATTACHMENT),
        ({"type": "attachment", "uuid": "t1"}, ATTACHMENT),
        ({"type": "progress", "uuid": "p1", "data": {"type": "hook_progress"}}, PROGRESS),
        ({"type": "from the future", "uuid": "x1", "parentUuid": None}, OTHER),
        (queued("also this"), QUEUED),
        (queued("also this", commandMode="prompt"), QUEUED),
        (queued("ls", commandMode="bash"), QUEUED),
        (queued("note", commandMode="task-notification"), ATTACHMENT),
        (queued("note", origin={"kind": "peer"}), ATTACHMENT),
        (queued("mine", origin={"kind": "human"}), QUEUED),
    ],
)
def test_kinds(tmp_path: Path, record: dict[str, Any], kind: str) -> None:
    """Every record of the tree has a kind, unknown types too."""
    assert kind == row(tmp_path, record).kind


@pytest.mark.parametrize("result", ["Error: no", [{"type": "text"}], {"stdout": ""}, 3, True])
def test_a_tool_use_result_alone_makes_a_result(tmp_path: Path, result: Any) -> None:
    """A record with `toolUseResult` carries a result, though its content holds no such part."""
    assert prompts.RESULTS == row(tmp_path, user("u1", None, "text", toolUseResult=result)).kind


def test_a_null_tool_use_result_is_none(tmp_path: Path) -> None:
    """A prompt whose `toolUseResult` is null is a prompt."""
    assert prompts.TYPED == row(tmp_path, user("u1", None, "text", toolUseResult=None)).kind


def test_a_record_outside_the_tree_is_no_row(tmp_path: Path) -> None:
    """Metadata is stated among the facts, and an unknown type without parent stands beside the tree."""
    records = [{"type": "mode", "mode": "normal"}, {"type": "new", "uuid": "x"}, {"silly": "this"}]
    with read_conversation([written(tmp_path, *records)]) as conversation:
        assert ([], []) == (read(tmp_path, *records), conversation.tree.nodes)
        assert ["new", ""] == [aside.type for aside in conversation.facts.asides.values()]


def test_calls_and_results_of_a_record(tmp_path: Path) -> None:
    """Calls are known by id and name, results by the id of their call, in one record or over two."""
    answer = row(tmp_path, assistant("a1", None, [call("toolu_1"), call("toolu_2", "Read")]))
    results = row(tmp_path, user("u2", "a1", [given("toolu_1"), given("toolu_2")]))

    assert (("toolu_1", "Bash"), ("toolu_2", "Read")) == answer.calls
    assert ("toolu_1", "toolu_2") == results.results


def test_server_tools_call_and_answer_in_one_message(tmp_path: Path) -> None:
    """A server tool's result stands in the message that calls it."""
    parts = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
        {"type": "mcp_tool_use", "id": "mcp_1", "name": "ask", "input": {}},
    ]
    found = row(tmp_path, assistant("a1", None, parts))

    assert (("srv_1", "web_search"), ("mcp_1", "ask")) == found.calls
    assert ("srv_1",) == found.results


def test_a_call_without_id_or_name_still_counts(tmp_path: Path) -> None:
    """A nameless call gets a name from its place."""
    found = row(tmp_path, assistant("a1", None, [{"type": "text"}, {"type": "tool_use"}]))

    assert (("a1#1", "?"),) == found.calls


def test_a_row_without_uuid_is_named_by_its_line(tmp_path: Path) -> None:
    """The place of a record stands in for the id it lacks."""
    found = read(tmp_path, user("u1"), {"type": "user", "message": {"content": "x"}})

    assert ["u1", "line-2"] == [item.id for item in found]


def test_places_lead_back_to_the_record(tmp_path: Path) -> None:
    """Line, offset and length of a row are those of its bytes."""
    records = [line(user("u1")), b"\n", line(assistant("a1", "u1"))]
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(records))
    with TranscriptSource(str(path)) as source:
        found = [row for _, _, row in rows_of(source.heads(), 0, Facts()) if row is not None][1]

        assert records[2].rstrip() == source.read(found.offset, found.length)
        assert 3 == found.line


def test_the_label_is_what_was_said(tmp_path: Path) -> None:
    """A prompt is labelled as a person would repeat it, an answer by its text, a result not at all."""
    labels = [
        row(tmp_path, user("u1", None, "<ide_selection>x</ide_selection> Why?")).label,
        row(tmp_path, assistant("a1", None, "Because.")).label,
        row(tmp_path, assistant("a1", None, [call("toolu_1")])).label,
        row(tmp_path, user("u1", None, [given("toolu_1")])).label,
        row(tmp_path, queued([{"type": "text", "text": "and this"}])).label,
        row(tmp_path, user("u1", None, "x" * 1000)).label,
    ]

    assert ["Why?", "Because.", None, None, "and this", "x" * 300] == labels


def test_a_boundary_follows_its_logical_parent(tmp_path: Path) -> None:
    """A compaction's boundary has no parent, but names the record before it; that is its place in the tree."""
    boundary = {"type": "system", "uuid": "s1", "parentUuid": None, "subtype": "compact_boundary"}
    found = row(tmp_path, boundary | {"logicalParentUuid": "a9"})

    assert ("a9", False) == (found.parent, found.is_root)


@pytest.mark.parametrize(
    "version, cost, is_lower_bound",
    [
        ("2.0.33", None, True),
        ("2.1.96", None, True),
        ("2.1.97", None, False),
        ("2.1.325", None, False),
        ("3.0", None, False),
        (None, None, True),
        ("dev", None, True),
        ("1.0.0", 0.01, False),
        ("1.0.0", None, True),
    ],
)
def test_placeholders_are_lower_bounds(
    tmp_path: Path, version: str | None, cost: float | None, is_lower_bound: bool
) -> None:
    """Until 2.1.97 outputs were written before they were known, but for 1.0.0, which also wrote the cost."""
    tokens = row(tmp_path, assistant("a1", version=version, costUSD=cost)).tokens

    assert tokens is not None
    assert is_lower_bound is tokens.is_lower_bound


def test_tokens_of_a_record(tmp_path: Path) -> None:
    """All counts are read; the split of cache writes by life time is not added to them."""
    record = assistant("a1")
    record["message"]["usage"] = {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 4,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
    }

    tokens = row(tmp_path, record).tokens

    assert tokens is not None
    assert (1, 2, 30, 4, 10, 20, False, None) == tokens[:8]


def test_the_length_of_a_prompt_includes_the_cache(tmp_path: Path) -> None:
    """A prompt is as long as its new, its cached and its newly cached tokens together."""
    record = assistant("a1")
    counts = {"input_tokens": 3, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 9}
    record["message"]["usage"] = {"output_tokens": 2, **counts}

    tokens = row(tmp_path, record).tokens

    assert tokens is not None
    assert 17 == tokens.context


def test_context_of_unknown_counts(tmp_path: Path) -> None:
    """A missing count adds nothing to the length of a prompt."""
    record = assistant("a1")
    record["message"]["usage"] = {"output_tokens": 2, "cache_read_input_tokens": 9}
    tokens = row(tmp_path, record).tokens

    assert tokens is not None
    assert 9 == tokens.context


@pytest.mark.parametrize("count", [-1, LARGEST_COUNT + 1])
def test_impossible_counts_are_unknown(tmp_path: Path, count: int) -> None:
    """A negative or absurd number of tokens is not believed."""
    tokens = row(tmp_path, assistant("a1", output=count)).tokens

    assert tokens is not None
    assert tokens.output is None


def test_synthetic_messages_spend_nothing(tmp_path: Path) -> None:
    """An error that the program wrote in the model's place has neither model nor usage."""
    found = row(tmp_path, assistant("a1", isApiErrorMessage=True))

    assert (None, None) == (found.model, found.tokens)


def test_nothing_but_assistant_records_spends(tmp_path: Path) -> None:
    """Copies of messages in progress records, request blobs, results and cost states are no usage."""
    message = assistant("a1")["message"]
    found = read(
        tmp_path,
        {"type": "progress", "uuid": "p1", "data": {"type": "agent_progress", "message": {"message": message}}},
        {"type": "api-request-blob", "hash": "ab", "message": message},
        {"type": "cost-state", "modelUsage": {"claude-x": {"outputTokens": 5}}},
        user("u1", None, [given("toolu_1")], toolUseResult={"usage": {"output_tokens": 5}, "totalTokens": 9}),
    )

    assert [PROGRESS, prompts.RESULTS] == [item.kind for item in found]
    assert [None, None] == [item.tokens for item in found]


def test_equal_texts_have_equal_keys() -> None:
    """Texts are known again by a key that outer white space does not change, and that takes any text."""
    assert text_key("Do it") == text_key(" Do it\n")
    assert text_key("Do it") != text_key("do it")
    assert 8 == len(text_key("\ud83d"))


@pytest.mark.parametrize(
    "prompt, expected",
    [
        ("text", "text"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], "a\nb"),
        ({"odd": 1}, ""),
        (None, ""),
        (["bare", {"type": "text", "text": "a"}], "bare\na"),
    ],
)
def test_texts_of_queued_prompts(prompt: object, expected: str) -> None:
    """A queued prompt is a string or a list of parts."""
    assert expected == queued_text(prompt)


@pytest.mark.parametrize("parent", ["0" * 36, "f" * 36])
def test_a_request_of_another_session_names_the_original(tmp_path: Path, parent: str) -> None:
    """A record whose request another session made is a copy, whichever id comes first in the alphabet."""
    own = "5" * 36
    (copied,) = read(tmp_path, assistant("a1") | {"sessionId": own, "requestSessionId": parent})
    (said,) = read(tmp_path, assistant("a1") | {"sessionId": own, "requestSessionId": own})

    assert copied.copied_from is not None
    assert parent == copied.copied_from.sessionId
    assert said.copied_from is None
