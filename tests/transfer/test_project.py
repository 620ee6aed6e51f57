"""`transfer project`: everything that names a directory follows it, and nothing else changes."""

import json
import os
from pathlib import Path

import pytest
from command import said
from make import CODE_ROWS, Draft, desktop_file, fingerprint, line, write_side
from two_accounts import ANNS, SYSTEMS, add_session, aged, reasons, statuses, transcript_id, transfer

from backscroll.stores.project_key import encode

OLD, NEW = "/work/shop", "/work/store"
SYSTEM = "linux"


def config_of(*projects: str) -> bytes:
    """Return a global config that knows projects."""
    entries = {name: {"lastCost": 1.5, "allowedTools": [name]} for name in projects}
    return json.dumps({"numStartups": 3, "projects": entries, "userID": "x"}, indent=2).encode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a project, a worktree, a subdirectory, a neighbour and a project that shares the key."""
    directory = tmp_path / "user"
    add_session(directory, SYSTEM, 1, cwd=OLD)
    add_session(directory, SYSTEM, 2, cwd=f"{OLD}/.claude/worktrees/w", originCwd=OLD)
    add_session(directory, SYSTEM, 3, cwd=f"{OLD}/src")
    add_session(directory, SYSTEM, 4, cwd="/work/shop-two")
    prompts = [{"display": "x", "project": project, "timestamp": 1} for project in (OLD, "/else", f"{OLD}/src", OLD)]
    write_side(directory, "history.jsonl", [*map(line, prompts), b"{broken /work/shop\n"])
    write_side(directory, f"projects/{encode(OLD)}/memory/MEMORY.md", b"remember")
    write_side(directory, f"projects/{encode(OLD)}/{transcript_id(1)}/tool-results/t.txt", b"out")
    entry = {
        "sessionId": transcript_id(1),
        "fullPath": f"/h/.claude/projects/{encode(OLD)}/x.jsonl",
        "projectPath": OLD,
    }
    index = {"version": 1, "entries": [entry], "originalPath": OLD}
    write_side(directory, f"projects/{encode(OLD)}/sessions-index.json", json.dumps(index).encode())
    write_side(directory, "settings.json", json.dumps({"permissions": {"additionalDirectories": [OLD, "/x"]}}).encode())
    (directory / ".claude.json").write_bytes(config_of(OLD, f"{OLD}/src", "/work/shop-two"))
    worktree = {"path": f"{OLD}/.claude/worktrees/w", "baseRepo": OLD, "leasedBy": None}
    desktop_file(directory, "git-worktrees.json", {"schemaVersion": 2, "worktrees": {"w": worktree}}, SYSTEMS[SYSTEM])
    return aged(directory)


def test_everything_that_names_it_follows(root: Path) -> None:
    """Keys, sidecars, memory, settings, prompts, rows and worktrees get the new path; transcripts keep every byte."""
    before = fingerprint(root)
    bytes_of = {path.name: path.read_bytes() for path in root.rglob("*.jsonl") if "projects" in path.parts}

    code, done = transfer(root, "project", OLD, NEW, "--apply")

    projects = root / ".claude/projects"
    assert (0, True) == (code, done["applied"]), reasons(done)
    for number, cwd in ((1, NEW), (2, f"{NEW}/.claude/worktrees/w"), (3, f"{NEW}/src"), (4, "/work/shop-two")):
        path = projects / encode(cwd) / f"{transcript_id(number)}.jsonl"
        assert bytes_of[path.name] == path.read_bytes()
    assert b"remember" == (projects / encode(NEW) / "memory/MEMORY.md").read_bytes()
    assert b"out" == (projects / encode(NEW) / transcript_id(1) / "tool-results/t.txt").read_bytes()
    index = json.loads((projects / encode(NEW) / "sessions-index.json").read_bytes())
    assert (NEW, NEW) == (index["originalPath"], index["entries"][0]["projectPath"])
    assert f"/h/.claude/projects/{encode(NEW)}/x.jsonl" == index["entries"][0]["fullPath"]
    assert {encode(NEW), encode(f"{NEW}/src"), encode(f"{NEW}/.claude/worktrees/w"), encode("/work/shop-two")} == {
        path.name for path in projects.iterdir()
    }
    config = json.loads((root / ".claude.json").read_bytes())
    assert [NEW, f"{NEW}/src", "/work/shop-two"] == list(config["projects"])
    prompts = (root / ".claude/history.jsonl").read_bytes().split(b"\n")
    assert [NEW, "/else", f"{NEW}/src", NEW] == [json.loads(text)["project"] for text in prompts[:4]]
    assert b"{broken /work/shop" == prompts[4]
    settings = json.loads((root / ".claude/settings.json").read_bytes())
    assert [NEW, "/x"] == settings["permissions"]["additionalDirectories"]
    rows = {path.stem: json.loads(path.read_bytes()) for path in root.rglob("local_*.json")}
    assert {NEW, f"{NEW}/.claude/worktrees/w", f"{NEW}/src", "/work/shop-two"} == {one["cwd"] for one in rows.values()}
    registry = json.loads((root / SYSTEMS[SYSTEM] / "git-worktrees.json").read_bytes())
    assert (f"{NEW}/.claude/worktrees/w", NEW) == (
        registry["worktrees"]["w"]["path"],
        registry["worktrees"]["w"]["baseRepo"],
    )

    again = statuses(transfer(root, "project", OLD, NEW, "--apply")[1])
    assert [("skip", "skipped"), ("keep", "same")] == again
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def test_only_the_paths_change(root: Path) -> None:
    """A global config keeps its order, its spaces and its numbers: only the keys of projects differ."""
    transfer(root, "project", OLD, NEW, "--apply")

    expected = config_of(OLD, f"{OLD}/src", "/work/shop-two").decode()
    for path in (OLD, f"{OLD}/src"):
        expected = expected.replace(f'"{path}": {{', f'"{path.replace(OLD, NEW)}": {{')
    assert expected == (root / ".claude.json").read_text()


def test_other_projects_that_share_the_key_stay(root: Path) -> None:
    """Two directories may have one key: only the sessions of the named one move, and memory is copied."""
    Draft(transcript_id(9), "/work-shop").prompt("Other").answer("Yes.").write(root)
    aged(root)
    before = fingerprint(root)

    code, done = transfer(root, "project", OLD, NEW, "--apply")

    old, new = root / ".claude/projects" / encode(OLD), root / ".claude/projects" / encode(NEW)
    assert (0, True) == (code, done["applied"]), reasons(done)
    assert [f"{transcript_id(9)}.jsonl"] == [path.name for path in old.glob("*.jsonl")]
    assert [f"{transcript_id(1)}.jsonl"] == [path.name for path in new.glob("*.jsonl")]
    assert b"remember" == (old / "memory/MEMORY.md").read_bytes() == (new / "memory/MEMORY.md").read_bytes()
    assert "another project shares this key" in reasons(done)
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


@pytest.mark.parametrize("newer", ["old", "new"])
def test_memory_at_both_places(root: Path, newer: str) -> None:
    """The newer memory has the name, the other stays beside it, and a merged project keeps all its sessions."""
    Draft(transcript_id(9), NEW).prompt("Other").answer("Yes.").write(root)
    write_side(root, f"projects/{encode(NEW)}/memory/MEMORY.md", b"other memory")
    aged(root)
    key = encode(OLD) if newer == "old" else encode(NEW)
    os.utime(root / f".claude/projects/{key}/memory/MEMORY.md", (1_750_000_000, 1_750_000_000))
    before = fingerprint(root)

    code, done = transfer(root, "project", OLD, NEW, "--apply")

    memory = root / ".claude/projects" / encode(NEW) / "memory"
    assert (0, True) == (code, done["applied"]), reasons(done)
    assert (b"remember" if newer == "old" else b"other memory") == (memory / "MEMORY.md").read_bytes()
    assert {b"remember", b"other memory"} == {path.read_bytes() for path in memory.iterdir()}
    assert 2 == len(list(memory.parent.glob("*.jsonl")))
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def test_the_files_move_too(root: Path, tmp_path: Path) -> None:
    """--move-files renames the directory itself, and undo brings it back."""
    old, new = tmp_path / "code", tmp_path / "moved"
    (old / "src").mkdir(parents=True)
    (old / "src/a.py").write_bytes(b"a")
    add_session(root, SYSTEM, 5, cwd=str(old))
    aged(tmp_path)
    before = fingerprint(tmp_path)

    code, done = transfer(root, "project", str(old), str(new), "--move-files", "--apply")

    assert (0, True) == (code, done["applied"]), reasons(done)
    assert b"a" == (new / "src/a.py").read_bytes()
    assert not old.exists()
    assert (root / ".claude/projects" / encode(str(new)) / f"{transcript_id(5)}.jsonl").exists()
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(tmp_path)


@pytest.mark.parametrize(
    "old, new", [(OLD, OLD), (OLD, f"{OLD}/inner"), ("work/shop", NEW), (OLD, "store"), ("/", NEW), (OLD, f"{OLD}/")]
)
def test_paths_that_cannot_be_meant(root: Path, old: str, new: str) -> None:
    """The same directory, one inside the other, relative ones and the top of a disk are wrong use."""
    assert 2 == transfer(root, "project", old, new, "--apply")[0]


def test_a_directory_that_nothing_names(root: Path) -> None:
    """A slip in OLD is not an empty plan."""
    code, answer = transfer(root, "project", "/work/shpo", NEW)

    assert 1 == code
    assert "names this directory" in answer["error"]


def test_files_that_cannot_move(root: Path, tmp_path: Path) -> None:
    """A directory that is not there, or whose new name is taken, is refused."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "code").mkdir()

    for old, new in ((tmp_path / "none", tmp_path / "x"), (tmp_path / "code", tmp_path / "taken")):
        assert 4 == transfer(root, "project", str(old), str(new), "--move-files")[0]


def test_windows_paths(tmp_path: Path) -> None:
    """A home of Windows: keys of drives, slashes in the config, backslashes in rows."""
    old, new = "C:\\Work\\Shop", "D:\\Store"
    root = tmp_path / "user"
    add_session(root, "windows", 1, cwd=old)
    (root / ".claude.json").write_bytes(config_of("C:/Work/Shop", "c:/work/shop/src"))
    aged(root)

    code, done = transfer(root, "project", old, new, "--apply")

    assert (0, True) == (code, done["applied"]), reasons(done)
    assert (root / ".claude/projects" / encode(new) / f"{transcript_id(1)}.jsonl").exists()
    assert ["D:/Store", "D:/Store/src"] == list(json.loads((root / ".claude.json").read_bytes())["projects"])
    rows = root / SYSTEMS["windows"] / CODE_ROWS / ANNS
    assert new == json.loads(next(rows.glob("local_*.json")).read_bytes())["cwd"]


def test_a_live_session_stops_it(root: Path) -> None:
    """A process in the project stops the plan without --force; a file that changed a moment ago stops it always."""
    live = {"sessionId": transcript_id(1), "cwd": OLD, "pid": os.getpid()}
    write_side(root, f"sessions/{os.getpid()}.json", json.dumps(live).encode())
    aged(root)
    before = fingerprint(root)

    assert 4 == transfer(root, "project", OLD, NEW, "--apply")[0]
    assert before == fingerprint(root)
    assert 0 == transfer(root, "project", OLD, NEW, "--force")[0]
    os.utime(root / ".claude.json")
    assert 4 == transfer(root, "project", OLD, NEW, "--force", "--apply")[0]


def test_a_file_that_cannot_be_read_is_named(root: Path) -> None:
    """A damaged config is skipped and named; everything else follows."""
    (root / ".claude.json").write_bytes(b'{"projects": {"/work/shop"')
    aged(root)

    code, done = transfer(root, "project", OLD, NEW, "--apply")

    named = [step["from"] for step in done["plan"] if "cannot be read" in (step["why"] or "")]
    assert (0, [str(root / ".claude.json")]) == (code, named)


def test_undo_keeps_a_project_that_was_used_since(root: Path) -> None:
    """A key directory with a session that went on stays where it is, and undo names it."""
    transfer(root, "project", OLD, NEW, "--apply")
    place = root / ".claude/projects" / encode(NEW)
    with (place / f"{transcript_id(1)}.jsonl").open("ab") as file:
        file.write(b"{}\n")

    _, undone = transfer(root, "undo")

    assert [str(place)] == [step["to"] for step in undone["plan"] if step["why"] == "it was used since"]
    assert (place / f"{transcript_id(1)}.jsonl").exists()
