"""The walk: it looks at everything once, opens nothing, waits for nothing and never raises."""

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from make import UUID, Draft, as_nobody, fingerprint, found, home, walked, write_side, write_transcript

from backscroll.records import Damage
from backscroll.stores.base import FoundFile
from backscroll.stores.code import CodeStore


def reasons(directory: Path) -> list[tuple[str, str]]:
    """Return name and reason of all damage below a home."""
    damage = [item for item in walked(directory) if isinstance(item, Damage)]
    return [(Path(item.place.path).name, item.reason) for item in damage]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project's directory that holds one good session."""
    return write_transcript(home(tmp_path), "-tmp-proj", UUID, Draft(UUID).prompt("Hello").lines()).parent


@pytest.fixture
def open_home() -> Iterator[Path]:
    """Return a home that every user may enter, with one good session."""
    with tempfile.TemporaryDirectory(prefix="backscroll-") as name:
        directory = Path(name)
        directory.chmod(0o755)
        write_transcript(home(directory), "-p", UUID, b"{}\n")
        yield directory
        for path in directory.rglob("*"):
            path.chmod(0o700)


def test_a_fifo_is_damage(project: Path, tmp_path: Path) -> None:
    """F01: a FIFO named like a session is reported and not waited for."""
    os.mkfifo(project / "fifo.jsonl")

    assert reasons(tmp_path) == [("fifo.jsonl", "not a regular file (FIFO)")]
    assert [file.session for file in found(tmp_path)] == [UUID]


def test_a_socket_is_damage(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket is no file to read."""
    monkeypatch.chdir(project)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.jsonl")

        assert reasons(tmp_path) == [("s.jsonl", "not a regular file (socket)")]


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "/etc", "/"])
def test_links_to_outside_are_damage(project: Path, tmp_path: Path, target: str) -> None:
    """F02, F08: a link that leaves the home is reported and not followed."""
    (project / "x.jsonl").symlink_to(target)

    assert reasons(tmp_path) == [("x.jsonl", "symbolic link to outside the store")]


def test_a_loop_of_directories_ends(project: Path, tmp_path: Path) -> None:
    """F03: links that lead back to directories of the walk are met once, quietly."""
    (project / "subagents").symlink_to(project)
    (project / "loop").symlink_to("..")
    (project / "two").symlink_to(tmp_path / ".claude" / "projects" / "-other")
    other = tmp_path / ".claude" / "projects" / "-other"
    other.mkdir()
    (other / "one").symlink_to(project)

    assert [file.session for file in found(tmp_path)] == [UUID]
    assert reasons(tmp_path) == []


def test_a_link_to_the_home_is_not_walked(project: Path, tmp_path: Path) -> None:
    """A link to a directory above the store would have us walk the whole home."""
    (tmp_path / "private.jsonl").write_bytes(b"")
    (project / "up").symlink_to(tmp_path)

    assert reasons(tmp_path) == [("up", "symbolic link to a directory that holds the store")]
    assert [file.session for file in found(tmp_path)] == [UUID]


def test_a_directory_named_like_a_session(project: Path, tmp_path: Path) -> None:
    """F04: a directory named *.jsonl is reported, and what lies in it still counted."""
    (project / "d.jsonl").mkdir()
    (project / "d.jsonl" / "inside").write_bytes(b"x")

    assert reasons(tmp_path) == [("d.jsonl", "not a regular file (directory)")]
    assert sorted(file.kind for file in found(tmp_path)) == ["other", "transcript"]


def test_broken_links_and_loops_of_links(project: Path, tmp_path: Path) -> None:
    """F05: a link to nothing, and links to each other, are reported."""
    (project / "gone.jsonl").symlink_to("/nonexistent/x.jsonl")
    (project / "a.jsonl").symlink_to("b.jsonl")
    (project / "b.jsonl").symlink_to("a.jsonl")

    assert sorted(reasons(tmp_path)) == [
        ("a.jsonl", "loop of symbolic links"),
        ("b.jsonl", "loop of symbolic links"),
        ("gone.jsonl", "broken symbolic link"),
    ]


def test_names_of_any_bytes(project: Path, tmp_path: Path) -> None:
    """F06: names with newline, ESC, no UTF-8, 250 bytes and a leading dash are found and lead back to the file."""
    names = [b"a\nb", b"\x1b]0;PWN\x07", b"\xff\xfe", b"n" * 244, b"-rf", b".", b"con"]
    for name in names:
        (project / os.fsdecode(name + b".jsonl")).write_bytes(b"{}\n")

    files = [file for file in found(tmp_path) if file.session != UUID]
    assert sorted(os.fsencode(str(file.session)) for file in files) == sorted(names)
    assert all(Path(file.path).stat().st_size == 3 for file in files)


def test_a_link_inside_the_home_is_followed_once(project: Path, tmp_path: Path) -> None:
    """A link into the home gives its target, under the link's name and the target's path."""
    elsewhere = tmp_path / "Sync" / "moved.jsonl"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(b"{}\n")
    (project / "linked.jsonl").symlink_to(elsewhere)
    (project / "again.jsonl").symlink_to(elsewhere)
    (project / "known.jsonl").symlink_to(project / f"{UUID}.jsonl")

    files = {file.path: file.session for file in found(tmp_path)}
    assert files[str(project / f"{UUID}.jsonl")] == UUID
    assert files[str(elsewhere)] in ("linked", "again")
    assert len(files) == len(found(tmp_path)) == 2


def test_a_linked_project_is_walked(tmp_path: Path) -> None:
    """A project's directory may be a link into the home; its sessions keep the link's key."""
    target = tmp_path / "Sync" / "proj"
    target.mkdir(parents=True)
    (target / f"{UUID}.jsonl").write_bytes(b"{}\n")
    (home(tmp_path) / ".claude" / "projects" / "-p").symlink_to(target)

    (file,) = found(tmp_path)
    assert (file.project_key, file.session, file.path) == ("-p", UUID, str(target / f"{UUID}.jsonl"))


def test_the_store_itself_may_be_a_link_anywhere(tmp_path: Path) -> None:
    """`.claude` and `projects` may lie outside the home; below them the usual rule holds."""
    user, disk = tmp_path / "user", tmp_path / "disk"
    write_transcript(home(disk), "-p", UUID)
    user.mkdir()
    (user / ".claude").symlink_to(disk / ".claude")

    assert [file.path for file in found(user)] == [str(user / ".claude" / "projects" / "-p" / f"{UUID}.jsonl")]


def test_a_hard_link_is_met_once(project: Path, tmp_path: Path) -> None:
    """Two names of one file are one file."""
    (project / "zz.jsonl").hardlink_to(project / f"{UUID}.jsonl")

    assert [file.session for file in found(tmp_path)] == [UUID]


@pytest.mark.slow
def test_long_chains_of_links(project: Path, tmp_path: Path) -> None:
    """H31: 39 links in a row are followed, 2,000 are reported; neither is followed for ever."""
    (tmp_path / "chains").mkdir()
    for count, name in ((38, "short"), (2000, "endless")):
        link = tmp_path / "chains" / name
        link.write_bytes(b"{}\n")
        for number in range(count):
            longer = tmp_path / "chains" / f"{name}{number}"
            longer.symlink_to(link)
            link = longer
        (project / f"{name}.jsonl").symlink_to(link)

    assert sorted(str(file.session) for file in found(tmp_path)) == [UUID, "short"]
    assert reasons(tmp_path) == [("endless.jsonl", "loop of symbolic links")]


def test_a_path_of_200_levels(project: Path, tmp_path: Path) -> None:
    """H27: depth is no limit."""
    deep = project / UUID / "/".join(["d"] * 200)
    deep.mkdir(parents=True)
    (deep / "x.txt").write_bytes(b"x")

    assert str(deep / "x.txt") in [file.path for file in found(tmp_path)]


def test_what_may_not_be_entered_is_damage(open_home: Path) -> None:
    """H32: a closed directory is reported, a closed file still listed, and the others are read."""
    closed = write_transcript(open_home, "-closed", "inside").parent
    closed.chmod(0)
    write_transcript(open_home, "-p", "locked", b"{}\n").chmod(0)

    items = as_nobody(
        lambda: [(item.path if isinstance(item, FoundFile) else item.reason) for item in walked(open_home)]
    )
    project = open_home / ".claude" / "projects" / "-p"
    assert sorted(items) == [str(project / f"{UUID}.jsonl"), str(project / "locked.jsonl"), "permission denied"]


def test_a_closed_home_is_damage(open_home: Path) -> None:
    """H32: where not even the home may be entered, that is said."""
    open_home.chmod(0)

    items = as_nobody(lambda: walked(open_home))
    open_home.chmod(0o700)
    assert {item.reason for item in items if isinstance(item, Damage)} == {"permission denied"}


def test_our_own_home_is_never_walked(project: Path, tmp_path: Path) -> None:
    """H39: BACKSCROLL_HOME inside a store is left out, by its own path and by links into it."""
    for own in (project / "ours", tmp_path / ".claude" / "ours"):
        (own / "archive").mkdir(parents=True)
        (own / "archive" / "copy.jsonl").write_bytes(b"{}\n")
        (project / "peek").symlink_to(own / "archive")

        assert [file.session for file in found(tmp_path, own=own)] == [UUID]

        shutil.rmtree(own)
        (project / "peek").unlink()


def test_the_demo_in_our_own_home_is_read(tmp_path: Path) -> None:
    """A root inside our own home was asked for, and is read."""
    write_transcript(home(tmp_path / "ours" / "demo"), "-p", UUID)

    assert [file.session for file in found(tmp_path / "ours" / "demo", own=tmp_path / "ours")] == [UUID]


def test_nothing_is_touched(project: Path, tmp_path: Path) -> None:
    """H41, L5: a walk changes no mode, no time, no byte, and makes and removes nothing."""
    (tmp_path / ".claude" / ".stfolder").mkdir()
    write_side(tmp_path, "todos/x.json", b"[]")
    before = fingerprint(tmp_path)
    walked(tmp_path)

    assert fingerprint(tmp_path) == before


def test_a_file_that_vanishes_is_no_exception(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """H46: what is deleted between the listing and the look is reported."""
    real = os.scandir

    @contextmanager
    def scan_then_delete(path: str) -> Iterator[list[os.DirEntry[str]]]:
        with real(path) as scan:
            entries = list(scan)
        (project / f"{UUID}.jsonl").unlink(missing_ok=True)
        yield entries

    files = CodeStore("code", tmp_path / ".claude", tmp_path / ".claude" / "projects", tmp_path).files()
    (project / "other.jsonl").write_bytes(b"")
    monkeypatch.setattr(os, "scandir", lambda path: (scan_then_delete if "-proj" in str(path) else real)(path))

    assert [item.reason if isinstance(item, Damage) else item.session for item in files] == [
        "vanished: no such file",
        "other",
    ]


def test_projects_that_is_a_file(tmp_path: Path) -> None:
    """A file where a directory is expected is reported."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "projects").write_bytes(b"")

    assert ("projects", "not a directory") in reasons(tmp_path)


@pytest.mark.slow
def test_5000_files_are_found_at_once(tmp_path: Path) -> None:
    """F07: all files of a large project are found."""
    project = home(tmp_path) / ".claude" / "projects" / "-p"
    project.mkdir()
    for number in range(5000):
        (project / f"{number:08x}-0000-4000-8000-000000000000.jsonl").touch()

    assert 5000 == len(found(tmp_path))


@pytest.mark.slow
def test_10000_projects(tmp_path: Path) -> None:
    """H27: ten thousand project directories are walked."""
    for number in range(10_000):
        write_transcript(tmp_path, f"-p-{number}", UUID)

    assert 10_000 == len(found(tmp_path))
