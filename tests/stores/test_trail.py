"""A second look: it says that nothing changed only where a walk would meet the very same."""

import os
import random
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, home, write_demo_home, write_desktop

from backscroll.index import glance as glancing
from backscroll.index import update as updating
from backscroll.index.db import open_in_memory
from backscroll.index.glance import Glance, glance
from backscroll.index.update import update
from backscroll.stores import find_stores, trail
from backscroll.stores.trail import still_holds

CHANGES = 300


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have directories count as settled as soon as the clock has moved on."""
    monkeypatch.setattr(trail, "SETTLED", 0)


def looked(root: Path) -> Glance:
    """Walk through everything below a root once the clock has moved on."""
    time.sleep(0.02)
    return glance(find_stores(root, {}))


def is_same(root: Path, seen: Glance) -> bool:
    """Say what a second look says."""
    return still_holds(seen.trail, glancing._walked(find_stores(root, {})))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with all products, links and what is no file."""
    write_demo_home(tmp_path)
    write_desktop(home(tmp_path))
    place = project(home(tmp_path))
    (place / "empty").mkdir()
    (place / "inside.jsonl").symlink_to(transcript(home(tmp_path)))
    (place / "outside").symlink_to("/")
    (place / "nowhere").symlink_to("/nowhere")
    (home(tmp_path) / "elsewhere").mkdir()
    (place / "linked").symlink_to(home(tmp_path) / "elsewhere")
    os.mkfifo(place / "pipe")
    return home(tmp_path)


def project(root: Path) -> Path:
    """Return a project's directory."""
    return transcript(root).parent


def transcript(root: Path) -> Path:
    """Return a transcript."""
    return min((root / ".claude" / "projects").rglob("*.jsonl"))


def put_another(root: Path) -> None:
    """Put a file of the same size and times in the place of a transcript."""
    path = transcript(root)
    other, before = path.with_suffix(".new"), path.stat()
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def write_in_place(root: Path) -> None:
    """Write other bytes into a transcript, and put its time back."""
    path = transcript(root)
    before = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def add_unseen(root: Path) -> None:
    """Add a transcript, and put the time of its directory back."""
    before = project(root).stat()
    (project(root) / f"{UUID[:-1]}9.jsonl").write_bytes(b"{}\n")
    os.utime(project(root), ns=(before.st_atime_ns, before.st_mtime_ns))


def directory_for_file(root: Path) -> None:
    """Put a directory in the place of a file."""
    path = transcript(root)
    path.unlink()
    path.mkdir()


def turn_link(root: Path) -> None:
    """Have a link lead to another directory."""
    (root / "other").mkdir()
    (project(root) / "linked").unlink()
    (project(root) / "linked").symlink_to(root / "other")


@pytest.mark.parametrize(
    "change",
    [
        lambda root: transcript(root).write_bytes(transcript(root).read_bytes() + b"{}\n"),
        lambda root: os.truncate(transcript(root), 10),
        lambda root: transcript(root).unlink(),
        lambda root: transcript(root).rename(transcript(root).with_name("other.jsonl")),
        put_another,
        write_in_place,
        add_unseen,
        directory_for_file,
        turn_link,
        lambda root: (project(root) / "empty" / "new.jsonl").write_bytes(b"{}\n"),
        lambda root: (project(root) / "empty").rmdir(),
        lambda root: (root / "elsewhere" / "new.jsonl").write_bytes(b"{}\n"),
        lambda root: (root / ".claude" / "projects" / "-new").mkdir(),
        lambda root: shutil.rmtree(project(root)),
        lambda root: (root / ".claude.json.backup").write_bytes(b"{}"),
        lambda root: (root / ".claude" / "history.jsonl").write_bytes(b"{}\n"),
        lambda root: (project(root) / "nowhere").unlink(),
        lambda root: (project(root) / "pipe").unlink(),
    ],
    ids=[
        "grown",
        "shrunk",
        "gone",
        "renamed",
        "replaced",
        "rewritten",
        "unseen",
        "directory",
        "turned",
        "in empty",
        "empty gone",
        "behind link",
        "new project",
        "project gone",
        "backup",
        "history",
        "link gone",
        "pipe gone",
    ],
)
def test_change(root: Path, change: Callable[[Path], object]) -> None:
    """It sees whatever changes; where nothing did, it says so."""
    seen = looked(root)
    assert is_same(root, seen)
    change(root)
    assert not is_same(root, seen)


@pytest.mark.parametrize("name", ["claude-code-sessions", "config.json", "logs"])
def test_what_was_not_there(tmp_path: Path, name: str) -> None:
    """What a walk looked for in vain is looked for again."""
    desktop = write_desktop(home(tmp_path)) / ".config" / "Claude"
    seen = looked(home(tmp_path))
    assert is_same(home(tmp_path), seen)
    (desktop / name).mkdir()
    assert not is_same(home(tmp_path), seen)


def test_touched(root: Path) -> None:
    """A directory whose time changed is listed again, and may hold the same."""
    seen = looked(root)
    (project(root) / "gone-again").touch()
    (project(root) / "gone-again").unlink()
    (root / "notes.txt").write_text("beside .claude.json")
    assert is_same(root, seen)


FINE, DISK = 1_700_000_000_123_456_789, os.makedev(8, 1)


@pytest.mark.parametrize(
    "stamp, device",
    [(1 << 62, DISK), (1_700_000_000_000_000_000, DISK), (FINE, os.makedev(0, 44))],
    ids=["just now", "coarse", "served"],
)
def test_no_trust_in_times(root: Path, monkeypatch: pytest.MonkeyPatch, stamp: int, device: int) -> None:
    """Directories that may change without another time, for all that can be seen, are listed again."""
    monkeypatch.setattr(trail, "_state_of_directory", lambda _: (stamp, stamp, 1, device))
    seen = looked(root)
    assert is_same(root, seen)
    (project(root) / "new").mkdir()
    assert not is_same(root, seen)


def test_trust(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A settled directory is not listed again: only its time is asked for."""
    monkeypatch.setattr(trail, "_state_of_directory", lambda _: (FINE, FINE, 1, DISK))
    seen = looked(root)
    monkeypatch.setattr(trail, "_names_in", lambda _, beginning: ["f.claude.json"] if beginning else [])
    assert (root / ".claude.json").exists()
    assert is_same(root, seen)


def test_damaged_trail(root: Path) -> None:
    """A trail of which any byte is another is not followed, nor one of other stores."""
    seen = looked(root)
    for place in range(0, len(seen.trail), len(seen.trail) // 200):
        data = bytearray(seen.trail)
        data[place] ^= 1
        assert not still_holds(bytes(data), glancing._walked(find_stores(root, {})))
    assert not still_holds(b"", "")
    assert not still_holds(seen.trail, glancing._walked(find_stores(root, {}, root / "own")))


def test_what_cannot_be_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something could not be looked at, every time is the first."""
    scan = os.scandir

    def refused(path: "str | Path") -> object:
        if str(path).endswith("empty"):
            raise PermissionError(13, "closed")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert glance(find_stores(root, {})).trail == b""


def test_random_lives(tmp_path: Path) -> None:
    """Whatever happens: where a second look sees no change, a walk meets the same."""
    chance = random.Random(7)  # noqa: S311
    root = home(tmp_path)
    Draft(UUID).prompt("Hello").write(root)
    top = root / ".claude" / "projects"
    seen, agreed = looked(root), 0
    for _ in range(CHANGES):
        _live(top, chance)
        if is_same(root, seen):
            agreed += 1
            assert glance(find_stores(root, {})).number == seen.number
        elif chance.random() < 0.5:
            seen = looked(root)
            assert is_same(root, seen)
    assert agreed > 5


def _live(top: Path, chance: random.Random) -> None:
    """Let something happen to a file or directory, or nothing."""
    directories = [top, *(path for path in top.rglob("*") if path.is_dir() and not path.is_symlink())]
    files = [path for path in top.rglob("*") if path.is_file() and not path.is_symlink()]
    directory, name = chance.choice(directories), chance.choice("abcdef")
    happening = chance.randrange(8)
    if happening == 0 and not os.path.lexists(directory / name):
        (directory / name).mkdir()
    elif happening == 1 and not os.path.lexists(directory / f"{name}.jsonl"):
        (directory / f"{name}.jsonl").write_bytes(b"{}\n")
    elif happening == 2 and files:
        path = chance.choice(files)
        path.write_bytes(path.read_bytes() + b"{}\n")
    elif happening == 3 and files:
        chance.choice(files).unlink()
    elif happening == 4 and files and not os.path.lexists(directory / f"{name}.jsonl"):
        chance.choice(files).rename(directory / f"{name}.jsonl")
    elif happening == 5 and directory != top and chance.random() < 0.2:
        shutil.rmtree(directory)
    elif happening == 6 and not os.path.lexists(directory / name):
        (directory / name).symlink_to(chance.choice([*files, *directories]))


def test_no_walk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update where nothing changed walks through nothing; after a look that was in vain it does not walk twice."""
    walks: list[int] = []

    def counted(*args: Any) -> Glance:
        walks.append(1)
        return glance(*args)

    monkeypatch.setattr(updating, "glance", counted)
    stores = find_stores(root, {})
    with closing(open_in_memory()) as database:
        update(database, stores)
        assert update(database, stores).read == 0
        assert len(walks) == 1
        database.execute("UPDATE glance SET trail = x''")
        assert update(database, stores).read == 0
        assert update(database, stores).read == 0
        assert len(walks) == 2
        transcript(root).unlink()
        update(database, stores)
        assert len(walks) == 3
