"""`index`: the line that says how much was read."""

from pathlib import Path

import pytest
from command import said, strictly
from make import UUID, Draft, home

OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with two sessions."""
    for name in (UUID, OTHER):
        Draft(name, "/srv/shop").prompt("Go").answer("Yes.").write(home(tmp_path))
    return tmp_path


def counted(root: Path) -> str:
    """Update the index, and return the files that were read and those that were not, as people see them."""
    line = said("--root", root, "index")[1]
    return ", ".join(part.partition(" (")[0] for part in line.split(", ")[:2])


def grow(root: Path) -> int:
    """Append the last line of a transcript once more, and return the size of the transcript."""
    path = next(root.glob(f".claude/projects/*/{UUID}.jsonl"))
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[-1])
    return path.stat().st_size


def test_files_that_are_read_only_for_their_words(root: Path) -> None:
    """`list` reads no words, so `index` reads the same files; the next one reads nothing."""
    said("--root", root, "list")

    assert ["2 files read, 0 unchanged", "0 files read, 2 unchanged"] == [counted(root), counted(root)]


def test_a_file_that_is_read_twice_counts_once(root: Path) -> None:
    """A transcript that grew before and after `list` is read for its records and for its words: one file, its bytes."""
    said("--root", root, "index")
    grow(root)
    said("--root", root, "list")
    size = grow(root)
    report = strictly(said("--root", root, "--json", "index")[1].encode())

    assert (1, 1, size) == (report["read"], report["skipped"], report["bytes"])
