"""A sync leaves room on the disk: it leaves out a file that would fill it, and stops when it is nearly full."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import answer, said
from make import UUID, Draft, home

OTHER = "11111111-2222-4333-8444-555555555555"
DISK = 32 << 20
LEAST = DISK // 20


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Mount a small disk for our own directory, or skip the test where that is not allowed."""
    place, mount = tmp_path / "disk", shutil.which("mount")
    place.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(place)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk is not allowed here")
    monkeypatch.setenv("BACKSCROLL_HOME", str(place / "ours"))
    yield place
    subprocess.run([shutil.which("umount") or "umount", "-l", str(place)], check=False, capture_output=True)


def fill(disk: Path, left: int) -> None:
    """Write a file that leaves so many bytes free."""
    filler = disk / "filler"
    filler.unlink(missing_ok=True)
    filler.write_bytes(bytes(shutil.disk_usage(disk).free - left))


def test_a_file_that_would_fill_the_disk(tmp_path: Path, disk: Path) -> None:
    """It is skipped with its reason, the others are kept, and it is copied once there is room."""
    root = home(tmp_path / "root")
    large = Draft(UUID, "/srv/a").prompt("okapi").write(root)
    with large.open("ab") as file:
        file.write(b'{"type":"x","note":"%s"}\n' % (b"x" * (8 << 20)))
    Draft(OTHER, "/srv/b").prompt("zebra").write(root)
    fill(disk, LEAST + (6 << 20))

    report = answer(root, "archive", "sync")
    assert [str(large)] == [one["path"] for one in report["skipped"]]
    assert "too little room" in report["skipped"][0]["reason"]
    assert [OTHER] == [one["session"] for one in answer(root, "archive", "list", "--files")["files"]]

    fill(disk, LEAST + (12 << 20))
    assert 1 == answer(root, "archive", "sync")["added"]
    fill(disk, LEAST + (1 << 20))
    with large.open("ab") as file:
        file.write(b'{"type":"y"}\n')
    report = answer(root, "archive", "sync")
    assert (1, []) == (report["added"], report["skipped"]), "a file that grew needs room for its new bytes only"


def test_a_disk_that_is_nearly_full(tmp_path: Path, disk: Path) -> None:
    """The sync stops with 4 before it writes more, and goes on once there is room."""
    root = home(tmp_path / "root")
    path = Draft(UUID, "/srv/a").prompt("okapi").write(root)
    assert 0 == said("--root", root, "archive", "sync")[0]
    with path.open("ab") as file:
        file.write(b'{"type":"y"}\n')
    fill(disk, LEAST // 2)

    code, _, err = said("--root", root, "archive", "sync")
    assert (4, True) == (code, "nearly full" in err)
    assert 0 == said("--root", root, "archive", "verify", "--read-data")[0]
    (disk / "filler").unlink()
    assert 1 == answer(root, "archive", "sync")["added"]
