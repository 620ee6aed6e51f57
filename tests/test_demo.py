"""The builder writes what the real program writes, and the demo home is whole, deterministic and careful."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, bash, edit, found, home, line, read, write_demo_home

from backscroll.errors import RefusedError
from backscroll.formats.json import lines as jsonl
from backscroll.records import Damage

NOW = datetime(2026, 11, 15, 18, tzinfo=UTC)
OTHER = "22222222-2222-4222-8222-222222222222"


def rows(draft: Draft, kind: str | None = None) -> list[dict[str, Any]]:
    """Return the records of a draft, or those of one type."""
    records = [json.loads(line) for line in draft.lines()]
    return [record for record in records if kind is None or record["type"] == kind]


def test_the_same_calls_give_the_same_bytes() -> None:
    """Nothing in a draft is random or read from the clock."""
    texts = {Draft(UUID).prompt("Hello").answer("Hi.", calls=[bash("ls", "a")]).text() for _ in range(3)}

    assert len(texts) == 1


def test_one_api_message_in_several_records() -> None:
    """Each part of an answer has a record of its own, with the message's id, request and usage."""
    answers = rows(
        Draft(UUID).prompt("Hi").answer("Text", thinking="Hm", calls=[bash("a", ""), bash("b", "")]), "assistant"
    )

    assert [row["message"]["content"][0]["type"] for row in answers] == ["thinking", "text", "tool_use", "tool_use"]
    assert len({(row["message"]["id"], row["requestId"], json.dumps(row["message"]["usage"])) for row in answers}) == 1
    assert [row["apiBlockIndex"] for row in answers] == [0, 1, 2, 3]
    assert all(second["parentUuid"] == first["uuid"] for first, second in pairwise(answers))


def test_one_record_for_all_parts_in_1_0_0() -> None:
    """The oldest versions wrote a message in one record, without a request id."""
    (answer,) = rows(Draft(UUID, version="1.0.0").prompt("Hi").answer("Text", thinking="Hm"), "assistant")

    assert [part["type"] for part in answer["message"]["content"]] == ["thinking", "text"]
    assert "requestId" not in answer


def test_parallel_results_hang_on_their_calls() -> None:
    """Since 2.0.77 each result is a child of its own call; before, results followed one another."""
    for version, is_own in (("2.1.325", True), ("2.0.60", False)):
        draft = Draft(UUID, version=version).prompt("Hi").answer(calls=[bash("a", "1"), bash("b", "2")])
        call, result = rows(draft, "assistant")[0], rows(draft, "user")[1]

        assert (result["parentUuid"] == call["uuid"]) is is_own


def test_interleaved_results() -> None:
    """A result may stand between two records of one message."""
    draft = Draft(UUID).prompt("Hi").answer(calls=[bash("a", "1"), bash("b", "2")], interleaved=True)

    kinds = [row["type"] for row in rows(draft) if "uuid" in row]
    assert kinds == ["user", "assistant", "user", "assistant", "user"]
    assert len({row["message"]["id"] for row in rows(draft, "assistant")}) == 1


@pytest.mark.parametrize(
    "version, is_placeholder", [("1.0.0", False), ("2.0.60", True), ("2.1.88", True), ("2.1.112", False)]
)
def test_usage_as_versions_recorded_it(version: str, is_placeholder: bool) -> None:
    """Until 2.1.97 the recorded output is a placeholder, without a reason to stop."""
    (answer,) = rows(Draft(UUID, version=version).prompt("Hi").answer("A long answer. " * 50), "assistant")

    assert (answer["message"]["usage"]["output_tokens"] <= 8) is is_placeholder
    assert (answer["message"]["stop_reason"] is None) is is_placeholder


@pytest.mark.parametrize(
    "version, names",
    [
        ("1.0.128", []),
        ("2.0.60", ["agent-{id}.jsonl"]),
        ("2.1.45", ["{session}/subagents/agent-{id}.jsonl"]),
        ("2.1.325", ["{session}/subagents/agent-{id}.jsonl", "{session}/subagents/agent-{id}.meta.json"]),
    ],
)
def test_agents_lie_where_their_version_put_them(tmp_path: Path, version: str, names: list[str]) -> None:
    """Agents are inline, flat, nested, and nested with a meta.json, by version."""
    draft = Draft(UUID, version=version).prompt("Hi")
    agent = draft.agent("Search", "Find it").answer(calls=[bash("find", "x")])
    project = draft.join(agent, "Found.").write(home(tmp_path)).parent
    expected = {name.format(session=UUID, id=agent.agent_id) for name in names}

    files = {str(path.relative_to(project)) for path in project.rglob("agent-*")}
    assert files == expected
    assert any(row.get("isSidechain") for row in rows(draft)) is (version == "1.0.128")


def test_an_agent_is_bound_to_its_call() -> None:
    """The call, the meta.json and the result name each other, also one level deeper."""
    draft = Draft(UUID).prompt("Hi")
    agent = draft.agent("Search", "Find it")
    inner = agent.agent("Look", "Closer")
    agent.join(inner, "Seen.")
    draft.join(agent, "Found.")

    call = rows(draft, "assistant")[0]["message"]["content"][0]
    assert agent.meta_data is not None
    assert inner.meta_data is not None
    assert agent.meta_data["toolUseId"] == agent.call == call["id"]
    assert rows(draft, "user")[-1]["toolUseResult"]["agentId"] == agent.agent_id
    assert (inner.meta_data["parentAgentId"], inner.meta_data["spawnDepth"]) == (agent.agent_id, 2)
    assert {row["sessionId"] for row in rows(inner) if "uuid" in row} == {UUID}


def test_a_background_agent_answers_by_notification() -> None:
    """The launching result knows no answer; the notification carries it."""
    draft = Draft(UUID).prompt("Hi")
    agent = draft.agent("Check", "Look", background=True)
    draft.answer("Meanwhile.").notify(agent, "All is well.")

    launched, notified = rows(draft, "user")[1], rows(draft, "user")[-1]
    assert launched["toolUseResult"]["status"] == "async_launched"
    assert notified["origin"] == {"kind": "task-notification"}
    assert "<result>All is well.</result>" in notified["message"]["content"]


def test_a_rewind_makes_two_children() -> None:
    """After a rewind a second prompt answers the same record."""
    draft = Draft(UUID).prompt("One").answer("1").prompt("Two").answer("2").rewind(to=2).prompt("Zwei").answer("3")

    prompts = rows(draft, "user")
    assert prompts[1]["parentUuid"] == prompts[2]["parentUuid"] == rows(draft, "assistant")[0]["uuid"]


def test_a_compaction_begins_a_new_tree() -> None:
    """The boundary has no parent but names the record before it, and the summary answers it."""
    draft = Draft(UUID).prompt("One").answer("1")
    before = draft.tip
    boundary, summary = rows(draft.compact("It went well."))[-2:]

    assert (boundary["parentUuid"], boundary["logicalParentUuid"]) == (None, before)
    assert (summary["parentUuid"], summary["isCompactSummary"]) == (boundary["uuid"], True)


@pytest.mark.parametrize(
    "style, is_same, is_named",
    [("branch", True, True), ("plain", True, False), ("sdk", False, True), ("resume", False, False)],
)
def test_forks_of_every_style(style: str, is_same: bool, is_named: bool) -> None:
    """A fork copies records under the new session, with or without their ids, and says so or not."""
    draft = Draft(UUID).prompt("One").answer("1")
    fork = draft.fork(OTHER, style=style).prompt("Two")
    old, new = ([row for row in rows(each) if "uuid" in row] for each in (draft, fork))

    assert (old[0]["uuid"] == new[0]["uuid"], "forkedFrom" in new[0]) == (is_same, is_named)
    assert {row["sessionId"] for row in new} == {OTHER}
    assert new[-1]["parentUuid"] == new[-2]["uuid"]
    assert old[1]["message"]["id"] == new[1]["message"]["id"]


def test_edits_leave_their_evidence(tmp_path: Path) -> None:
    """An edit carries the original and a patch, and a backup is written beside."""
    draft = Draft(UUID).prompt("Fix").backup("/p/a.py", b"x = 1\n").answer(calls=[edit("/p/a.py", "x = 1\n", "1", "2")])
    draft.write(home(tmp_path))

    data = rows(draft, "user")[-1]["toolUseResult"]
    assert data["originalFile"] == "x = 1\n"
    assert data["structuredPatch"] == [
        {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-x = 1", "+x = 2"]}
    ]
    assert [file.kind for file in found(tmp_path)] == ["transcript", "file-history"]
    assert [path.read_bytes() for path in tmp_path.rglob("*@v1")] == [b"x = 1\n"]


def test_backups_as_older_versions_recorded_them() -> None:
    """Before 2.1.250 the prompt's snapshot was written again instead of a delta."""
    draft = Draft(UUID, version="2.1.112").prompt("Fix").backup("a.py", b"x").backup("a.py", None)

    last = rows(draft, "file-history-snapshot")[-1]
    assert (last["isSnapshotUpdate"], last["messageId"]) == (True, rows(draft, "user")[0]["uuid"])
    assert last["snapshot"]["trackedFileBackups"]["a.py"]["backupFileName"] is None


def test_everything_else_a_draft_can_write() -> None:
    """Every other method adds records that are JSON and hang together."""
    draft = Draft(UUID).record(type="mode", mode="normal").prompt("See", image=b"png").answer("I see.")
    draft.queued("Faster").command("model", "opus", "Set.").shell("ls", "a").interrupt().meta("Skill body")
    draft.attachment("date", date="2026-05-01").system("turn_duration", durationMs=1).api_error("529").row(
        "progress", data={}
    )
    draft.internal_agent("side_question", "Why?", "Because.").title("T").title("U", by="custom").summary(
        "V"
    ).last_prompt()
    draft.answer(calls=[read("/p/a", "x\n", start=5)]).raw(b"\0\n").tear()

    tree = [row for row in map(json.loads, draft.lines()[:-2]) if "uuid" in row]
    assert all(second["parentUuid"] == first["uuid"] for first, second in pairwise(tree))
    assert [text for _, text in draft.typed] == ["See", "Faster", "/model opus"]
    assert draft.lines()[-1] == b"\0"


def test_a_result_without_a_call() -> None:
    """H17: a result may be written for a call that is nowhere."""
    draft = Draft(UUID).prompt("Hi").result("lost", call="toolu_gone")

    assert rows(draft, "user")[-1]["message"]["content"][0]["tool_use_id"] == "toolu_gone"


def test_the_demo_home_is_deterministic(tmp_path: Path) -> None:
    """Two demo homes of one moment are equal to the byte, and to the second."""
    first, second = (write_demo_home(tmp_path / name, NOW) for name in ("a", "b"))

    def content(root: Path) -> dict[str, tuple[bytes, float]]:
        files = [path for path in root.rglob("*.jsonl") if path.name != "history.jsonl"]
        return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime) for path in files}

    assert content(first) == content(second)
    assert (first / ".claude" / "history.jsonl").read_bytes() == (second / ".claude" / "history.jsonl").read_bytes()


def test_the_demo_home_has_everything(tmp_path: Path) -> None:
    """Thirteen transcripts, every layout of agents, every side file that the commands show, rows and manifests."""
    kinds = Counter(file.kind for file in found(write_demo_home(tmp_path / "demo", NOW)))

    expected = {"transcript": 13, "agent": 5, "agent-meta": 3, "tool-result": 1, "history": 1, "todos": 1, "plan": 1}
    expected |= {"worktrees": 1, "browser": 3}
    desktop = {
        "row": 9,
        "tombstone": 1,
        "audit": 2,
        "desktop-config": 1,
        "desktop-settings": 1,
        "counter": 2,
        "log": 1,
        "schedule": 1,
        "cloud-list": 1,
    }
    assert kinds == {**expected, "settings": 1, "file-history": 2, "global-config": 1, **desktop}


def test_the_demo_home_has_one_torn_line(tmp_path: Path) -> None:
    """All of it is JSON but for the one line that a power cut tore."""
    damage = []
    for file in found(write_demo_home(tmp_path / "demo", NOW)):
        if file.path.endswith(".jsonl"):
            with Path(file.path).open("rb") as data:
                damage += [item.reason for item in jsonl.scan(data, file.path) if isinstance(item, Damage)]

    assert damage == [jsonl.INCOMPLETE]


def test_one_session_of_the_demo_expires_soon(tmp_path: Path) -> None:
    """One transcript was last written 28 days ago, none longer ago."""
    files = [file for file in found(write_demo_home(tmp_path / "demo", NOW)) if file.kind == "transcript"]
    ages = sorted((NOW - datetime.fromtimestamp(file.mtime_ns / 1e9, UTC)) / timedelta(days=1) for file in files)

    assert 27.9 < ages[-1] < 28.1
    assert 0 < ages[0] < 1 < ages[1] + 1
    assert ages[-2] < 21


def test_a_demo_home_is_written_over(tmp_path: Path) -> None:
    """A demo home may be renewed."""
    write_demo_home(tmp_path / "demo", NOW - timedelta(days=9))

    assert len(found(write_demo_home(tmp_path / "demo", NOW))) == 52


def test_any_other_directory_is_refused(tmp_path: Path) -> None:
    """A directory that holds something else is never written into."""
    (tmp_path / "mine.txt").write_bytes(b"")
    with pytest.raises(RefusedError):
        write_demo_home(tmp_path, NOW)

    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_lines_of_records_and_of_tests_are_alike() -> None:
    """`make.line` writes a record as a draft does."""
    assert Draft(UUID).record(type="mode", mode="ü").lines() == [line({"type": "mode", "mode": "ü", "sessionId": UUID})]
