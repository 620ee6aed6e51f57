"""Paths with halves of characters: they differ, so they are different files, and every command survives them."""

import json
from pathlib import Path

import pytest
from make import UUID, Draft, home, write

from backscroll.cli.main import run

APP = "/home/ann/app"
HALVES = [rb"\ud800", rb"\udbff", rb"\udc00", rb"\uDFFF", rb"\ud800\ud800", rb"\udc00\ud800", rb"\ufffd"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home whose session wrote files that differ only in halves of characters."""
    draft = Draft(UUID, APP).prompt("x")
    for number in range(len(HALVES)):
        draft.answer(calls=[write(f"{APP}/a-half{number}-.txt", f"{number}\n")])
    path = draft.write(home(tmp_path / "root"))
    data = path.read_bytes()
    for number, half in enumerate(HALVES):
        data = data.replace(b"-half%d-" % number, half)
    path.write_bytes(data)
    return tmp_path / "root"


def test_each_is_a_file_of_its_own(root: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Each path is listed, found by the name in the list, and written with its own content."""
    run(["--root", str(root), "--json", "files", "--all"])
    names = [file["path"] for file in json.loads(capsysbinary.readouterr().out)["files"]]
    contents = set()
    for name in names:
        assert 0 == run(["--root", str(root), "recover", name, "--print"])
        contents.add(capsysbinary.readouterr().out)

    assert {b"%d\n" % number for number in range(len(HALVES))} == contents
    assert 0 == run(["--root", str(root), "recover", "--all", "--write", str(tmp_path / "out")])
    assert contents == {path.read_bytes() for path in (tmp_path / "out").iterdir()}
