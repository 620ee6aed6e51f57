"""A disk that is full, or fails, while recovered files are written: each file is whole or absent, and is reported."""

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chance import IS_LONG
from make import UUID, Draft, home, write
from os_calls import before_each_call

from backscroll.cli.main import run
from backscroll.new_files import HAS_OPENAT

pytestmark = pytest.mark.skipif(not HAS_OPENAT, reason="this system opens no files by directory")

APP = "/home/ann/app"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS) if IS_LONG else (errno.ENOSPC, errno.EIO)
CALLS = ("open", "write", "fsync", "link", "mkdir")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 64 KiB, or skip the test where that is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)]
    if mount is None or umount is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk is not allowed here")
    yield place
    subprocess.run([umount, str(place)], check=True)


def files_of(directory: Path) -> dict[str, bytes]:
    """Return every file below a directory, hidden and temporary ones too."""
    paths = (Path(parent, name) for parent, _, names in os.walk(directory) for name in names)
    return {str(path.relative_to(directory)): path.read_bytes() for path in paths}


def written(root: Path, count: int, size: int) -> dict[str, bytes]:
    """Have a session write so many files of this size in four directories, and return them."""
    texts = {f"d{number % 4}/f{number}.txt": f"{number}\n" + "x" * size for number in range(count)}
    draft = Draft(UUID, APP).prompt("x")
    for name, text in texts.items():
        draft.answer(calls=[write(f"{APP}/{name}", text)])
    draft.write(home(root))
    return {name: text.encode() for name, text in texts.items()}


def recover_all(root: Path, out: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> tuple[int, dict[str, str]]:
    """Write all files of a root, and return the exit code and the status of each file."""
    capsysbinary.readouterr()
    code = run(["--root", str(root), "--json", "recover", "--all", "--write", str(out)])
    report = json.loads(capsysbinary.readouterr().out or b'{"files": []}')["files"]
    return code, {file["path"].removeprefix(f"{APP}/"): file["status"] for file in report}


def check_report(code: int, statuses: dict[str, str], found: dict[str, bytes], texts: dict[str, bytes]) -> None:
    """Check that exactly the files that are reported as written are there, whole, and nothing else."""
    assert {name for name, status in statuses.items() if status == "written"} == set(found)
    assert {name: texts[name] for name in found} == found
    assert {"written", "failed"} >= set(statuses.values())
    assert (4 if "failed" in statuses.values() else 0) == code


def test_a_full_disk_leaves_no_half_file(
    small_disk: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Files that fit are whole; for the others the report says failed, and the exit code is 4."""
    texts = written(tmp_path / "root", 40, 3000)
    code, statuses = recover_all(tmp_path / "root", small_disk / "out", capsysbinary)

    assert (4, 40) == (code, len(statuses))
    assert {"written", "failed"} == set(statuses.values())
    check_report(code, statuses, files_of(small_disk / "out"), texts)


def test_a_full_disk_is_named_in_the_report(
    small_disk: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The report says why, and how many files were not written."""
    written(tmp_path / "root", 1, 100_000)

    assert 4 == run(["--root", str(tmp_path / "root"), "recover", "--all", "--write", str(small_disk / "out")])
    text = capsysbinary.readouterr().out.decode()
    assert "failed" in text
    assert "cannot be written: no space left on device" in text
    assert "0 files written, 1 not." in text
    assert {} == files_of(small_disk / "out")


def test_a_full_disk_leaves_the_present_file_in_place(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`--in-place --apply` without room changes nothing and leaves nothing behind."""
    monkeypatch.setenv("HOME", str(small_disk))
    path = small_disk / "app/x.txt"
    Draft(UUID, str(path.parent)).prompt("x").answer(calls=[write(str(path), "new\n" * 5000)]).write(home(small_disk))
    path.parent.mkdir()
    path.write_bytes(b"present\n" * 1000)

    assert 4 == run(["recover", str(path), "--in-place", "--apply"])
    assert b"no space left on device" in capsysbinary.readouterr().out
    assert {"x.txt": b"present\n" * 1000} == files_of(path.parent)


@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
def test_each_call_fails_once(error: int, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Whichever call fails while files are written, at most one file is missing, and none is half."""
    texts = written(tmp_path / "root", 8 if IS_LONG else 4, 100)
    tried = 0
    for step in range(1, 1000):

        def fail(number: int, name: str, step: int = step) -> None:
            if number == step:
                raise OSError(error, os.strerror(error), name)

        out = tmp_path / f"out{step}"
        with before_each_call(fail, CALLS) as done:
            code, statuses = recover_all(tmp_path / "root", out, capsysbinary)
        if len(done) < step:
            break
        tried += 1
        if not statuses:  # the directory itself could not be made
            assert (4, {}) == (code, files_of(out))
            continue
        check_report(code, statuses, files_of(out), texts)
        assert list(statuses.values()).count("failed") <= 1

    assert tried >= 4 * len(texts)


@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
def test_each_call_fails_from_then_on(error: int, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """A disk that stays full leaves the files that were written before, and no other."""
    texts = written(tmp_path / "root", 4, 100)
    for step in range(1, 1000):

        def fail(number: int, name: str, step: int = step) -> None:
            if number >= step and name in ("write", "fsync", "link", "mkdir"):
                raise OSError(error, os.strerror(error), name)

        out = tmp_path / f"out{step}"
        with before_each_call(fail, CALLS) as done:
            code, statuses = recover_all(tmp_path / "root", out, capsysbinary)
        if statuses:
            check_report(code, statuses, files_of(out), texts)
        if len(done) < step:
            break

    assert set(texts) == set(files_of(out))


@pytest.mark.parametrize("has_file", [False, True], ids=["new", "there"])
@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
def test_each_call_fails_in_place(
    error: int, home: Path, capsysbinary: pytest.CaptureFixture[bytes], *, has_file: bool
) -> None:
    """Whichever call fails in place, the present file stays whole under its name, and nothing is left beside it."""
    path = home / "app/x.txt"
    Draft(UUID, str(path.parent)).prompt("x").answer(calls=[write(str(path), "new\n")]).write(home)
    before = {"x.txt": b"present\n"} if has_file else {}
    for step in range(1, 100):

        def fail(number: int, name: str, step: int = step) -> None:
            if number == step:
                raise OSError(error, os.strerror(error), name)

        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        for name, data in before.items():
            (path.parent / name).write_bytes(data)
        with before_each_call(fail, (*CALLS, "replace", "chmod", "stat")) as done:
            code = run(["recover", str(path), "--in-place", "--apply"])
        if len(done) < step:
            break
        assert (4, before) == (code, files_of(path.parent)), done

    assert 0 == code
    assert b"new\n" == path.read_bytes()
    assert step > 8


def test_short_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A system that takes three bytes at a time gets the whole file in the end."""
    texts = written(tmp_path / "root", 2, 50)
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, bytes(data)[:3]))
    code, _ = recover_all(tmp_path / "root", tmp_path / "out", capsysbinary)

    assert (0, texts) == (code, files_of(tmp_path / "out"))


def test_a_file_system_without_links(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Where hard links are not possible, files are written all the same, and temporary names are gone."""
    texts = written(tmp_path / "root", 4, 50)

    def fail(_number: int, name: str) -> None:
        if name == "link":
            raise PermissionError(errno.EPERM, "Operation not permitted")

    with before_each_call(fail):
        code, _ = recover_all(tmp_path / "root", tmp_path / "out", capsysbinary)

    assert (0, texts) == (code, files_of(tmp_path / "out"))
