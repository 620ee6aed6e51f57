"""Cowork: folders that a virtual machine sees are those of this computer, and outputs are the files themselves."""

import json
from pathlib import Path

import pytest
from make import UUID, Draft, cowork, edit, home, write

import backscroll

SHOP = "/Users/ann/shop"
MACHINE = "/sessions/calm-river/mnt"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one Cowork session that worked in a chosen folder, and one of Claude Code in the same."""
    config = cowork(home(tmp_path))
    draft = Draft(UUID, "/sessions/calm-river").prompt("x").answer(calls=[write(f"{MACHINE}/shop/a.py", "one\n")])
    draft.answer(calls=[write(f"{MACHINE}/outputs/report.md", "# Report\n")])
    (config / "projects/session" / f"{UUID}.jsonl").write_bytes(draft.text())
    manifest = {
        "sessionId": config.parent.name,
        "cliSessionId": UUID,
        "processName": "calm-river",
        "cwd": "/sessions/calm-river",
        "userSelectedFolders": [SHOP],
        "createdAt": 1_777_000_000_000,
        "lastActivityAt": 1_777_000_100_000,
    }
    Path(f"{config.parent}.json").write_text(json.dumps(manifest))
    for name, data in {"outputs/report.md": b"# Report, finished\n", "uploads/data.bin": b"\x00\x01"}.items():
        path = config.parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    other = Draft("22222222-2222-4222-8222-222222222222", SHOP).prompt("x", after=90_000)
    other.answer(calls=[edit(f"{SHOP}/a.py", "one\n", "one", "two")]).write(home(tmp_path))
    return tmp_path


def test_a_mounted_folder_is_the_real_one(root: Path) -> None:
    """What the machine and the computer did to one file is one history, under either name."""
    found = backscroll.recover(f"{SHOP}/a.py", root)

    assert ["write", "edit"] == [version.how for version in found.versions]
    assert f"{SHOP}/a.py" == backscroll.recover(f"{MACHINE}/shop/a.py", root).path
    assert [2] == [file.versions for file in backscroll.list_files(root, match="a.py").files]


def test_outputs_and_uploads_are_files_with_their_bytes(root: Path) -> None:
    """What lies in a session's own directory is listed, and its last version is what lies there."""
    found = {Path(file.path).name: file for file in backscroll.list_files(root).files}
    report = backscroll.recover(found["report.md"].path, root).versions

    assert {"a.py", "report.md", "data.bin"} == found.keys()
    assert [("write", "text"), ("backup", "bytes")] == [(version.how, version.sure) for version in report]
    assert b"# Report, finished\n" == backscroll.recover_content("report.md", root).data
    assert b"\x00\x01" == backscroll.recover_content("data.bin", root).data
    assert [len(report), 1] == [found["report.md"].versions, found["data.bin"].versions]


def test_the_last_touched_is_first(root: Path) -> None:
    """The time of the file itself counts in the order too."""
    found = [str(file.last) for file in backscroll.list_files(root).files]

    assert sorted(found, reverse=True) == found


def test_only_those_of_a_session(root: Path) -> None:
    """A filter by session takes its files too."""
    found = backscroll.list_files(root, session=UUID).files

    assert {"a.py", "report.md", "data.bin"} == {Path(file.path).name for file in found}
