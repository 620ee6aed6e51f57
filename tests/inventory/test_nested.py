"""Drift looks inside the objects of known records."""

from pathlib import Path
from typing import Any

import pytest
from command import answer
from make import UUID, home, line, user, write_transcript

SNAPSHOT = {"messageId": "u1", "trackedFileBackups": {"/home/ann/secret.py": {"version": 1}}, "timestamp": "x"}


def unknown(root: Path, *records: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return kind, type and field of everything that `drift` does not know in a transcript of some records."""
    write_transcript(home(root), "-p", UUID, [line(record) for record in records])
    return [(item["kind"], item["type"], item["field"]) for item in answer(root, "drift")["unknown"]]


@pytest.mark.parametrize(
    "record, expected",
    [
        (
            {"type": "file-history-snapshot", "messageId": "u1", "snapshot": SNAPSHOT | {"colour": "red"}},
            ("field", "file-history-snapshot.snapshot", "colour"),
        ),
        (
            user("u1") | {"message": {"role": "user", "content": "x", "colour": "red"}},
            ("field", "message", "colour"),
        ),
        (
            user("u1") | {"type": "attachment", "attachment": {"type": "prompt_as_file", "colour": "red"}},
            ("field", "attachment/prompt_as_file", "colour"),
        ),
        (user("u1") | {"origin": {"kind": "human", "colour": "red"}}, ("field", "user.origin", "colour")),
        (
            user("u1") | {"todos": [{"content": "x"}, {"colour": "red"}]},
            ("field", "user.todos[]", "colour"),
        ),
        (
            user("u1", content=[{"type": "tool_result", "content": [{"type": "hologram"}]}]),
            ("type", "block/hologram", None),
        ),
        (
            user("u1") | {"origin": {"kind": "human", "runId": {"inner": 1}}},
            ("type", "user.origin.runId", None),
        ),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_new_fields_inside_objects(tmp_path: Path, record: dict[str, Any], expected: tuple[str, str, str]) -> None:
    """A field that is new inside an object of a known record is reported with the path that leads to it."""
    assert expected in unknown(tmp_path, record)


def test_names_that_are_data_are_not_shown(tmp_path: Path) -> None:
    """The names of a map, such as paths of files, are no fields, and appear nowhere in the answer."""
    record = {"type": "file-history-snapshot", "messageId": "u1", "snapshot": SNAPSHOT, "isSnapshotUpdate": False}
    call = {"type": "tool_use", "id": "t1", "name": "X", "input": {"secret_name": {"deeper": 1}}}

    assert [] == unknown(tmp_path, record, user("u1", content=[call]))
    assert "secret" not in str(answer(tmp_path, "drift"))


def test_an_unknown_object_shows_plain_names_only(tmp_path: Path) -> None:
    """Of an object that nobody knows, names that are no plain words are counted together."""
    record = user("u1") | {"origin": {"kind": {"plain": 1, "/home/ann/secret.py": 2}}}
    unknown(tmp_path, record)
    found = next(item for item in answer(tmp_path, "drift")["types"] if item["type"] == "user.origin.kind")

    assert {"plain", "…"} == {field["name"] for field in found["fields"]}


def test_fields_of_2_1_326_are_known(tmp_path: Path) -> None:
    """Everything that 2.1.326 added, and that public transcripts hold, is known (formats.md, section 12)."""
    assistant = user("a1") | {"type": "assistant", "requestSessionId": UUID}
    assistant["message"] = {"role": "assistant", "content": [], "diagnostics": {"x": 1}, "context_management": {"y": 2}}
    system = user("s1") | {"type": "system", "subtype": "late_allow_not_run", "apiRefusalCategory": "x"}
    system |= {"fallbackModel": "x", "originalModel": "x", "refusedUserMessageUuid": "x", "direction": "x"}
    system |= {"pendingWorkflowCount": 1, "summary": "x", "apiRefusalExplanation": "x"}
    del system["message"]
    attached = {name: value for name, value in user("t1").items() if name != "message"} | {"type": "attachment"}
    attachments = [
        attached | {"attachment": {"type": name}}
        for name in ("plugin_note", "prompt_as_file", "whole_texts_withdrawn", "companion_intro")
    ]
    mode = attached | {"attachment": {"type": "auto_mode", "reminderType": "x"}}
    snapshot = {"type": "file-history-snapshot", "snapshot": SNAPSHOT | {"hasUntrackedChanges": True}}
    records = [assistant, system, *attachments, mode, snapshot, {"type": "late-allow-ended"}]
    records.append(user("u1") | {"classifierMetaLines": []})

    assert [] == unknown(tmp_path, *records)


def test_fields_of_2_1_328_are_known(tmp_path: Path) -> None:
    """Everything that a walk with 2.1.328 wrote, and the names that it has besides, is known."""
    metadata = {"trigger": "manual", "preCompactOrganizations": [], "preCompactOrganizationsCoverStart": False}
    boundary = user("s1") | {"type": "system", "subtype": "compact_boundary", "compactMetadata": metadata}
    del boundary["message"]
    resumed = {"type": "api-request-resumed", "sessionId": UUID, "requestHookChanged": {"record": "x", "what": []}}
    offer = {name: value for name, value in user("t1").items() if name != "message"} | {"type": "attachment"}
    offer["attachment"] = {"type": "tool_offer_record", "offered": [], "hidden": [], "withheld": []}

    assert [] == unknown(tmp_path, boundary, resumed, offer)
