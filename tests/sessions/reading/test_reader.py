"""Reading one session: messages along a branch, agents in their places, calls and the tree."""

import os
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, assistant, bash, call, fingerprint, given, home, line, user, write_side, write_transcript

import backscroll
from backscroll.errors import NotFoundError
from backscroll.sessions.message import Message
from backscroll.sessions.reading.join import CHANGED
from backscroll.sessions.reading.reader import stored_lines

OTHER = "22222222-2222-4222-8222-222222222222"


def told(root: Path, session: str = UUID, **options: Any) -> list[Message]:
    """Return the messages that `show` tells."""
    return list(backscroll.show(session, root, **options).messages)


def said(found: list[Message]) -> list[str]:
    """Return the first text of each message that has one."""
    return [message.parts[0].text for message in found if message.parts and message.parts[0].text]


def with_agent(root: Path, version: str = "2.1.325") -> Draft:
    """Write a session with an agent in the middle."""
    draft = Draft(UUID, version=version).prompt("Ask")
    draft.join(draft.agent("Job", "Do").answer("Working"), "Done").answer("Answer").write(home(root))
    return draft


@pytest.mark.parametrize("version", ["1.0.128", "2.0.60", "2.1.325"])
def test_an_agent_is_told_below_its_call(tmp_path: Path, version: str) -> None:
    """What an agent said stands behind the call that started it, one level deeper."""
    with_agent(tmp_path, version)
    found = [message for message in told(tmp_path) if message.role in ("user", "assistant")]

    assert [0, 0, 1, 1, 1, 0] == [message.depth for message in found]
    assert ["Ask", "Do", "Working", "Done", "Answer"] == said(found)
    assert {UUID} == {message.session for message in found}


def test_agents_in_agents(tmp_path: Path) -> None:
    """Each level of agents is told inside the one that started it."""
    draft = Draft(UUID).prompt("Ask")
    outer = draft.agent("Outer", "Do")
    outer.join(outer.agent("Inner", "Do more"), "Done more")
    draft.join(outer, "Done").answer("Answer").write(home(tmp_path))
    found = [message for message in told(tmp_path) if message.role in ("user", "assistant")]

    assert [("Ask", 0), ("Do", 1), ("Do more", 2), ("Done more", 2), ("Done", 1), ("Answer", 0)] == [
        (message.parts[0].text, message.depth) for message in found if message.parts[0].text
    ]


def test_an_agent_without_a_call_is_told_at_the_end(tmp_path: Path) -> None:
    """An agent that nothing leads to is not lost."""
    Draft(UUID).prompt("Ask").answer("Answer").write(home(tmp_path))
    lost = Draft(UUID).prompt("Lost task").lines()
    write_side(tmp_path, f"projects/-home-ann-code-demo/{UUID}/subagents/agent-a0123456789abcdef.jsonl", lost)
    found = told(tmp_path)

    assert ["Ask", "Answer", "Lost task"] == said(found)
    assert [0, 0, 1] == [message.depth for message in found]


def test_the_agents_of_a_lost_session_are_told(tmp_path: Path) -> None:
    """Where the transcript is gone and only the sidecar directory is left, its agents are all there is to read."""
    with_agent(tmp_path)
    next((tmp_path / ".claude/projects").glob("*/*.jsonl")).unlink()
    session = backscroll.show(UUID, tmp_path).session

    assert ("orphan", 3, []) == (session.state, session.messages, session.transcripts)
    assert ["Do", "Working", "Done"] == said(told(tmp_path))
    assert ["Do", "Working", "Done"] == said(told(tmp_path, all_branches=True))


def test_an_agent_whose_call_is_gone_is_told(tmp_path: Path) -> None:
    """A transcript that was cut at a compaction may have lost the call: its agent is told at the end."""
    draft = with_agent(tmp_path)
    path = next((tmp_path / ".claude/projects").glob("*/*.jsonl"))
    kept = [text for text in draft.lines() if b'"Agent"' not in text and b"tool_result" not in text]
    path.write_bytes(b"".join(kept))

    assert ["Ask", "Answer", "Do", "Working", "Done"] == said(told(tmp_path))


def test_an_agent_of_an_abandoned_branch(tmp_path: Path) -> None:
    """An agent is told on the branch that called it, and only there."""
    draft = Draft(UUID).prompt("Ask")
    draft.join(draft.agent("Job", "Do"), "Done").rewind(to=1).prompt("Again").answer("Answer").write(home(tmp_path))

    assert ["Again", "Answer"] == said(told(tmp_path))
    assert "Do" in said(told(tmp_path, branch="b1"))
    assert "Do" in said(told(tmp_path, all_branches=True))


def test_internal_agents_are_told_when_asked_for(tmp_path: Path) -> None:
    """A helper of the program is left out unless somebody wants it."""
    Draft(UUID).prompt("Ask").internal_agent("compact", "Summarise", "Short").answer("Answer").write(home(tmp_path))

    assert ["Ask", "Answer"] == said(told(tmp_path))
    assert ["Ask", "Answer", "Summarise", "Short"] == said(told(tmp_path, internal=True))


def test_branches(tmp_path: Path) -> None:
    """A branch has a name, a label, a tip, and the message after which it leaves its parent."""
    Draft(UUID).prompt("One").answer("1").prompt("Two").answer("2").rewind(to=2).prompt("Three").answer("3").write(
        home(tmp_path)
    )
    main, left = backscroll.show(UUID, tmp_path).branches

    assert ("main", None, None, 4, "One") == (main.name, main.fork, main.parent, main.messages, main.label)
    assert ("b1", "main", 2, "Two") == (left.name, left.parent, left.messages, left.label)
    assert told(tmp_path)[1].id == left.fork
    assert told(tmp_path, branch="b1")[-1].id == left.tip
    assert left.started is not None
    assert left.updated is not None
    assert left.started < left.updated


def test_a_branch_is_told_from_the_start(tmp_path: Path) -> None:
    """Who asks for a branch reads from the first message to its tip; `all` tells everything."""
    Draft(UUID).prompt("One").answer("1").prompt("Two").answer("2").rewind(to=2).prompt("Three").write(home(tmp_path))

    assert ["One", "1", "Three"] == said(told(tmp_path))
    assert ["One", "1", "Two", "2"] == said(told(tmp_path, branch="b1"))
    assert ["One", "1", "Two", "2", "Three"] == said(told(tmp_path, all_branches=True))


def test_a_branch_that_is_not_there(tmp_path: Path) -> None:
    """Asking for a branch that does not exist names those that do."""
    Draft(UUID).prompt("One").write(home(tmp_path))

    with pytest.raises(NotFoundError, match="no such branch") as error:
        backscroll.show(UUID, tmp_path, branch="b7")
    assert "Its branches: main" in str(error.value)


def test_where_a_branch_leaves_is_marked(tmp_path: Path) -> None:
    """The message after which somebody went another way says so."""
    Draft(UUID).prompt("One").answer("1").prompt("Two").rewind(to=2).prompt("Three").write(home(tmp_path))

    assert [[], ["fork b1"], []] == [message.marks for message in told(tmp_path)]


def test_everything_before_a_compaction_is_told(tmp_path: Path) -> None:
    """Two compactions hide nothing: all is told in order, with boundaries and summaries."""
    draft = Draft(UUID).prompt("One").answer("1").compact("first").prompt("Two").answer("2").compact("second")
    draft.prompt("Three").write(home(tmp_path))
    found = told(tmp_path)

    assert ["user", "assistant", "system", "system", "user", "assistant", "system", "system", "user"] == [
        message.role for message in found
    ]
    assert 2 == backscroll.show(UUID, tmp_path).session.compactions


def test_a_gap_is_marked(tmp_path: Path) -> None:
    """Where something before a boundary is missing, the boundary says so."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "s1", "logicalParentUuid": "gone"}
    write_transcript(home(tmp_path), "-p", UUID, map(line, [user("u1"), assistant("a1", "u1"), boundary]))

    assert [[], [], ["gap"]] == [message.marks for message in told(tmp_path)]


def test_copied_messages_name_their_origin(tmp_path: Path) -> None:
    """In a fork the shared beginning is marked with the session that it was said in."""
    draft = Draft(UUID).prompt("One").answer("1")
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("Two").answer("2").write(tmp_path)

    assert [UUID, UUID, None, None] == [message.copied_from for message in told(tmp_path, OTHER)]
    assert [None, None] == [message.copied_from for message in told(tmp_path, UUID)]


def test_progress_is_not_told(tmp_path: Path) -> None:
    """Progress records are no messages."""
    progress = {"type": "progress", "uuid": "p1", "parentUuid": "u1", "data": {"type": "bash_progress"}}
    write_transcript(home(tmp_path), "-p", UUID, map(line, [user("u1"), progress, assistant("a1", "p1")]))

    assert ["u1", "a1"] == [message.id for message in told(tmp_path)]


def test_calls_of_the_session_and_its_agents(tmp_path: Path) -> None:
    """Every call is told once, on all branches, with the agent that made it and the one that it started."""
    draft = Draft(UUID).prompt("Ask").answer(calls=[bash("a", "1")])
    agent = draft.agent("Job", "Do").answer(calls=[bash("b", "2")])
    draft.join(agent, "Done").rewind(to=1).prompt("Again").answer(calls=[bash("c", "3")]).write(home(tmp_path))
    found = list(backscroll.calls(UUID, tmp_path))

    assert [("Bash", None, "b1"), ("Agent", None, "b1"), ("Bash", None, "main"), ("Bash", agent.agent_id, "main")] == [
        (item.name, item.agent, item.branch) for item in found
    ]
    assert [None, agent.agent_id, None, None] == [item.started_agent for item in found]


def test_calls_of_inline_agents(tmp_path: Path) -> None:
    """Agents inside the session's file have calls too."""
    draft = Draft(UUID, version="1.0.128").prompt("Ask")
    draft.join(draft.agent("Job", "Do").answer(calls=[bash("b", "2")]), "Done").write(home(tmp_path))
    found = list(backscroll.calls(UUID, tmp_path))

    assert ["Task", "Bash"] == [item.name for item in found]
    assert (found[1].agent or "").startswith("inline-")


def test_calls_of_internal_agents(tmp_path: Path) -> None:
    """The calls of the program's helpers are told when they are asked for, and not counted."""
    draft = Draft(UUID).prompt("Ask").internal_agent("compact", "Summarise", "Short")
    draft.agents[0].answer(calls=[bash("b", "2")])
    draft.write(home(tmp_path))

    assert [0, 1] == [len(list(backscroll.calls(UUID, tmp_path, internal=internal))) for internal in (False, True)]
    assert 0 == backscroll.show(UUID, tmp_path).session.calls


def test_calls_of_all_sessions_open_only_transcripts_with_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of sessions without calls cost nothing: the catalogue knows them."""
    with_call = Draft(UUID).prompt("Ask").answer(calls=[bash("a", "1")]).write(home(tmp_path))
    Draft(OTHER).prompt("Ask").answer("Said").write(home(tmp_path))
    backscroll.list_sessions(root=tmp_path)
    opened: list[Any] = []
    really_open = os.open

    def watched(path: Any, *more: Any, **options: Any) -> int:
        opened.append(path)
        return really_open(path, *more, **options)

    monkeypatch.setattr(os, "open", watched)

    assert ["Bash"] == [item.name for item in backscroll.calls(root=tmp_path, update=False)]
    assert {str(with_call)} == {path for path in opened if str(path).endswith(".jsonl")}


def test_the_tree_of_a_session(tmp_path: Path) -> None:
    """A session, its branches, compactions and agents, each with its parent."""
    draft = Draft(UUID).prompt("One").answer("1").title("Title")
    agent = draft.agent("Job", "Do")
    draft.join(agent, "Done").internal_agent("compact", "Summarise", "Short").compact("S", tokens=1234)
    draft.prompt("Two").answer("2").rewind(to=2).prompt("Three").write(home(tmp_path))
    session, nodes = backscroll.tree(UUID, tmp_path)

    assert session.id == UUID
    assert [
        ("session", None, "Title"),
        ("branch", UUID, "One"),
        ("branch", "main", "Two"),
        ("compaction", "main", "auto, 1,234 tokens before"),
        ("agent", "main", "general-purpose Job"),
        ("internal agent", "main", "nested"),
    ] == [(node.kind, node.parent, node.label) for node in nodes]


def test_a_compaction_without_details(tmp_path: Path) -> None:
    """A summary without a boundary stands in the tree as a compaction that nothing more is known of."""
    write_transcript(home(tmp_path), "-p", UUID, [line(user("c1", None, "S", isCompactSummary=True))])
    nodes = backscroll.tree(UUID, tmp_path)[1]

    assert ["compaction"] == [node.label for node in nodes if node.kind == "compaction"]


def test_forks_and_copies_stand_in_the_tree(tmp_path: Path) -> None:
    """What was forked from a session, and the earlier copies of it, belong to its tree."""
    old = Draft(UUID, version="1.0.44").prompt("One").answer("1")
    old.write(home(tmp_path))
    new = old.fork(OTHER, style="resume").prompt("Two").answer("2")
    new.write(tmp_path)
    new.fork("33333333-3333-4333-8333-333333333333").prompt("Three").write(tmp_path)
    nodes = backscroll.tree(OTHER, tmp_path)[1]

    assert [
        ("session", OTHER),
        ("copy", UUID),
        ("branch", "main"),
        ("fork", "33333333-3333-4333-8333-333333333333"),
    ] == [(node.kind, node.id) for node in nodes]


def test_an_empty_session_has_a_tree(tmp_path: Path) -> None:
    """A file of 0 bytes is a session with one empty branch."""
    write_transcript(home(tmp_path), "-p", UUID)
    transcript = backscroll.show(UUID, tmp_path)

    assert ["session", "branch"] == [node.kind for node in backscroll.tree(UUID, tmp_path)[1]]
    assert ([("main", "")], []) == ([(item.name, item.tip) for item in transcript.branches], list(transcript.messages))


def test_stored_lines_come_back_as_they_are(tmp_path: Path) -> None:
    """`raw` yields every byte of the transcripts, versions set aside first."""
    key = "-p"
    text = b'{"type":"user"}\r\ntorn {\n\xff\x00'
    write_transcript(home(tmp_path), key, UUID, text)
    write_side(tmp_path, f"projects/{key}/{UUID}.jsonl.superseded-1", b"{}\n")

    assert b"{}\n" + text == b"".join(backscroll.raw(UUID, tmp_path))


def test_stored_lines_of_a_file_that_is_gone(tmp_path: Path) -> None:
    """A transcript that vanished since the last update is an error with its path."""
    path = tmp_path / "gone.jsonl"
    with pytest.raises(NotFoundError, match="no such file") as error:
        list(stored_lines([str(path)]))

    assert str(path) == error.value.where


def test_a_file_that_grows_while_it_is_told(tmp_path: Path) -> None:
    """A session that goes on while it is read is told as it was when it was opened."""
    draft = Draft(UUID).prompt("One").answer("1")
    draft.write(home(tmp_path))
    transcript = backscroll.show(UUID, tmp_path)
    first = next(transcript.messages)
    draft.prompt("Two").write(tmp_path)

    assert ["One", "1"] == said([first, *transcript.messages])
    assert ["One", "1", "Two"] == said(told(tmp_path))


def test_messages_may_be_left_in_the_middle(tmp_path: Path) -> None:
    """Who stops reading in the middle of an agent leaves no file open and nothing changed."""
    with_agent(tmp_path)
    before = fingerprint(tmp_path)
    messages = backscroll.show(UUID, tmp_path).messages
    while next(messages).agent is None:
        pass
    messages.close()  # type: ignore[attr-defined]

    assert before == fingerprint(tmp_path)


def test_a_session_about_sessions(tmp_path: Path) -> None:
    """Transcripts quoted in texts and results are text: no ids, titles, paths or agents are taken from them."""
    quoted = b"".join(Draft(OTHER, "/quoted").prompt("Inner").title("Quoted title").lines()).decode()
    note = "<task-notification><task-id>a7</task-id></task-notification>"
    draft = Draft(UUID).prompt(f"What is this? {quoted}\n{note}").answer(quoted, calls=[bash("cat x", quoted)])
    draft.write(home(tmp_path))
    transcript = backscroll.show(UUID, tmp_path)

    assert (1, 0, 2, 1) == (
        transcript.session.prompts,
        transcript.session.agents,
        transcript.session.messages,
        transcript.session.calls,
    )
    assert "/home/ann/code/demo" == transcript.session.cwd
    assert (transcript.session.title or "").startswith("What is this?")
    assert 3 == len(list(transcript.messages))


def test_a_result_of_a_missing_call(tmp_path: Path) -> None:
    """A result whose call is not there is told as a message, and is no call."""
    write_transcript(home(tmp_path), "-p", UUID, [line(user("r1", None, [given("t1", "alone")]))])

    assert ["tool"] == [message.role for message in told(tmp_path)]
    assert [] == list(backscroll.calls(UUID, tmp_path))


def test_a_call_that_started_an_agent_that_is_gone(tmp_path: Path) -> None:
    """The call still says which agent it started, though nothing is left of that."""
    records = [
        assistant("a1", None, [call("t1", "Agent")]),
        user("r1", "a1", [given("t1")], toolUseResult={"status": "completed", "agentId": "a7"}),
    ]
    write_transcript(home(tmp_path), "-p", UUID, map(line, records))
    (found,) = backscroll.calls(UUID, tmp_path)

    assert "a7" == found.started_agent


def test_a_file_that_shrinks_under_our_hands(tmp_path: Path) -> None:
    """What was cut off while a session was being told is marked, not told as an empty message."""
    path = Draft(UUID).prompt("One").answer("Two" * 1_000_000).write(home(tmp_path))
    messages = backscroll.show(UUID, tmp_path).messages
    assert ["One"] == said([next(messages)])
    os.truncate(path, path.stat().st_size - 40)
    rest = list(messages)

    assert [CHANGED] == rest[-1].marks
    assert [] == rest[-1].parts
