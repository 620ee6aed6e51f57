"""The true working directory by each kind of evidence, and the project it belongs to."""

import json
from pathlib import Path

import pytest
from make import UUID, Draft, home, indexed, listed, write_side

from backscroll.index.queries import sessions as query
from backscroll.sessions.joining.projects import Cwd, project_of, true_cwd
from backscroll.stores.project_key import encode

OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"


@pytest.mark.parametrize(
    "recorded, relocated, hints, expected",
    [
        (["/home/ann/a.b"], None, [], Cwd("/home/ann/a.b", "record")),
        (["/home/ann/a.b/src", "/home/ann/a.b"], None, [], Cwd("/home/ann/a.b", "record")),
        (["/elsewhere"], "/home/ann/a.b", [], Cwd("/home/ann/a.b", "relocated")),
        (["/elsewhere"], "/nowhere", [("/home/ann/a.b", "index")], Cwd("/home/ann/a.b", "index")),
        ([], None, [("/x", "index"), ("/home/ann/a.b", "config")], Cwd("/home/ann/a.b", "config")),
        (["/elsewhere", "/other"], None, [("/x", "config")], Cwd("/elsewhere", "elsewhere")),
        ([], None, [], None),
        ([], "/nowhere", [("/x", "config")], None),
    ],
)
def test_evidence_by_strength(
    recorded: list[str], relocated: str | None, hints: list[tuple[str, str]], expected: Cwd | None
) -> None:
    """The first path that fits the directory's name wins; failing all, the first recorded one, said to be elsewhere."""
    assert expected == true_cwd("-home-ann-a-b", recorded, relocated, hints)


def test_without_a_project_directory_nothing_fits() -> None:
    """A transcript that lies in no project directory has only what it recorded."""
    assert Cwd("/r", "elsewhere") == true_cwd(None, ["/r"], None, [])


@pytest.mark.parametrize(
    "cwd, worktree_of, project",
    [
        ("/r", None, "/r"),
        ("/r/.claude/worktrees/w", None, "/r"),
        ("/r/.claude/worktrees/w/src", None, "/r"),
        ("/r/.worktrees/w", None, "/r"),
        (r"C:\r\.claude\worktrees\w", None, r"C:\r"),
        ("/elsewhere/w", "/r", "/r"),
        ("/r/.claude/worktrees", None, "/r/.claude/worktrees"),
        (None, "/r", None),
    ],
)
def test_worktrees_belong_to_their_repository(cwd: str | None, worktree_of: str | None, project: str | None) -> None:
    """A worktree's sessions are those of its repository, by the path or by what the program recorded."""
    assert project == project_of(cwd, worktree_of)


def test_projects_that_share_a_directory(tmp_path: Path) -> None:
    """One directory may hold sessions of several projects: each session tells its own."""
    home(tmp_path)
    for name, cwd in ((UUID, "/x/a_b"), (OTHER, "/x/a.b"), (THIRD, "/x/a b")):
        Draft(name, cwd).prompt("A").write(tmp_path)

    assert {UUID: "/x/a_b", OTHER: "/x/a.b", THIRD: "/x/a b"} == {
        name: session.cwd for name, session in listed(tmp_path).items()
    }
    assert {"-x-a-b"} == {session.project_key for session in listed(tmp_path).values()}


@pytest.mark.parametrize(
    "cwd",
    [
        "/x/日本語",
        "/x/emo😀ji",
        "/x/cafe\u0301",
        "/x/caf\u00e9",
        r"C:\Work\a b",
        r"\\wsl.localhost\U\home",
        "/x/" + "y" * 250,
    ],
)
def test_any_directory_is_found_by_its_records(tmp_path: Path, cwd: str) -> None:
    """Whatever a path is made of, the record whose encoding fits names it."""
    Draft(UUID, cwd).prompt("A").write(home(tmp_path))
    session = listed(tmp_path)[UUID]

    assert (cwd, "record", encode(cwd)) == (session.cwd, session.project_source, session.project_key)


def test_a_long_path_with_an_unknown_hash(tmp_path: Path) -> None:
    """Some builds hashed otherwise: the first 200 characters and the records are enough."""
    cwd = "/x/" + "y" * 250
    Draft(UUID, cwd).prompt("A").write(home(tmp_path), key=f"{encode(cwd)[:200]}-zzzzzz")

    assert cwd == listed(tmp_path)[UUID].cwd


def test_a_moved_session(tmp_path: Path) -> None:
    """A session that was moved into a worktree lies under the new key; its last relocation says where."""
    draft = Draft(UUID, "/r").prompt("A").record(type="relocated", relocatedCwd="/r/.claude/worktrees/w")
    draft.write(home(tmp_path), key="-r--claude-worktrees-w")
    session = listed(tmp_path)[UUID]

    assert ("/r/.claude/worktrees/w", "relocated", "/r") == (session.cwd, session.project_source, session.project)


def test_a_sibling_tells_the_directory(tmp_path: Path) -> None:
    """A session without a directory of its own has that of the others in its project directory."""
    Draft(UUID, "/r").prompt("A").write(home(tmp_path))
    write_side(tmp_path, f"projects/-r/{OTHER}.jsonl")
    session = listed(tmp_path)[OTHER]

    assert ("/r", "/r", "sibling") == (session.cwd, session.project, session.project_source)


def test_siblings_that_disagree_tell_nothing(tmp_path: Path) -> None:
    """Two projects in one directory: which of them a third session belongs to is unknown."""
    Draft(UUID, "/a.b").prompt("A").write(home(tmp_path))
    Draft(OTHER, "/a_b").prompt("A").write(tmp_path)
    write_side(tmp_path, f"projects/-a-b/{THIRD}.jsonl")
    session = listed(tmp_path)[THIRD]

    assert (None, None, "-a-b") == (session.cwd, session.project_source, session.project_key)


def test_siblings_that_come_to_disagree(tmp_path: Path) -> None:
    """What one sibling told is unknown again when another one contradicts it."""
    Draft(UUID, "/a.b").prompt("A").write(home(tmp_path))
    write_side(tmp_path, f"projects/-a-b/{THIRD}.jsonl")
    database = indexed(tmp_path)
    before = query.session(database, THIRD).cwd
    Draft(OTHER, "/a_b").prompt("A").write(tmp_path)
    indexed(tmp_path, database)

    assert ("/a.b", None) == (before, query.session(database, THIRD).cwd)


def test_the_global_config_tells_the_directory(tmp_path: Path) -> None:
    """The keys of .claude.json are real paths."""
    write_side(home(tmp_path), f"projects/-a-b/{UUID}.jsonl")
    (tmp_path / ".claude.json").write_text(json.dumps({"projects": {"/x": {}, "/a.b": {}}}))
    session = listed(tmp_path)[UUID]

    assert ("/a.b", "config") == (session.cwd, session.project_source)


def test_an_old_index_tells_the_directory(tmp_path: Path) -> None:
    """A sessions-index.json of 2.0 or 2.1 knows the path of its sessions."""
    write_side(home(tmp_path), f"projects/-a-b/{UUID}.jsonl")
    entry = {"sessionId": UUID, "projectPath": "/a.b"}
    write_side(tmp_path, "projects/-a-b/sessions-index.json", json.dumps({"entries": [entry]}).encode())
    session = listed(tmp_path)[UUID]

    assert ("/a.b", "index") == (session.cwd, session.project_source)


def test_a_session_resumed_elsewhere(tmp_path: Path) -> None:
    """No record fits the directory: the first recorded path is given, and said to be elsewhere."""
    Draft(UUID, "/r").prompt("A").write(home(tmp_path), key="-quite-another")
    session = listed(tmp_path)[UUID]

    assert ("/r", "elsewhere") == (session.cwd, session.project_source)


def test_a_worktree_outside_the_repository(tmp_path: Path) -> None:
    """What the program recorded of a worktree leads to its repository."""
    draft = Draft(UUID, "/trees/w")
    draft.record(type="worktree-state", worktreeSession={"originalCwd": "/r", "worktreePath": "/trees/w"})
    draft.prompt("A").record(type="worktree-state", worktreeSession=None).write(home(tmp_path))

    assert ("/trees/w", "/r") == (listed(tmp_path)[UUID].cwd, listed(tmp_path)[UUID].project)


@pytest.mark.parametrize("key", ["session", f"ssh-{UUID}"])
def test_directories_that_are_no_encodings(tmp_path: Path, key: str) -> None:
    """A literal name, or that of an SSH mirror, decides nothing: the records' path is given as elsewhere."""
    Draft(UUID, "/sessions/calm").prompt("A").write(home(tmp_path), key=key)
    session = listed(tmp_path)[UUID]

    assert ("/sessions/calm", "elsewhere", key) == (session.cwd, session.project_source, session.project_key)
