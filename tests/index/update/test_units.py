"""Units: what is found on disk, sorted into what is read together."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from make import UUID, Draft, home, indexed, listed, write_side, write_transcript

from backscroll.index.db import open_in_memory
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.update.files import look
from backscroll.index.update.units import FoundUnits, Unit, sort, storable
from backscroll.stores.find import find_stores

OTHER = "22222222-2222-4222-8222-222222222222"
AGENT = "a0123456789abcdef"


def units(root: Path) -> list[Unit]:
    """Return the units below a root."""
    return list(found(root).units.values())


def found(root: Path) -> FoundUnits:
    """Look at everything below a root."""
    with closing(open_in_memory()) as database:
        return sort(look(database, find_stores(root, {})).met)


def ids(database: sqlite3.Connection) -> list[str]:
    """Return the ids of all sessions."""
    return sorted(session.id for session in query.sessions(database, SessionFilter(), None))


def names(unit: Unit) -> list[str]:
    """Return the file names of a unit in reading order."""
    return [Path(path).name for path in unit.paths]


def test_a_session_and_its_versions(tmp_path: Path) -> None:
    """Versions set aside are read with their transcript, and before it, the older first."""
    write_transcript(home(tmp_path), "-p", UUID, b"1\n")
    for age, suffix in ((30, ".superseded-1"), (20, ".bak")):
        path = write_side(tmp_path, f"projects/-p/{UUID}.jsonl{suffix}", b"22\n")
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    (unit,) = units(tmp_path)

    assert [f"{UUID}.jsonl.superseded-1", f"{UUID}.jsonl.bak", f"{UUID}.jsonl"] == names(unit)
    assert (UUID, None, "session", "-p", 8) == (unit.session, unit.agent, unit.kind, unit.project_key, unit.size)


def test_one_id_in_two_projects_is_one_session(tmp_path: Path) -> None:
    """A UUID names one session wherever its files lie."""
    for key in ("-p", "-q"):
        write_transcript(home(tmp_path), key, UUID)

    assert [2] == [len(unit.files) for unit in units(tmp_path)]


def test_one_id_in_two_configurations_is_one_session(tmp_path: Path) -> None:
    """Several roots are read together: a copy of the store adds no session."""
    Draft(UUID).prompt("A").answer("B").write(home(tmp_path))
    shutil.copytree(tmp_path / ".claude", tmp_path / ".claude-backup")
    session = listed(tmp_path)[UUID]

    assert (2, 1, 2) == (session.messages, session.usage.messages, len(session.transcripts))


def test_a_copied_store_adds_no_agents(tmp_path: Path) -> None:
    """The agents of a session that lies in two places are the same agents, each said once."""
    draft = Draft(UUID).prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done").write(home(tmp_path))
    shutil.copytree(tmp_path / ".claude", tmp_path / ".claude-backup")
    session = listed(tmp_path)[UUID]

    assert (4, 1, 1) == (session.messages, session.agents, session.calls)


def test_other_names_count_in_their_own_project(tmp_path: Path) -> None:
    """A name that is no UUID is a session of its own in each project directory."""
    for key in ("-p", "-q"):
        write_transcript(home(tmp_path), key, "notes", Draft("notes").prompt(key).lines())
    write_transcript(tmp_path, "-p", "single")

    assert {"notes@-p", "notes@-q", "single"} == set(listed(tmp_path))


def test_other_names_in_two_configurations(tmp_path: Path) -> None:
    """The same name in the same project directory of two stores loses nothing."""
    for number, config in enumerate((".claude", ".claude-work")):
        path = tmp_path / config / "projects" / "-p" / "notes.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(Draft(f"notes{number}").prompt(config).text())
    found = listed(tmp_path)

    assert 2 == sum(session.prompts for session in found.values())


def test_names_that_look_alike(tmp_path: Path) -> None:
    """Two names that differ only in what cannot be shown are two sessions."""
    for number, name in enumerate(("a b", "a  b", "a\tb")):
        write_transcript(home(tmp_path), "-p", name, Draft("x").prompt("A" * number + "B").lines())

    assert {"a b", "a b#2", "a b#3"} == set(listed(tmp_path))


def test_a_name_that_becomes_ambiguous(tmp_path: Path) -> None:
    """When a second project has a session of the same name, the first is called by its project too."""
    write_transcript(home(tmp_path), "-p", "notes", Draft("notes").prompt("A").lines())
    database = indexed(tmp_path)
    before = ids(database)
    write_transcript(tmp_path, "-q", "notes", Draft("notes").prompt("B").lines())

    assert ["notes"] == before
    assert ["notes@-p", "notes@-q"] == ids(indexed(tmp_path, database))


def test_agents_by_their_place(tmp_path: Path) -> None:
    """Flat, nested and workflow agents are told apart by their directories, and keep their versions."""
    write_side(home(tmp_path), "projects/-p/agent-1a2b3c4d.jsonl")
    write_side(tmp_path, f"projects/-p/{UUID}/subagents/agent-{AGENT}.jsonl")
    write_side(tmp_path, f"projects/-p/{UUID}/subagents/agent-{AGENT}.jsonl.bak")
    write_side(tmp_path, f"projects/-p/{UUID}/subagents/workflows/run1/agent-{AGENT}.jsonl")

    assert [
        ("1a2b3c4d", "flat", None, None, 1),
        (AGENT, "nested", UUID, None, 2),
        (AGENT, "workflow", UUID, "run1", 1),
    ] == sorted((unit.agent or "", unit.kind, unit.session, unit.run, len(unit.files)) for unit in units(tmp_path))


def test_side_files_belong_to_their_unit(tmp_path: Path) -> None:
    """Title, marks and meta files are read with what they are about."""
    folder = f"projects/-p/{UUID}"
    write_transcript(home(tmp_path), "-p", UUID)
    write_side(tmp_path, f"{folder}/custom-title.json", b'{"customTitle":"T"}')
    write_side(tmp_path, f"{folder}/archived.json", b'{"archived":true}')
    write_side(tmp_path, f"{folder}.desktop-released.json", b'{"reason":"archive"}')
    write_side(tmp_path, f"{folder}/subagents/agent-{AGENT}.jsonl")
    write_side(tmp_path, f"{folder}/subagents/agent-{AGENT}.meta.json", b'{"agentType":"Explore"}')

    assert {
        None: {"archived": True, "title": "T", "released": "archive"},
        AGENT: {"meta": {"agentType": "Explore"}},
    } == {unit.agent: json.loads(unit.side_facts()) for unit in units(tmp_path)}


def test_a_sidecar_directory_without_a_transcript(tmp_path: Path) -> None:
    """What a swept session left behind is a session without files."""
    write_side(home(tmp_path), f"projects/-p/{UUID}/tool-results/b1.txt", b"x")
    (unit,) = units(tmp_path)
    session = listed(tmp_path)[UUID]

    assert ([], None) == (unit.paths, unit.mtime)
    assert ("orphan", 0, []) == (session.state, session.messages, session.transcripts)


def test_a_meta_file_without_its_agent(tmp_path: Path) -> None:
    """A meta file whose agent is gone makes no agent."""
    write_transcript(home(tmp_path), "-p", UUID)
    write_side(tmp_path, f"projects/-p/{UUID}/subagents/agent-{AGENT}.meta.json", b"{}")

    assert [0] == [session.agents for session in listed(tmp_path).values()]


def test_settings_and_hints_are_collected(tmp_path: Path) -> None:
    """Settings, global configs and old indexes are found for later."""
    write_side(home(tmp_path), "settings.json", b"{}")
    write_side(tmp_path, "projects/-p/sessions-index.json", b"{}")
    (tmp_path / ".claude.json").write_bytes(b"{}")
    seen = found(tmp_path)

    assert [[str(tmp_path / ".claude/settings.json")]] == list(seen.settings.values())
    assert [str(tmp_path / ".claude.json")] == seen.global_configs
    assert [str(tmp_path / ".claude/projects/-p/sessions-index.json")] == seen.project_indexes


def test_what_a_store_holds_is_counted(tmp_path: Path) -> None:
    """Every store has its files, bytes, sessions and damage."""
    write_transcript(home(tmp_path), "-p", UUID, b"12345\n")
    (tmp_path / ".claude/projects/-p/broken.jsonl").symlink_to("nowhere")
    code = found(tmp_path).totals[0]

    assert ("code", 1, 6, {UUID}) == (code.kind, code.files, code.bytes, code.sessions)
    assert ["broken symbolic link"] == [item.reason for item in code.damage]


@pytest.mark.parametrize("name, expected", [("a", "a"), ("", ""), (None, None), ("\udcff", "\\udcff")])
def test_names_are_made_storable(name: str | None, expected: str | None) -> None:
    """A file name that is no UTF-8 can be kept in the database."""
    assert expected == storable(name)


def test_a_name_that_is_no_utf8_is_listed(tmp_path: Path) -> None:
    """Nothing on disk is missing from the list, whatever it is called."""
    write_transcript(home(tmp_path), "-p", "\udcff\udcfe", Draft("x").prompt("A").lines())
    (session,) = listed(tmp_path).values()

    assert 1 == session.prompts


def test_files_that_were_given_to_a_session_are_no_session(tmp_path: Path) -> None:
    """Uploads and the like below the id of a session do not make one; kept results of tools do."""
    write_side(tmp_path, f"uploads/{UUID}/plan.pdf", b"x")

    assert [] == units(home(tmp_path))
