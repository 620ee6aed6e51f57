"""New files: below the directory that was named, whatever happens around it."""

import itertools
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from chance import rounds

from backscroll.errors import RefusedError
from backscroll.new_files import HAS_OPENAT, NewTree, replace_keeping

SWAPS = rounds(300)
needs_openat = pytest.mark.skipif(not HAS_OPENAT, reason="this system opens no files by directory")


def test_files_are_private_and_new(tmp_path: Path) -> None:
    """Directories and files are the owner's alone; nothing is a program."""
    with NewTree(tmp_path / "new") as tree:
        tree.write(["a", "b.sh"], b"#!/bin/sh\n")

    assert b"#!/bin/sh\n" == (tmp_path / "new/a/b.sh").read_bytes()
    assert (0o700, 0o600) == tuple((tmp_path / "new" / name).stat().st_mode & 0o777 for name in ("a", "a/b.sh"))


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_parents_are_private_too(mask: int, tmp_path: Path) -> None:
    """Directories on the way to the one that was named are the owner's alone, whatever the umask is."""
    before = os.umask(mask)
    try:
        with NewTree(tmp_path / "x/y/new") as tree:
            tree.write(["a", "b"], b"")
    finally:
        os.umask(before)

    assert {0o700} == {(tmp_path / name).stat().st_mode & 0o777 for name in ("x", "x/y", "x/y/new", "x/y/new/a")}
    assert 0o600 == (tmp_path / "x/y/new/a/b").stat().st_mode & 0o777


def test_a_parent_may_be_a_link(tmp_path: Path) -> None:
    """The user may name a directory through a link; only links that appear later are refused."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with NewTree(tmp_path / "link/new") as tree:
        tree.write(["a"], b"x")

    assert b"x" == (tmp_path / "real/new/a").read_bytes()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A second file of the same name fails, and the first stays."""
    with NewTree(tmp_path / "new") as tree:
        tree.write(["a"], b"first")
        with pytest.raises(FileExistsError):
            tree.write(["a"], b"second")

    assert b"first" == (tmp_path / "new/a").read_bytes()


@pytest.mark.parametrize("parts", [[], [""], [".."], ["a", ".."], ["a/b"], ["a\0b"], ["."]])
def test_only_names_are_taken(parts: list[str], tmp_path: Path) -> None:
    """Whatever the caller hands in, a part that is no plain name is refused here too."""
    with NewTree(tmp_path / "new") as tree, pytest.raises(OSError):
        tree.write(parts, b"x")


def names(directory: Path) -> list[str]:
    """Return what lies in a directory."""
    return sorted(path.name for path in directory.iterdir())


def made_full(directory: Path) -> None:
    """Make a directory with a file in it."""
    directory.mkdir()
    (directory / "x").touch()


def made_link(directory: Path) -> None:
    """Make a link to an empty directory."""
    (directory.parent / "elsewhere").mkdir()
    directory.symlink_to(directory.parent / "elsewhere")


@pytest.mark.parametrize("prepare", [made_full, made_link, Path.touch])
def test_only_a_new_or_empty_directory_is_taken(prepare: Callable[[Path], None], tmp_path: Path) -> None:
    """A directory with something in it, a link and a file are refused."""
    prepare(tmp_path / "new")

    with pytest.raises(RefusedError):
        NewTree(tmp_path / "new")


@needs_openat
def test_a_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    """A directory that was swapped for a link leads nowhere."""
    (tmp_path / "outside").mkdir()
    with NewTree(tmp_path / "new") as tree:
        tree.write(["a", "x"], b"x")
        (tmp_path / "new/a").rename(tmp_path / "new/b")
        (tmp_path / "new/a").symlink_to(tmp_path / "outside")
        with pytest.raises(OSError):
            tree.write(["a", "y"], b"y")

    assert [] == list((tmp_path / "outside").iterdir())


@needs_openat
@pytest.mark.slow
def test_a_race_for_links_is_never_won(tmp_path: Path) -> None:
    """Another thread swaps the directory for a link 300 times while we write: nothing appears outside.

    Writing goes on until the swaps are done, so the test does not depend on how busy the machine is.
    """
    inside, outside = tmp_path / "new" / "a", tmp_path / "outside"
    outside.mkdir()
    swaps: list[int] = []

    def swap() -> None:
        for number in itertools.count():
            with suppress(OSError):
                inside.rename(tmp_path / "new" / f"held{number}")
                inside.symlink_to(outside)
                swaps.append(number)
                inside.unlink()
            if len(swaps) >= SWAPS:
                return

    with NewTree(tmp_path / "new") as tree:
        tree.write(["a", "first"], b"")
        attacker = threading.Thread(target=swap)
        attacker.start()
        number = 0
        while attacker.is_alive():
            number += 1
            with suppress(OSError):
                tree.write(["a", f"f{number}"], b"x")
        attacker.join()

    assert [] == list(outside.iterdir())
    assert len(swaps) >= SWAPS


@needs_openat
def test_what_is_replaced_is_kept(tmp_path: Path) -> None:
    """The old file stays under another name; who may read it stays, and nothing becomes a program."""
    path = tmp_path / "a.sh"
    path.write_bytes(b"old")
    path.chmod(0o755)

    assert replace_keeping(path, b"new", "a.sh.before")
    assert (b"new", b"old") == (path.read_bytes(), (tmp_path / "a.sh.before").read_bytes())
    assert 0o644 == path.stat().st_mode & 0o777
    assert ["a.sh", "a.sh.before"] == names(tmp_path)


@needs_openat
def test_a_missing_file_is_made_with_its_directories(tmp_path: Path) -> None:
    """Nothing is kept where there was nothing."""
    assert not replace_keeping(tmp_path / "x/y/z", b"new", "z.before")
    assert b"new" == (tmp_path / "x/y/z").read_bytes()
    assert ["z"] == names(tmp_path / "x/y")


@needs_openat
def test_links_in_place_are_refused(tmp_path: Path) -> None:
    """Neither a link in the place of the file nor one on the way is followed, and nothing is left behind."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").symlink_to(tmp_path / "real" / "x")

    for path in (tmp_path / "link" / "x", tmp_path / "file"):
        with pytest.raises(OSError):
            replace_keeping(path, b"new", "kept")
    assert [] == names(tmp_path / "real")
    assert ["file", "link", "real"] == names(tmp_path)
