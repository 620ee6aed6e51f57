"""Agents, each joined to the call that started it by the strongest evidence."""

from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, assistant, bash, call, given, home, indexed, line, listed, user, write_side

from backscroll.files import open_readonly
from backscroll.index.queries import sessions as query
from backscroll.index.update.read import Reading, read_unit
from backscroll.sessions.joining.agents import AgentEvidence, AgentFile, join_agents
from backscroll.sessions.session import Agent

OTHER = "22222222-2222-4222-8222-222222222222"


def reading(directory: Path, *records: dict[str, Any], agent: str | None = None) -> Reading:
    """Read the records of a session or an agent."""
    path = directory / "records.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    return read_unit([str(path)], [1], agent, open_readonly)


def told(directory: Path, *records: dict[str, Any], agent: str | None = None) -> AgentEvidence:
    """Return what records say about the agents that they start."""
    evidence = AgentEvidence()
    for row in reading(directory, *records, agent=agent).rows["evidence"]:
        if row[0] != "notified":
            evidence.add(*row)
    return evidence


def agent_file(directory: Path, name: str = "a7", text: str = "Do", **fields: Any) -> AgentFile:
    """Return an agent's file in which somebody asks for something."""
    time = fields.pop("time", "2026-05-01T10:00:01.000Z")
    read = reading(directory, user("x1", None, text, timestamp=time), assistant("x2", "x1"), agent=name).columns
    known = {column: read[column] for column in ("messages", "calls", "started", "updated", "first_text")}
    return AgentFile(name, fields.pop("kind", "nested"), f"/agent-{name}.jsonl", **known, **fields)


def launch(name: str, prompt: str = "Do", time: str = "2026-05-01T10:00:00.000Z", **asked: Any) -> dict[str, Any]:
    """Return a record that starts an agent."""
    return assistant(f"by-{name}", None, [call(name, "Task", prompt=prompt, **asked)], timestamp=time)


def joined(agents: list[Agent]) -> dict[str, tuple[str | None, str | None]]:
    """Return how each agent was joined to which call."""
    return {agent.id: (agent.joined_by, agent.call) for agent in agents}


def in_home(root: Path, session: str = UUID) -> list[Agent]:
    """Return the agents of a session below a home."""
    return query.agents(indexed(root), session)


def test_by_the_meta_file(tmp_path: Path) -> None:
    """An agent's own meta file names its call, type, description and parent, and outweighs the rest."""
    session = told(tmp_path, launch("t1"), user("r1", "by-t1", [given("t1")], toolUseResult={"agentId": "a7"}))
    meta = {"toolUseId": "t2", "agentType": "Explore", "description": "Look", "parentAgentId": "a5"}
    (agent,) = join_agents(session, [], [agent_file(tmp_path, meta=meta)])

    assert ("meta", "t2", "Explore", "Look", "a5") == (
        agent.joined_by,
        agent.call,
        agent.type,
        agent.description,
        agent.parent,
    )


@pytest.mark.parametrize("meta", [{"toolUseId": 5}, {"toolUseId": ""}, {}])
def test_by_the_result(tmp_path: Path, meta: dict[str, object]) -> None:
    """The call's result names the agent; a meta file without a call does not stand in its way."""
    session = told(tmp_path, launch("t1"), user("r1", "by-t1", [given("t1")], toolUseResult={"agentId": "a7"}))

    assert {"a7": ("result", "t1")} == joined(join_agents(session, [], [agent_file(tmp_path, meta=meta)]))


def test_by_progress(tmp_path: Path) -> None:
    """Progress records name agent and call."""
    progress = {"type": "progress", "uuid": "p1", "parentToolUseID": "t1", "data": {"agentId": "a7"}}

    assert {"a7": ("progress", "t1")} == joined(
        join_agents(told(tmp_path, launch("t1"), progress), [], [agent_file(tmp_path)])
    )


def test_by_a_notice(tmp_path: Path) -> None:
    """The notice that a task has ended names both."""
    note = "<task-notification><task-id>a7</task-id><tool-use-id>t1</tool-use-id></task-notification>"
    session = told(tmp_path, launch("t1"), user("u1", None, note, origin={"kind": "task-notification"}))

    assert {"a7": ("notice", "t1")} == joined(join_agents(session, [], [agent_file(tmp_path)]))


def test_a_notice_without_a_call(tmp_path: Path) -> None:
    """An old notice that names no call leaves the agent to weaker evidence."""
    session = told(tmp_path, launch("t1"), {"type": "queue-operation", "content": '{"task_id":"a7"}'})

    assert {"a7": ("prompt", "t1")} == joined(join_agents(session, [], [agent_file(tmp_path)]))


def test_by_the_workflow_run(tmp_path: Path) -> None:
    """The agents of a workflow belong to the call that started the run."""
    session = told(
        tmp_path,
        assistant("a1", None, [call("t1", "Workflow")]),
        user("r1", "a1", [given("t1")], toolUseResult={"runId": "run1"}),
    )
    files = [agent_file(tmp_path, name, kind="workflow", run="run1") for name in ("a7", "a8")]

    assert {"a7": ("workflow", "t1"), "a8": ("workflow", "t1")} == joined(join_agents(session, [], files))


def test_by_the_prompt(tmp_path: Path) -> None:
    """At last the call's prompt and the agent's first words are compared, and each call is given once."""
    session = told(tmp_path, launch("t1"), launch("t2"), launch("t3", "Else"))
    files = [agent_file(tmp_path, name) for name in ("a7", "a8", "a9")]

    assert {"a7": ("prompt", "t1"), "a8": ("prompt", "t2"), "a9": (None, None)} == joined(
        join_agents(session, [], files)
    )


def test_by_the_prompt_nearest_in_time(tmp_path: Path) -> None:
    """Of several calls with one prompt the nearest in time started the agent."""
    session = told(tmp_path, launch("t1"), launch("t2", time="2026-05-01T10:30:00.000Z"))
    late = agent_file(tmp_path, time="2026-05-01T10:30:01.000Z")

    assert {"a7": ("prompt", "t2")} == joined(join_agents(session, [], [late]))


def test_a_call_known_otherwise_is_not_given_by_prompt(tmp_path: Path) -> None:
    """A call that stronger evidence gives to one agent is not taken by another with the same prompt."""
    session = told(tmp_path, launch("t1"), launch("t2"))
    files = [agent_file(tmp_path, "a7"), agent_file(tmp_path, "a8", meta={"toolUseId": "t1"})]

    assert {"a7": ("prompt", "t2"), "a8": ("meta", "t1")} == joined(join_agents(session, [], files))


def test_without_any_evidence(tmp_path: Path) -> None:
    """An agent that nothing leads to is listed all the same."""
    (agent,) = join_agents(None, [], [agent_file(tmp_path)])

    assert (None, None, 2) == (agent.joined_by, agent.call, agent.messages)


def test_the_call_describes_its_agent(tmp_path: Path) -> None:
    """What the agent's own files do not say is taken from the call."""
    session = told(tmp_path, launch("t1", description="Look", subagent_type="Explore"))
    (agent,) = join_agents(session, [], [agent_file(tmp_path)])

    assert ("Explore", "Look", None) == (agent.type, agent.description, agent.parent)


def test_nested_agents_know_their_parent(tmp_path: Path) -> None:
    """An agent whose call stands in another agent's transcript is that one's child."""
    evidence = told(tmp_path, user("x1"), launch("t2"), agent="a7")
    outer = AgentFile("a7", "nested", "/a7", started="2026-05-01T10:00:00.000Z", evidence=evidence)
    (_, inner) = join_agents(None, [], [outer, agent_file(tmp_path, "a8")])

    assert ("a8", "t2", "a7") == (inner.id, inner.call, inner.parent)


def test_an_agent_is_not_its_own_parent(tmp_path: Path) -> None:
    """A meta file that names a call of the agent itself makes no loop."""
    evidence = told(tmp_path, user("x1"), launch("t2"), agent="a7")
    (agent,) = join_agents(None, [], [AgentFile("a7", "nested", "/a7", evidence=evidence, meta={"toolUseId": "t2"})])

    assert agent.parent is None


def test_agents_stand_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    """The earliest agent comes first, one without a time last."""
    files = [
        agent_file(tmp_path, "late", time="2026-05-01T11:00:00.000Z"),
        agent_file(tmp_path, "never", time=None),
        agent_file(tmp_path, "early", time="2026-05-01T10:00:00.000Z"),
    ]

    assert ["early", "late", "never"] == [agent.id for agent in join_agents(None, [], files)]


@pytest.mark.parametrize(
    "version, kind, evidence",
    [
        ("1.0.128", "inline", "prompt"),
        ("2.0.60", "flat", "result"),
        ("2.1.20", "nested", "result"),
        ("2.1.112", "nested", "result"),
        ("2.1.325", "nested", "meta"),
    ],
)
def test_agents_of_every_version(tmp_path: Path, version: str, kind: str, evidence: str) -> None:
    """Wherever a version keeps its agents, they are found, joined and counted."""
    draft = Draft(UUID, version=version).prompt("A")
    draft.join(draft.agent("Job", "Do").answer(calls=[bash("ls", "a")]), "Done").answer("B").write(home(tmp_path))
    (agent,) = in_home(tmp_path)
    session = listed(tmp_path)[UUID]

    assert (kind, evidence, 3, 1) == (agent.kind, agent.joined_by, agent.messages, agent.calls)
    assert draft.agents[0].call == agent.call
    assert (6, 2, 1, 0) == (session.messages, session.calls, session.agents, session.internal_agents)


def test_an_agent_in_an_agent(tmp_path: Path) -> None:
    """A nested agent is joined to the agent that called it."""
    draft = Draft(UUID).prompt("A")
    outer = draft.agent("Outer", "Do")
    inner = outer.agent("Inner", "Do more")
    outer.join(inner, "Done more")
    draft.join(outer, "Done").write(home(tmp_path))
    found = {agent.id: agent.parent for agent in in_home(tmp_path)}

    assert {outer.agent_id: None, inner.agent_id: outer.agent_id} == found
    assert 2 == listed(tmp_path)[UUID].agents


def test_internal_agents_are_apart(tmp_path: Path) -> None:
    """A helper of the program adds nothing to messages, calls and agents, but its usage counts."""
    draft = Draft(UUID).prompt("A").answer("B")
    draft.write(home(tmp_path / "without"))
    draft.internal_agent("compact", "Summarise", "Short").write(home(tmp_path / "with"))
    without, with_helper = (listed(tmp_path / name)[UUID] for name in ("without", "with"))

    assert (2, 0, 1) == (with_helper.messages, with_helper.agents, with_helper.internal_agents)
    assert (1, 2) == (without.usage.messages, with_helper.usage.messages)


def test_warm_up_junk_of_another_session(tmp_path: Path) -> None:
    """A flat agent whose records name a session that is not there is an orphan, and its warm-up is no message."""
    draft = Draft(OTHER, version="2.0.60").prompt("A")
    child = draft.agent("Job", "Warmup")
    child.answer("Ready")
    write_side(home(tmp_path), f"projects/-p/agent-{child.agent_id}.jsonl", child.text())
    session = listed(tmp_path)[OTHER]

    assert ("orphan", 0, 0, 1, 1) == (
        session.state,
        session.messages,
        session.agents,
        session.internal_agents,
        session.usage.messages,
    )


def test_a_workflow_run(tmp_path: Path) -> None:
    """Agents below a workflow's run are joined to the call that started the run; its journal is no agent."""
    records = [
        assistant("a1", None, [call("toolu_1", "Workflow")]),
        user("r1", "a1", [given("toolu_1")], toolUseResult={"status": "running", "runId": "run-1"}),
    ]
    folder = f"projects/-p/{UUID}/subagents/workflows/run-1"
    lines = [Draft(UUID).prompt("x").lines()[0]]
    write_side(home(tmp_path), f"projects/-p/{UUID}.jsonl", [line(record) for record in records])
    write_side(tmp_path, f"{folder}/agent-a0123456789abcdef.jsonl", lines)
    write_side(tmp_path, f"{folder}/journal.jsonl", b"{}\n")

    assert [("a0123456789abcdef", "workflow", "workflow", "toolu_1")] == [
        (agent.id, agent.kind, agent.joined_by, agent.call) for agent in in_home(tmp_path)
    ]
