"""Tool statistics: each call once, over forks and resumes, and the same as `calls` counts."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import shared_path
from make import UUID, Draft, Tool, bash, edit, failed, home, indexed, read, sums_of

import backscroll
from backscroll.stats.model import ToolReport
from backscroll.stats.tools import report, server_of

OTHER = "22222222-2222-4222-8222-222222222222"


def used(root: Path, **wanted: Any) -> ToolReport:
    """Return the tool statistics of a home."""
    return report(indexed(root), sums_of(**wanted))


def test_calls_by_tool(tmp_path: Path) -> None:
    """A tool has its calls, its errors, the sessions that called it, the time it took and the files it touched."""
    draft = Draft(UUID).prompt("A")
    draft.answer(
        calls=[bash("ls", "a"), failed("make", 2, "no rule"), read("/a", "1"), read("/b", "1"), read("/a", "1")]
    )
    draft.write(home(tmp_path))
    Draft(OTHER).prompt("B").answer(calls=[bash("pwd", "/")]).write(tmp_path)
    tools = {use.name: use for use in used(tmp_path).tools}

    assert (3, 1, 0, 2) == tuple(getattr(tools["Bash"], name) for name in ("calls", "errors", "refusals", "sessions"))
    assert (3, 0, 1, 2) == tuple(getattr(tools["Read"], name) for name in ("calls", "errors", "sessions", "files"))
    assert tools["Bash"].files is None
    assert tools["Bash"].slowest is not None
    assert tools["Bash"].seconds is not None
    assert 0 < tools["Bash"].slowest <= tools["Bash"].seconds


def test_refusals_are_errors_too(tmp_path: Path) -> None:
    """A call that a person did not allow is an error, and counted as a refusal."""
    refused = Tool(
        "Write", {"file_path": "/a"}, "The user doesn't want to proceed.", "User rejected tool use", error=True
    )
    Draft(UUID).prompt("A").answer(calls=[refused, edit("/a", "x", "x", "y")]).write(home(tmp_path))
    total = used(tmp_path).total

    assert (2, 1, 1, 0) == (total.calls, total.errors, total.refusals, total.unanswered)


def test_calls_without_result(tmp_path: Path) -> None:
    """A call that nobody answered is counted apart and has no time."""
    Draft(UUID).prompt("A").answer(calls=[Tool("Bash", {"command": "sleep"})]).write(home(tmp_path))
    (use,) = used(tmp_path).tools

    assert (1, 1, None, None) == (use.calls, use.unanswered, use.seconds, use.slowest)


@pytest.mark.parametrize("style", ["branch", "plain", "sdk"])
def test_a_call_that_was_copied_counts_once(tmp_path: Path, style: str) -> None:
    """A fork holds the calls of the session that it left; they count for that session."""
    draft = Draft(UUID).prompt("A").answer(calls=[bash("ls", "a")])
    draft.write(home(tmp_path))
    draft.fork(OTHER, style=style).prompt("B").answer(calls=[read("/a", "1")]).write(tmp_path)

    assert {"Bash": 1, "Read": 1} == {use.name: use.calls for use in used(tmp_path).tools}
    assert ["Bash"] == [use.name for use in used(tmp_path, session=UUID).tools]
    assert ["Read"] == [use.name for use in used(tmp_path, session=OTHER).tools]


def test_a_result_that_only_a_copy_holds(tmp_path: Path) -> None:
    """Where the first file ends before the result, the copy's result counts."""
    draft = Draft(UUID).prompt("A").answer(calls=[Tool("Bash", {"command": "ls"})])
    draft.write(home(tmp_path))
    copy = draft.fork(OTHER, style="plain")
    copy.open_calls = list(draft.open_calls)
    copy.result("a.txt", error=True).prompt("B").answer("C").write(tmp_path)
    (use,) = used(tmp_path).tools

    assert (1, 1, 0, 1) == (use.calls, use.errors, use.unanswered, use.sessions)


def test_servers_skills_and_agents(tmp_path: Path) -> None:
    """Calls are also sums_of up by MCP server, by skill and by type of agent."""
    calls = [
        Tool("mcp__github__search", {}, "x"),
        Tool("mcp__github__issue", {}, "x"),
        Tool("Skill", {"skill": "pdf"}, "x"),
        Tool("SlashCommand", {"command": "/pdf now"}, "x"),
        Tool("Task", {"subagent_type": "Explore", "prompt": "A"}, "x"),
        Tool("Agent", {"prompt": "B"}, "x"),
    ]
    Draft(UUID).prompt("A").answer(calls=calls).write(home(tmp_path))
    found = used(tmp_path)

    assert [("github", 2, 1)] == [(use.name, use.calls, use.sessions) for use in found.servers]
    assert [("pdf", 2)] == [(use.name, use.calls) for use in found.skills]
    assert [("(no type)", 1), ("Explore", 1)] == [(use.name, use.calls) for use in found.agents]
    assert {"github"} == {use.server for use in found.tools if use.name.startswith("mcp__")}


def test_helpers_of_the_program_call_nothing(tmp_path: Path) -> None:
    """Calls of agents count, those of internal agents do not."""
    draft = Draft(UUID).prompt("A")
    agent = draft.agent("Look", "Look around")
    agent.answer(calls=[bash("ls", "a")])
    draft.join(agent, "Seen.").internal_agent("compact", "Sum up", "Done.")
    draft.agents[-1].answer(calls=[read("/a", "1")])
    draft.write(home(tmp_path))

    assert {"Agent": 1, "Bash": 1} == {use.name: use.calls for use in used(tmp_path).tools}


def test_filters(tmp_path: Path) -> None:
    """Only the calls of one project, or of some time, count."""
    Draft(UUID, "/home/ann/shop").prompt("A").answer(calls=[bash("ls", "a")]).write(home(tmp_path))

    assert 1 == used(tmp_path, project="shop").total.calls
    assert 0 == used(tmp_path, project="ledger").total.calls
    assert 0 == used(tmp_path, since=datetime(2026, 5, 2, tzinfo=UTC)).total.calls
    assert [] == used(tmp_path, until=datetime(2026, 5, 1, tzinfo=UTC)).tools


@pytest.mark.parametrize("name, server", [("mcp__a_b__c", "a_b"), ("mcp__a", None), ("mcp____c", None), ("Bash", None)])
def test_servers_of_tools(name: str, server: str | None) -> None:
    """The name of an MCP tool names its server; no other name does."""
    assert server == server_of(name)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("name", ["home", "cli/cli-2.1.325-interactive-branch-mcp-worktree", "cli/cli-2.0.33-headless"])
def test_the_corpus_has_as_many_calls_as_calls_shows(name: str) -> None:
    """For each tool, calls and errors are those that `calls` yields, which reads every transcript."""
    root = shared_path(f"corpus/{name}")
    calls, errors = Counter[str](), Counter[str]()
    for call in backscroll.calls(root=root):
        calls[call.name] += 1
        errors[call.name] += bool(call.result and call.result.error)
    found = used(root).tools

    assert calls == Counter({use.name: use.calls for use in found})
    assert +errors == +Counter({use.name: use.errors for use in found})
