"""The JSON contract: keys, order, streaming, and values that JSON cannot carry."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from views import samples

from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Result
from backscroll.sessions.session import Usage
from backscroll.views.json import sessions as view

SESSION = [
    "id",
    "title",
    "project",
    "cwd",
    "stores",
    "state",
    "started",
    "updated",
    "messages",
    "calls",
    "agents",
    "branches",
    "compactions",
    "damage",
    "model",
    "models",
    "usage",
    "branch",
    "version",
    "account",
    "rows",
    "parent",
    "transcripts",
    "expires",
]
MESSAGE = ["id", "parent", "session", "role", "time", "model", "agent", "branch", "parts", "usage", "place"]
CALL = ["id", "name", "input", "result", "session", "message", "agent", "started", "finished"]
USAGE = ["input", "output", "cache_write", "cache_read", "cost"]
NODE = ["id", "parent", "kind", "label", "messages"]
STORE = ["kind", "path", "files", "bytes", "sessions", "damage"]


def parsed(pieces: Iterator[str]) -> Any:
    """Return a document, read by a strict reader."""
    return json.loads("".join(pieces).encode().decode(), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "keys, value",
    [
        (SESSION, view.object_of(samples.session())),
        (MESSAGE, view.object_of(samples.message("user", "hi"))),
        (CALL, view.object_of(samples.call())),
        (["text", "error", "data"], view.object_of(Result("ok", error=False))),
        (USAGE, view.object_of(Usage())),
        (NODE, view.object_of(samples.node("n", None, "branch"))),
        (STORE, view.object_of(samples.store())),
        (["place", "reason"], view.object_of(samples.damage())),
        (["path", "line", "offset", "length"], view.object_of(samples.damage().place)),
    ],
    ids=["session", "message", "call", "result", "usage", "node", "store", "damage", "place"],
)
def test_keys_are_those_of_the_contract_in_its_order(keys: list[str], value: dict[str, Any]) -> None:
    """The contract's keys come first and in order; keys added since follow."""
    assert keys == list(value)[: len(keys)]


def test_every_field_of_the_model_is_a_key() -> None:
    """Nothing that the model knows is missing from JSON."""
    values: list[tuple[Any, dict[str, Any]]] = [
        (samples.session(), view.object_of(samples.session())),
        (samples.message("user"), view.object_of(samples.message("user"))),
        (samples.call(), view.object_of(samples.call())),
        (samples.agent(), view.object_of(samples.agent())),
        (samples.branch(), view.object_of(samples.branch())),
        (Usage(), view.object_of(Usage())),
    ]

    assert [set(value.__match_args__) for value, _ in values] == [set(found) for _, found in values]


def test_documents_have_the_keys_of_the_contract() -> None:
    """Each command's document has its own keys, empty or not."""
    transcript = samples.transcript([samples.message("user", "hi")], notes=[samples.note()])
    session = samples.session()
    answers = {
        "overview": view.overview_document([samples.store()], 1, [session], []),
        "stores": view.stores_document([]),
        "list": view.list_document(1, [session]),
        "show": view.show_document(transcript),
        "tree": view.tree_document(session, [samples.node("s", None, "session")]),
        "calls": view.calls_document([samples.call()]),
    }

    assert {
        "overview": ["stores", "sessions", "latest", "expiring"],
        "stores": ["stores", "looked"],
        "list": ["total", "sessions"],
        "show": ["session", "branches", "messages", "damage", "notes"],
        "tree": ["session", "nodes"],
        "calls": ["calls", "total"],
    } == {name: list(parsed(pieces)) for name, pieces in answers.items()}


def test_list_with_agents_has_them_by_session() -> None:
    """`list --agents` adds the agents of each session."""
    document = parsed(view.list_document(1, [samples.session()], {samples.ID: [samples.agent()]}))

    assert "find all callers" == document["agents"][samples.ID][0]["description"]


def test_times_are_utc_with_milliseconds() -> None:
    """Times are ISO 8601 with milliseconds and Z; what is unknown is null."""
    found = view.object_of(samples.session(started=None))

    assert (None, "2026-05-03T11:30:00.000Z") == (found["started"], found["updated"])


def test_the_data_of_a_part_is_flattened() -> None:
    """A part is its kind, its text and then what else its kind has."""
    part = Part("call", None, {"id": "toolu_1", "name": "Bash", "input": {"command": "ls"}, "kind": "no"})

    assert {"kind": "call", "text": None, "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}} == (
        view.part_object(part)
    )


def test_show_begins_before_its_messages_end() -> None:
    """Ten thousand messages are written as they are read."""
    read = 0

    def messages() -> Iterator[Message]:
        nonlocal read
        for read in range(1, 10_001):
            yield samples.message("user", f"message {read}")

    pieces = view.show_document(samples.transcript(messages()))
    first = [next(pieces) for _ in range(4)]

    assert "message 1" in first[-1]
    assert read < 5
    assert 10_000 == len(json.loads("".join(first) + "".join(pieces))["messages"])


def test_calls_begin_before_they_end() -> None:
    """Calls are written as they are read, their number at the end."""
    read = 0

    def calls() -> Iterator[Any]:
        nonlocal read
        while read < 1000:
            read += 1
            yield samples.call()

    pieces = view.calls_document(calls())
    first = [next(pieces) for _ in range(3)]

    assert read < 5
    assert 1000 == json.loads("".join(first) + "".join(pieces))["total"]


def test_json_lines_are_one_object_a_line() -> None:
    """Line feeds in texts stay inside their line."""
    lines = "".join(view.lines([{"a": "x\ny"}, {"a": "\u2028"}]))

    assert [{"a": "x\ny"}, {"a": "\u2028"}] == [json.loads(line) for line in lines.splitlines()]


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_hostile_text_is_safe_and_lossless(text: str) -> None:
    """No control or direction mark is written raw, and all but broken surrogates come back as they were."""
    written = view.dumps({"text": text})
    visible = text.replace("\udcff", "\\xff").replace("\udcfe", "\\xfe").replace("\ud83d", "\\ud83d")

    assert not set(written) & set("\x1b\x07\x7f\x85\x9b\r\u202e\u200b\u2066\U000e0041")
    assert visible == json.loads(written.encode())["text"]


def test_values_that_json_cannot_carry_are_tamed() -> None:
    """NaN is null, endless depth ends, a number too long to print is kept as text."""
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    found = json.loads(view.dumps({"nan": float("nan"), "deep": deep, "long": 10**6000, "raw": b"\xff"}))

    assert found["nan"] is None
    assert found["long"].startswith("0x")
    assert "\\xff" == found["raw"]
