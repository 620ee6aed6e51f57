"""A fault of ours: the unit that it strikes is damaged, and every other one is as it would be without it."""

import json
from pathlib import Path

import pytest
from make import UUID, Draft, bash, home, write_transcript
from searched import Searched

import backscroll
from backscroll.cli.main import run
from backscroll.index.db import open_in_memory
from backscroll.index.queries import sessions as query
from backscroll.index.queries.damage import damage_and_notes
from backscroll.index.update.update import update
from backscroll.sessions.transcript import outcomes
from backscroll.sessions.transcript.heads import Block
from backscroll.stores.find import find_stores

BAD = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a fault that strikes whoever reads a call of a tool with a cursed name."""
    real = outcomes.target_of

    def struck(block: Block) -> str | None:
        if block.name == "Cursed":
            raise ZeroDivisionError("planted")
        return real(block)

    monkeypatch.setattr(outcomes, "target_of", struck)


def cursed(session: str) -> Draft:
    """Return a session with a call that brings the fault about."""
    return Draft(session).prompt("wake the dodo").answer("Cursed be.", calls=[bash("ls", "a")._replace(name="Cursed")])


def three(root: Path) -> Path:
    """Write three sessions, of which the second brings the fault about; return the path of that one."""
    Draft(UUID).prompt("feed the okapi").answer("Fed.", calls=[bash("ls", "hay")]).write(home(root))
    Draft(THIRD).prompt("feed the gnu").answer("Fed.").write(root)
    return cursed(BAD).write(root)


def test_list(tmp_path: Path, fault: None) -> None:
    """The session that the fault strikes is listed as damaged, the others as ever."""
    three(tmp_path)
    found = {session.id: session for session in backscroll.list_sessions(tmp_path).sessions}

    assert {UUID: ("live", 0, 2), BAD: ("damaged", 1, 0), THIRD: ("live", 0, 2)} == {
        name: (session.state, session.damage, session.messages) for name, session in found.items()
    }
    assert 1 == found[UUID].calls


def test_the_damage_names_place_and_reason(tmp_path: Path, fault: None) -> None:
    """Damage says which file it is, and which exception kept it from being read."""
    path = three(tmp_path)
    database = open_in_memory()
    report = update(database, find_stores(tmp_path, {}))
    (damage,), notes = damage_and_notes(database, BAD)
    database.close()

    assert (str(path), 1, []) == (damage.place.path, report.damage, notes)
    assert "ZeroDivisionError: planted" in damage.reason


def test_search(tmp_path: Path, fault: None) -> None:
    """Everything that the other sessions say is found."""
    three(tmp_path)
    with Searched(tmp_path) as searched:
        assert [UUID, THIRD] == sorted(str(hit.session) for hit in searched("feed").hits)
        assert [UUID] == [hit.session for hit in searched("hay").hits]
        searched.refresh()
        assert 2 == searched("feed").total


def test_index(tmp_path: Path, fault: None, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """`backscroll index` takes in everything else, and says how many places are damaged."""
    three(tmp_path)
    code = run(["--root", str(tmp_path), "index", "--json"])
    report = json.loads(capfdbinary.readouterr().out)

    assert (0, 3, 3, 1) == (code, report["files"], report["sessions"], report["damage"])


def test_a_fault_in_a_file_that_grew(tmp_path: Path, fault: None) -> None:
    """A transcript that brings the fault about only after it grew is damaged from then on, and keeps its neighbours."""
    lines = cursed(BAD).lines()
    write_transcript(home(tmp_path), "-p", BAD, lines[:1])
    Draft(UUID).prompt("feed the okapi").write(tmp_path)
    database = open_in_memory()
    update(database, find_stores(tmp_path, {}))
    before = query.session(database, BAD)
    write_transcript(tmp_path, "-p", BAD, lines)
    update(database, find_stores(tmp_path, {}))
    after, other = query.session(database, BAD), query.session(database, UUID)
    database.close()

    assert [(0, 1), (1, 0), (0, 1)] == [(item.damage, item.prompts) for item in (before, after, other)]


def test_a_fault_in_an_agent(tmp_path: Path, fault: None) -> None:
    """An agent's file that brings the fault about is damaged alone: the session that started it is read."""
    draft = Draft(UUID).prompt("feed the okapi")
    child = draft.agent("Job", "wake the dodo")
    child.answer("Cursed be.", calls=[bash("ls", "a")._replace(name="Cursed")])
    draft.join(child, "Done").write(home(tmp_path))
    (session,) = backscroll.list_sessions(tmp_path).sessions

    assert ("live", 1, 1) == (session.state, session.damage, session.prompts)


def test_without_the_fault_nothing_is_left_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is read again by a program without the fault is as it would have been."""
    path = three(tmp_path)
    database = open_in_memory()
    with monkeypatch.context() as patched:
        patched.setattr(outcomes, "target_of", lambda _: 1 // 0)
        update(database, find_stores(tmp_path, {}))
        struck = query.session(database, BAD)
    path.write_bytes(path.read_bytes() + b"\n")
    update(database, find_stores(tmp_path, {}))
    mended = query.session(database, BAD)
    database.close()

    assert [("damaged", 0), ("live", 2)] == [(item.state, item.messages) for item in (struck, mended)]
