"""A glance: one number that says whether anything must be looked at."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from make import UUID, Draft, home, write_demo_home, write_side
from searched import Searched

from backscroll.index.db import open_in_memory, open_index
from backscroll.index.glance import Kept, files_in_step, glance, keep
from backscroll.index.update import update
from backscroll.stores import find_stores

SEEN = Kept("seen", 3, b"")


def number(root: Path) -> str:
    """Return the number of everything below a root."""
    return glance(find_stores(root, {})).number


def transcript(root: Path) -> Path:
    """Return the transcript that `root` holds."""
    return next((root / ".claude" / "projects").rglob("*.jsonl"))


def replace(path: Path) -> None:
    """Put a file of the same size and times in the place of another."""
    other, before = path.with_suffix(".new"), path.stat()
    other.write_bytes(path.read_bytes().replace(b"Hello", b"Howdy"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(path.read_bytes() + b"{}\n"),
        lambda path: os.truncate(path, 10),
        replace,
        lambda path: path.unlink(),
        lambda path: path.rename(path.with_name("other.jsonl")),
        lambda path: path.with_suffix(".jsonl.bak").write_bytes(b""),
        lambda path: path.with_name("link").symlink_to("/nowhere"),
    ],
    ids=["grown", "shrunk", "replaced", "gone", "renamed", "beside", "damage"],
)
def test_change(tmp_path: Path, change: Callable[[Path], object]) -> None:
    """Whatever happens to a file gives another number; nothing gives the same."""
    Draft(UUID).prompt("Hello").write(home(tmp_path))
    before = number(tmp_path)
    assert before == number(tmp_path)
    change(transcript(tmp_path))
    assert before != number(tmp_path)


def test_a_link_by_another_name(tmp_path: Path) -> None:
    """What a file is depends on the names that lead to it."""
    Draft(UUID).prompt("Hello").write(home(tmp_path))
    write_side(tmp_path, "kept/notes.txt", b"x")
    place = transcript(tmp_path).parent
    (place / "a.jsonl").symlink_to(tmp_path / ".claude" / "kept" / "notes.txt")
    before = number(tmp_path)
    (place / "a.jsonl").rename(place / "a.jsonl.bak")
    assert before != number(tmp_path)


def test_kept_and_forgotten(tmp_path: Path) -> None:
    """An index keeps the number that it is in step with, and forgets it with every change of its own."""
    write_demo_home(tmp_path)
    with Searched(home(tmp_path)) as searched:
        seen = number(searched.root)
        for connection in (searched.database, searched.text.ledger):
            assert files_in_step(connection, seen)
            assert files_in_step(connection, "another") is None
            connection.execute("UPDATE unit SET fingerprint = fingerprint")
            assert files_in_step(connection, seen) is None
        searched.refresh()
        assert files_in_step(searched.database, seen)
        assert files_in_step(searched.text.ledger, seen)


@pytest.mark.parametrize("table", ["dirty", "desktop_row", "marks", "store"])
def test_forgotten_with(table: str) -> None:
    """Other tables that tell of the disk count as well."""
    with closing(open_in_memory()) as database:
        keep(database, SEEN, lambda: True)
        assert files_in_step(database, "seen") == 3
        width = len(database.execute(f"PRAGMA table_info({table})").fetchall())
        database.execute(f"INSERT INTO {table} VALUES ({', '.join('1' * width)})")  # noqa: S608
        assert files_in_step(database, "seen") is None


def test_not_kept_while_somebody_writes(tmp_path: Path) -> None:
    """What another process writes meanwhile is waited for by nobody, and nothing is kept."""
    with closing(open_index(tmp_path / "i.db")) as ours, closing(open_index(tmp_path / "i.db")) as theirs:
        theirs.execute("BEGIN IMMEDIATE")
        keep(ours, SEEN, lambda: True)
        theirs.execute("COMMIT")
        assert files_in_step(ours, "seen") is None

        def written_meanwhile() -> bool:
            found = ours.execute("SELECT count(*) FROM dirty").fetchone() == (0,)
            theirs.execute("INSERT INTO dirty VALUES ('x')")
            return bool(found)

        keep(ours, SEEN, written_meanwhile)
        assert files_in_step(ours, "seen") is None
        keep(ours, SEEN, lambda: True)
        assert files_in_step(ours, "seen") == 3


def test_unchanged_costs_no_look(tmp_path: Path) -> None:
    """While nothing changes, an update reads the glance alone, and says how many transcripts there are."""
    write_demo_home(tmp_path)
    stores = find_stores(home(tmp_path), {})
    with closing(open_in_memory()) as database:
        first = update(database, stores)
        asked: list[str] = []
        database.set_trace_callback(asked.append)
        again = update(database, stores)
        assert (first.files, 0) == (again.files, again.read)
        assert again.skipped == first.files > 0
        assert all("FROM glance" in statement for statement in asked)
