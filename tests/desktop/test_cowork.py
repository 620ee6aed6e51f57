"""Cowork's manifests with everything that belongs to them."""

from pathlib import Path

import pytest
from make import (
    ACCOUNT,
    APP,
    COWORK_ROWS,
    ORGANIZATION,
    UUID,
    Draft,
    desktop_file,
    home,
    inside,
    line,
    manifest,
    row,
)

import backscroll
from backscroll.stores.desktop_files import manifests

OTHER = "22222222-2222-4222-8222-222222222222"


def test_one_manifest_with_everything(tmp_path: Path) -> None:
    """Fields in groups, files, permissions and runs of one session."""
    path = manifest(tmp_path, cliSessionId=UUID, mcqAnswers={"t": {"answer": "yes"}}, newField=1)
    inside(path, "outputs/a.txt", b"123")
    inside(path, "audit.jsonl", line({"type": "result", "total_cost_usd": 0.1}))
    (found,) = backscroll.cowork(f"local_{APP}", tmp_path)

    assert {
        "answers": {"mcqAnswers": {"t": {"answer": "yes"}}},
        "other": {"newField": 1},
    }.items() <= found.groups.items()
    assert (UUID, ["newField"], [("outputs", 3)]) == (
        found.session,
        found.unknown,
        [(one.kind, one.bytes) for one in found.files],
    )
    assert found.trail is not None
    assert [0.1] == [run.cost for run in found.trail.runs]


def test_all_manifests(tmp_path: Path) -> None:
    """Without a session all of Cowork are told, the newest first, and none of the Code tab."""
    manifest(tmp_path, title="Old")
    manifest(tmp_path, OTHER, title="New", lastActivityAt=1790000000000)
    row(tmp_path, UUID)

    assert ["New", "Old"] == [one.row["title"] for one in backscroll.cowork(None, tmp_path)]


def test_a_row_of_the_code_tab(tmp_path: Path) -> None:
    """All fields of a row of the Code tab can be asked for too."""
    row(tmp_path, cliSessionId=UUID, effort="high")

    assert "high" == backscroll.cowork(UUID, tmp_path)[0].groups["identity"]["effort"]


def test_a_session_without_a_row(tmp_path: Path) -> None:
    """Desktop knows nothing of a session of the terminal."""
    Draft(UUID).prompt("Hi").write(home(tmp_path))

    assert [] == backscroll.cowork(UUID, tmp_path)


def test_a_damaged_manifest(tmp_path: Path) -> None:
    """What stands in front of the damage is told, and the damage."""
    path = manifest(tmp_path)
    path.write_bytes(path.read_bytes()[:60])
    (found,) = backscroll.cowork(None, tmp_path)

    assert (f"local_{APP}", 1) == (found.groups["identity"]["sessionId"], len(found.damage))


def test_audits_are_read_for_one_session_only(tmp_path: Path) -> None:
    """A list of all manifests opens no audit; what is scheduled is told as it is."""
    inside(manifest(tmp_path), "audit.jsonl", line({"type": "result"}))
    name = f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/scheduled-tasks.json"
    desktop_file(tmp_path, name, {"tasks": [{"id": "weekly", "env": {"KEY": "hidden"}}]})

    assert [None] == [one.trail for one in backscroll.cowork(None, tmp_path)]
    (found,) = backscroll.schedules(tmp_path)
    assert (ACCOUNT, ORGANIZATION) == (found.account, found.organization)
    assert {"tasks": [{"id": "weekly", "env": {"KEY": "(not read)"}}]} == found.tasks


def test_many_files_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that made endlessly many files has as many listed as anybody can read, and says so."""
    monkeypatch.setattr(manifests, "MOST_FILES", 3)
    path = manifest(tmp_path)
    for number in range(5):
        inside(path, f"outputs/{number}", b"")
    (found,) = backscroll.cowork(None, tmp_path)

    assert (3, True) == (len(found.files), found.is_cut)
