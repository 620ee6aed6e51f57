"""No room for our own directory: commands answer from an index in memory, and say so, as on a read-only disk."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from make import Draft, bash, home

from backscroll.cli.main import run
from backscroll.errors import REFUSED

pytestmark = pytest.mark.filterwarnings("always::backscroll.errors.IndexWarning")

SESSIONS = 30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home whose index takes more than a megabyte."""
    for number in range(SESSIONS):
        draft = Draft(f"{number:08}-1111-4111-8111-111111111111", f"/srv/{number}")
        for step in range(30):
            draft.prompt(f"okapi {number} {step}").answer("Fed.", calls=[bash(f"ls {step}", "hay " * 50)])
        draft.write(home(tmp_path / "root"))
    return tmp_path / "root"


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Mount a disk for our own directory, or skip the test where that is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    monkeypatch.setenv("BACKSCROLL_HOME", str(place / "ours"))
    yield place
    if umount := shutil.which("umount"):
        subprocess.run([umount, "-l", str(place)], check=False, capture_output=True)


def mount(place: Path, size: str) -> None:
    """Give a disk a size; it may be another than before."""
    program = shutil.which("mount")
    options = f"size={size}" if not place.is_mount() else f"remount,size={size}"
    command = [program or "mount", "-t", "tmpfs", "-o", options, "none", str(place)]
    if program is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk is not allowed here")


@pytest.mark.parametrize("size", ["4k", "64k", "600k", "1200k"])
def test_a_first_run(root: Path, disk: Path, capfdbinary: pytest.CaptureFixture[bytes], size: str) -> None:
    """However little room there is, the answer is whole, and a line says that the index was not saved."""
    mount(disk, size)
    for command in (("list", "--all"), ("search", "okapi", "--all-hits"), ("usage",)):
        code = run(["--root", str(root), *command, "--json"])
        out, said = capfdbinary.readouterr()

        assert 0 == code, said
        assert json.loads(out).get("total") in (SESSIONS, SESSIONS * 30) or "usage" in command
        assert b"not saved after this run" in said
    assert REFUSED == run(["--root", str(root), "index"])


def test_an_update(root: Path, disk: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A disk that was filled after the index was made keeps nobody from new messages; with room all is kept again."""
    mount(disk, "16m")
    assert 0 == run(["--root", str(root), "index"])
    free = shutil.disk_usage(disk).free
    (disk / "filler").write_bytes(bytes(free - 4096))
    new = Draft("99999999-1111-4111-8111-111111111111").prompt("gnu")
    for step in range(200):
        new.prompt(f"gnu {step}").answer("Fed.", calls=[bash(f"ls {step}", "straw " * 50)])
    new.write(root)
    capfdbinary.readouterr()
    code = run(["--root", str(root), "search", "gnu", "--all-hits", "--json"])
    out, said = capfdbinary.readouterr()

    assert (0, 201) == (code, json.loads(out)["total"])
    assert b"Free some disk space" in said
    (disk / "filler").unlink()
    assert 0 == run(["--root", str(root), "search", "gnu", "--json"])
    assert b"" == capfdbinary.readouterr().err
