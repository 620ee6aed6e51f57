"""The seed's sections 8, 8b and 9, on the layout of each system: every case ends as written there or as corrected."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import UUID, fingerprint, inside, manifest
from two_accounts import (
    ANNS,
    BEN,
    BENS,
    SYSTEMS,
    add_session,
    aged,
    app_id,
    manifests_of,
    reasons,
    rows_of,
    statuses,
    transcript_id,
    transfer,
    two_accounts,
)

from backscroll.stores.project_key import encode


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    """Return the name of a system."""
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path, system: str) -> Path:
    """Return a home with a Desktop of two accounts."""
    return two_accounts(tmp_path / "user", system)


def test_section_8_a_local_session_goes_to_any_account(root: Path, system: str) -> None:
    """Local to any account: the row is copied, the transcript is not touched, and undo takes the row back."""
    before = fingerprint(root)

    code, done = transfer(root, "copy", app_id(1), "--to", BEN, "--apply")

    copied = rows_of(root, system) / f"local_{app_id(1)}.json"
    assert (0, True, [("write", "done")]) == (code, done["applied"], statuses(done))
    assert transcript_id(1) == json.loads(copied.read_bytes())["cliSessionId"]
    assert 0 == said("--root", root, "transfer", "undo")[0]
    assert before == fingerprint(root)


def test_section_8_a_cowork_session_has_its_transcript_here(root: Path, system: str) -> None:
    """The seed calls `/sessions/NAME` a cloud VM; it is Cowork's, and goes with its folder, but not with its key."""
    path = manifest(root, desktop=SYSTEMS[system], cliSessionId=UUID)
    audit = inside(path, "audit.jsonl", b'{"type":"user","uuid":"a1","message":{"role":"user","content":"Hi"}}\n')
    inside(path, ".audit-key", b"secret")
    inside(path, "outputs/report.txt", b"done")
    transcript = inside(path, f".claude/projects/session/{UUID}.jsonl")
    transcript.write_bytes(b'{"type":"user","uuid":"u1","message":{"role":"user","content":"Hi"}}\n')
    aged(root)

    code, done = transfer(root, "copy", UUID, "--to", BEN, "--apply")

    folder = manifests_of(root, system) / path.stem
    assert (0, True) == (code, done["applied"])
    assert audit.read_bytes() == (folder / "audit.jsonl").read_bytes()
    assert transcript.read_bytes() == (folder / f".claude/projects/session/{UUID}.jsonl").read_bytes()
    assert b"done" == (folder / "outputs/report.txt").read_bytes()
    assert not (folder / ".audit-key").exists()
    assert "userSelectedFolders" in json.loads((manifests_of(root, system) / path.name).read_bytes())


@pytest.mark.parametrize(
    "fields, where",
    [
        ({"sshConfig": {"host": "box", "user": "ann"}}, "on the SSH host ann@box"),
        ({"wslConfig": {"distro": "Ubuntu"}}, "inside WSL, in the home directory of Ubuntu"),
        ({"cloudSessionId": "session_1", "movedToCloud": True}, "in Anthropic's cloud, as session_1"),
    ],
)
def test_section_8_remote_sessions_stay(root: Path, system: str, fields: dict[str, Any], where: str) -> None:
    """A session that is held elsewhere is refused by name with its place, and skipped in bulk."""
    remote = add_session(root, system, 7, **fields)
    next(root.rglob(f"{transcript_id(7)}.jsonl")).unlink()
    aged(root)

    for command in (("copy", app_id(7), "--to", BEN), ("row", app_id(7)), ("resume", app_id(7), "--cwd", "/")):
        code, answer = transfer(root, *command)
        assert 4 == code
        assert where in reasons(answer)
    code, answer = transfer(root, "copy", "--all", "--to", BEN)
    assert (0, 3) == (code, statuses(answer).count(("write", "planned")))
    assert ("skip", "skipped") in statuses(answer)
    assert remote.exists()


def test_section_8b_the_first_account_keeps_its_rows(root: Path, system: str) -> None:
    """Rows stay where they are, byte for byte; the other account gets its own."""
    before = fingerprint(rows_of(root, system, ANNS))

    transfer(root, "copy", "--all", "--to", BEN, "--apply")

    assert before == fingerprint(rows_of(root, system, ANNS))
    assert 3 == len(list(rows_of(root, system).glob("local_*.json")))


def test_section_9_resume_in_the_terminal(root: Path, system: str, tmp_path: Path) -> None:
    """`claude --resume` takes the plain UUID of the transcript, never the `local_` id of the row."""
    (tmp_path / "work").mkdir()
    add_session(root, system, 8, cwd=str(tmp_path / "work"))
    aged(root)

    code, answer = transfer(root, "resume", f"local_{app_id(8)}")

    assert (0, [("keep", "same")]) == (code, statuses(answer))
    assert answer["command"].endswith(f"claude --resume {transcript_id(8)}")


def test_section_9_the_row_alone_is_enough(root: Path, system: str) -> None:
    """After the copy the sidebar of the other account shows the session; its transcript stays where it is."""
    key = root / ".claude/projects" / encode("/work/shop")
    before = fingerprint(key)

    transfer(root, "copy", app_id(1), "--to", BEN, "--apply")

    listed = json.loads(said("--root", root, "list", "--sidebar", BEN, "--json")[1])
    assert [transcript_id(1)] == [one["id"] for one in listed["sessions"]]
    assert before == fingerprint(key)


def test_section_9_bulk_by_directory_skips_rows_without_transcript(root: Path, system: str) -> None:
    """The bulk copy takes the rows of one directory, and skips a row whose transcript is gone, with the reason."""
    add_session(root, system, 4, cwd="/work/other")
    add_session(root, system, 5)
    next(root.rglob(f"{transcript_id(5)}.jsonl")).unlink()
    aged(root)

    code, done = transfer(root, "copy", "--project", "/work/shop", "--to", BEN, "--apply")

    assert (0, 3) == (code, statuses(done).count(("write", "done")))
    assert "its transcript is not on this machine" in reasons(done)
    names = {path.stem for path in rows_of(root, system).glob("local_*.json")}
    assert {f"local_{app_id(number)}" for number in (1, 2, 3)} == names


def test_section_9_what_makes_desktop_see_it(root: Path) -> None:
    """The seed contradicts itself; formats.md corrects it: rows are read at the start and on a change of account."""
    _, answer = transfer(root, "copy", app_id(1), "--to", BENS)

    assert "reads rows when it starts" in answer["note"]
    assert "Reloading the window does not help" in answer["note"]


def test_section_9_the_local_id_is_no_session_of_the_terminal(root: Path) -> None:
    """An id that nothing has is unknown, with or without `local_`."""
    assert 1 == transfer(root, "resume", "local_ffffffff")[0]
    assert 1 == transfer(root, "copy", "ffffffff", "--to", BEN)[0]
