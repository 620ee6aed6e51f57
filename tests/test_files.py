"""Opening never waits and never follows; writing replaces a file whole, inside our directory only."""

import errno
import os
import socket
import stat
from pathlib import Path

import pytest

from backscroll.errors import RefusedError
from backscroll.files import (
    NotRegularError,
    create_file,
    make_private_directory,
    open_readonly,
    read_small,
    reason_of,
    write_atomically,
)


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """A regular file is opened for reading in binary."""
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    with open_readonly(tmp_path / "a") as file:
        assert list(file) == [b"one\n", b"two\n"]
        assert not file.writable()


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    """A name of any bytes can be opened by its decoded form."""
    name = os.fsencode(tmp_path) + b"/\xff\xfe\n\x1b.jsonl"
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    with open_readonly(os.fsdecode(name)) as file:
        assert file.read() == b""


def test_a_fifo_does_not_block(tmp_path: Path) -> None:
    """F01: a FIFO is refused at once."""
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotRegularError, match=r"not a regular file \(FIFO\)"):
        open_readonly(tmp_path / "fifo")


def test_a_fifo_that_took_a_files_place_does_not_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T03: what is swapped between the look and the opening is refused at once, and no descriptor stays open."""
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "fifo")
    regular = (tmp_path / "file").lstat()
    monkeypatch.setattr(os, "lstat", lambda _: regular)
    lowest = os.dup(0)
    os.close(lowest)
    with pytest.raises(NotRegularError, match="FIFO"):
        open_readonly(tmp_path / "fifo")

    assert os.dup(0) == lowest
    os.close(lowest)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """F02, F08: a link is refused, wherever it leads."""
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(NotRegularError, match="symbolic link"):
        open_readonly(tmp_path / "link")


def test_a_link_that_took_a_files_place_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T03: a link that replaces a file between the look and the opening is refused, even if it leads to a file."""
    (tmp_path / "file").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    regular = (tmp_path / "file").lstat()
    monkeypatch.setattr(os, "lstat", lambda _: regular)
    with pytest.raises(OSError, match="symbolic links"):
        open_readonly(tmp_path / "link")


def test_devices_and_directories_are_refused(tmp_path: Path) -> None:
    """F04: a device, a directory and a socket are no files to read."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for path, kind in [("/dev/null", "device"), (str(tmp_path), "directory"), (f"{tmp_path}/socket", "socket")]:
            with pytest.raises(NotRegularError, match=kind):
                open_readonly(path)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_an_impossible_name_is_an_oserror(tmp_path: Path, name: str) -> None:
    """A name that no file can have is refused like any other file that is not there."""
    with pytest.raises(OSError):
        open_readonly(f"{tmp_path}/{name}")


def test_reasons_are_plain_words(tmp_path: Path) -> None:
    """Why a file could not be read is said without numbers and addresses."""
    errors = [OSError(errno.EACCES, "x"), FileNotFoundError(errno.ENOENT, "x"), OSError(errno.ENXIO, "No such device")]
    reasons = ["permission denied", "vanished: no such file", "no such device"]

    assert [reason_of(error) for error in errors] == reasons
    assert reason_of(NotRegularError("not a regular file (FIFO)")) == "not a regular file (FIFO)"


def test_a_small_file_has_a_limit(tmp_path: Path) -> None:
    """A side file is read up to a limit, and refused beyond it."""
    (tmp_path / "a").write_bytes(b"12345")

    assert read_small(tmp_path / "a", 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_small(tmp_path / "a", 4)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("durable", [True, False])
def test_what_we_write_is_private(tmp_path: Path, umask: int, durable: bool) -> None:
    """T08: files are 0600 and directories 0700 under every umask, and no temporary file is left."""
    before = os.umask(umask)
    try:
        make_private_directory(tmp_path / "a" / "b")
        write_atomically(tmp_path / "a" / "b" / "c", b"data", inside=tmp_path, durable=durable)
    finally:
        os.umask(before)

    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/c")] == [0o700, 0o700, 0o600]
    assert [path.read_bytes() for path in (tmp_path / "a" / "b").iterdir()] == [b"data"]


def test_an_existing_directory_keeps_its_mode(tmp_path: Path) -> None:
    """A directory that was there is not ours to change."""
    (tmp_path / "a").mkdir(mode=0o755)
    make_private_directory(tmp_path / "a")

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o755


def test_a_link_is_replaced_and_its_target_is_not_touched(tmp_path: Path) -> None:
    """Writing over a link replaces the link."""
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "link").symlink_to(tmp_path / "target")
    write_atomically(tmp_path / "ours" / "link", b"ours", inside=tmp_path / "ours")

    assert (tmp_path / "target").read_bytes() == b"theirs"
    assert (tmp_path / "ours" / "link").read_bytes() == b"ours"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "sub/../../x", "link/x", ".."])
def test_writing_outside_is_refused(tmp_path: Path, name: str) -> None:
    """T05: no path, and no link on the way, leads out of our directory."""
    ours = tmp_path / "ours"
    (ours / "sub").mkdir(parents=True)
    (ours / "link").symlink_to(tmp_path)
    with pytest.raises(RefusedError):
        write_atomically(ours / name, b"", inside=ours)

    assert not (tmp_path / "x").exists()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """H61: when the disk is full the old bytes stay, and no half file."""
    (tmp_path / "a").write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "a", b"new", inside=tmp_path)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old"}


def test_a_new_file_is_never_written_over_another(tmp_path: Path) -> None:
    """What the user named is written once; a file, a link to nowhere and a directory are left as they are."""
    path, link = tmp_path / "new", tmp_path / "link"
    create_file(path, b"one")
    link.symlink_to(tmp_path / "nowhere")
    for taken in (path, link, tmp_path):
        with pytest.raises(RefusedError):
            create_file(taken, b"two")

    assert b"one" == path.read_bytes()
    assert not (tmp_path / "nowhere").exists()


def test_a_new_file_needs_its_directory(tmp_path: Path) -> None:
    """No directory is made for a file that the user named."""
    with pytest.raises(RefusedError, match="cannot write here"):
        create_file(tmp_path / "none" / "new", b"")
