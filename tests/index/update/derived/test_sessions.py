"""Sessions made of units: forks, copies, usage counted once, states and what else a list shows."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import UUID, Draft, assistant, bash, home, indexed, line, listed, user, write_side, write_transcript

import backscroll
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter

OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"


def total(root: Path) -> int:
    """Return how many API messages all sessions together spent."""
    return sum(session.usage.messages for session in listed(root).values())


def begun(version: str = "2.1.325") -> Draft:
    """Return a session of two prompts."""
    return Draft(UUID, version=version).prompt("A").answer("B", calls=[bash("ls", "a")]).prompt("C").answer("D")


def later(draft: Draft) -> Draft:
    """Give a draft a first record of its own, as newer versions write before the rows that they copy."""
    first = {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-05-02T00:00:00.000Z"}
    draft.rows.insert(0, first | {"sessionId": draft.session})
    return draft


def test_a_session_in_the_list(tmp_path: Path) -> None:
    """Everything that a list shows of a session comes from its records."""
    draft = begun().title("Title").record(type="tag", tag="wip").record(type="session-owner", accountUuid="acc")
    path = draft.write(home(tmp_path))
    session = listed(tmp_path)[UUID]

    assert ("Title", "wip", "acc", "live", "main", "2.1.325", "cli") == (
        session.title,
        session.tag,
        session.account,
        session.state,
        session.branch,
        session.version,
        session.entrypoint,
    )
    assert (4, 2, 1, 1, 0) == (session.messages, session.prompts, session.calls, session.branches, session.damage)
    assert ([str(path)], path.stat().st_size, ["code"]) == (session.transcripts, session.bytes, session.stores)
    assert (["claude-opus-5-5"], "claude-opus-5-5") == (session.models, session.model)
    assert session.started is not None
    assert session.updated is not None
    assert session.started < session.updated


def test_the_time_of_agents_counts(tmp_path: Path) -> None:
    """A session lasts as long as the last of its agents."""
    draft = Draft(UUID).prompt("A")
    agent = draft.agent("Job", "Do", background=True)
    agent.prompt("More", after=7200)
    draft.write(home(tmp_path))
    session = listed(tmp_path)[UUID]

    assert agent.now == session.updated


def test_usage_is_summed(tmp_path: Path) -> None:
    """Each kind of token is summed; what no record says is unknown, not zero."""
    rows = [assistant("a1", None, output=5), assistant("a2", "a1", output=7)]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    usage = listed(tmp_path)[UUID].usage

    assert (2, 12, None, None, 2, False) == (
        usage.input,
        usage.output,
        usage.cache_write,
        usage.cache_read,
        usage.messages,
        usage.lower_bound,
    )


def test_one_placeholder_makes_a_lower_bound(tmp_path: Path) -> None:
    """A session with an output of a version that wrote placeholders says so."""
    rows = [assistant("a1"), assistant("a2", "a1", version="2.0.33")]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))

    assert listed(tmp_path)[UUID].usage.lower_bound


def test_placeholders_of_an_old_version(tmp_path: Path) -> None:
    """What 2.0 wrote is a lower bound, what 2.1.325 wrote is exact."""
    begun("2.0.33").write(home(tmp_path / "old"))
    begun().write(home(tmp_path / "new"))

    assert [True, False] == [listed(tmp_path / name)[UUID].usage.lower_bound for name in ("old", "new")]


def test_split_messages_spend_once(tmp_path: Path) -> None:
    """Four records of one answer are one message and one API message."""
    draft = Draft(UUID).prompt("A").answer("B", thinking="C", calls=[bash("x", "1"), bash("y", "2")])
    draft.write(home(tmp_path))
    session = listed(tmp_path)[UUID]

    assert (2, 2, 1) == (session.messages, session.calls, session.usage.messages)


@pytest.mark.parametrize("version", ["2.1.20", "2.1.325"])
def test_a_branched_session_is_a_fork(tmp_path: Path, version: str) -> None:
    """/branch copies every record and says so: a session of its own, with its parent, that spent only what is new."""
    draft = begun(version)
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("E").answer("F").write(tmp_path)
    parent, fork = listed(tmp_path)[UUID], listed(tmp_path)[OTHER]

    assert (None, 0, UUID, 4) == (parent.parent, parent.copied, fork.parent, fork.copied)
    assert (4, 6) == (parent.messages, fork.messages)
    assert (2, 1) == (parent.usage.messages, fork.usage.messages)


def test_a_fork_whose_name_sorts_first(tmp_path: Path) -> None:
    """Who was forked is stated, not guessed from names."""
    draft = Draft(OTHER).prompt("A").answer("B")
    draft.write(home(tmp_path))
    draft.fork(UUID).prompt("C").answer("D").write(tmp_path)
    parent, fork = listed(tmp_path)[OTHER], listed(tmp_path)[UUID]

    assert (None, OTHER) == (parent.parent, fork.parent)
    assert (1, 1) == (parent.usage.messages, fork.usage.messages)


def test_a_fork_made_through_the_sdk(tmp_path: Path) -> None:
    """New ids and `forkedFrom`: the copied messages are known all the same."""
    draft = begun()
    draft.write(home(tmp_path))
    draft.fork(OTHER, style="sdk").prompt("E").answer("F").write(tmp_path)
    fork = listed(tmp_path)[OTHER]

    assert (UUID, 4, 6, 1) == (fork.parent, fork.copied, fork.messages, fork.usage.messages)
    assert 6 == backscroll.overview(tmp_path).messages


def test_a_fork_without_a_word(tmp_path: Path) -> None:
    """--fork-session of 2.1 copies ids and times: the first record with a time tells whose file began earlier."""
    draft = Draft(OTHER).prompt("A").answer("B")
    draft.write(home(tmp_path))
    later(draft.fork(UUID, style="plain")).prompt("C").answer("D").write(tmp_path)
    parent, fork = listed(tmp_path)[OTHER], listed(tmp_path)[UUID]

    assert (None, 0, OTHER, 2) == (parent.parent, parent.copied, fork.parent, fork.copied)
    assert (1, 1) == (parent.usage.messages, fork.usage.messages)


def test_a_fork_with_mixed_session_ids(tmp_path: Path) -> None:
    """2.0.33 gave copied user records the old session's id and answers the new one: the file's name counts."""
    draft = begun("2.0.33")
    draft.write(home(tmp_path))
    fork = later(draft.fork(OTHER, style="plain"))
    for row in fork.rows:
        if isinstance(row, dict) and row.get("type") == "user":
            row["sessionId"] = UUID
    fork.prompt("E").answer("F").write(tmp_path)
    found = listed(tmp_path)

    assert {UUID, OTHER} == set(found)
    assert (UUID, 4, 6) == (found[OTHER].parent, found[OTHER].copied, found[OTHER].messages)


def test_a_fork_with_new_times(tmp_path: Path) -> None:
    """1.0.128 copied ids and gave new times: the earlier times are those of the original."""
    draft = begun("1.0.128")
    draft.write(home(tmp_path))
    fork = draft.fork(OTHER, style="plain")
    for row in fork.rows:
        if isinstance(row, dict):
            row["timestamp"] = row["timestamp"].replace("2026-05-01", "2026-05-02")
    fork.prompt("E").answer("F").write(tmp_path)
    found = listed(tmp_path)

    assert (UUID, []) == (found[OTHER].parent, found[OTHER].copies)
    assert 1 == found[OTHER].usage.messages


def resumed(draft: Draft, name: str) -> Draft:
    """Return what a resume of 1.0.44 wrote: new ids, new times, no requests."""
    copy = draft.fork(name, style="resume")
    for row in copy.rows:
        if isinstance(row, dict):
            row["timestamp"] = row["timestamp"].replace("2026-05-01", "2026-05-02")
            row.pop("requestId", None)
    copy.now = copy.now.replace(day=2)
    return copy


def test_a_resumed_session_of_old_is_one_entry(tmp_path: Path) -> None:
    """Up to 1.0.44 a resume wrote everything again: the old file is an earlier copy, its id leads to the new one."""
    draft = begun("1.0.44")
    draft.write(home(tmp_path))
    resumed(draft, OTHER).prompt("E").answer("F").write(tmp_path)
    database = indexed(tmp_path)
    (session,) = query.sessions(database, SessionFilter(), None)

    assert (OTHER, [UUID], None, 0, 6, 3) == (
        session.id,
        session.copies,
        session.parent,
        session.copied,
        session.messages,
        session.usage.messages,
    )
    assert OTHER == query.resolve(database, UUID)


def test_resumed_again_and_again(tmp_path: Path) -> None:
    """A chain of resumes is one entry with all earlier ids, and each id leads to the last."""
    draft = begun("1.0.44")
    draft.write(home(tmp_path))
    second = resumed(draft, OTHER).prompt("E").answer("F")
    second.write(tmp_path)
    third = second.fork(THIRD, style="resume").prompt("G").answer("H")
    for row in third.rows:
        if isinstance(row, dict):
            row["timestamp"] = row["timestamp"].replace("2026-05-02", "2026-05-03")
    third.write(tmp_path)
    database = indexed(tmp_path)
    (session,) = query.sessions(database, SessionFilter(), None)

    assert (THIRD, [UUID, OTHER]) == (session.id, session.copies)
    assert [THIRD, THIRD] == [query.resolve(database, name) for name in (UUID, OTHER)]


def test_resumed_after_an_unanswered_prompt(tmp_path: Path) -> None:
    """A session that ended with a prompt that nobody answered is an earlier copy too: all its answers are copied."""
    draft = begun("1.0.44").prompt("Never mind")
    draft.write(home(tmp_path))
    resumed(draft, OTHER).prompt("E").answer("F").write(tmp_path)

    assert {OTHER: [UUID]} == {name: session.copies for name, session in listed(tmp_path).items()}


def test_an_old_session_that_went_on_is_not_folded(tmp_path: Path) -> None:
    """A file that holds an answer of its own is a session of its own, and what is shared counts once."""
    draft = begun("1.0.44")
    copy = resumed(draft, OTHER).prompt("E").answer("F")
    draft.prompt("G").answer("H").write(home(tmp_path))
    copy.write(tmp_path)
    found = listed(tmp_path)

    assert {UUID: [], OTHER: []} == {name: session.copies for name, session in found.items()}
    assert (UUID, 4) == (found[OTHER].parent, found[OTHER].copied)


def test_one_session_in_two_project_directories(tmp_path: Path) -> None:
    """The same session in two project directories is one session that says everything once."""
    draft = begun()
    draft.write(home(tmp_path))
    draft.prompt("E").write(tmp_path, key="-elsewhere")
    session = listed(tmp_path)[UUID]

    assert (2, 5, 3) == (len(session.transcripts), session.messages, session.prompts)


def test_a_superseded_version_is_history(tmp_path: Path) -> None:
    """What only a version set aside holds belongs to the session."""
    draft = begun()
    path = draft.write(home(tmp_path))
    path.rename(path.with_name(f"{path.name}.superseded-1780000000000"))
    Draft(UUID).prompt("New start").write(tmp_path)
    session = listed(tmp_path)[UUID]

    assert (5, 2) == (session.messages, len(session.transcripts))
    assert session.transcripts[0].endswith(f"{UUID}.jsonl")


def test_lost_requests_join_their_message(tmp_path: Path) -> None:
    """A copy that lost its request id is no second API message; two requests under one id are two."""
    key = "msg_0123456789abcdef"
    first = [assistant("a1", None, api=key, requestId="req_1"), assistant("a2", "a1", api=key, requestId="req_2")]
    write_transcript(home(tmp_path), "-p", UUID, map(line, first))
    write_transcript(tmp_path, "-p", OTHER, [line(assistant("b1", None, api=key))])

    assert 2 == total(tmp_path)


@pytest.mark.parametrize("order", [(UUID, OTHER), (OTHER, UUID)])
def test_which_request_a_lost_copy_joins_is_no_chance(tmp_path: Path, order: tuple[str, str]) -> None:
    """Whatever file is met first, a copy without request goes with the same message."""
    key = "msg_0123456789abcdef"
    texts = {
        UUID: [assistant("a1", None, api=key, requestId="req_2", output=1)],
        OTHER: [assistant("b1", None, api=key, requestId="req_1", output=2), assistant("b2", "b1", api=key, output=50)],
    }
    database = None
    for name in order:
        write_transcript(home(tmp_path), "-p", name, map(line, texts[name]))
        database = indexed(tmp_path, database)
    assert database is not None
    found = {session.id: session.usage.output for session in query.sessions(database, SessionFilter(), None)}

    assert {UUID: 1, OTHER: 50} == found


def test_short_ids_are_not_shared(tmp_path: Path) -> None:
    """Two files made by hand that use the same ids have nothing in common."""
    for name in (UUID, OTHER):
        write_transcript(home(tmp_path), "-p", name, map(line, [user("u1"), assistant("a1", "u1", api="msg_1")]))
    found = listed(tmp_path)

    assert [1, 1] == [session.usage.messages for session in found.values()]
    assert [None, None] == [session.parent for session in found.values()]


@pytest.mark.parametrize(
    "files, state",
    [
        ({f"{UUID}.jsonl": b""}, "live"),
        ({f"{UUID}.jsonl": b"torn {"}, "damaged"),
        ({f"{UUID}.jsonl": b'{"type":"mode"}\n', f"{UUID}/archived.json": b'{"archived":true}'}, "archived"),
        ({f"{UUID}.jsonl": b'{"type":"mode"}\n', f"{UUID}/archived.json": b'{"archived":false}'}, "live"),
        ({f"{UUID}/tool-results/b1.txt": b"x"}, "orphan"),
        ({f"{UUID}/custom-title.json": b'{"customTitle":"T"}'}, "orphan"),
        ({f"{UUID}/subagents/agent-a1.jsonl": b"{}\n"}, "orphan"),
        ({f"{UUID}.desktop-released.json": b'{"reason":"delete"}'}, "orphan"),
    ],
)
def test_states(tmp_path: Path, files: dict[str, bytes], state: str) -> None:
    """A session is live, damaged, archived, or an orphan of which only side files are left."""
    home(tmp_path)
    for name, content in files.items():
        write_side(tmp_path, f"projects/-p/{name}", content)

    assert {UUID: state} == {name: session.state for name, session in listed(tmp_path).items()}


def test_a_mirror_of_a_remote_session(tmp_path: Path) -> None:
    """What Desktop mirrors from an SSH host is remote, though it is often empty."""
    write_transcript(home(tmp_path), f"ssh-{UUID}", UUID)

    assert "remote" == listed(tmp_path)[UUID].state


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"type":"summary","summary":"S","leafUuid":"gone"}\n',
        b'{"type":"mode","mode":"normal","sessionId":"S"}\n',
        b'{"type":"file-history-snapshot","messageId":"u1","snapshot":{}}\n',
        b"null\n[]\n5\n",
    ],
)
def test_empty_files_are_listed(tmp_path: Path, content: bytes) -> None:
    """A file in which nothing was said is a session without messages."""
    write_transcript(home(tmp_path), "-p", UUID, content)
    session = listed(tmp_path)[UUID]

    assert (0, 0, 0, None) == (session.messages, session.branches, session.usage.messages, session.usage.output)


def test_a_damaged_file_is_listed_with_its_damage(tmp_path: Path) -> None:
    """Torn, merged and invalid lines cost themselves only."""
    lines = begun().lines()
    glued = lines[0].rstrip() + lines[1]
    torn = lines[2][:50] + lines[3]
    rest = [b"\x00" * 20 + b"\n", b"null\n", b"\xef\xbb\xbf" + lines[4], *lines[5:-1], lines[-1][:30]]
    write_transcript(home(tmp_path), "-p", UUID, [glued, torn, *rest])
    session = listed(tmp_path)[UUID]

    assert session.damage >= 3
    assert session.messages >= 3


def test_orphans_do_not_depend_on_what_was_met_first(tmp_path: Path) -> None:
    """A session of which only agents are left is described by the same agent whatever file came first."""
    answers = []
    for order in ((0, 1), (1, 0)):
        root = home(tmp_path / str(order))
        database = None
        for number in order:
            row = user(
                f"u{number}", None, sessionId=UUID, cwd=f"/r/{number}", version=f"2.0.{number}", isSidechain=True
            )
            write_side(root, f"projects/-p/agent-{number}.jsonl", [line(row)])
            database = indexed(root, database)
        assert database is not None
        session = query.session(database, UUID)
        answers.append((session.cwd, session.version))

    assert answers[0] == answers[1]


def test_the_calls_of_agents_come_in_one_order(tmp_path: Path) -> None:
    """Which agent's file was read first does not decide the order of calls."""
    draft = Draft(UUID).prompt("A")
    for number in range(3):
        draft.join(draft.agent("Job", f"Do {number}").answer(calls=[bash(f"echo {number}", "x")]), "Done")
    draft.write(home(tmp_path))
    before = [call.id for call in backscroll.calls(UUID, tmp_path)]
    for path in sorted(tmp_path.rglob("agent-*.jsonl")):
        path.write_bytes(path.read_bytes() + b"\n")
        after = [call.id for call in backscroll.calls(UUID, tmp_path)]

        assert before == after


STYLES = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["branch", "plain", "sdk", "resume", "go on", "agent"])), max_size=6
)


def family(steps: list[tuple[int, str]], version: str) -> list[Draft]:
    """Make a random family of forks."""
    drafts = [Draft(UUID, version=version).prompt("A").answer("B")]
    for number, (choice, step) in enumerate(steps):
        draft = drafts[choice % len(drafts)]
        if step == "agent":
            draft.join(draft.agent("Job", f"Do {number}"), "Done")
        elif step == "go on":
            draft.prompt(f"On {number}").answer(f"Yes {number}")
        else:
            name = f"{(number * 7) % 10:08d}-{number:04d}-4aaa-8aaa-aaaaaaaaaaaa"
            drafts.append(draft.fork(name, style=step).prompt(f"Fork {number}").answer(f"Forked {number}"))
    return drafts


def api_messages(drafts: list[Draft]) -> dict[str, int]:
    """Return every API message that a family spent, with its greatest output."""
    found: dict[str, int] = {}
    for draft in drafts:
        for record in (row for part in (draft, *draft.all_agents()) for row in part.rows if isinstance(row, dict)):
            message: dict[str, Any] = record.get("message") or {}
            if "usage" in message:
                found[message["id"]] = max(found.get(message["id"], 0), message["usage"]["output_tokens"])
    return found


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@for_all(STYLES, st.sampled_from(["1.0.44", "1.0.128", "2.0.33", "2.1.325"]))
def test_the_sum_over_sessions_is_the_total(steps: list[tuple[int, str]], version: str) -> None:
    """However sessions were forked from one another: every API message is attributed exactly once."""
    drafts = family(steps, version)
    with tempfile.TemporaryDirectory() as directory:
        root = home(Path(directory))
        for draft in drafts:
            draft.write(root)
        found = listed(root).values()
        spent = api_messages(drafts)

        assert len(spent) == sum(session.usage.messages for session in found)
        assert sum(spent.values()) == sum(session.usage.output or 0 for session in found)


def texts(drafts: list[Draft]) -> set[str]:
    """Return everything that was said in a family, agents aside; every text is said once."""
    return {
        str(content if isinstance(content, str) else content[0].get("text"))
        for draft in drafts
        for row in draft.rows
        if isinstance(row, dict) and not row.get("isSidechain") and "message" in row
        for content in [row["message"]["content"]]
    }


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@for_all(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["branch", "plain", "go on"])), max_size=6),
    st.sampled_from(["2.0.33", "2.1.325"]),
)
def test_every_message_is_said_first_somewhere(steps: list[tuple[int, str]], version: str) -> None:
    """However sessions were forked from one another: without copies, every message is counted exactly once."""
    drafts = family(steps, version)
    with tempfile.TemporaryDirectory() as directory:
        root = home(Path(directory))
        for draft in drafts:
            draft.write(root)
        found = listed(root).values()

        assert len(texts(drafts)) == sum(session.messages - session.copied for session in found)
