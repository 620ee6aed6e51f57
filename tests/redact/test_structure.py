"""Structure: records go out by lists of allowed fields, with their ids and without secrets."""

import base64
import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll.redact import KnownIdentities, Redactor, StructureRedactor, load_rules, shipped_fields
from backscroll.redact.structure import dump_json

KEY = "AKIA" + "FAKE" * 4
UUID = "11111111-2222-4333-8444-555555555555"
KNOWN = KnownIdentities(homes=("/home/nora",), users=("nora",))


def redactor(also: frozenset[str] = frozenset()) -> StructureRedactor:
    """Return a redactor that knows one user."""
    return StructureRedactor(Redactor(known=KNOWN), also)


def record(**fields: Any) -> dict[str, Any]:
    """Return a record with ids."""
    return {"type": "user", "uuid": UUID, "parentUuid": None, "sessionId": UUID, "cwd": "/home/nora/x", **fields}


def message(*parts: Any) -> dict[str, Any]:
    """Return a record with a message of some parts."""
    return record(message={"role": "user", "id": "msg_01Fake", "content": list(parts)})


def parts_of(value: dict[str, Any]) -> Any:
    """Return the parts of the redacted message."""
    return redactor().redact(value, "record")["message"]["content"]


def test_record_keeps_its_ids() -> None:
    """Ids, type and time stay; home and secrets are replaced."""
    redacted = redactor().redact(record(timestamp="2026-11-18T10:00:00.000Z", summary=f"key {KEY}"), "record")

    assert (UUID, None, UUID, "user") == tuple(redacted[name] for name in ("uuid", "parentUuid", "sessionId", "type"))
    assert "2026-11-18T10:00:00.000Z" == redacted["timestamp"]
    assert ("⟨home⟩/x", "key ⟨aws-key-1⟩") == (redacted["cwd"], redacted["summary"])


@pytest.mark.parametrize("kind", ["record", "message", "attachment", "row", "manifest"])
def test_unknown_field_is_dropped(kind: str) -> None:
    """A field that no list names does not go out."""
    assert {"type": "file"} == redactor().redact({"type": "file", "brandNew": "x"}, kind) | {"type": "file"}


@pytest.mark.parametrize(
    "name", ["systemPrompt", "mcpServers", "emailAddress", "accountName", "remoteMcpServersConfig", "accountUuid"]
)
@pytest.mark.parametrize("kind", ["record", "row", "manifest"])
def test_private_field_never_leaves(kind: str, name: str) -> None:
    """Prompts of the system, configurations and names of the account stand in no list."""
    assert not any(name in fields.allowed for fields in shipped_fields().lists.values())
    assert {} == redactor().redact({name: "x"}, kind)


@pytest.mark.parametrize("kind", ["environment", "session_context", "prompt_snapshot", "mcp_instructions_delta", "new"])
def test_private_attachment_keeps_its_type_only(kind: str) -> None:
    """Environments, contexts and snapshots of prompts lose all but their type."""
    redacted = redactor().redact(record(attachment={"type": kind, "content": "x", "snapshot": {"a": "b"}}), "record")

    assert {"type": kind} == redacted["attachment"]


def test_attachment_of_an_allowed_kind_goes_out() -> None:
    """A file that the user attached goes out, redacted."""
    attachment = {"type": "file", "filename": "/home/nora/x", "content": KEY}
    redacted = redactor().redact(record(attachment=attachment), "record")

    assert {"type": "file", "filename": "⟨home⟩/x", "content": "⟨aws-key-1⟩"} == redacted["attachment"]


def test_named_field_goes_out_redacted() -> None:
    """A field that the caller names goes out, but not its secrets."""
    assert {"systemPrompt": "⟨aws-key-1⟩"} == redactor(frozenset({"systemPrompt"})).redact({"systemPrompt": KEY}, "row")


def test_secret_over_two_parts_of_a_message() -> None:
    """Text is read over the message as a whole."""
    texts = parts_of(message({"type": "text", "text": f"see {KEY[:9]}"}, {"type": "text", "text": f"{KEY[9:]} there"}))

    assert ["see ⟨aws-key-1⟩", "⟨aws-key-1⟩ there"] == [part["text"] for part in texts]


def test_call_and_result_keep_their_link() -> None:
    """A call keeps its id, its input is redacted in every depth, and the result names the same call."""
    call = {
        "type": "tool_use",
        "id": "toolu_01Fake",
        "name": "Bash",
        "input": {"command": f"export K={KEY}", "n": [KEY, 1]},
    }
    result = {"type": "tool_result", "tool_use_id": "toolu_01Fake", "content": [{"type": "text", "text": KEY}]}
    first, second = parts_of(message(call, result))

    assert ("toolu_01Fake", "toolu_01Fake") == (first["id"], second["tool_use_id"])
    assert {"command": "export K=⟨aws-key-1⟩", "n": ["⟨aws-key-1⟩", 1]} == first["input"]
    assert [{"type": "text", "text": "⟨aws-key-1⟩"}] == second["content"]


def test_id_field_with_a_secret_is_redacted() -> None:
    """A secret does not escape by standing in the field of an id."""
    assert "⟨aws-key-1⟩" == redactor().redact(record(uuid=KEY), "record")["uuid"]


def test_field_called_password_hides_its_value() -> None:
    """The name of a field is context: its value is a secret as a whole."""
    (part,) = parts_of(
        message({"type": "tool_use", "id": "toolu_1", "name": "x", "input": {"password": "two words 1"}})
    )

    assert {"password": "⟨secret-1⟩"} == part["input"]


def test_keys_of_objects_are_redacted() -> None:
    """A path or secret may be the key of an object."""
    assert {"⟨home⟩/x": 1, "plain": 2} == redactor().redact_value({"/home/nora/x": 1, "plain": 2})


def test_image_survives_unbroken() -> None:
    """The bytes of an image are not searched."""
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    assert [image] == parts_of(message(image))


@pytest.mark.parametrize(
    "secret", [KEY, "IQoJb3JpZ2lu" + "Fa/3" * 40, "EAA" + "Fak3" * 40, "sk-ant-oat01-" + "Fak3" * 30]
)
@pytest.mark.parametrize("name", ["data", "signature"])
def test_token_does_not_pass_as_an_image(name: str, secret: str) -> None:
    """A token that consists of base64 digits is redacted in the fields of images and signatures too."""
    assert secret not in redactor().redact(record(data={name: secret}), "record")["data"][name]


def test_document_in_base64_is_searched() -> None:
    """A text document in base64 is decoded, and loses its data if it holds a secret."""
    data = base64.b64encode(f"notes about a key: {KEY}".encode()).decode()
    (part,) = parts_of(message({"type": "document", "source": {"type": "base64", "data": data}}))

    assert "⟨aws-key-1⟩" == part["source"]["data"]


def test_line_stays_valid_json() -> None:
    """A line of a transcript is one line of JSON again, with its line end."""
    line = json.dumps(record(summary=f'say "{KEY}"\nagain {KEY}')).encode() + b"\r\n"
    redacted = redactor().redact_line(line)

    assert redacted.endswith(b"}\r\n")
    assert 'say "⟨aws-key-1⟩"\nagain ⟨aws-key-1⟩' == orjson.loads(redacted)["summary"]


def test_torn_line_is_redacted_as_text() -> None:
    """A line that is not JSON is kept as text, without its secrets."""
    assert b'{"type":"user","x":"\xe2\x9f\xa8aws-key-1\xe2\x9f\xa9' == redactor().redact_line(
        b'{"type":"user","x":"' + KEY.encode()
    )


@pytest.mark.parametrize("depth", [300, 900])
def test_deeply_nested_line_stays_json(depth: int) -> None:
    """A line that is nested too deeply to walk is redacted as text, and is still JSON."""
    line = b'{"type":"x","data":' + b"[" * depth + b'"' + KEY.encode() + b'"' + b"]" * depth + b"}"
    redacted = redactor().redact_line(line)

    assert KEY.encode() not in redacted
    assert orjson.loads(redacted)["type"] == "x"


GREEDY = """
[[rule]]
name = "greedy"
family = "fake"
literals = ["greedy"]
pattern = 'greedy[^.]*'
matches = ["greedy a", "greedy b"]
ignores = ["a", "b"]
"""


def test_line_that_a_rule_breaks_becomes_null() -> None:
    """If redacting a deeply nested line as text breaks the JSON, the line goes out empty."""
    structure = StructureRedactor(Redactor(load_rules(GREEDY, "redact.toml")))

    assert b"null\n" == structure.redact_line(b"[" * 900 + b'"greedy"' + b"]" * 900 + b"\n")


def test_half_surrogates_are_written_as_escapes() -> None:
    """Text that is no valid Unicode is still written as JSON."""
    assert b'"\\ud83d"' == dump_json("\ud83d")


def test_value_that_is_no_object_is_redacted() -> None:
    """A record may be a bare text or list."""
    assert ["⟨aws-key-1⟩", 1, None] == redactor().redact([KEY, 1, None], "record")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20) | st.just(KEY),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
def test_any_value_keeps_its_shape(value: Any) -> None:
    """Any JSON value comes back with the same shape, without the secret; a second time changes nothing."""
    structure = redactor()
    once = structure.redact_value(value)

    assert KEY not in json.dumps(once)
    assert type(value) is type(once)
    assert once == structure.redact_value(once)


def test_a_secret_is_no_name_of_a_field() -> None:
    """A short name of a field that is a key or a user is replaced; ordinary names stay."""
    redacted = redactor().redact_value({"input": {KEY: 1, "nora": 2, "file_path": 3}, "again": {KEY: 4}})

    assert {"input": {"⟨aws-key-1⟩": 1, "⟨user⟩": 2, "file_path": 3}, "again": {"⟨aws-key-1⟩": 4}} == redacted


@pytest.mark.parametrize("name", ["title", "lastPrompt", "aiTitle"])
def test_half_a_secret_at_the_end_of_a_cut_title_goes(name: str) -> None:
    """No rule knows half a secret, so the word at which a program cut goes."""
    half = "ghp_" + "Fak3" * 4

    assert {name: "Deploy with …"} == redactor().redact_value({name: f"Deploy with {half}…"})
    assert {name: f"Deploy with {half}"} == redactor().redact_value({name: f"Deploy with {half}"})
