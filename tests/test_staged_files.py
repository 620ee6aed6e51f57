"""Staged files: new files that appear together, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backscroll.errors import RefusedError
from backscroll.staged_files import StagedFiles


def test_files_appear_when_they_are_published(tmp_path: Path) -> None:
    """Before that nothing has its name; afterwards nothing else is left."""
    with StagedFiles(tmp_path) as stage:
        stage.write("a.txt", [b"one ", b"two"])
        stage.write("b.txt", [b"three"])

        assert not (tmp_path / "a.txt").exists()
        stage.publish()

    assert ["a.txt", "b.txt"] == sorted(path.name for path in tmp_path.iterdir())
    assert b"one two" == (tmp_path / "a.txt").read_bytes()
    assert 0o600 == (tmp_path / "a.txt").stat().st_mode & 0o777


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    """An exception while a file is written removes all of them, and the directory that was made for them."""

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise ZeroDivisionError

    def write() -> None:
        with StagedFiles(tmp_path / "new", must_be_empty=True) as stage:
            stage.write("a.txt", [b"whole"])
            stage.write("b.txt", broken())

    with pytest.raises(ZeroDivisionError):
        write()
    assert [] == list(tmp_path.iterdir())


def test_a_taken_name_means_that_no_file_appears(tmp_path: Path) -> None:
    """A file that came up meanwhile is kept, and the files before it are withdrawn."""
    with StagedFiles(tmp_path) as stage:
        stage.write("a.txt", [b"ours"])
        stage.write("b.txt", [b"ours"])
        (tmp_path / "b.txt").write_text("theirs")
        with pytest.raises(RefusedError):
            stage.publish()

    assert ["b.txt"] == [path.name for path in tmp_path.iterdir()]
    assert "theirs" == (tmp_path / "b.txt").read_text()


def test_an_existing_file_is_refused_at_once(tmp_path: Path) -> None:
    """Nobody waits for a document that cannot get its name; a dangling link is a name too."""
    (tmp_path / "a.txt").write_text("mine")
    (tmp_path / "b.txt").symlink_to(tmp_path / "nowhere")
    with StagedFiles(tmp_path) as stage:
        for name in ("a.txt", "b.txt"):
            with pytest.raises(RefusedError):
                stage.write(name, [b"ours"])


def test_a_directory_must_be_empty_and_no_link(tmp_path: Path) -> None:
    """A directory that holds files, a link and a missing parent are refused."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")

    for name in ("full", "link"):
        with pytest.raises(RefusedError):
            StagedFiles(tmp_path / name, must_be_empty=True)
    with pytest.raises(RefusedError):
        StagedFiles(tmp_path / "no" / "such")
    assert [] == list((tmp_path / "empty").iterdir())
