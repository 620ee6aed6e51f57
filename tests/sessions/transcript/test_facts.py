"""Facts: what a transcript states beside its tree, and which statement holds."""

from pathlib import Path
from typing import Any

import pytest
from make import assistant, call, conversation, given, user

from backscroll.sessions.transcript.facts import ASIDE_TYPES, IGNORED_TYPES, AgentCall, Facts, Leaf

NOTE = "<task-notification>\n<task-id>{}</task-id>\n<tool-use-id>{}</tool-use-id>\n</task-notification>"


def facts(directory: Path, *records: dict[str, Any]) -> Facts:
    """Read the facts of some records."""
    with conversation(directory, *records) as read:
        return read.facts


@pytest.mark.parametrize(
    "records, name, expected",
    [
        ([{"type": "custom-title", "customTitle": title} for title in ("A", "B")], "custom_title", "B"),
        ([{"type": "custom-title", "customTitle": "A"}, {"type": "custom-title"}], "custom_title", None),
        ([{"type": "ai-title", "aiTitle": title} for title in ("A", "B", "")], "ai_title", "B"),
        ([{"type": "agent-name", "agentName": "A"}], "agent_name", "A"),
        ([{"type": "tag", "tag": "wip"}], "tag", "wip"),
        ([{"type": "tag", "tag": "wip"}, {"type": "tag", "tag": ""}], "tag", None),
        ([{"type": "summary", "summary": "S", "leafUuid": "a1"}], "summaries", {"a1": "S"}),
        ([{"type": "summary", "summary": text, "leafUuid": "a1"} for text in "ST"], "summaries", {"a1": "T"}),
        ([{"type": "summary", "leafUuid": "a1"}], "summaries", {}),
        ([{"type": "last-prompt", "lastPrompt": "go"}, {"type": "last-prompt"}], "last_prompt", "go"),
        ([{"type": "relocated", "relocatedCwd": path} for path in ("/a", "/b")], "relocated", "/b"),
        ([{"type": "worktree-state", "worktreeSession": {"originalCwd": "/r"}}], "worktree_of", "/r"),
        (
            [
                {"type": "worktree-state", "worktreeSession": {"originalCwd": "/r"}},
                {"type": "worktree-state", "worktreeSession": None},
            ],
            "worktree_of",
            "/r",
        ),
        ([{"type": "session-owner", "accountUuid": "A"}], "account", "A"),
        ([{"type": "user", "cwd": path} for path in ("/b", "/a", "/b")], "cwds", {"/b": None, "/a": None}),
        ([{"type": "user", "gitBranch": name} for name in ("main", "fix", "")], "git_branch", "fix"),
        ([{"type": "user", "entrypoint": name} for name in ("cli", "sdk-py")], "entrypoint", "cli"),
        ([{"type": "user", "sessionId": name} for name in ("S", "T", "S")], "session_ids", {"S": None, "T": None}),
    ],
)
def test_which_statement_holds(tmp_path: Path, records: list[dict[str, Any]], name: str, expected: object) -> None:
    """Each record type has its merge rule: the last one wins, all count, or the first one holds."""
    assert expected == getattr(facts(tmp_path, *records), name)


def test_versions_in_the_order_of_their_last_use(tmp_path: Path) -> None:
    """The version that wrote last stands last, however often others wrote."""
    found = facts(tmp_path, *({"type": "user", "version": name} for name in ("2.1.1", "2.1.2", "2.1.1")))

    assert ["2.1.2", "2.1.1"] == list(found.versions)


def test_a_file_is_born_with_its_first_time(tmp_path: Path) -> None:
    """The first record that has a time tells when a file began, whatever times follow."""
    found = facts(
        tmp_path, {"type": "mode"}, {"type": "user", "timestamp": "2026-02"}, {"type": "user", "timestamp": "2026-01"}
    )

    assert {0: "2026-02"} == found.born


def test_a_leaf_knows_how_much_was_written_before_it(tmp_path: Path) -> None:
    """A statement of the visible end holds for the rows before it."""
    found = facts(tmp_path, user("u1"), {"type": "last-prompt", "leafUuid": "u1"}, assistant("a1", "u1"))

    assert Leaf("u1", 1) == found.leaf


def test_known_types_are_ignored(tmp_path: Path) -> None:
    """Types that say nothing to people are left out; each record of a type that nobody knows is kept to be found."""
    found = facts(tmp_path, *({"type": name} for name in sorted(IGNORED_TYPES)), {"type": "new"}, {"type": "new"})

    assert [*sorted(ASIDE_TYPES), "new", "new"] == [aside.type for aside in found.asides.values()]


def test_calls_that_start_agents(tmp_path: Path) -> None:
    """Task and Agent are one tool; what it was asked is kept, as far as it is text."""
    record = assistant(
        "a1",
        None,
        [
            call("toolu_1", "Task", prompt="Do", description="Job", subagent_type="Explore"),
            call("toolu_2", "Agent", prompt=5),
            call("toolu_3", "Bash", prompt="no agent"),
            {"type": "tool_use", "id": "toolu_4", "name": "Agent", "input": "broken"},
        ],
        timestamp="2026-05-01T10:00:00.000Z",
    )

    time = "2026-05-01T10:00:00.000Z"

    assert {
        "toolu_1": AgentCall("Do", "Job", "Explore", time),
        "toolu_2": AgentCall(None, None, None, time),
        "toolu_4": AgentCall(None, None, None, time),
    } == facts(tmp_path, record).agent_calls


def test_results_name_agents_and_runs(tmp_path: Path) -> None:
    """The first result that names an agent or a run gives its call."""
    found = facts(
        tmp_path,
        user("u1", None, [given("toolu_1")], toolUseResult={"agentId": "a1"}),
        user("u2", "u1", [given("toolu_2")], toolUseResult={"agentId": "a1", "runId": "run1"}),
        user("u3", "u2", [given("toolu_3")], toolUseResult="a1"),
    )

    assert {"a1": "toolu_1"} == found.result_agents
    assert {"run1": "toolu_2"} == found.result_runs


def test_progress_names_agents(tmp_path: Path) -> None:
    """Progress of an agent names the call that started it."""
    record = {"type": "progress", "uuid": "p1", "parentToolUseID": "toolu_1", "data": {"agentId": "a1"}}

    assert {"a1": "toolu_1"} == facts(tmp_path, record).progress_agents


@pytest.mark.parametrize(
    "record",
    [
        {"type": "queue-operation", "operation": "enqueue", "content": NOTE.format("a1", "toolu_1")},
        {
            "type": "attachment",
            "uuid": "t1",
            "attachment": {"type": "queued_command", "prompt": NOTE.format("a1", "toolu_1")},
        },
        user("u1", None, NOTE.format("a1", "toolu_1"), origin={"kind": "task-notification"}),
        user("u1", None, NOTE.format("a1", "toolu_1")),
    ],
)
def test_notices_of_ended_tasks(tmp_path: Path, record: dict[str, Any]) -> None:
    """A notice in a queue operation, an attachment or a user record names task and call."""
    found = facts(tmp_path, record).notices

    assert {"a1": "toolu_1"} == {task: notice.call for task, notice in found.items()}


def test_old_notices_are_json(tmp_path: Path) -> None:
    """Older notices name their task in JSON, without the call."""
    found = facts(tmp_path, {"type": "queue-operation", "content": '{"task_id": "a1", "status": "completed"}'})

    assert {"a1": None} == {task: notice.call for task, notice in found.notices.items()}


def test_the_last_notice_holds_the_result(tmp_path: Path) -> None:
    """An agent that went on ends several times: the last notice counts, a call named before is kept."""
    first = user("u1", None, NOTE.format("a1", "toolu_1"))
    second = user("u2", "u1", "<task-notification><task-id>a1</task-id></task-notification>")
    with conversation(tmp_path, first, second) as read:
        notice = read.facts.notices["a1"]

        assert "toolu_1" == notice.call
        assert "u2" == read.sources[0].value(notice.offset, notice.length)["uuid"]


@pytest.mark.parametrize(
    "stated, models",
    [
        ({"a": {"inputTokens": 3, "costUSD": 0.5}}, {"a": {"inputTokens": 3, "costUSD": 0.5}}),
        ({"a": {"inputTokens": [[]], "outputTokens": True, "costUSD": 10**40}}, {"a": {}}),
        ({"a": "much"}, {"a": {}}),
        ("all", {}),
    ],
)
def test_the_last_cost_state_is_kept(tmp_path: Path, stated: Any, models: Any) -> None:
    """Of what Claude Code says that a session cost the last word counts, and of it only numbers."""
    records = [{"type": "cost-state", "totalCostUSD": 1, "modelUsage": {}}, {"type": "cost-state", "totalCostUSD": 2}]
    with conversation(tmp_path, records[0], records[1] | {"modelUsage": stated}) as read:
        state = read.facts.cost_state

    assert state is not None
    assert (2, models) == (state.cost, state.models)
