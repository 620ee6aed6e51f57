"""The library's functions: what a caller gets for each command."""

import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from make import (
    NOON,
    UUID,
    Draft,
    assistant,
    bash,
    call,
    failed,
    fingerprint,
    given,
    home,
    line,
    user,
    write_demo_home,
    write_side,
    write_transcript,
)

import backscroll
from backscroll.errors import NotFoundError, QueryError
from backscroll.index.search.search import Options

OTHER = "22222222-2222-4222-8222-222222222222"


def two(root: Path) -> None:
    """Write two sessions on two days."""
    Draft(UUID, "/home/ann/a").prompt("First").answer("1", calls=[bash("ls", "a"), failed("x", 1, "no")]).write(
        home(root)
    )
    Draft(OTHER, "/home/ann/b", started=NOON + timedelta(days=1)).prompt("Second").answer("2").write(root)


def test_overview(tmp_path: Path) -> None:
    """What was found, the latest sessions, and what will be deleted within a week."""
    two(tmp_path)
    soon = datetime.now(UTC) - timedelta(days=28)
    Draft("33333333-3333-4333-8333-333333333333").prompt("Old").raw(b"torn {\n").write(tmp_path, mtime=soon)
    Draft("44444444-4444-4444-8444-444444444444").prompt("New").write(tmp_path, mtime=datetime.now(UTC))
    found = backscroll.overview(tmp_path)

    assert (4, 6, 1) == (found.sessions, found.messages, found.damage)
    assert "22222222" == found.latest[0].id[:8]
    assert "33333333" in [session.id[:8] for session in found.expiring]
    assert "44444444" not in [session.id[:8] for session in found.expiring]
    assert ["code", "side"] == [store.kind for store in found.stores]


def test_overview_of_many(tmp_path: Path) -> None:
    """The five latest sessions are enough."""
    write_demo_home(tmp_path)
    found = backscroll.overview(tmp_path)

    assert 5 == len(found.latest)
    assert found.sessions > 5


def test_overview_of_nothing(tmp_path: Path) -> None:
    """An empty home has no sessions, and that is no error."""
    found = backscroll.overview(tmp_path)

    assert (0, 0, [], []) == (found.sessions, found.messages, found.latest, found.expiring)


def test_stores(tmp_path: Path) -> None:
    """Each store with its files, bytes and sessions."""
    two(tmp_path)
    code = backscroll.list_stores(tmp_path)[0]

    assert ("code", str(tmp_path / ".claude"), 2, 2) == (code.kind, code.path, code.files, code.sessions)


def test_sessions_with_filters(tmp_path: Path) -> None:
    """Filters choose, the limit cuts, the total counts what passed the filters."""
    two(tmp_path)
    found = [
        backscroll.list_sessions(tmp_path, limit=1),
        backscroll.list_sessions(tmp_path, limit=None),
        backscroll.list_sessions(tmp_path, project="ann/a"),
        backscroll.list_sessions(tmp_path, since=NOON + timedelta(hours=23)),
        backscroll.list_sessions(tmp_path, until=NOON + timedelta(hours=23)),
        backscroll.list_sessions(tmp_path, state="orphan"),
        backscroll.list_sessions(tmp_path, store="cowork"),
    ]

    assert [(2, "2"), (2, "21"), (1, "1"), (1, "2"), (1, "1"), (0, ""), (0, "")] == [
        (item.total, "".join(session.id[0] for session in item.sessions)) for item in found
    ]


def test_sessions_with_their_agents(tmp_path: Path) -> None:
    """Agents are listed where they are asked for, by session."""
    draft = Draft(UUID).prompt("A")
    agent = draft.agent("Job", "Do")
    draft.join(agent, "Done").write(home(tmp_path))
    found = backscroll.list_sessions(tmp_path, agents=True).agents

    assert {UUID: [agent.agent_id]} == {name: [item.id for item in items] for name, items in found.items()}
    assert {} == backscroll.list_sessions(tmp_path).agents


def test_the_homes_of_this_user(home: Path) -> None:
    """Without a root the user's own home is read."""
    Draft(UUID).prompt("A").write(home)

    assert 1 == backscroll.list_sessions().total


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    """A wrong root is said to be wrong, not empty."""
    with pytest.raises(NotFoundError, match="no such directory"):
        backscroll.list_sessions(tmp_path / "nowhere")


def test_without_an_update_the_index_answers(tmp_path: Path) -> None:
    """An index that is not brought up to date tells what it knows; one that knows nothing is filled."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    first = backscroll.list_sessions(tmp_path, update=False).total
    Draft(OTHER).prompt("B").write(tmp_path)

    assert [1, 1, 2] == [
        first,
        backscroll.list_sessions(tmp_path, update=False).total,
        backscroll.list_sessions(tmp_path).total,
    ]


def test_updating_the_index(tmp_path: Path) -> None:
    """An update reports what it did; rebuilding reads everything again."""
    two(tmp_path)
    told: list[backscroll.Progress] = []
    reports = [
        backscroll.update_index(tmp_path, on_progress=told.append),
        backscroll.update_index(tmp_path),
        backscroll.update_index(tmp_path, rebuild=True),
    ]

    assert [(2, 0, 2), (0, 2, 2), (2, 0, 2)] == [(item.read, item.skipped, item.sessions) for item in reports]
    assert 2 == sum(progress.what.startswith("reading") for progress in told)


def test_showing_a_session(tmp_path: Path) -> None:
    """A session is shown with its branches, messages, damage and notes."""
    Draft(UUID).prompt("A").raw(b"torn {\n").raw(b'{"type":"user","uuid":"u9","x":"\\ud83d"}\n').write(home(tmp_path))
    found = backscroll.show("latest", tmp_path)

    assert (UUID, 1, 1, ["main"]) == (
        found.session.id,
        len(found.damage),
        len(found.notes),
        [branch.name for branch in found.branches],
    )
    assert 2 == len(list(found.messages))
    assert found.damage[0].place.line is not None


def test_an_old_id_shows_the_session_that_contains_it(tmp_path: Path) -> None:
    """Who kept the id of an earlier copy finds the whole conversation."""
    old = Draft(UUID, version="1.0.44").prompt("A").answer("B")
    old.write(home(tmp_path))
    old.fork(OTHER, style="resume").prompt("C").answer("D").write(tmp_path)
    found = backscroll.show(UUID, tmp_path)

    assert (OTHER, [UUID], 4) == (found.session.id, found.session.copies, len(list(found.messages)))


def test_ids_that_mean_nothing_or_too_much(tmp_path: Path) -> None:
    """An unknown id is not found, an ambiguous one is refused, in every function that takes one."""
    for name in ("1aaa", "1aab"):
        Draft(name).prompt("A").write(home(tmp_path))
    for verb in (backscroll.show, backscroll.tree, backscroll.raw, lambda *at: list(backscroll.calls(*at))):
        with pytest.raises(NotFoundError):
            verb("9", tmp_path)
        with pytest.raises(QueryError):
            verb("1aa", tmp_path)


def test_a_transcript_by_its_path(tmp_path: Path) -> None:
    """A file that somebody points at is read wherever it lies, with the sidecar directory beside it."""
    draft = Draft(UUID).prompt("Ask")
    draft.join(draft.agent("Job", "Do"), "Done").answer("Answer").write(home(tmp_path / "home"))
    path = next((tmp_path / "home").rglob(f"{UUID}.jsonl"))
    found = backscroll.show(str(path))

    assert (UUID, 1, 5) == (found.session.id, found.session.agents, found.session.messages)
    assert 8 > len(list(found.messages)) > 5
    assert ["Agent"] == [item.name for item in backscroll.calls(str(path))]
    assert path.read_bytes() == b"".join(backscroll.raw(str(path)))
    assert "agent" in [node.kind for node in backscroll.tree(str(path))[1]]


def test_any_file_by_its_path(tmp_path: Path) -> None:
    """A transcript under any name, an agent's file and one that is not there."""
    odd = tmp_path / "some notes.jsonl"
    odd.write_bytes(Draft(UUID).prompt("A").text())
    agent = tmp_path / "agent-a1.jsonl"
    agent.write_bytes(line(user("x1", None, "Do", sessionId=UUID, isSidechain=True)))

    assert 1 == backscroll.show(str(odd)).session.prompts
    assert (UUID, "orphan", 1) == (
        backscroll.show(str(agent)).session.id,
        backscroll.show(str(agent)).session.state,
        len(list(backscroll.show(str(agent)).messages)),
    )
    with pytest.raises(NotFoundError):
        backscroll.show(str(tmp_path / "gone.jsonl"))


def test_a_path_that_is_no_file(tmp_path: Path) -> None:
    """A directory or a broken link of that name holds no session."""
    (tmp_path / "dir.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to("nowhere")
    for name in ("dir.jsonl", "link.jsonl"):
        with pytest.raises(NotFoundError):
            backscroll.show(str(tmp_path / name))


def test_damage_beside_a_transcript_by_its_path(tmp_path: Path) -> None:
    """What cannot be looked at in the sidecar directory does not hide the transcript."""
    path = tmp_path / f"{UUID}.jsonl"
    path.write_bytes(Draft(UUID).prompt("A").text())
    (tmp_path / UUID / "subagents").mkdir(parents=True)
    (tmp_path / UUID / "subagents" / "agent-a1.jsonl").symlink_to("nowhere")

    assert 1 == backscroll.show(str(path)).session.prompts


def test_calls_of_all_sessions(tmp_path: Path) -> None:
    """Calls of every session, newest session first, each call once though a fork holds a copy of it."""
    draft = Draft(UUID).prompt("A").answer("B", calls=[bash("ls", "a")])
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D", calls=[bash("pwd", "/")]).write(tmp_path)
    found = list(backscroll.calls(root=tmp_path))

    assert ["ls", "pwd"] == sorted(str(item.input["command"]) for item in found if isinstance(item.input, dict))


def test_short_ids_do_not_hide_calls(tmp_path: Path) -> None:
    """Two sessions whose calls somebody named alike have two calls."""
    for name in (UUID, OTHER):
        rows = [assistant("a1", None, [call("t1", command=name)]), user("r1", "a1", [given("t1", name)])]
        write_transcript(home(tmp_path), "-p", name, map(line, rows))

    assert {str({"command": name}) for name in (UUID, OTHER)} == {
        str(item.input) for item in backscroll.calls(root=tmp_path)
    }


def test_chosen_calls(tmp_path: Path) -> None:
    """Calls by the name of their tool, in any case, and only those that failed."""
    two(tmp_path)

    assert [2, 0, 1] == [
        len(list(found))
        for found in (
            backscroll.calls(UUID, tmp_path, tool="bash"),
            backscroll.calls(UUID, tmp_path, tool="Ba"),
            backscroll.calls(root=tmp_path, errors=True),
        )
    ]


def test_nothing_is_written_into_a_store(tmp_path: Path, home: Path) -> None:
    """No function changes, adds or touches anything of what it reads."""
    root = write_demo_home(tmp_path / "root")
    before = fingerprint(root)
    backscroll.overview(root)
    for session in backscroll.list_sessions(root, limit=None, agents=True).sessions:
        list(backscroll.show(session.id, root, all_branches=True, internal=True).messages)
        backscroll.tree(session.id, root)
        list(backscroll.raw(session.id, root))
    list(backscroll.calls(root=root, internal=True))
    backscroll.update_index(root, rebuild=True)

    assert before == fingerprint(root)
    assert ["index"] == [path.name for path in (home.parent / "ours").iterdir()]


def test_two_readers_at_once(tmp_path: Path) -> None:
    """Who updates the same index at the same time waits for the other, and both answer."""
    write_demo_home(tmp_path)
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(backscroll.list_sessions(tmp_path).total)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 3 == len(answers)
    assert 1 == len(set(answers))


def test_the_same_demo_home_twice(tmp_path: Path) -> None:
    """What is listed, shown and counted agrees for every session of the demo home."""
    write_demo_home(tmp_path)
    for session in backscroll.list_sessions(tmp_path, limit=None).sessions:
        told = list(backscroll.show(session.id, tmp_path, all_branches=True).messages)

        assert session.messages == sum(message.role in ("user", "assistant") for message in told)
        assert session.prompts == sum(message.is_typed for message in told)
        assert session.calls == len(list(backscroll.calls(session.id, tmp_path)))
        assert session.branches == len(backscroll.show(session.id, tmp_path).branches) or not told


def test_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    """A store that is damaged in one place is listed in all others."""
    write_transcript(home(tmp_path), "-p", UUID, Draft(UUID).prompt("A").lines())
    write_side(tmp_path, "projects/-p/fifo-is-no-file.jsonl.d/x", b"")
    (tmp_path / ".claude/projects/-p" / f"{OTHER}.jsonl").mkdir()
    found = backscroll.overview(tmp_path)

    assert 1 == found.sessions
    assert ["not a regular file (directory)"] == [item.reason for item in found.stores[0].damage]


def test_letters_share_one_look_at_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody types, files are looked at once in a while; a search with counts looks, as every other does."""
    two(tmp_path)
    typing = Options(is_typing=True)
    with backscroll.open(tmp_path) as library:
        assert 1 == library.search("fir", options=typing).total
        Draft(UUID, "/home/ann/a").prompt("First").answer("firm").write(tmp_path)
        monkeypatch.setattr("backscroll.verbs.search.TYPING", 3600.0)
        assert 1 == library.search("fir", options=typing).total
        assert 2 == library.search("fir", options=typing, counts="day").total
        Draft(UUID, "/home/ann/a").prompt("First").answer("firm fir").write(tmp_path)
        monkeypatch.setattr("backscroll.verbs.search.TYPING", 0.0)
        assert 2 == library.search("fir", options=typing).total


@pytest.mark.parametrize("zone", ["UTC", "America/Sao_Paulo", "Asia/Kathmandu", "Europe/Berlin"])
def test_matches_by_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """Days begin at midnight here, where clocks change too: in Brazil that skipped the first hour of a day."""
    here = ZoneInfo(zone)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    first = datetime(2018, 11, 2, 13, 10, tzinfo=UTC)
    moments = [first + timedelta(minutes=97 * number) for number in range(60)]
    for number, moment in enumerate(moments):
        Draft(f"{number:08}-2222-4222-8222-222222222222", started=moment).prompt("okapi").write(tmp_path)
    try:
        found = backscroll.search("okapi", tmp_path, counts="day").counts or []
    finally:
        monkeypatch.undo()
        time.tzset()

    assert Counter(str(moment.astimezone(here).date()) for moment in moments) == {one.day: one.hits for one in found}
    assert [one.day for one in found] == sorted(one.day for one in found)
